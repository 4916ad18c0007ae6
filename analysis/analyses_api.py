"""The JSON API of analyses and figures (SPEC N2). It calls the same functions as the pages."""

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from asgiref.sync import async_to_sync
from django.http import HttpResponse
from ninja import Query, Router, Schema, Status
from pydantic import AliasPath, Field

from analysis.access import hide_analysis_cells
from analysis.datasets.deletion import deleted_data
from analysis.models import Analysis, DatasetVersion, Figure
from analysis.presentation.result_view import figure_address, view_of_result
from analysis.r_client.client import EngineError, catalogue
from analysis.running.compare import ComparedLine, compare
from analysis.running.rerun import analyses_of, is_stale, rerun_analysis
from analysis.running.row_checks import OTHERS_CENSORED, ROWS_INDEPENDENT
from analysis.running.save_result import remove_analysis
from analysis.running.script_zip import script_zip
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from projects.access import get_in_project, get_project, may_open_data
from projects.signed_in_request import PersonRequest

router = Router(tags=["Analyses"])

MOST = 200  # analyses or figures in one response, newest first
LIMIT = Annotated[int, Query(ge=1, le=MOST)]
OFFSET = Annotated[int, Query(ge=0, le=1_000_000)]


class AnalysisIn(Schema):
    """The analysis to run. GET /analyses/catalogue describes `name` and `params`; params name columns by their ids.

    `data` is the id of a dataset version whose column types are confirmed; or give `dataset` to use its newest version.
    `rows_independent` states that rows are independent although some people have several; `others_censored` that all
    values of a status other than the event are censored. Both are saved with the analysis and reported in its result.
    """

    name: str = Field(max_length=40)
    kind: Literal["run", "sample-size", "figure"] = "run"
    data: UUID | None = None
    dataset: UUID | None = None
    params: dict[str, Any] = {}
    title: str = Field("", max_length=2000)
    alpha: float = 0.05
    conf_level: float = 0.95
    rows_independent: bool = False
    others_censored: bool = False


class AnalysisRerunIn(Schema):
    """What to change when an analysis runs again. Null keeps the old value; for `data` it means the newest version."""

    data: UUID | None = None
    params: dict[str, Any] | None = None
    title: str | None = Field(None, max_length=2000)
    alpha: float | None = None
    conf_level: float | None = None


class ErrorOut(Schema):
    """Why an analysis has no result. `hint` says how to fix it; `suggest` names another analysis that fits."""

    code: str = ""
    message: str = ""
    field: str = ""
    column: str = ""
    hint: str = ""
    suggest: str = ""


class FigureOut(Schema):
    """A figure. `svg`, `png` and `pdf` are URLs; a format that does not exist is an empty string."""

    id: UUID
    analysis: UUID | None = Field(validation_alias="analysis_id")
    kind: str
    caption: str
    alt: str
    width_mm: float
    height_mm: float
    svg: str
    png: str
    pdf: str
    created_at: datetime

    @staticmethod
    def resolve_svg(figure: Figure) -> str:
        """Return the URL of the SVG file."""
        return figure_address(figure, "svg") if figure.svg else ""

    @staticmethod
    def resolve_png(figure: Figure) -> str:
        """Return the URL of the PNG file."""
        return figure_address(figure, "png") if figure.png else ""

    @staticmethod
    def resolve_pdf(figure: Figure) -> str:
        """Return the URL of the PDF file."""
        return figure_address(figure, "pdf") if figure.pdf else ""


class AnalysisBrief(Schema):
    """An analysis without its result. `state` is queued, running, done, failed or cancelled.

    `data_deleted` says whether its data were deleted; `is_stale` whether a newer version of its dataset is ready.
    """

    id: UUID
    number: int
    title: str
    kind: str
    name: str
    state: str
    reason: str
    is_stale: bool
    data: UUID | None = Field(validation_alias="data_id")
    data_deleted: bool
    dataset: str = Field("", validation_alias=AliasPath("data", "dataset", "name"))
    version: int | None = Field(None, validation_alias=AliasPath("data", "number"))
    again_of: UUID | None = Field(validation_alias="again_of_id")
    seconds: float
    created_at: datetime
    ended_at: datetime | None
    created_by: str

    @staticmethod
    def resolve_is_stale(row: Analysis) -> bool:
        """Return whether a newer version of the data is ready."""
        return is_stale(row)

    @staticmethod
    def resolve_data_deleted(row: Analysis) -> bool:
        """Return whether the data of the analysis were deleted."""
        return deleted_data(row) is not None

    @staticmethod
    def resolve_created_by(row: Analysis) -> str:
        """Return the user name of whoever started the analysis."""
        return row.created_by.get_username() if row.created_by else ""


class AnalysisOut(AnalysisBrief):
    """An analysis with its result. `result` has every number in full precision; `request` is what was sent to R,
    without the values of the columns."""

    params: dict[str, Any]
    why: dict[str, Any]
    request: dict[str, Any]
    result: dict[str, Any] | None
    sentence: str
    error: ErrorOut | None
    versions: dict[str, Any]
    figures: list[FigureOut]
    job: UUID | None = Field(validation_alias="job_id")

    @staticmethod
    def resolve_sentence(row: Analysis) -> str:
        """Return the sentence that reports the result."""
        return view_of_result(row.result or {}).sentence


@router.get("/analyses/catalogue", response=dict[str, Any], summary="List the available analyses, designs and figures")
def list_catalogue(request: PersonRequest) -> Any:
    """Each comes with the JSON Schema of its params, as the statistics service describes them."""
    try:
        return async_to_sync(catalogue)()
    except EngineError as error:
        raise Refused(error.message, code=error.code, status=503) from None


@router.get("/projects/{uuid:project_id}/analyses", response=list[AnalysisBrief], summary="List analyses, newest first")
def list_analyses(request: PersonRequest, project_id: UUID, limit: LIMIT = MOST, offset: OFFSET = 0) -> Any:
    """Analyses are listed without their results."""
    project = get_project(request.user, project_id)
    return [hide_analysis_cells(row, project) for row in analyses_of(project)[offset : offset + limit]]


@router.post("/projects/{uuid:project_id}/analyses", response={201: AnalysisOut}, summary="Start an analysis")
def add_analysis(request: PersonRequest, project_id: UUID, payload: AnalysisIn) -> Any:
    """The analysis runs in the background.

    Returns 429 with the code `busy` when three analyses run and five wait: nothing is saved, so try again in a minute.
    Returns 422 with the code `repeated_rows` when people have several rows that would count as different people.
    """
    project = get_project(request.user, project_id, "write")
    same = payload.model_dump(include={"name", "kind", "params", "title", "alpha", "conf_level"})
    data = _data(project, payload.data, payload.dataset)
    return Status(201, start_analysis(project, request.user, AnalysisRequest(data=data, why=_why(payload), **same)))


@router.get("/analyses/{uuid:analysis_id}", response=AnalysisOut, summary="Get an analysis with its result")
def read_analysis(request: PersonRequest, analysis_id: UUID) -> Any:
    """`result` is null until the analysis is done; `error` says why an analysis failed."""
    return _find(request, analysis_id)


@router.delete("/analyses/{uuid:analysis_id}", response={204: None}, summary="Delete an analysis")
def delete_analysis(request: PersonRequest, analysis_id: UUID) -> Any:
    """Its result and figures are deleted. What was inserted into sections stays there."""
    remove_analysis(_find(request, analysis_id, "write"))
    return Status(204, None)


@router.post("/analyses/{uuid:analysis_id}/again", response={201: AnalysisOut}, summary="Run an analysis again")
def run_analysis_again(request: PersonRequest, analysis_id: UUID, payload: AnalysisRerunIn) -> Any:
    """Starts a new analysis with the given changes, on the newest version of the data unless `data` names another."""
    row = _find(request, analysis_id, "write")
    changes = payload.model_dump(exclude_none=True)
    if payload.data is not None:
        changes["data"] = _data(row.project, payload.data, None)
    return Status(201, rerun_analysis(row, request.user, **changes))


@router.post("/analyses/{uuid:analysis_id}/stop", response=AnalysisOut, summary="Stop a running or waiting analysis")
def stop_analysis(request: PersonRequest, analysis_id: UUID) -> Any:
    """An analysis that has ended stays as it is."""
    row = _find(request, analysis_id, "write")
    if row.job is not None:
        row.job.ask("cancel")
    return _find(request, analysis_id, "write")


@router.get(
    "/analyses/{uuid:analysis_id}/script", response=None, summary="Download the R script and its data as a ZIP file"
)
def read_script(request: PersonRequest, analysis_id: UUID) -> HttpResponse:
    """The ZIP file has no data if you may not open the data of this thesis."""
    row = _find(request, analysis_id)
    response = HttpResponse(script_zip(row, with_data=may_open_data(row.project)), content_type="application/zip")
    response["Content-Disposition"] = f'attachment; filename="analysis-{row.number}.zip"'
    return response


@router.get(
    "/analyses/{uuid:analysis_id}/compare/{uuid:other_id}",
    response=list[ComparedLine],
    summary="Compare two analyses of the same thesis",
)
def compare_analyses(request: PersonRequest, analysis_id: UUID, other_id: UUID) -> Any:
    """Each line is a setting or a number of one or both analyses; `change` is right minus left."""
    row = _find(request, analysis_id)
    other: Analysis = get_in_project(request.user, _rows().filter(project=row.project), pk=other_id)
    return compare(row, other)


@router.get("/projects/{uuid:project_id}/figures", response=list[FigureOut], summary="List figures, newest first")
def list_figures(request: PersonRequest, project_id: UUID) -> Any:
    """At most 200 figures are listed."""
    return Figure.objects.filter(project=get_project(request.user, project_id)).order_by("-created_at", "kind")[:MOST]


def _rows() -> Any:
    return Analysis.objects.select_related("job", "data__dataset", "created_by").prefetch_related("figures")


def _find(request: PersonRequest, analysis_id: UUID, act: Literal["read", "write"] = "read") -> Analysis:
    row: Analysis = get_in_project(request.user, _rows(), act, pk=analysis_id)
    return hide_analysis_cells(row, row.project)


def _data(project: Any, version: UUID | None, dataset: UUID | None) -> DatasetVersion | None:
    """Return the dataset version with this id, or the newest confirmed version of the dataset.

    Raises Refused when the thesis has no such data.
    """
    if version is None and dataset is None:
        return None
    named = {"pk": version} if version else {"dataset": dataset, "state": DatasetVersion.State.READY}
    rows = DatasetVersion.objects.select_related("dataset").filter(dataset__project=project, **named)
    found: DatasetVersion | None = rows.order_by("-number").first()
    if found is None:
        raise Refused(
            "This thesis has no such data, or its column types are not confirmed yet.",
            field="data" if version else "dataset",
            code="unknown",
        )
    return found


def _why(payload: AnalysisIn) -> dict[str, Any]:
    said = {name: True for name in (ROWS_INDEPENDENT, OTHERS_CENSORED) if getattr(payload, name)}
    return {"said": said} if said else {}
