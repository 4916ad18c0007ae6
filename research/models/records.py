"""The log of a run, the library's index, follow-ups on a run, and people's own profiles (SPEC R1, R2, R12, R17)."""

from typing import Self

from django.db import models

from citations.models import Citation
from contextfiles.models import ContextFile
from projects.models import Project, User
from research.models.run import Run


class ProvenanceEntry(models.Model):
    """An entry of a run's log, chained by hash to the one before (R12; research/journal/provenance.py)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="provenance")
    seq = models.PositiveIntegerField()
    at = models.DateTimeField()
    phase = models.CharField(max_length=20)
    event_type = models.CharField(max_length=40)
    summary = models.TextField()
    details = models.JSONField(default=dict)
    previous_hash = models.CharField(max_length=64)
    hash = models.CharField(max_length=64)

    class Meta:
        ordering = ["seq"]
        constraints = [models.UniqueConstraint(fields=["run", "seq"], name="one_entry_per_number")]

    def __str__(self) -> str:
        return f"{self.seq} {self.event_type}"


class Passage(models.Model):
    """A passage of the library, indexed for full-text search (research/search/library_index.py)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="passages")
    file = models.ForeignKey(ContextFile, on_delete=models.CASCADE, null=True)
    citation = models.ForeignKey(Citation, on_delete=models.CASCADE, null=True)
    source_id = models.CharField(max_length=300)
    document = models.CharField(max_length=300)
    title = models.TextField()
    heading = models.TextField(blank=True)
    text = models.TextField()
    page = models.PositiveIntegerField(null=True)
    offset = models.PositiveIntegerField(default=0)
    origin_hash = models.CharField(max_length=64)  # of the text it was cut from; if unchanged, it is already indexed
    is_lead = models.BooleanField(null=True)  # as in Source

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["project", "file"])]
        constraints = [models.UniqueConstraint(fields=["project", "source_id"], name="one_passage_per_id")]

    def __str__(self) -> str:
        return self.source_id


class FollowUpQuerySet(models.QuerySet["FollowUp"]):
    """Query methods of follow-ups."""

    def waiting(self) -> Self:
        """Return the follow-ups that are neither answered nor given up."""
        return self.filter(answered_at=None, answer="")


class FollowUp(models.Model):
    """A follow-up on a finished run (R17): a question about its findings, a gap to extend, or a node to run again."""

    class Kind(models.TextChoices):
        """The kinds of follow-ups."""

        ASK = "ask", "Question"
        EXTEND = "extend", "Gap"
        RERUN = "rerun", "Run again"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="follow_ups")
    number = models.PositiveSmallIntegerField()  # in the order they were asked, from 1
    kind = models.CharField(max_length=6, choices=Kind.choices)
    text = models.TextField(blank=True)  # the question
    about = models.CharField(max_length=20, blank=True)  # the gap or node it is about: "G1.2-1", "1.2"
    answer = models.TextField(blank=True)  # Markdown, with markers "[n]"; or the reason why it was not answered
    report_before = models.TextField(blank=True)  # the report that was replaced by a new one
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    objects = FollowUpQuerySet.as_manager()

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_follow_up_per_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.text[:60] or self.about}"

    @property
    def state(self) -> str:
        """Return waiting, answered, or left, which means not answered: `answer` says why."""
        if self.answered_at:
            return "answered"
        return "left" if self.answer else "waiting"


class SavedProfile(models.Model):
    """A profile that a user has saved (R2); its values are those of research.setup.profiles."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="research_profiles")
    name = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_saved_profile_per_name")]

    def __str__(self) -> str:
        return self.name
