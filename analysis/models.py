"""Uploaded datasets, the analyses that ran on them in R, and their figures (SPEC N1 to N4)."""

import uuid

from django.db import models
from django.utils import timezone

from jobs.models import Job
from jobs.models import State as JobState
from projects.models import Project, User


def upload_at(version: "DatasetVersion", name: str) -> str:
    """Return the storage path of the uploaded file: made of ids only, so that no user input becomes part of a path."""
    return f"datasets/{version.dataset.project_id}/{version.pk}/upload"


def rows_at(version: "DatasetVersion", name: str) -> str:
    """Return the storage path of the rows: UTF-8 CSV with decimal points, ISO dates and the codes for missing."""
    return f"datasets/{version.dataset.project_id}/{version.pk}/rows.csv"


def figure_at(figure: "Figure", name: str) -> str:
    """Return the storage path of a figure; `name` is its file extension, "png" or "pdf"."""
    return f"figures/{figure.project_id}/{figure.pk}.{name}"


class Dataset(models.Model):
    """A table of data with a name; its content and how it was read are in its versions."""

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
    """One version of a dataset: its file, how that was read, and what each column means.

    `reading` are the settings with which the file was read: {sheet, separator, encoding, decimal, thousands,
    header_rows, first_row, day_first, missing}. `columns` are, in order, {id "c1", name, label, type, proposed, levels,
    missing, unit, personal, level_of_measurement, ...}; `summary` describes the values of each column by its id;
    `remarks` are problems found while reading: [{level "error" | "warning" | "note", code, text, column, rows}]. Types
    are proposals until a user confirms them; after that the version does not change, and a change of a column makes a
    new version (SPEC N1).
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
    file_name = models.CharField(max_length=255)  # the name of the uploaded file
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
    """One analysis by the R service: its parameters, the version of the data, and its result (SPEC N2).

    `kind` is a path of the service: "run" with the analysis as `name`, "sample-size" with the design, "figure" with the
    kind of figure. `params` name columns by their ids; `request` is the request to the service without the values.
    `result` is the answer of the service without its figures. `error` is {code, message, field, column, hint, suggest}.
    """

    class Kind(models.TextChoices):
        RUN = "run", "Analysis"
        SAMPLE_SIZE = "sample-size", "Sample size"
        FIGURE = "figure", "Figure"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="analyses")
    number = models.PositiveIntegerField()  # counted from 1 in each thesis
    title = models.CharField(max_length=300)  # the research question
    kind = models.CharField(max_length=11, choices=Kind.choices, default=Kind.RUN)
    name = models.CharField(max_length=40)
    data = models.ForeignKey(DatasetVersion, on_delete=models.SET_NULL, null=True, related_name="analyses")
    again_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="later")
    params = models.JSONField(default=dict)
    request = models.JSONField(default=dict)
    why = models.JSONField(default=dict)  # the answers in the wizard, and its reason for this analysis
    job = models.ForeignKey(Job, on_delete=models.SET_NULL, null=True, related_name="+")
    result = models.JSONField(null=True)
    script = models.TextField(blank=True)
    versions = models.JSONField(default=dict)  # {"r": "4.2.2", "platform": ..., "packages": {...}}
    error = models.JSONField(null=True)
    seconds = models.FloatField(default=0)  # from the request to R until its answer
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
        """The state: queued, running, done, failed or cancelled; from its job until it ends, then from this row."""
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
        """Why there is no result and what to do, in a sentence; "" while it runs and when there is a result."""
        if self.error:
            return f"{self.error.get('message', '')} {self.error.get('hint', '')}".strip()
        return self.job.reason if self.job is not None else ""

    def unquoted_error(self, message: str) -> dict[str, str]:
        """Return the error with `message` in place of the texts that may quote cells of the data."""
        kept = {name: (self.error or {}).get(name, "") for name in ("code", "field", "column")}
        return {**kept, "message": message, "hint": "", "suggest": ""}


class Figure(models.Model):
    """A figure of an analysis: `svg` (sanitised) for the screen, `pdf` and `png` (300 dpi) for print."""

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
