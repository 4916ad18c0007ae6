"""Running an analysis again, and finding out whether newer data make its result stale (SPEC N2)."""

from dataclasses import replace
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery

from analysis.models import Analysis, DatasetVersion
from analysis.running.start import AnalysisRequest, columns_named, start_analysis
from analysis.running.titles import given_title
from core.errors import Refused
from projects.models import Project, User


def analyses_of(project: Project) -> "QuerySet[Analysis]":
    """Return the analyses of `project`, newest first, with everything a list shows, in one query."""
    newest = DatasetVersion.objects.filter(dataset=OuterRef("data__dataset"), state=DatasetVersion.State.READY)
    return (
        Analysis.objects.filter(project=project)
        .select_related("job", "data__dataset", "created_by")
        .defer("result", "script", "data__columns", "data__summary", "data__remarks")
        .annotate(newest_number=Subquery(newest.order_by("-number").values("number")[:1]))
    )


def newest_ready(analysis: Analysis) -> DatasetVersion | None:
    """Return the newest confirmed version of the data of `analysis`; None if the data were deleted."""
    if analysis.data is None:
        return None
    rows = DatasetVersion.objects.filter(dataset_id=analysis.data.dataset_id, state=DatasetVersion.State.READY)
    return rows.select_related("dataset").order_by("-number").first()


def is_stale(analysis: Analysis) -> bool:
    """Return whether the dataset has a newer version that is ready. Rows of `analyses_of` need no further query."""
    if analysis.data is None:
        return False
    if hasattr(analysis, "newest_number"):
        return (analysis.newest_number or 0) > analysis.data.number
    newest = newest_ready(analysis)
    return newest is not None and newest.number > analysis.data.number


def again(analysis: Analysis, user: User, *, enqueue: bool = True, **changes: Any) -> Analysis:
    """Start `analysis` again, on the newest version of its data unless `changes` names another, and return the new one.

    `changes` are fields of AnalysisRequest. A column keeps its id if it still has the same name, else it is looked up
    by name. Raises what start_analysis raises, and Refused when the data or one of the columns no longer exist.
    """
    params = changes.get("params", analysis.params)
    data = changes.get("data") or newest_ready(analysis)
    if data is None and columns_named(params):
        raise Refused(
            "The data of this analysis was deleted. Choose other data and run it again.",
            field="data",
            code="no_data",
            status=409,
        )
    if "params" not in changes and analysis.data is not None and data is not None and data != analysis.data:
        params = moved(params, analysis.data, data)
    asked = AnalysisRequest(
        name=analysis.name,
        kind=analysis.kind,
        data=data,
        params=params,
        title=given_title(analysis),
        why=analysis.why,
        alpha=analysis.request.get("alpha", 0.05),
        conf_level=analysis.request.get("conf_level", 0.95),
        again_of=analysis,
    )
    asked = replace(asked, **{**changes, "data": data, "params": params})
    return start_analysis(analysis.project, user, asked, enqueue=enqueue)


def moved(params: dict[str, Any], before: DatasetVersion, after: DatasetVersion) -> dict[str, Any]:
    """Return `params` with the column ids of the version `after`. Raises Refused for a column that it does not have."""
    was = {column["id"]: column["name"] for column in before.columns}
    same = {column["id"]: column["name"] for column in after.columns}
    named = {column["name"]: column["id"] for column in reversed(after.columns)}  # the first of two with the same name
    place: dict[str, str] = {}
    for one in columns_named(params):
        found = one if one in same and same[one] == was.get(one) else named.get(was.get(one, ""))
        if found is None:
            raise Refused(
                f"Version {after.number} of {after.dataset.name} has no column “{was.get(one, one)[:80]}”. "
                "Choose the columns again.",
                field="params",
                code="unknown_column",
                status=409,
            )
        place[one] = found

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(one) for one in value]
        return place.get(value, value) if isinstance(value, str) else value

    options = params.get("options")
    moved_params = {name: put(value) for name, value in params.items() if name != "options"}
    if isinstance(options, dict):
        moved_params["options"] = {name: put(value) if name == "subgroup" else value for name, value in options.items()}
    return moved_params
