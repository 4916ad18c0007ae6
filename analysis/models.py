"""Data that a person brought, the analyses that ran on it in R, and their figures (SPEC N1 to N4)."""

import uuid

from django.db import models
from django.utils import timezone

from jobs.models import Job
from jobs.models import State as JobState
from projects.models import Project, User


def upload_at(version: "DatasetVersion", name: str) -> str:
    """Return where the file lies as it came: by ids only, so that no name a person chose becomes a path."""
    return f"datasets/{version.dataset.project_id}/{version.pk}/upload"


def rows_at(version: "DatasetVersion", name: str) -> str:
    """Return where the rows lie as they were read: UTF-8 CSV, a point in numbers, ISO dates, codes for missing as they stand."""
    return f"datasets/{version.dataset.project_id}/{version.pk}/rows.csv"


def figure_at(figure: "Figure", name: str) -> str:
    """Return where a figure lies, by ids; `name` is its ending: "png", "pdf"."""
    return f"figures/{figure.project_id}/{figure.pk}.{name}"


class Dataset(models.Model):
    """A table of data with a name; what is in it and how it is read are its versions."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="datasets")
    name = models.CharField(max_length=255)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at", "name"]
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="one_dataset_per_name")]

    def __str__(self) -> str:
        return self.name


class DatasetVersion(models.Model):
    """A dataset as it was read once: from which file, how, and what each column means.

    `reading` says how the file was read: {sheet, separator, encoding, decimal, thousands, header_rows, first_row,
    day_first, missing}. `columns` are, in order, {id "c1", name, label, type, proposed, levels, missing, unit, personal,
    level_of_measurement, ...}; `summary` is what stands in each by its id; `remarks` are what was seen while reading:
    [{level "error" | "warning" | "note", code, text, column, rows}]. Types are proposals until somebody confirmed them;
    from then on the version does not change: another meaning of a column is a new version (SPEC N1).
    """

    class State(models.TextChoices):
        READING = "reading", "Being read"
        PROPOSED = "proposed", "Types to be confirmed"
        READY = "ready", "Ready"
        ERROR = "error", "Could not be read"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    dataset = models.ForeignKey(Dataset, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    state = models.CharField(max_length=8, choices=State.choices, default=State.READING)
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    file_name = models.CharField(max_length=255)  # what the file was called where it came from
    upload = models.FileField(upload_to=upload_at, max_length=200, blank=True)
    size = models.PositiveBigIntegerField(default=0)  # bytes of the upload
    sha256 = models.CharField(max_length=64, blank=True)  # of the upload
    reading = models.JSONField(default=dict)
    sheets = models.JSONField(default=list)  # [{name, rows, columns}] of a workbook
    rows = models.FileField(upload_to=rows_at, max_length=200, blank=True)
    row_count = models.PositiveIntegerField(default=0)
    columns = models.JSONField(default=list)
    summary = models.JSONField(default=dict)
    remarks = models.JSONField(default=list)
    error = models.TextField(blank=True)
    confirmed_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    confirmed_at = models.DateTimeField(null=True, blank=True)
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-number"]
        constraints = [models.UniqueConstraint(fields=["dataset", "number"], name="one_row_per_dataset_version")]

    def __str__(self) -> str:
        return f"{self.dataset} version {self.number}"


class Analysis(models.Model):
    """One question asked of R: what was asked, of which version of the data, and all that came back (SPEC N2).

    `kind` is a path of the service: "run" with the analysis as `name`, "sample-size" with the design, "figure" with the
    kind of figure. `params` name columns by their ids; `request` is what was sent, without the values. `result` is the
    answer as the service gave it, without its figures. `error` is {code, message, field, column, hint, suggest}.
    """

    class Kind(models.TextChoices):
        RUN = "run", "Analysis"
        SAMPLE_SIZE = "sample-size", "Sample size"
        FIGURE = "figure", "Figure"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="analyses")
    number = models.PositiveIntegerField()  # counts from 1 in a thesis
    title = models.CharField(max_length=300)  # the question in words
    kind = models.CharField(max_length=11, choices=Kind.choices, default=Kind.RUN)
    name = models.CharField(max_length=40)
    data = models.ForeignKey(DatasetVersion, on_delete=models.SET_NULL, null=True, related_name="analyses")
    again_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="later")
    params = models.JSONField(default=dict)
    request = models.JSONField(default=dict)
    why = models.JSONField(default=dict)  # the answers in the wizard and the reason it gave for this analysis
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    result = models.JSONField(null=True)
    script = models.TextField(blank=True)
    versions = models.JSONField(default=dict)  # {"r": "4.2.2", "platform": ..., "packages": {...}}
    error = models.JSONField(null=True)
    seconds = models.FloatField(default=0)  # from asking R to its answer
    created_by = models.ForeignKey(User, on_delete=models.SET_NULL, null=True)
    created_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-number"]
        verbose_name_plural = "analyses"
        constraints = [models.UniqueConstraint(fields=["project", "number"], name="one_analysis_per_number")]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"

    @property
    def state(self) -> str:
        """How far it is: queued, running, done, failed or cancelled; by its job while that lives, then by its row."""
        if self.ended_at is not None:
            if self.error is None:
                return "done"
            return "cancelled" if self.error.get("code") == "cancelled" else "failed"
        if self.job is None:
            return "failed"
        is_waiting = self.job.state in (JobState.QUEUED, JobState.PAUSED, JobState.WAITING)
        return "queued" if is_waiting else str(self.job.state)

    @property
    def reason(self) -> str:
        """Why there is no result, as a sentence with what to do; "" while it runs and when there is one."""
        if self.error:
            return f"{self.error.get('message', '')} {self.error.get('hint', '')}".strip()
        return self.job.reason if self.job is not None else ""

    def unquoted_error(self, message: str) -> dict[str, str]:
        """Return the error with `message` in place of all that may quote cells of the data."""
        kept = {name: (self.error or {}).get(name, "") for name in ("code", "field", "column")}
        return {**kept, "message": message, "hint": "", "suggest": ""}


class Figure(models.Model):
    """A figure that an analysis drew: `svg` to be looked at (cleaned), `pdf` and `png` (300 dpi) to be printed."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="figures")
    analysis = models.ForeignKey(Analysis, on_delete=models.CASCADE, null=True, related_name="figures")
    kind = models.CharField(max_length=40)  # "forest", "km", "roc" ...: the figure's id in the result
    caption = models.TextField(blank=True)
    alt = models.TextField(blank=True)
    width_mm = models.FloatField(default=0)
    height_mm = models.FloatField(default=0)
    svg = models.TextField(blank=True)
    png = models.FileField(upload_to=figure_at, max_length=200, blank=True)
    pdf = models.FileField(upload_to=figure_at, max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["created_at", "kind"]

    def __str__(self) -> str:
        return f"{self.kind} of {self.analysis_id}"
