"""A research run and everything it stores (SPEC R6, R12, R13, R16).

The ids that pages and exports show are short text keys, unique within a run: nodes "1.2", sources "alder.md::S1" or a
cite key, findings "F1.2-3", gaps "G1.2-1" and contradictions "D1.2-1" of node 1.2, claims "C4".
"""

import uuid
from decimal import Decimal
from typing import Any, Self

from django.db import models

from citations.formats.csl import year_of
from citations.models import Citation
from contextfiles.models import ContextBundle, ContextFile
from jobs.models import Job
from llm.offline import OfflineEngine
from llm.roles import Passage as EnginePassage
from projects.models import Project, User


class Phase(models.TextChoices):
    """The phases of a run."""

    FILES = "files", "Files"
    BRIEF = "brief", "Brief"
    RESEARCH = "research", "Research"
    SYNTHESIS = "synthesis", "Synthesis"
    VERIFICATION = "verification", "Claim check"
    DONE = "done", "Report"


class Run(models.Model):
    """One research run. Its state (running, paused, failed ...) is that of its job."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    job = models.OneToOneField(Job, on_delete=models.RESTRICT, related_name="run")
    question = models.TextField()
    profile = models.CharField(max_length=60)
    profile_config = models.JSONField(default=dict)  # fixed when the run is created (R1, R2)
    warnings = models.JSONField(default=list)  # sentences shown with the run, for example R2's deprecation
    engine = models.CharField(max_length=80)
    # The version of the pipeline that began the run (research/journal/pipeline_version.py).
    pipeline = models.PositiveSmallIntegerField(default=1)
    phase = models.CharField(max_length=12, choices=Phase.choices, default=Phase.FILES)
    files = models.JSONField(default=list)  # chosen at the start: [{id, name, sha256, format}]
    context_processing = models.JSONField(default=dict)  # X10
    context = models.OneToOneField(ContextBundle, on_delete=models.SET_NULL, null=True, related_name="run")
    # The decision on files with personal data (X2): {by, at, decision, files: {name: {"email": 2}}}; empty until then.
    consent = models.JSONField(default=dict)
    brief = models.JSONField(default=dict)
    query_type = models.CharField(max_length=20, blank=True)
    title = models.TextField(blank=True)
    report = models.TextField(blank=True)  # Markdown, with markers "[n]" for cited sources
    # Whether the user approves brief and plan before anything else is asked, the approved plan, and when (R3).
    wants_approval = models.BooleanField(default=False)
    approved = models.JSONField(default=dict)  # {brief, directives}; empty until approved
    approved_at = models.DateTimeField(null=True, blank=True)
    rounds = models.JSONField(default=list)  # of supervision: [{round, scores, decision, sources, findings}] (R7)
    fidelity = models.JSONField(default=dict)  # of the claim check: {before, after, checked, ...} (R11)
    network = models.JSONField(default=dict)  # {papers, links, threads} of the citation network (R15)
    # Limits on calls to a model, and what they have used; null is no limit (research/setup/budget.py).
    budget_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    budget_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    budget_calls = models.PositiveIntegerField(null=True, blank=True)
    budget_seconds = models.PositiveIntegerField(null=True, blank=True)  # working time; pauses do not count
    spent_usd = models.DecimalField(max_digits=14, decimal_places=8, default=Decimal(0))
    spent_tokens = models.PositiveBigIntegerField(default=0)
    spent_calls = models.PositiveIntegerField(default=0)
    spent_seconds = models.PositiveIntegerField(default=0)  # of attempts that have ended
    # Files that it read and that were deleted since, [{id, name, sha256, at, by}], and whether their text still has to
    # be erased from what the run stored (research/context/deletion.py).
    deleted_files = models.JSONField(default=list)
    has_text_to_delete = models.BooleanField(default=False, db_index=True)
    # The length and last hash of the provenance chain, so that missing entries at its end are detected, too.
    provenance_length = models.PositiveIntegerField(default=0)
    provenance_head = models.CharField(max_length=64, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    completed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.question[:80]

    @property
    def only_quotes(self) -> bool:
        """Return whether the offline engine conducted it, so that every finding is a quote from its source."""
        return self.engine == OfflineEngine.label

    @property
    def reads_uploads(self) -> bool:
        """Return whether uploaded files were chosen for it, so that any of its text may come from them."""
        return bool(self.files)

    @property
    def has_report(self) -> bool:
        """Return whether it has written a report."""
        return bool(self.report)


class Node(models.Model):
    """One question of the tree. `number` is stable: children are numbered in the order they were planned."""

    class State(models.TextChoices):
        """The states of a question."""

        WAITING = "waiting", "Waiting for a free place"
        WORKING = "working", "Working"
        SPLIT = "split", "Working on its parts"
        ENOUGH = "enough", "Enough"
        GAP = "gap", "Gap named"
        FAILED = "failed", "Failed"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="nodes")
    parent = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="children")
    number = models.CharField(max_length=20)
    depth = models.PositiveSmallIntegerField()
    topic = models.CharField(max_length=200, blank=True)
    question = models.TextField()
    perspective = models.CharField(max_length=60, blank=True)
    state = models.CharField(max_length=8, choices=State.choices, default=State.WAITING)
    said = models.CharField(max_length=200, blank=True)  # the line below its name in the tree: "7 sources"
    evidence_needed = models.TextField(blank=True)  # designs, sample sizes, effect sizes or frameworks (R4)
    round = models.PositiveSmallIntegerField(default=1)  # the round of supervision that asked it (R7)
    reasoning = models.TextField(blank=True)
    searches = models.PositiveSmallIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=0)  # queries that the library had already answered in this run

    prefix: str = ""  # put before the keys of its steps when it is researched again; not a column

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_node_per_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.question[:60]}"

    def add_part(self, position: int, wanted: Any, *, round: int) -> "Node":
        """Create part `position` (from 1) of this question from `wanted`, a directive or a point of a new round."""
        return Node.objects.create(
            run_id=self.run_id,
            parent=self,
            number=f"{self.number}.{position}",
            depth=self.depth + 1,
            topic=wanted.topic[:200],
            question=wanted.question,
            perspective=wanted.perspective[:60],
            evidence_needed=wanted.evidence_needed,
            round=round,
        )

    def key(self, step: str) -> str:
        """Return the key of one of its steps in the journal: "1.2/research/1"."""
        return f"{self.prefix}{self.number}/{step}"


class Step(models.Model):
    """A step of the journal: one call that costs something, with a key so that it is never made twice (R16)."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="steps")
    key = models.CharField(max_length=200)  # "1.2/research/1"
    kind = models.CharField(max_length=20)  # model, search, fetch, read, note
    request_hash = models.CharField(max_length=64)
    response = models.JSONField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "key"], name="one_step_per_key")]

    def __str__(self) -> str:
        return self.key


class SourceQuerySet(models.QuerySet["Source"]):
    """Query methods of sources."""

    def distinct_works(self) -> Self:
        """Return the main row of each work, and each passage of a file, since passages are cited."""
        return self.filter(duplicate_of=None, is_passage=False)


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
