"""A research session and everything it leaves behind (SPEC R6, R12, R13, R16).

Ids people and exports see are short text keys, unique within a run: nodes "1.2", sources "alder.md::S1" or a
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
    FILES = "files", "Files"
    BRIEF = "brief", "Brief"
    RESEARCH = "research", "Research"
    SYNTHESIS = "synthesis", "Synthesis"
    VERIFICATION = "verification", "Claim check"
    DONE = "done", "Report"


class Run(models.Model):
    """One research session. Its state (running, paused, failed ...) is that of its job."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="runs")
    job = models.OneToOneField(Job, on_delete=models.RESTRICT, related_name="run")
    question = models.TextField()
    profile = models.CharField(max_length=60)
    profile_config = models.JSONField(default=dict)  # frozen when the run is made (R1, R2)
    warnings = models.JSONField(default=list)  # sentences shown with the run, e.g. R2's deprecation
    engine = models.CharField(max_length=80)
    pipeline = models.PositiveSmallIntegerField(
        default=1
    )  # its version when the run was begun (research/journal/pipeline_version.py)
    phase = models.CharField(max_length=12, choices=Phase.choices, default=Phase.FILES)
    files = models.JSONField(default=list)  # chosen at the start: [{id, name, sha256, format}]
    context_processing = models.JSONField(default=dict)  # X10
    context = models.OneToOneField(ContextBundle, on_delete=models.SET_NULL, null=True, related_name="run")
    # Who let passages of files leave this machine that hold what looks like data of persons, and when (X2):
    # {by, at, files: {name: {"email": 2}}}; empty until somebody did.
    consent = models.JSONField(default=dict)
    brief = models.JSONField(default=dict)
    query_type = models.CharField(max_length=20, blank=True)
    title = models.TextField(blank=True)
    report = models.TextField(blank=True)  # Markdown, markers "[n]" standing for cited sources
    # Whether a person is to read brief and plan before anything else is asked, what they made of them, and when (R3).
    wants_approval = models.BooleanField(default=False)
    approved = models.JSONField(default=dict)  # {brief, directives} as the person left them; empty until then
    approved_at = models.DateTimeField(null=True, blank=True)
    rounds = models.JSONField(default=list)  # of supervision: [{round, scores, decision, sources, findings}] (R7)
    fidelity = models.JSONField(default=dict)  # of the claim check: {before, after, checked, ...} (R11)
    network = models.JSONField(default=dict)  # {papers, links, threads} of the citation network (R15)
    # What calls to a model may cost and have cost; null is no limit (research/setup/budget.py).
    budget_usd = models.DecimalField(max_digits=14, decimal_places=8, null=True, blank=True)
    budget_tokens = models.PositiveBigIntegerField(null=True, blank=True)
    budget_calls = models.PositiveIntegerField(null=True, blank=True)
    budget_seconds = models.PositiveIntegerField(null=True, blank=True)  # that it may work, rests not counted
    spent_usd = models.DecimalField(max_digits=14, decimal_places=8, default=Decimal(0))
    spent_tokens = models.PositiveBigIntegerField(default=0)
    spent_calls = models.PositiveIntegerField(default=0)
    spent_seconds = models.PositiveIntegerField(default=0)  # of attempts that have ended
    # Files that it read and that were deleted since: [{id, name, sha256, at, by}]; and whether their text is still to be
    # taken out of what the run left (research/context/deletion.py).
    deleted_files = models.JSONField(default=list)
    has_text_to_delete = models.BooleanField(default=False, db_index=True)
    # What the head of the provenance chain must be: an entry cut off the end is noticed too.
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
        """Whether the offline engine conducted it, so that every finding is its source's own words."""
        return self.engine == OfflineEngine.label

    @property
    def reads_uploads(self) -> bool:
        """Whether uploaded files were chosen for it, so that all it says may be theirs."""
        return bool(self.files)

    @property
    def has_report(self) -> bool:
        return bool(self.report)


class Node(models.Model):
    """One question of the tree. `number` is stable: children are numbered in the order they were planned."""

    class State(models.TextChoices):
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
    said = models.CharField(max_length=200, blank=True)  # the line under the node: "7 sources, enough"
    evidence_needed = models.TextField(blank=True)  # designs, sample sizes, effect sizes or frameworks (R4)
    round = models.PositiveSmallIntegerField(default=1)  # of supervision, in which it was asked (R7)
    reasoning = models.TextField(blank=True)
    searches = models.PositiveSmallIntegerField(default=0)
    repeats = models.PositiveSmallIntegerField(default=0)  # queries that the library had answered in this run before

    prefix: str = ""  # of the keys of its steps, where it is worked again; no column

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "number"], name="one_node_per_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.question[:60]}"

    def add_part(self, position: int, wanted: Any, *, round: int) -> "Node":
        """Return the part of this question in that place, from 1; `wanted` is a directive or a point of a round's agenda."""
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
    """The journal: one row for each call that costs something, keyed so that it is never made twice (R16)."""

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
    def distinct_works(self) -> Self:
        """Return each work once, by the row that stands for it; of a file each passage, since that is what is cited."""
        return self.filter(duplicate_of=None, is_passage=False)


class Source(models.Model):
    """Something that was really retrieved in this run; only these can be cited (R10).

    A row is one text with the record it came with. What several catalogues know of one work, and the pages that were
    read of it, share its `document`; the first row of them stands for the work and has the richest metadata (R8).
    """

    class Kind(models.TextChoices):
        FILE = "file", "Uploaded file"
        REFERENCE = "reference", "Reference"
        WORK = "work", "Found in a catalogue"
        PAGE = "page", "Web page"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="sources")
    source_id = models.CharField(max_length=300)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    provider = models.CharField(max_length=40)
    source_type = models.CharField(max_length=40)  # CSL type, or "file"
    document = models.CharField(max_length=300)  # what it is part of: a file's name, a cite key, "doi:10.1001/..."
    duplicate_of = models.ForeignKey("self", on_delete=models.CASCADE, null=True, related_name="duplicates")
    is_passage = models.BooleanField(default=False)  # of a page or PDF that was read of a work which has its own row
    work = models.JSONField(default=dict)  # as the catalogue described it (sources.work.Work), without its texts
    citation_count = models.PositiveIntegerField(null=True)
    title = models.TextField()
    heading = models.TextField(blank=True)
    url = models.TextField(blank=True)
    csl = models.JSONField(default=dict)
    text = models.TextField()  # the stored passage that spans point into
    retracted = models.BooleanField(default=False)  # as it was known when it was found
    # Whether it only names something to look up, so that no finding may rest on it; null: kept before that was told.
    is_lead = models.BooleanField(null=True)
    assessment = models.JSONField(default=dict)  # of a study's methods, on the row that stands for its work (R15)
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
        return public_id(self.source_id, self.kind, self.document)

    @property
    def year(self) -> int | None:
        """The year of its publication, None when it has none."""
        return year_of(self.csl)

    @property
    def passage(self) -> EnginePassage:
        """What an engine gets to read of it."""
        return EnginePassage(
            source_id=self.source_id,
            document=self.document,
            title=self.title,
            heading=self.heading,
            text=self.text,
            is_file=self.kind == Source.Kind.FILE,
        )


def public_id(source_id: str, kind: str, document: str) -> str:
    """Return what a source is called outside the run: "alder.md::S1" for a passage of a file, else the work it belongs to."""
    return source_id if kind == Source.Kind.FILE else document


class Finding(models.Model):
    """What a source says that answers a node, with the exact span it rests on."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="findings")
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="findings")
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="findings")
    finding_id = models.CharField(max_length=12)
    content = models.TextField()
    start = models.PositiveIntegerField()  # of the quoted words in source.text, in characters
    end = models.PositiveIntegerField()
    confidence = models.FloatField()
    category = models.CharField(max_length=30)
    is_superseded = models.BooleanField(default=False)  # by those of the same node when it was run again (R17)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "finding_id"], name="one_finding_per_id")]

    def __str__(self) -> str:
        return f"{self.finding_id} {self.content[:60]}"

    @property
    def quote(self) -> str:
        """The exact words of the source that it rests on."""
        return self.source.text[self.start : self.end]


class GapQuerySet(models.QuerySet["Gap"]):
    def open(self) -> Self:
        return self.filter(resolution_notes="")


class Gap(models.Model):
    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="gaps")
    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="gaps")
    gap_id = models.CharField(max_length=12)
    description = models.TextField()
    priority = models.PositiveSmallIntegerField(default=2)
    suggested_queries = models.JSONField(default=list)
    round = models.PositiveSmallIntegerField(default=1)  # of supervision, in which it was named (R7)
    resolution_notes = models.TextField(blank=True)  # empty while the gap is open

    objects = GapQuerySet.as_manager()

    class Meta:
        ordering = ["priority", "id"]
        constraints = [models.UniqueConstraint(fields=["run", "gap_id"], name="one_gap_per_id")]

    def __str__(self) -> str:
        return self.gap_id


class Contradiction(models.Model):
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
    """A sentence of the report and one of its markers, and whether the stored passage says it (R11). A sentence without a
    marker has one row, and no source.
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
    quotes_hold = models.BooleanField(
        null=True
    )  # whether the words it quotes stand in the source; null: it quotes none
    outcome = models.CharField(max_length=8, default="kept")  # kept, marked, repaired, removed
    before = models.JSONField(default=dict)  # {text, verdict, reason} of a sentence that was repaired or removed
    sentence = models.CharField(max_length=12, default="")  # claim_id of the first row of its sentence; "" in old runs
    given = models.BooleanField(default=False)  # its source is from code or from a repair, not from the writer

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "claim_id"], name="one_claim_per_id")]

    def __str__(self) -> str:
        return self.claim_id

    @property
    def position(self) -> int:
        """Which marker or sentence without any it is in the report, from 1."""
        return int(self.claim_id[1:])

    @property
    def cited(self) -> Source:
        """The source of a claim that has one."""
        assert self.source is not None
        return self.source


class ProvenanceEntry(models.Model):
    """One link of the log of a run, chained by hash to the one before (R12; research/journal/provenance.py)."""

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
    """A stretch of text the `library` provider can find; indexed for full-text search (research/search/library_index.py)."""

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
    origin_hash = models.CharField(max_length=64)  # of what it was cut from: unchanged means indexed already
    is_lead = models.BooleanField(null=True)  # as of Source

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["project", "file"])]
        constraints = [models.UniqueConstraint(fields=["project", "source_id"], name="one_passage_per_id")]

    def __str__(self) -> str:
        return self.source_id


class FollowUpQuerySet(models.QuerySet["FollowUp"]):
    def waiting(self) -> Self:
        """Neither answered nor left."""
        return self.filter(answered_at=None, answer="")


class FollowUp(models.Model):
    """What was asked of a finished run (R17): a question to its findings, a gap to extend, a node to run again."""

    class Kind(models.TextChoices):
        ASK = "ask", "Question"
        EXTEND = "extend", "Gap"
        RERUN = "rerun", "Run again"

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="follow_ups")
    number = models.PositiveSmallIntegerField()  # in the order they were asked, from 1
    kind = models.CharField(max_length=6, choices=Kind.choices)
    text = models.TextField(blank=True)  # the question
    about = models.CharField(max_length=20, blank=True)  # the gap or node it is about: "G1.2-1", "1.2"
    # Markdown, markers "[n]" as in the report; of one that was left unanswered, why.
    answer = models.TextField(blank=True)
    report_before = models.TextField(blank=True)  # the report that a new one has replaced
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
        """waiting, answered, or left: that it was not answered, and why, stands in `answer`."""
        if self.answered_at:
            return "answered"
        return "left" if self.answer else "waiting"


class SavedProfile(models.Model):
    """A profile that a person keeps under a name of their own (R2); its values are those of research.setup.profiles."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="research_profiles")
    name = models.CharField(max_length=60)
    config = models.JSONField(default=dict)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [models.UniqueConstraint(fields=["user", "name"], name="one_saved_profile_per_name")]

    def __str__(self) -> str:
        return self.name
