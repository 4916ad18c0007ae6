"""The pages for those who review a field: methods of the studies, citation network, flow of records (SPEC R15)."""

from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from research.access import get_run
from research.pages.result import beside
from research.review import flow_picture, network_picture
from research.review.flow import flow_of_run
from research.review.methodology import CALLED, assessed, studies_of_row, tells


@require_safe
def methods(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """How each study was made, with the words that say so."""
    run = get_run(request.user, run_id)
    rows = [
        {
            "source": row,
            "label": label,
            "told": [(name, _notes(kept.get(field))) for field, name in CALLED.items()],
            "tells": tells(kept),
        }
        for row in assessed(run)
        for label, kept in studies_of_row(row)
    ]
    is_on = run.profile_config.get("enable_methodology_assessment", False)
    return render(request, "research/methods.html", {**beside(run), "studies": rows, "is_on": is_on})


def _notes(kept: object) -> list[object]:
    """One note or several, or none."""
    return kept if isinstance(kept, list) else [kept] if kept else []


@require_safe
def network(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """Who cites whom, as a picture and as a table of the same."""
    run = get_run(request.user, run_id)
    drawn = run.network
    papers = drawn.get("papers", [])
    numbers = {paper["id"]: row for row, paper in enumerate(papers, start=1)}
    cites: dict[str, list[int]] = {paper["id"]: [] for paper in papers}
    for link in drawn.get("links", []):
        cites[link["from"]].append(numbers[link["to"]])
    context = {
        **beside(run),
        "drawn": drawn,
        "rows": [(numbers[paper["id"]], paper, sorted(cites[paper["id"]])) for paper in papers],
        "picture": network_picture.picture_of(drawn) if papers else None,
        "is_on": run.profile_config.get("enable_citation_network", False),
    }
    return render(request, "research/network.html", context)


@require_safe
def flow(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What was found and what became of it, as a picture and as a table of the same."""
    run = get_run(request.user, run_id)
    counts = flow_of_run(run)
    context = {
        **beside(run),
        "flow": counts,
        "picture": flow_picture.picture_of(counts),
        "rows": flow_picture.rows_of(counts),
    }
    return render(request, "research/flow.html", context)
