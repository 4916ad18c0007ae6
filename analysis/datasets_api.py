"""The JSON API of datasets (SPEC P4, N1). It calls the same functions as the pages."""

from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils.http import content_disposition_header
from ninja import Body, File, Form, Router, Schema
from ninja.files import UploadedFile
from pydantic import AliasPath, Field

from analysis.access import closed_version
from analysis.datasets.deletion import delete_dataset as delete
from analysis.datasets.deletion import start_dropping
from analysis.datasets.edit_dataset import confirm, read_again, rename, start_dataset
from analysis.datasets.excluded_rows import numbers_of
from analysis.datasets.export import exported_csv
from analysis.datasets.repeated_people import repeats_of
from analysis.datasets.row_decisions import decide_rows
from analysis.datasets.storage import preview
from analysis.models import Dataset, DatasetVersion
from core.errors import Refused
from projects.access import Act, get_in_project, get_project
from untrusted.file_names import fitted

router = Router(tags=["datasets"])
MOST_ROWS = 1000  # in one response


class DatasetOut(Schema):
    """A dataset. `state` is that of its newest version: reading, proposed (types to be confirmed), ready or error."""

    id: UUID = Field(validation_alias="dataset_id")
    name: str = Field(validation_alias=AliasPath("dataset", "name"))
    version: int = Field(validation_alias="number")
    state: str
    row_count: int
    column_count: int
    created_by: str | None
    created_at: datetime = Field(validation_alias=AliasPath("dataset", "created_at"))

    @staticmethod
    def resolve_column_count(version: DatasetVersion) -> int:
        """Return the number of columns of the newest version."""
        return len(version.columns)

    @staticmethod
    def resolve_created_by(version: DatasetVersion) -> str | None:
        """Return the name of whoever uploaded the dataset."""
        return str(version.dataset.created_by) if version.dataset.created_by else None


class VersionOut(Schema):
    """A version of a dataset: one file, read in one way.

    `columns` are proposals until the state is ready (analysis/datasets/describe_columns.py). `repeats` says how many
    people have more than one row, null if nobody has (analysis/datasets/repeated_people.py).
    """

    id: UUID
    number: int
    state: str
    file_name: str
    size: int
    sha256: str
    reading: dict[str, Any]
    sheets: list[dict[str, Any]]
    row_count: int
    columns: list[dict[str, Any]]
    summary: dict[str, Any]
    remarks: list[dict[str, Any]]
    repeats: dict[str, Any] | None
    error: str
    job: UUID | None = Field(validation_alias="job_id")
    created_at: datetime
    confirmed_at: datetime | None
    confirmed_by: str | None

    @staticmethod
    def resolve_repeats(version: DatasetVersion) -> dict[str, Any] | None:
        """Return how many people have more than one row."""
        found = repeats_of(version) if version.columns else None
        return {**asdict(found), "sentence": found.sentence} if found else None

    @staticmethod
    def resolve_confirmed_by(version: DatasetVersion) -> str | None:
        """Return the name of whoever confirmed the column types."""
        return str(version.confirmed_by) if version.confirmed_by else None

    @staticmethod
    def resolve_reading(version: DatasetVersion) -> dict[str, Any]:
        """Return the options the file was read with."""
        return {name: value for name, value in version.reading.items() if name != "row_numbers"}


class WholeOut(DatasetOut):
    """A dataset with its newest version."""

    newest: VersionOut

    @staticmethod
    def resolve_newest(version: DatasetVersion) -> DatasetVersion:
        """Return the newest version."""
        return version


class ColumnIn(Schema, extra="forbid"):
    """What a column means. Fields that are not sent stay as they are.

    `labels` name the values in results, such as {"1": "Male"}; send all of them at once. For a column with numbers in
    several units, `convert_to` converts all to one unit where that is exact, and `only_unit` keeps one unit and counts
    the others as missing. To make a column `ordered`, send its `levels` in order, unless their words or numbers show
    the order. `identifies` "person" says that the values are ids of people; "other" says that they are not, whatever
    the column is called.
    """

    type: str | None = None
    level_of_measurement: str | None = None
    levels: list[str] | None = None
    missing: list[str] | None = None
    merge: dict[str, str] | None = None
    label: str | None = None
    unit: str | None = None
    identifies: str | None = None
    labels: dict[str, str] | None = None
    convert_to: str | None = None
    only_unit: str | None = None


class LeaveOutIn(Schema, extra="forbid"):
    """Rows to leave out, by their numbers in the uploaded file, and the reason."""

    rows: list[int]
    reason: str


class ChangesIn(Schema, extra="forbid"):
    """Changes to a dataset. `confirm` true confirms the column types, after the changes in `columns`.

    `leave_out`, `keep` and `put_back` say which rows count, by their numbers in the uploaded file. They answer a remark
    of the level "question" (its `rows` look like totals, or like a second header row; `keep` says that they are data),
    and they leave out or restore any other row. A change that is more than such an answer makes a new version, which is
    read in the background.
    """

    name: str | None = None
    columns: dict[str, ColumnIn] = {}
    confirm: bool = False
    leave_out: list[LeaveOutIn] = []
    keep: list[int] = []
    put_back: list[int] = []


class ColumnsIn(Schema, extra="forbid"):
    """Ids of columns of the newest version."""

    columns: list[str]


class RowsOut(Schema):
    """Rows from row `start` on (counted from 1): cells as text in the order of `columns`; `numbers` are the row numbers
    in the uploaded file."""

    columns: list[str]
    start: int
    total: int
    rows: list[list[str]]
    numbers: list[int]


@router.get("/projects/{uuid:project_id}/datasets", response=list[DatasetOut])
def list_datasets(request: HttpRequest, project_id: UUID) -> Any:
    """The datasets of a thesis, oldest first."""
    rows = (
        DatasetVersion.objects.filter(dataset__project=get_project(request.user, project_id))
        .select_related("dataset__created_by")
        .defer("summary", "remarks", "sheets")
        .order_by("dataset__created_at", "dataset__name", "dataset__pk", "number")
    )
    return {version.dataset_id: version for version in rows}.values()


@router.post("/projects/{uuid:project_id}/datasets", response={201: WholeOut})
def add_dataset(
    request: HttpRequest, project_id: UUID, file: File[UploadedFile], name: Form[str] = "", dataset: Form[str] = ""
) -> Any:
    """Upload a CSV file or Excel workbook, as multipart form data named `file`. It is read in the background.

    `name` is the name of the dataset; the default is the file name. To upload a new version of a dataset, send its id
    as `dataset`.
    """
    project = get_project(request.user, project_id, "write")
    existing = None
    if dataset:
        try:
            existing = get_in_project(
                request.user, Dataset.objects.all(), "write", pk=UUID(dataset), project_id=project.pk
            )
        except ValueError as error:
            raise Refused("dataset must be the id of a dataset of this thesis.", field="dataset") from error
    return start_dataset(project, request.user, name or file.name or "", file, dataset=existing)  # type: ignore[arg-type]


@router.get("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}", response=WholeOut)
def read_dataset(request: HttpRequest, project_id: UUID, dataset_id: UUID) -> Any:
    """A dataset and its newest version."""
    return _version(_find(request, project_id, dataset_id))


@router.patch("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}", response=WholeOut)
def change_dataset(request: HttpRequest, project_id: UUID, dataset_id: UUID, changes: ChangesIn) -> Any:
    """Rename a dataset, choose which rows count, or say what its columns mean.

    Changes to proposed types confirm them; changes to confirmed types make a new version.
    """
    dataset = _find(request, project_id, dataset_id, "write")
    version = _version(dataset)
    if changes.leave_out or changes.keep or changes.put_back:
        if changes.columns or changes.confirm:
            raise Refused(
                "Send the choice of rows first, and the meaning of the columns in a second request.",
                field="columns",
                code="two_at_once",
            )
        version = decide_rows(
            version,
            request.user,  # type: ignore[arg-type]
            leave_out=[one.model_dump() for one in changes.leave_out],
            keep=changes.keep,
            put_back=changes.put_back,
        )
    if changes.columns or changes.confirm:
        said = {id_: column.model_dump(exclude_none=True) for id_, column in changes.columns.items()}
        version = confirm(version, request.user, said)  # type: ignore[arg-type]
    if changes.name is not None:
        rename(dataset, changes.name)
    version.dataset = dataset
    return version


@router.delete("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}", response={204: None})
def delete_dataset(request: HttpRequest, project_id: UUID, dataset_id: UUID) -> None:
    """Delete a dataset with all its versions. Results based on it stay, and say that the data were deleted."""
    delete(_find(request, project_id, dataset_id, "write"), request.user)  # type: ignore[arg-type]


@router.get("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}/versions", response=list[VersionOut])
def list_versions(request: HttpRequest, project_id: UUID, dataset_id: UUID) -> Any:
    """The versions of a dataset, newest first."""
    dataset = _find(request, project_id, dataset_id)
    return [closed_version(one, dataset.project) for one in dataset.versions.select_related("confirmed_by")[:100]]


@router.post("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}/versions", response={201: VersionOut})
def read_file_again(request: HttpRequest, project_id: UUID, dataset_id: UUID, reading: Body[dict[str, Any]]) -> Any:
    """Read the stored file again with other options, as a new version: {"sheet": "Data"}, or {"separator": ";",
    "decimal": ","}."""
    return read_again(_version(_find(request, project_id, dataset_id, "write")), request.user, reading)  # type: ignore[arg-type]


@router.post("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}/drop-columns", response={202: WholeOut})
def drop_columns(request: HttpRequest, project_id: UUID, dataset_id: UUID, chosen: ColumnsIn) -> Any:
    """Remove columns from the data and from the stored file, in all versions.

    This runs in the background: see `job` of the newest version.
    """
    dataset = _find(request, project_id, dataset_id, "write")
    return start_dropping(dataset, request.user, chosen.columns)  # type: ignore[arg-type]


@router.get("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}/rows", response=RowsOut)
def list_rows(
    request: HttpRequest, project_id: UUID, dataset_id: UUID, start: int = 1, count: int = 20, version: int = 0
) -> Any:
    """Rows as they were read, at most 1,000 at a time: numbers with a decimal point, dates in ISO format.

    You need permission to open the data.
    """
    found = _version(_find(request, project_id, dataset_id, "data"), version)
    start = max(1, min(start, 10_000_000))
    rows = preview(found, start, max(0, min(count, MOST_ROWS)))
    told = {"columns": [one["id"] for one in found.columns], "start": start, "total": found.row_count, "rows": rows}
    return told | {"numbers": numbers_of(found, start, len(rows))}


@router.get("/projects/{uuid:project_id}/datasets/{uuid:dataset_id}/download", url_name="download_dataset")
def download_dataset(request: HttpRequest, project_id: UUID, dataset_id: UUID, version: int = 0) -> HttpResponse:
    """A version (0 for the newest) as CSV in UTF-8, as it is sent to R. Cells that a spreadsheet would run as a formula
    are made harmless.

    You need permission to open the data.
    """
    dataset = _find(request, project_id, dataset_id, "data")
    found = _version(dataset, version)
    name = fitted(f"{dataset.name.rpartition('.')[0] or dataset.name}.csv", f" version {found.number}")
    headers = {"Content-Disposition": content_disposition_header(True, name) or "", "X-Content-Type-Options": "nosniff"}
    return HttpResponse(exported_csv(found), content_type="text/csv; charset=utf-8", headers=headers)


def _find(request: HttpRequest, project_id: UUID, dataset_id: UUID, act: Act = "read") -> Dataset:
    rows = Dataset.objects.select_related("created_by")
    return get_in_project(request.user, rows, act, pk=dataset_id, project_id=project_id)


def _version(dataset: Dataset, number: int = 0) -> DatasetVersion:
    rows = dataset.versions.select_related("confirmed_by")
    version: DatasetVersion | None = (
        (rows.filter(number=number) if number > 0 else rows).first() if number < 2**31 else None
    )
    if version is None:
        raise Refused("This dataset has no such version.", field="version", code="not_found", status=404)
    version.dataset = dataset
    return closed_version(version, dataset.project)
