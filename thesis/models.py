"""What is drafted for a section, what is looked up for a sentence, how a thesis is printed (SPEC T3 to T7)."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from jobs.models import Job, State
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.models import Run
from sections.models import Section


def state_of(job: Job) -> str:
    """Return how far the work of `job` is for whoever waits for it: queued, running, done, failed or cancelled."""
    return State.QUEUED if job.state in (State.PAUSED, State.WAITING) else State(job.state)


class Draft(models.Model):
    """One proposal for a section. Nothing of it is in the text until a person takes it.

    It is made over the text `base_latex` of version `base_version` and stands at `place`: at its end, in the place of all of it, or in
    the place of its characters `start` to `end` (code points; where both are the same, it is put in there). `answer` is what the
    engine said, with what was kept private put back; `latex` is its text without the trailer `bibtex`, citing by the keys of the thesis.
    """

    class Kind(models.TextChoices):
        DRAFT = "draft", "Draft"
        REWRITE = "rewrite", "Rewrite"
        CONTINUE = "continue", "Continue"
        SHORTEN = "shorten", "Shorten"
        FINDINGS = "findings", "Findings put in"  # as they were found: no engine is asked
        RESULT = "result", "A result put in"  # of an analysis: as R gave it

    ASKED: ClassVar[tuple[str, ...]] = (Kind.DRAFT, Kind.REWRITE, Kind.CONTINUE, Kind.SHORTEN)  # of an engine

    class Place(models.TextChoices):
        END = "end", "At the end"
        WHOLE = "whole", "In the place of the text"
        RANGE = "range", "In the place of what was chosen"

    class Outcome(models.TextChoices):
        OPEN = "", "Open"
        TAKEN = "taken", "Taken"
        PARTLY = "partly", "Taken in part"
        DISCARDED = "discarded", "Not taken"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="drafts")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="drafts")
    job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, related_name="draft")
    conversation = models.UUIDField(default=uuid.uuid4, db_index=True)  # drafts that go on from one another share it
    follows = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="followed_by")

    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.DRAFT)
    instructions = models.TextField(blank=True)
    findings = models.JSONField(default=list)  # chosen: [{"run": id, "finding_id": "F3"}]; a result: [{"analysis": id}]
    cite_keys = models.JSONField(default=list)  # chosen, and those of the chosen findings' sources
    place = models.CharField(max_length=5, choices=Place.choices, default=Place.END)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    base_version = models.PositiveIntegerField(default=0)
    base_latex = models.TextField(blank=True)

    engine = models.CharField(max_length=80, blank=True)  # its label, shown with the proposal
    model = models.CharField(max_length=120, blank=True)
    prompt_version = models.CharField(max_length=40, blank=True)
    answer = models.TextField(blank=True)
    stop_reason = models.CharField(max_length=40, blank=True)
    latex = models.TextField(blank=True)
    bibtex = models.TextField(blank=True)
    blocks = models.JSONField(
        default=list
    )  # what it changes: [{"number", "start", "end", "was", "latex"}] over base_latex
    keys = models.JSONField(default=list)  # cited in `latex`, in order
    notes = models.JSONField(default=list)  # sentences for people: what was cut off, left out, mended
    redacted = models.JSONField(default=list)  # what was not sent: [{"kind", "value"}]
    output_tokens = models.PositiveIntegerField(default=0)
    reserved_tokens = models.PositiveIntegerField(default=0)  # set aside while it is written (T4)

    outcome = models.CharField(max_length=9, choices=Outcome.choices, default=Outcome.OPEN, blank=True)
    taken = models.JSONField(default=list)  # numbers of the blocks that were taken
    settled_at = models.DateTimeField(null=True, blank=True)
    taken_at = models.DateTimeField(null=True, blank=True)  # when a block was last taken
    taken_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, blank=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["created_by", "created_at"], name="drafts_of_a_person")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} for {self.section_id}"

    @property
    def is_offline(self) -> bool:
        """Whether the offline engine wrote it, so that every sentence is somebody else's own words."""
        return self.engine == OfflineEngine.label

    @property
    def state(self) -> str:
        """As `state_of`; done where it was made without a job."""
        return state_of(self.job) if self.job else State.DONE

    @property
    def asked_by(self) -> str:
        """The person who asked for it, by name; "" where they are gone."""
        return str(self.created_by or "")

    @property
    def reason(self) -> str:
        """Why it stopped."""
        return self.job.reason if self.job else ""


class Support(models.Model):
    """A sentence for which a small run looks for works that support it; the run's sources are what is offered."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="supports")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="supports")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="support")
    sentence = models.TextField()
    before = models.CharField(max_length=100, blank=True)  # what stood before and behind it, so that it is found again
    after = models.CharField(max_length=100, blank=True)
    version = models.PositiveIntegerField(default=0)
    taken = models.JSONField(default=list)  # cite keys that were put in
    dismissed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.sentence[:60]

    @property
    def asked_by(self) -> str:
        """As Draft.asked_by."""
        return str(self.created_by or "")


class Layout(models.Model):
    """How a thesis is printed: its template, the words of its title page and forms, what stands behind its references (SPEC T5).

    A thesis that was brought as LaTeX is printed by its own preamble instead.
    """

    class Template(models.TextChoices):
        REPORT = "report", "Report"
        NBEMS = "nbems", "NBEMS thesis (DNB, DrNB)"

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="layout", primary_key=True)
    template = models.CharField(max_length=12, choices=Template.choices, default=Template.REPORT)
    facts = models.JSONField(
        default=dict
    )  # words of the title page and the forms by name (thesis/front_matter/title_page_facts.py)
    pages = models.JSONField(
        default=dict
    )  # which pages are printed: {"declaration": True}; one not named as the template has it
    acknowledgements = models.TextField(blank=True)
    abbreviations = models.TextField(blank=True)  # one a line: "ICU = intensive care unit"
    appendices = models.JSONField(default=list)  # ids of the sections that are printed behind the references
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.get_template_display()} of {self.project_id}"


class AiStatement(models.Model):
    """The statement on the use of AI, as a person has put it (SPEC T9). Without a row it is worded by the records.

    `records` are those that `words` was saved over (thesis/authorship/statement.py): where they are others now, it is older.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="ai_statement", primary_key=True)
    words = models.TextField()
    records = models.JSONField(default=dict)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.words[:60]


def built_at(build: "Build", name: str) -> str:
    """Return where the bytes lie: by ids only, so that no name a person chose becomes a path."""
    return f"builds/{build.project_id}/{build.pk}"


class Build(models.Model):
    """One try to print a thesis, or a chapter of it alone: how far it is says its job, what came of it the rest (SPEC T6).

    `output` is empty until it is made, and stays so where it could not be. `problems` and `notes` are what a person reads of it:
    [{"level": "error" | "warning", "title", "said", "hint", "section": id | None, "number", "heading", "slug", "line", "excerpt": [[line, text]]}].
    """

    class Kind(models.TextChoices):
        PDF = "pdf", "PDF"
        WORD = "word", "Word"
        PREVIEW = "preview", "Preview"  # beside the editor, of one section

    class Engine(models.TextChoices):
        LATEX = "latex", "LaTeX"
        TYPST = "typst", "Preview"  # set without TeX, and labelled so
        PANDOC = "pandoc", "Word"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="builds")
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="builds")
    is_chapter = models.BooleanField(default=False)  # of one section alone, also when that is gone
    job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, related_name="build")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.PDF)
    engine = models.CharField(max_length=8, choices=Engine.choices, blank=True)

    output = models.FileField(upload_to=built_at, max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)  # bytes
    pages = models.PositiveIntegerField(default=0)
    words = models.PositiveIntegerField(default=0)  # of the text it was made from
    page_counts = models.JSONField(default=dict)  # pages of each section, by its id
    fingerprint = models.CharField(max_length=64, blank=True)  # of all that it was made from
    problems = models.JSONField(default=list)
    notes = models.JSONField(default=list)  # the same, of what is no fault: what was left out, what is to be looked at
    log = models.TextField(blank=True)
    seconds = models.FloatField(default=0)  # that the engine took

    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        indexes = [models.Index(fields=["project", "kind", "-created_at"], name="builds_of_a_thesis")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.project_id}"

    @property
    def state(self) -> str:
        """As `state_of`; without a job it is done or failed."""
        if self.job is None:
            return State.DONE if self.output else State.FAILED
        return state_of(self.job)

    @property
    def reason(self) -> str:
        """Why it stopped."""
        return self.job.reason if self.job else ""
