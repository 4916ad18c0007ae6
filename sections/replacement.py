"""A replacement of words in the whole thesis, as rows: what was replaced by what, and where (SPEC T2)."""

import uuid

from django.conf import settings
from django.db import models
from django.utils import timezone


class Replacement(models.Model):
    """Words that were replaced in a thesis at once. It can be undone once."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey("projects.Project", on_delete=models.CASCADE, related_name="replacements")
    words = models.CharField(max_length=200)
    new = models.CharField(max_length=500, blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+")
    made_at = models.DateTimeField(default=timezone.now)
    undone_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-made_at"]

    def __str__(self) -> str:
        return f"{self.words} → {self.new}"


class ReplacedText(models.Model):
    """The part of a replacement in one section: the version that it made, and its edits.

    `edits` has a list for each match, with [start, end, old text] for each edit; places are those of the new text.
    """

    replacement = models.ForeignKey(Replacement, on_delete=models.CASCADE, related_name="texts")
    version = models.ForeignKey("sections.SectionVersion", on_delete=models.CASCADE, related_name="+")
    edits = models.JSONField()

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.replacement_id} in {self.version_id}"
