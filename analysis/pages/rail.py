"""The rail of every page of this room: the data of a thesis, and what was asked of it."""

from typing import Any

from django.db.models import CharField, DateTimeField, OuterRef, Subquery

from analysis.models import Analysis, Dataset, DatasetVersion
from projects.models import Project

MOST_ANALYSES = 60  # the newest; older ones are behind one link


def rail_of(project: Project, *, everything: bool = False) -> dict[str, Any]:
    """What the rail of `project` shows: `datasets` with the `number` and `state` of their newest version, `analyses`
    with the `state` they are in, and how many `older` analyses are left out unless `everything` is asked for.

    Three queries however many there are.
    """
    newest = DatasetVersion.objects.filter(dataset=OuterRef("pk")).order_by("-number")
    datasets = Dataset.objects.filter(project=project).annotate(
        number=Subquery(newest.values("number")[:1]),
        state=Subquery(newest.values("state")[:1], output_field=CharField()),
        read_at=Subquery(newest.values("created_at")[:1], output_field=DateTimeField()),
    )
    rows = Analysis.objects.filter(project=project).select_related("job")
    rows = rows.only("number", "title", "name", "kind", "ended_at", "error", "job__state")
    analyses = list(rows if everything else rows[: MOST_ANALYSES + 1])
    older = 0
    if not everything and len(analyses) > MOST_ANALYSES:
        analyses.pop()
        older = rows.count() - MOST_ANALYSES
    for one in analyses:
        one.rail_state = state_of(one)  # type: ignore[attr-defined]
    return {"datasets": list(datasets), "analyses": analyses, "older": older}


def state_of(analysis: Analysis) -> str:
    """ "running", "failed" or "done"."""
    if analysis.error:
        return "failed"
    if analysis.ended_at is not None:
        return "done"
    return "running" if analysis.job is not None and not analysis.job.has_ended else "failed"
