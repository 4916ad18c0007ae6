"""A research run, its tree of questions and the stored answers of its steps (SPEC R6, R16)."""

import uuid
from decimal import Decimal
from typing import Any

from django.db import models

from contextfiles.models import ContextBundle
from jobs.models import Job
from llm.offline import OfflineEngine
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
        return self.engine in OfflineEngine.labels

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
