"""The parts of a run's page that are about its files: what became of each, what a question was given, the debug pane."""

from uuid import UUID

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from research.access import get_run
from research.files.context_list import debug_of, files_of, given_to, processing_of


@require_safe
def files(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The chosen files as they stand. Asked for again when one was read."""
    run = get_run(request.user, run_id)
    context = {"project": run.project, "run": run, "files": files_of(run), "processing": processing_of(run)}
    return render(request, "research/_files.html", context)


@require_safe
def debug(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The debug pane as it stands; there is none unless UI_DEBUG is on."""
    run = get_run(request.user, run_id)
    if not settings.UI_DEBUG:
        raise Http404("The debug pane is off.")
    return render(request, "research/_debug.html", {"project": run.project, "run": run, "debug": debug_of(run)})


@require_safe
@vary_on_headers("HX-Request")
def given(request: HttpRequest, run_id: UUID, number: str) -> HttpResponse:
    """What the question `number` was given of the files: the popover beside it, or a page of its own."""
    run = get_run(request.user, run_id)
    node = run.nodes.filter(number=number).first()
    if node is None:
        raise Http404("This run has no such question.")
    context = {"project": run.project, "tab": "research", "run": run, "node": node, "given": given_to(run, number)}
    template = "research/given.html#given" if request.htmx else "research/given.html"  # type: ignore[attr-defined]
    return render(request, template, context)
