"""The references of a thesis (SPEC C2, C4)."""

import functools
import operator
import uuid
from typing import Any, ClassVar, Self

from django.db import models, transaction

from projects.models import Project


class CitationQuerySet(models.QuerySet["Citation"]):
    def visible_to(self, user: Any) -> Self:
        return self.filter(project__in=Project.objects.visible_to(user))

    def matching(self, words: str) -> Self:
        """The entries in which every one of `words` stands somewhere: title, authors, year, key or DOI."""
        found = self
        for word in words.split()[:20]:
            places = [models.Q(**{f"{name}__icontains": word}) for name in ("title", "authors", "cite_key", "doi")]
            if word.isdecimal() and len(word) == 4:
                places.append(models.Q(year=int(word)))
            found = found.filter(functools.reduce(operator.or_, places))
        return found

    def counts(self) -> dict[str, int]:
        """How many entries there are, how many rest on proof (tier A, B or C), are retracted, or unchecked."""
        return self.aggregate(
            total=models.Count("pk"),
            proven=models.Count("pk", filter=models.Q(tier__in="ABC")),
            retracted=models.Count("pk", filter=models.Q(retracted=True)),
            unchecked=models.Count("pk", filter=models.Q(status=Citation.Status.UNRESOLVED)),
        )


class Citation(models.Model):
    """One bibliographic entry of a project.

    `csl` is the entry as CSL-JSON, what everything reads; `bibtex` is the entry as it was brought in, kept
    byte for byte. An imported entry is `unresolved` and has no tier: nothing was looked up yet.
    """

    class Status(models.TextChoices):
        VERIFIED = "verified", "Verified"
        ATTESTED = "attested", "Attested"
        REVIEW = "review", "To be confirmed"
        CONFLICT = "conflict", "Identifier conflict"
        NOT_FOUND = "not_found", "Not found"
        UNRESOLVED = "unresolved", "Not checked yet"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="citations")
    cite_key = models.CharField(max_length=200)
    bibtex = models.TextField(max_length=10_000, blank=True)
    csl = models.JSONField(default=dict)
    title = models.TextField(blank=True)
    authors = models.TextField(blank=True)  # "Sterne, Murthy and others", for lists
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    doi = models.CharField(max_length=500, blank=True)
    pmid = models.CharField(max_length=50, blank=True)
    url = models.TextField(blank=True)
    note = models.TextField(blank=True)  # the abstract or reading note that came with it; searched by research
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.UNRESOLVED)
    tier = models.CharField(max_length=1, blank=True)
    retracted = models.BooleanField(default=False)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects: ClassVar[Any] = CitationQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "cite_key"]
        constraints = [models.UniqueConstraint(fields=["project", "cite_key"], name="one_citation_per_key")]

    def __str__(self) -> str:
        return self.cite_key

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the entry, once nothing of its thesis is being indexed for a run."""
        with transaction.atomic():
            Project.objects.select_for_update().get(pk=self.project_id)
            deleted: tuple[int, dict[str, int]] = super().delete(*args, **kwargs)
        return deleted

    @property
    def text_for_search(self) -> str:
        """The title and the note: what research reads of this entry. Offsets of evidence count in this text."""
        return f"{self.title}\n\n{self.note}"

    @property
    def container(self) -> str:
        """The journal, book or site it stands in."""
        return str(self.csl.get("container-title") or "")

    @property
    def is_settled(self) -> bool:
        """Proven or vouched for by a person: no import overwrites it (SPEC C6)."""
        return self.status in {self.Status.VERIFIED, self.Status.ATTESTED}
