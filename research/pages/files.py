"""The pages of a run's files: what became of each, what a question was given, the debug pane; and the one on which a
person decides about files with personal data, before a model elsewhere is asked (SPEC X2).
"""

from uuid import UUID

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers

from contextfiles.models import ContextFile
from core.errors import Refused
from research.access import get_run
from research.files.consent import awaits_consent, decide, found_in
from research.files.context_list import debug_of, files_of, given_to, processing_of
from text.personal import told


@require_safe
def files(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """The chosen files as they stand. Asked for again when one was read."""
    run = get_run(request.user, run_id)
    return render(
        request,
        "research/_files.html",
        {"project": run.project, "run": run, "files": files_of(run), "processing": processing_of(run)},
    )


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
    return render(request, f"research/given.html{'#given' if request.htmx else ''}", context)  # type: ignore[attr-defined]


@require_http_methods(["GET", "HEAD", "POST"])
def consent(request: HttpRequest, run_id: UUID) -> HttpResponse:
    """What was found in the files of a run that waits, and the ways on; a POST with do=send or do=leave_out is one."""
    run = get_run(request.user, run_id, "write")
    found = found_in(run)
    if found is None or not awaits_consent(run):
        messages.info(request, "Nothing about personal data is to be decided in this run.")
        return redirect("research:run", run.pk)
    if request.method == "POST":
        try:
            decide(run, request.user, request.POST.get("do", ""))  # type: ignore[arg-type]
        except Refused as refused:
            messages.error(request, refused.message)
            return redirect("research:consent", run.pk)
        return redirect("research:run", run.pk)
    ids = dict(ContextFile.objects.filter(project=run.project, name__in=list(found.files)).values_list("name", "pk"))
    return render(
        request,
        "research/consent.html",
        {
            "project": run.project,
            "tab": "research",
            "run": run,
            "found": found,
            "files": [
                {"name": name, "id": ids.get(name), "holds": told(counts)} for name, counts in found.files.items()
            ],
            "others": found.total - len(found.files),
        },
    )
