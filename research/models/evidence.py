"""What a run found: sources, findings, gaps, contradictions, and the claims of its report (SPEC R8 to R13)."""

from typing import Self

from django.db import models

from citations.formats.csl import year_of
from citations.models import Citation
from contextfiles.models import ContextFile
from llm.roles import Passage as EnginePassage
from research.models.run import Node, Run


class SourceQuerySet(models.QuerySet["Source"]):
    """Query methods of sources."""

    def distinct_works(self) -> Self:
        """Return the main row of each work, and each passage of a file, since passages are cited."""
        return self.filter(duplicate_of=None, is_passage=False)

    def count_works(self) -> int:
        """Return the number of works, as every page counts sources: a file once, whatever number of passages it has."""
        return self.distinct_works().aggregate(works=models.Count("document", distinct=True))["works"]  # type: ignore[no-any-return]


class Source(models.Model):
    """A source that was retrieved in this run; only these can be cited (R10).

    A row is one text with its record. The records of one work from several catalogues, and the pages that were read of
    it, share its `document`; the first of them is the main row of the work and has the richest metadata (R8).
    """

    class Kind(models.TextChoices):
        """Where a source comes from."""

        FILE = "file", "Uploaded file"
        REFERENCE = "reference", "Reference"
        WORK = "work", "Found in a catalogue"
        PAGE = "page", "Web page"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="sources")
    source_id = models.CharField(max_length=300)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    provider = models.CharField(max_length=40)
    source_type = models.CharField(max_length=40)  # CSL type, or "file"
    document = models.CharField(max_length=300)  # the work it belongs to: a file's name, a cite key, "doi:10.1001/..."
    duplicate_of = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="duplicates")
    is_passage = models.BooleanField(default=False)  # part of a page or PDF of a work that has its own main row
    work = models.JSONField(default=dict)  # the catalogue's record (sources.work.Work), without its texts
    citation_count = models.PositiveIntegerField(null=True)
    title = models.TextField()
    heading = models.TextField(blank=True)
    url = models.TextField(blank=True)
    csl = models.JSONField(default=dict)
    text = models.TextField()  # the stored passage; spans are positions in it
    retracted = models.BooleanField(default=False)  # when it was found
    # Whether it only names other works to look up, so that it supports no finding; null in rows from before this field.
    is_lead = models.BooleanField(null=True)
    assessment = models.JSONField(default=dict)  # of the study's methods, on the main row of its work (R15)
    page = models.PositiveIntegerField(null=True)
    offset = models.PositiveIntegerField(default=0)  # where `text` begins in the document's text, in characters
    text_hash = models.CharField(max_length=64)
    file = models.ForeignKey(ContextFile, on_delete=models.SET_NULL, null=True)
    citation = models.ForeignKey(Citation, on_delete=models.SET_NULL, null=True)
    number = models.PositiveSmallIntegerField(null=True)  # its marker in the report; null when not cited
    retrieved_at = models.DateTimeField()

    objects = SourceQuerySet.as_manager()

    class Meta:
        ordering = ["number", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "source_id"], name="one_source_per_id")]

    def __str__(self) -> str:
        return self.source_id

    @property
    def public_id(self) -> str:
        """Return its id outside the run."""
        return public_id(self.source_id, self.kind, self.document)

    @property
    def year(self) -> int | None:
        """Return its year of publication, None if unknown."""
        return year_of(self.csl)

    @property
    def passage(self) -> EnginePassage:
        """Return the passage that an engine gets to read."""
        return EnginePassage(
            source_id=self.source_id,
            document=self.document,
            title=self.title,
            heading=self.heading,
            text=self.text,
            is_file=self.kind == Source.Kind.FILE,
        )


def public_id(source_id: str, kind: str, document: str) -> str:
    """Return the id of a source outside the run: "alder.md::S1" for a passage of a file, else the id of its work."""
    return source_id if kind == Source.Kind.FILE else document


class Finding(models.Model):
    """A statement from a source that answers a node, with the exact span of its quote."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="findings")
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="findings")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="findings")
    finding_id = models.CharField(max_length=12)
    content = models.TextField()
    start = models.PositiveIntegerField()  # of the quote in source.text, in characters
    end = models.PositiveIntegerField()
    confidence = models.FloatField()
    category = models.CharField(max_length=30)
    is_superseded = models.BooleanField(default=False)  # by findings of the same node when it was run again (R17)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "finding_id"], name="one_finding_per_id")]

    def __str__(self) -> str:
        return f"{self.finding_id} {self.content[:60]}"

    @property
    def quote(self) -> str:
        """Return the exact words of the source that it is based on."""
        return self.source.text[self.start : self.end]


class GapQuerySet(models.QuerySet["Gap"]):
    """Query methods of gaps."""

    def open(self) -> Self:
        """Return the gaps that are open."""
        return self.filter(resolution_notes="")


class Gap(models.Model):
    """Something that the research of a node did not find."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="gaps")
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="gaps")
    gap_id = models.CharField(max_length=12)
    description = models.TextField()
    priority = models.PositiveSmallIntegerField(default=2)
    suggested_queries = models.JSONField(default=list)
    round = models.PositiveSmallIntegerField(default=1)  # the round of supervision that named it (R7)
    resolution_notes = models.TextField(blank=True)  # empty while the gap is open

    objects = GapQuerySet.as_manager()

    class Meta:
        ordering = ["priority", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "gap_id"], name="one_gap_per_id")]

    def __str__(self) -> str:
        return self.gap_id


class Contradiction(models.Model):
    """Sources that contradict each other."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="contradictions")
    contradiction_id = models.CharField(max_length=12)
    description = models.TextField()
    source_ids = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "contradiction_id"], name="one_contradiction_per_id")]

    def __str__(self) -> str:
        return self.contradiction_id


class Claim(models.Model):
    """A sentence of the report with one of its markers, and whether the cited passage supports it (R11).

    A sentence without a marker has one row, without a source.
    """

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="claims")
    claim_id = models.CharField(max_length=12)
    text = models.TextField()
    section = models.CharField(max_length=60)
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="claims", null=True)
    start = models.PositiveIntegerField(default=0)  # the span in source.text that was compared
    end = models.PositiveIntegerField(default=0)
    verdict = models.CharField(max_length=12)
    reason = models.TextField(blank=True)
    claim_type = models.CharField(max_length=12, default="other")  # negative, quantitative, comparative, other
    quotes_hold = models.BooleanField(null=True)  # whether its quotes are in the source; null: it has none
    outcome = models.CharField(max_length=8, default="kept")  # kept, marked, repaired, removed
    before = models.JSONField(default=dict)  # {text, verdict, reason} of a sentence that was repaired or removed
    sentence = models.CharField(max_length=12, default="")  # claim_id of the first row of its sentence; "" in old runs
    given = models.BooleanField(default=False)  # whether code or a repair added its source, not the writer

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "claim_id"], name="one_claim_per_id")]

    def __str__(self) -> str:
        return self.claim_id

    @property
    def position(self) -> int:
        """Return its place among the markers, and sentences without markers, of the report, from 1."""
        return int(self.claim_id[1:])

    @property
    def cited(self) -> Source:
        """Return the source of a claim that is known to have one."""
        assert self.source is not None
        return self.source
