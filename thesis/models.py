"""Models of drafts, support for sentences, layout, the AI statement, builds, and PDFs of references (SPEC T3 to T9)."""

import uuid
from typing import ClassVar

from django.db import models
from django.utils import timezone

from citations.models import Citation
from contextfiles.models import ContextFile
from jobs.models import Job, State
from llm.offline import OfflineEngine
from projects.models import Project, User
from research.models import Run
from sections.models import Section


def state_of(job: Job) -> str:
    """Return the state of `job` for pages: queued (also paused and waiting), running, done, failed or cancelled."""
    return State.QUEUED if job.state in (State.PAUSED, State.WAITING) else State(job.state)


class Draft(models.Model):
    """One proposal for a section. It is not part of the text until a person accepts it.

    It was made for the text `base_latex` of version `base_version` and goes to `place`: the end, the whole text, or
    the characters `start` to `end` (code points), which it replaces; if both are equal, it is inserted there.
    `answer` is the engine's answer with the redacted details put back. `latex` is its text without the trailer
    `bibtex`; it cites by the keys of the thesis.
    """

    class Kind(models.TextChoices):
        """What kind of change a draft is."""

        DRAFT = "draft", "Draft"
        REWRITE = "rewrite", "Rewrite"
        CONTINUE = "continue", "Continue"
        SHORTEN = "shorten", "Shorten"
        FINDINGS = "findings", "Findings"  # findings or a report, inserted without an engine
        RESULT = "result", "Result"  # of an analysis, as computed by R

    # The kinds that an engine writes
    ASKED: ClassVar[tuple[str, ...]] = (Kind.DRAFT, Kind.REWRITE, Kind.CONTINUE, Kind.SHORTEN)

    class Place(models.TextChoices):
        """Where a draft goes."""

        END = "end", "At the end"
        WHOLE = "whole", "Instead of the text"
        RANGE = "range", "Instead of the selected text"

    class Outcome(models.TextChoices):
        """What a person decided about a draft."""

        OPEN = "", "Open"
        TAKEN = "taken", "Accepted"
        PARTLY = "partly", "Accepted in part"
        DISCARDED = "discarded", "Discarded"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="drafts")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="drafts")
    job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, related_name="draft")
    conversation = models.UUIDField(default=uuid.uuid4, db_index=True)  # shared by drafts that continue one another
    follows = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="followed_by")

    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.DRAFT)
    instructions = models.TextField(blank=True)
    findings = models.JSONField(default=list)  # chosen: [{"run": id, "finding_id": "F3"}]; a result: [{"analysis": id}]
    cite_keys = models.JSONField(default=list)  # the chosen keys, and those of the sources of the chosen findings
    place = models.CharField(max_length=5, choices=Place.choices, default=Place.END)
    start = models.PositiveIntegerField(default=0)
    end = models.PositiveIntegerField(default=0)
    base_version = models.PositiveIntegerField(default=0)
    base_latex = models.TextField(blank=True)

    engine = models.CharField(max_length=80, blank=True)  # label of the engine, shown with the proposal
    model = models.CharField(max_length=120, blank=True)
    prompt_version = models.CharField(max_length=40, blank=True)
    answer = models.TextField(blank=True)
    stop_reason = models.CharField(max_length=40, blank=True)
    latex = models.TextField(blank=True)
    bibtex = models.TextField(blank=True)
    # Changes to base_latex: [{"number", "start", "end", "was", "latex"}]
    blocks = models.JSONField(default=list)
    keys = models.JSONField(default=list)  # cited in `latex`, in order
    notes = models.JSONField(default=list)  # sentences for people: what was cut off, left out or repaired
    redacted = models.JSONField(default=list)  # details that were not sent: [{"kind", "value"}]
    output_tokens = models.PositiveIntegerField(default=0)
    reserved_tokens = models.PositiveIntegerField(default=0)  # reserved while it is written (T4)

    outcome = models.CharField(max_length=9, choices=Outcome.choices, default=Outcome.OPEN, blank=True)
    taken = models.JSONField(default=list)  # numbers of the accepted blocks
    settled_at = models.DateTimeField(null=True, blank=True)  # when it was last accepted or discarded
    taken_at = models.DateTimeField(null=True, blank=True)  # when a block was last accepted
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
        """Whether the offline engine wrote it, so that every sentence is a quotation."""
        return self.engine in OfflineEngine.labels

    @property
    def state(self) -> str:
        """The state as in `state_of`; done if there is no job."""
        return state_of(self.job) if self.job else State.DONE

    @property
    def asked_by(self) -> str:
        """The name of the person who requested it; "" if their account was deleted."""
        return str(self.created_by or "")

    @property
    def reason(self) -> str:
        """Why the job stopped."""
        return self.job.reason if self.job else ""


class Support(models.Model):
    """A sentence, and the small research run that searches for works about it. The sources of the run are offered."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="supports")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, related_name="supports")
    run = models.OneToOneField(Run, on_delete=models.CASCADE, related_name="support")
    sentence = models.TextField()
    before = models.CharField(max_length=100, blank=True)  # the text around the sentence, used to find it again
    after = models.CharField(max_length=100, blank=True)
    version = models.PositiveIntegerField(default=0)
    taken = models.JSONField(default=list)  # cite keys that were added to the text
    dismissed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return self.sentence[:60]

    @property
    def asked_by(self) -> str:
        """The name of the person who requested it; "" if their account was deleted."""
        return str(self.created_by or "")


class Layout(models.Model):
    """How a thesis is printed: its template, the text of its title page and forms, and its appendices (SPEC T5).

    A thesis that was imported as LaTeX uses its own preamble instead.
    """

    class Template(models.TextChoices):
        """The template of the title page and front matter."""

        REPORT = "report", "Report"
        NBEMS = "nbems", "NBEMS thesis (DNB, DrNB)"

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="layout", primary_key=True)
    template = models.CharField(max_length=12, choices=Template.choices, default=Template.REPORT)
    # Text of the title page and the forms, by field name (thesis/front_matter/page_fields.py)
    facts = models.JSONField(default=dict)
    # Which pages are printed: {"declaration": True}. Pages not named follow the template
    pages = models.JSONField(default=dict)
    acknowledgements = models.TextField(blank=True)
    abbreviations = models.TextField(blank=True)  # one per line: "ICU = intensive care unit"
    appendices = models.JSONField(default=list)  # ids of the sections printed after the references
    changed_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return f"{self.get_template_display()} of {self.project_id}"


class AiStatement(models.Model):
    """The statement on the use of AI as edited by a person (SPEC T9). Without a row it is generated from the records.

    `records` are the records at the time of saving (thesis/authorship/statement.py). If they differ from the present
    ones, the statement is out of date.
    """

    project = models.OneToOneField(Project, on_delete=models.CASCADE, related_name="ai_statement", primary_key=True)
    words = models.TextField()
    records = models.JSONField(default=dict)
    changed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField(default=timezone.now)

    def __str__(self) -> str:
        return self.words[:60]


def built_at(build: "Build", name: str) -> str:
    """Return the storage path of a build. It consists of ids only, so that no name a person chose becomes a path."""
    return f"builds/{build.project_id}/{build.pk}"


class Build(models.Model):
    """One build of a thesis, or of one chapter, with its result (SPEC T6). The job has its progress.

    `output` is empty until the build succeeds. `problems` and `notes` are shown to people:
    [{"level": "error" | "warning", "title", "said", "hint", "section": id | None, "number", "heading", "slug", "line",
    "excerpt": [[line, text]]}].
    """

    class Kind(models.TextChoices):
        """What is built."""

        PDF = "pdf", "PDF"
        WORD = "word", "Word"
        PREVIEW = "preview", "Preview"  # beside the editor, of one section

    class Engine(models.TextChoices):
        """The program that built it."""

        LATEX = "latex", "LaTeX"
        TYPST = "typst", "Preview"  # made without TeX, and labelled as such
        PANDOC = "pandoc", "Word"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="builds")
    section = models.ForeignKey(Section, on_delete=models.SET_NULL, null=True, blank=True, related_name="builds")
    is_chapter = models.BooleanField(default=False)  # of one section only, even if that was deleted
    job = models.OneToOneField(Job, on_delete=models.SET_NULL, null=True, related_name="build")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.PDF)
    engine = models.CharField(max_length=8, choices=Engine.choices, blank=True)
    from_scratch = models.BooleanField(default=False)  # without the side files of earlier builds

    output = models.FileField(upload_to=built_at, max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)  # bytes
    pages = models.PositiveIntegerField(default=0)
    words = models.PositiveIntegerField(default=0)  # words of the text
    page_counts = models.JSONField(default=dict)  # pages of each section, by its id
    fingerprint = models.CharField(max_length=64, blank=True)  # hash of all inputs
    problems = models.JSONField(default=list)
    notes = models.JSONField(default=list)  # same shape as problems, for what is not an error: left out, to check
    log = models.TextField(blank=True)
    seconds = models.FloatField(default=0)  # time that the engine took

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
        """The state as in `state_of`; without a job, done or failed."""
        if self.job is None:
            return State.DONE if self.output else State.FAILED
        return state_of(self.job)

    @property
    def reason(self) -> str:
        """Why it stopped."""
        return self.job.reason if self.job else ""


class AttachedPdf(models.Model):
    """An uploaded PDF that is the text of a reference. A file belongs to one reference; a reference may have several.

    The row goes with its file and with its reference; the file stays when it is detached.
    """

    citation = models.ForeignKey(Citation, on_delete=models.CASCADE, related_name="attached_pdfs")
    file = models.OneToOneField(ContextFile, on_delete=models.CASCADE, related_name="attachment", primary_key=True)
    pages = models.PositiveIntegerField(default=0)
    attached_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    attached_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["attached_at"]

    def __str__(self) -> str:
        return f"{self.file_id} of {self.citation_id}"


class PdfBatch(models.Model):
    """PDFs that were uploaded together, for each of which a job finds its reference. It is the report as well."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="pdf_batches")
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.created_at:%Y-%m-%d} of {self.project_id}"


class BatchedPdf(models.Model):
    """One file of a batch, and what was found for it. `reason` says why, and what to do, in a sentence for people.

    `title` and `doi` are read from its first page; `citation` is the reference it was attached to, or a suggestion.
    `file` is empty where the upload was refused; the row goes with its file, since it quotes from it.
    """

    class Outcome(models.TextChoices):
        """What was found for a file."""

        WAITING = "waiting", "Not looked at yet"
        ATTACHED = "attached", "Attached"
        ADDED = "added", "Added to the citations and attached"
        UNMATCHED = "unmatched", "No match found"
        CONFLICT = "conflict", "Conflict"
        SCAN = "scan", "Scan without text"
        UNREADABLE = "unreadable", "Could not be read"
        COPY = "copy", "Copy of another file"
        REFUSED = "refused", "Not uploaded"

    batch = models.ForeignKey(PdfBatch, on_delete=models.CASCADE, related_name="rows")
    name = models.CharField(max_length=255)
    file = models.ForeignKey(ContextFile, on_delete=models.CASCADE, null=True, related_name="batched_pdfs")
    citation = models.ForeignKey(Citation, on_delete=models.SET_NULL, null=True, related_name="batched_pdfs")
    outcome = models.CharField(max_length=10, choices=Outcome.choices, default=Outcome.WAITING)
    reason = models.TextField(blank=True)
    title = models.TextField(blank=True)
    doi = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name


class BuildSideFiles(models.Model):
    """What the last good PDF of a thesis, or of one `section` of it, left for the next (latex_build/side_files.py)."""

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="+")
    section = models.ForeignKey(Section, on_delete=models.CASCADE, null=True, related_name="+")
    setup_key = models.CharField(max_length=64)
    packed = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint("project", condition=models.Q(section=None), name="side_files_of_a_thesis"),
            models.UniqueConstraint("section", name="side_files_of_a_section"),
        ]

    def __str__(self) -> str:
        return f"Side files of {self.section_id or self.project_id}"


class ChapterHtml(models.Model):
    """A section as HTML for the manuscript, and the digest of all that it shows (manuscript_page/document.py)."""

    section = models.OneToOneField(Section, on_delete=models.CASCADE, primary_key=True, related_name="+")
    key = models.CharField(max_length=64)
    html = models.TextField()
    headings = models.JSONField(default=list)  # [level, number, title, anchor]
    notes = models.JSONField(default=list)

    def __str__(self) -> str:
        return f"HTML of {self.section_id}"
