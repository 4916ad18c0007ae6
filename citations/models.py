"""The references of a thesis (SPEC C2, C4), and the reasons for citing retracted ones.

The final export is blocked until a person gives a reason for a retracted work. A reason covers the notices that were
known when it was given. After another retraction notice a new reason is needed; the old one stays readable (SPEC C11;
docs/decisions/citation-audit.md).
"""

import functools
import operator
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple, Self
from uuid import UUID

from django.conf import settings
from django.db import models
from django.utils import timezone

from citations.library_models import KeyPattern, SavedFilter, Tag, Tagging
from core.errors import Refused
from core.storable_text import check_storable
from projects.models import Project, User
from sources.retractions import Update

_NOTICE_SOURCES = {
    "publisher": "the publisher, at Crossref",
    "retraction-watch": "Retraction Watch, at Crossref",
    "crossref": "Crossref",
    "pubmed": "PubMed",
    "openalex": "OpenAlex",
    "demo": "the demo catalogue",
}
__all__ = ["KeyPattern", "SavedFilter", "Tag", "Tagging"]  # where Django looks for the models of an app

CitationStatus = Literal["verified", "attested", "review", "conflict", "not_found", "unresolved", "file"]


class CitationQuerySet(models.QuerySet["Citation"]):
    """Queries for entries."""

    def matching(self, words: str) -> Self:
        """Return the entries that contain each of `words` in title, authors, year, key or DOI."""
        found = self
        for word in words.split()[:20]:
            places = [models.Q(**{f"{name}__icontains": word}) for name in ("title", "authors", "cite_key", "doi")]
            places.append(models.Q(pk__in=OtherKey.objects.filter(key__icontains=word).values("citation")))
            if word.isdecimal() and len(word) == 4:
                places.append(models.Q(year=int(word)))
            found = found.filter(functools.reduce(operator.or_, places))
        return found

    def due(self) -> Self:
        """Return the entries whose check is due now, including proven ones that are checked again."""
        return self.filter(check_due_at__lte=timezone.now()).exclude(status__in=Citation.NEVER_CHECKED)

    def next_serial(self, project: Project) -> int:
        """Return the serial number of the next entry; call it in the transaction that locks the project's row."""
        return int(self.filter(project=project).aggregate(last=models.Max("serial"))["last"] or 0) + 1


class Citation(models.Model):
    """One bibliographic entry of a project.

    `csl` is the entry as CSL-JSON, which all other code reads: the registry's values once the entry is proven. `bibtex`
    is the imported entry, byte for byte. A new entry is `unresolved` and has no tier: it was not looked up yet.
    """

    class Status(models.TextChoices):
        VERIFIED = "verified", "Verified"
        ATTESTED = "attested", "Attested"
        REVIEW = "review", "To be confirmed"
        CONFLICT = "conflict", "Identifier conflict"
        NOT_FOUND = "not_found", "Not found"
        UNRESOLVED = "unresolved", "Not looked up yet"
        FILE = "file", "Your file"

    class Evidence(models.TextChoices):
        DOI = "doi", "DOI"
        PMID = "pmid", "PMID"
        ISBN = "isbn", "ISBN"
        URL = "url", "Address"
        MANUAL = "manual", "A person's word"
        DEMO = "demo", "Demo catalogue"  # no registry was asked (docs/decisions/demo-catalogue.md)

    NEVER_CHECKED = (Status.ATTESTED, Status.FILE)  # a person vouches for them, and no check overwrites that

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="citations")
    cite_key = models.CharField(max_length=200)
    bibtex = models.TextField(blank=True)
    serial = models.PositiveIntegerField(default=0)  # the order in which the entries of a thesis were added
    csl = models.JSONField(default=dict)
    title = models.TextField(blank=True)
    authors = models.TextField(blank=True)  # "Sterne, Murthy and others", for lists
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    doi = models.CharField(max_length=500, blank=True)
    pmid = models.CharField(max_length=50, blank=True)
    url = models.TextField(blank=True)
    note = models.TextField(blank=True)  # the imported abstract or reading note; searched by research
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.UNRESOLVED)
    tier = models.CharField(max_length=1, blank=True)
    reason = models.TextField(blank=True)  # the reason of the verdict, a sentence for people
    evidence_type = models.CharField(max_length=6, choices=Evidence.choices, blank=True)
    evidence_value = models.CharField(max_length=1_000, blank=True)
    source_doi = models.CharField(max_length=500, blank=True)  # the identifiers of the registry's record
    source_pmid = models.CharField(max_length=50, blank=True)
    claimed = models.JSONField(default=dict)  # CSL as imported, where a registry's record replaced it
    record = models.JSONField(default=dict)  # CSL of the record that `diff` compares the claim with
    # [{"field", "claimed", "found", "agrees"}], agrees None where the two cannot be compared
    diff = models.JSONField(default=list)
    # The intended work, where an identifier leads elsewhere: {"doi", "title", "csl"}
    repair = models.JSONField(default=dict)
    published_doi = models.CharField(max_length=500, blank=True)  # the DOI of a preprint's published version
    open_access_url = models.TextField(blank=True)
    retracted = models.BooleanField(default=False)
    verified_at = models.DateTimeField(null=True, blank=True)
    attested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    attested_at = models.DateTimeField(null=True, blank=True)
    attestation = models.TextField(blank=True)  # the reason for the attestation
    # An uploaded file that is cited as such. Only set by code: neither imports nor BibTeX can make an entry a file.
    file_name = models.TextField(blank=True)
    file_id = models.UUIDField(null=True, blank=True)
    retraction_reason = models.TextField(blank=True)  # why a retracted work is cited
    retraction_reason_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    retraction_reason_at = models.DateTimeField(null=True, blank=True)
    retraction_reason_notices = models.JSONField(default=list)  # the notices that it covers; see `is_explained`
    checked_at = models.DateTimeField(null=True, blank=True)  # when a registry last answered
    check_due_at = models.DateTimeField(null=True, blank=True)  # None: no check is wanted, or it is done
    failures = models.PositiveSmallIntegerField(default=0)  # consecutive checks in which a service failed
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    objects = CitationQuerySet.as_manager()

    class Meta:
        ordering = ["serial", "created_at", "cite_key"]
        constraints = [models.UniqueConstraint(fields=["project", "cite_key"], name="one_citation_per_key")]
        indexes = [models.Index(fields=["check_due_at"])]

    def __str__(self) -> str:
        return self.cite_key

    def delete(self, *args: Any, **kwargs: Any) -> tuple[int, dict[str, int]]:
        """Delete the entry under the lock of its thesis, so that no run indexes it meanwhile."""
        with Project.objects.held(self.project_id):
            deleted: tuple[int, dict[str, int]] = super().delete(*args, **kwargs)
        return deleted

    @property
    def text_for_search(self) -> str:
        """The title and the note, which research reads. Offsets of evidence refer to this text."""
        return f"{self.title}\n\n{self.note}"

    @property
    def container(self) -> str:
        """The journal, book or website that the work appeared in."""
        return str(self.csl.get("container-title") or "")

    @property
    def claim(self) -> dict[str, Any]:
        """The CSL as imported, also after a registry's record replaced it in `csl`."""
        return dict(self.claimed or self.csl)

    @property
    def is_settled(self) -> bool:
        """Whether it is proven, attested or an own file, so that no import overwrites it (SPEC C6)."""
        is_proven = self.status == self.Status.VERIFIED and not self.is_of_demo_catalogue
        return is_proven or self.status in self.NEVER_CHECKED

    @property
    def is_of_demo_catalogue(self) -> bool:
        """Whether its verdict comes from the demo catalogue alone, so that no registry was asked."""
        return self.evidence_type == self.Evidence.DEMO


@contextmanager
def locked_citation(citation: Citation) -> Iterator[Citation]:
    """Lock and yield the current row of `citation`; save it at the end and refresh `citation`.

    The thesis is locked, so that keys stay unique and no check writes meanwhile.
    """
    with Project.objects.held(citation.project_id):
        row: Citation = Citation.objects.select_for_update(of=("self",)).select_related("project").get(pk=citation.pk)
        yield row
        row.save()
    citation.refresh_from_db()


class OtherKeyQuerySet(models.QuerySet["OtherKey"]):
    """Queries for key aliases."""

    def by_key(self, project: Any) -> dict[str, str]:
        """Return the key aliases of a thesis, each with the cite key of its reference."""
        return dict(self.filter(project=project).values_list("key", "citation__cite_key"))


class OtherKey(models.Model):
    """An alias of a reference's cite key, which the text may cite too (docs/decisions/key-aliases.md).

    It is unique among all cite keys and aliases of the thesis. `bibtex` is the entry as imported under this key;
    `merged` are the values of the reference that was merged into this one.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="other_keys")
    citation = models.ForeignKey(Citation, on_delete=models.CASCADE, related_name="other_keys")
    key = models.CharField(max_length=200)
    bibtex = models.TextField(blank=True)
    merged = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = OtherKeyQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "key"]
        constraints = [models.UniqueConstraint(fields=["project", "key"], name="one_reference_per_other_key")]

    def __str__(self) -> str:
        return self.key


class RetractionNotice(models.Model):
    """A notice about a cited work: retraction, expression of concern, correction (SPEC C11). `source` reported it."""

    citation = models.ForeignKey(Citation, on_delete=models.CASCADE, related_name="notices")
    type = models.CharField(max_length=40)
    doi = models.CharField(max_length=500, blank=True)
    pmid = models.CharField(max_length=50, blank=True)
    source = models.CharField(max_length=40, blank=True)
    year = models.PositiveSmallIntegerField(null=True, blank=True)
    note = models.TextField(blank=True)
    found_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["year", "type"]

    def __str__(self) -> str:
        return f"{self.type} of {self.citation_id}"

    @property
    def retracts(self) -> bool:
        """Whether the notice retracts the work."""
        return Update(type=self.type).retracts

    @property
    def label(self) -> str:
        """The kind of notice, for people: "Expression of concern"."""
        return self.type.replace("_", " ").replace("-", " ").capitalize()

    @property
    def tier(self) -> str:
        """The tier whose colours the notice has."""
        return "retracted" if self.retracts else "d" if "concern" in self.label else "c"

    @property
    def told_by(self) -> str:
        """The name of the service that reported the notice; may be empty."""
        return _NOTICE_SOURCES.get(self.source, self.source)

    @property
    def sentence(self) -> str:
        """The note of the notice as a sentence; empty where it only repeats the kind."""
        if not self.note or self.note.casefold() == self.type.casefold():
            return ""
        return self.note if self.note.endswith((".", "!", "?")) else f"{self.note}."


class Import(models.Model):
    """An import of a file of references, with its result (SPEC C10). The text is deleted when the import ends."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="imports")
    name = models.CharField(max_length=200, blank=True)
    format = models.CharField(max_length=8, blank=True)  # empty: to be detected
    text = models.TextField(blank=True)
    result = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.name or str(self.id)


class PrintedReference(models.Model):
    """A cached reference as a style prints it (SPEC C12). `key` is a hash of the work and the style."""

    key = models.CharField(max_length=64, primary_key=True)
    text = models.TextField()
    made_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.text


REASON_COLUMNS = tuple(f"retraction_reason{part}" for part in ("", "_by", "_at", "_notices"))  # its columns
LONGEST_REASON = 2_000  # characters


class RetractionReason(NamedTuple):
    """The reason for citing a retracted work; `by` is empty once the account is deleted."""

    text: str
    by: str


def explain_retraction(citation: Citation, user: User, reason: str) -> Citation:
    """Save why the retracted work `citation` is cited, with the user and the time.

    Raises Refused without a reason, for one longer than 2,000 characters, and for a work that is not retracted. The
    caller checks whether `user` may do this.
    """
    reason = clean_reason(reason, "Explain why this retracted work is cited.")
    with locked_citation(citation) as row:
        if not row.retracted:
            raise Refused(f"{row.cite_key} is not retracted.", code="not_retracted")
        row.retraction_reason, row.retraction_reason_by, row.retraction_reason_at = reason, user, timezone.now()
        row.retraction_reason_notices = sorted({mark for notice in row.notices.all() for mark in _notice_marks(notice)})
    return row


def withdraw_retraction_reason(citation: Citation) -> Citation:
    """Delete the reason for citing a retracted work. Raises Refused where there is none."""
    with locked_citation(citation) as row:
        if not row.retraction_reason:
            raise Refused(f"No reason was given for citing {row.cite_key}.", code="no_reason")
        row.retraction_reason, row.retraction_reason_by = "", None
        row.retraction_reason_at, row.retraction_reason_notices = None, []
    return row


def clean_reason(reason: str, why: str) -> str:
    """Return a person's reason, stripped. Raises Refused with `why` for an empty one, and for one that is too long."""
    reason = reason.strip()
    check_storable(reason, "reason")
    if not reason:
        raise Refused(why, field="reason", code="empty")
    if len(reason) > LONGEST_REASON:
        raise Refused(f"A reason can have at most {LONGEST_REASON:,} characters.", field="reason", code="too_long")
    return reason


def is_explained(citation: Citation) -> bool:
    """Return whether the reason covers all retraction notices of `citation`. One query unless they are prefetched."""
    if not citation.retracted or not citation.retraction_reason:
        return False
    held = set(citation.retraction_reason_notices)
    return all(held.intersection(_notice_marks(one)) for one in citation.notices.all() if one.retracts)


def valid_reasons(project: Project) -> dict[UUID, RetractionReason]:
    """Return the reasons that cover all retraction notices of their work, by id of the citation."""
    shown = (
        Citation.objects.filter(project=project, retracted=True)
        .exclude(retraction_reason="")
        .select_related("retraction_reason_by")
        .prefetch_related("notices")
    )
    return {
        row.pk: RetractionReason(row.retraction_reason, str(row.retraction_reason_by or ""))
        for row in shown.only("retraction_reason", "retraction_reason_by", "retraction_reason_notices", "retracted")
        if is_explained(row)
    }


def _notice_marks(notice: RetractionNotice) -> list[str]:
    """Return the marks of a notice: its DOI and PMID, since services report it by either; else its type and year."""
    ids = [notice.doi and f"doi:{notice.doi.casefold()}", notice.pmid and f"pmid:{notice.pmid}"]
    return [one for one in ids if one] or [f"{notice.type} {notice.year or ''}".strip()]
