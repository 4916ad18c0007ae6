"""The page that computes how many participants a study needs, from a design and its assumptions (SPEC N3)."""

from functools import partial
from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers

from analysis.advice.sample_size_designs import DESIGNS
from analysis.models import Analysis
from analysis.pages.options_form import PREFIX, OptionField, entry_of, fields_of, read_fields
from analysis.pages.sidebar import room
from analysis.pages.wizard import again_of
from analysis.r_client.errors import EngineError
from analysis.running.start import AnalysisRequest, start_analysis
from analysis.running.titles import given_title, title_of
from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.signed_in_request import PersonRequest

LONGEST = 300  # characters of the title


@vary_on_headers("HX-Request")
@require_http_methods(["GET", "HEAD", "POST"])
def sample_size(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the sample size form, or start the calculation (do=run) and go to its page.

    `?design=` chooses a design; `?again=` fills in the values of an earlier calculation.
    """
    project = get_project(request.user, project_id)
    before = again_of(request, project)
    again = before if before and before.kind == Analysis.Kind.SAMPLE_SIZE else None
    if request.method == "POST":
        get_project(request.user, project_id, "write")
    sent = request.POST if request.method == "POST" else request.GET
    design = sent.get("design") or (again.name if again else "")
    page = partial(_page, request, project, design, again)
    given = again.params if again and again.name == design else {}
    try:
        fields = _fields(design, given)
    except EngineError as trouble:
        return page(trouble=trouble, kept=[(name, sent.get(name, "")) for name in sent if name.startswith(PREFIX)])
    params = read_fields(fields, sent) if sent.get("fields_of") == design else {}
    if sent.get("do") != "run" or request.method != "POST" or not fields:
        for one in fields:
            one.wrong = ""
        return page(fields=fields)
    if any(one.wrong for one in fields):
        return page(fields=fields, status=422)
    try:
        typed = " ".join(request.POST.get("question", "").split())[:LONGEST]
        title = typed or title_of(Analysis.Kind.SAMPLE_SIZE, design)
        asked = AnalysisRequest(design, Analysis.Kind.SAMPLE_SIZE, params=params, title=title, again_of=again)
        started = start_analysis(project, request.user, asked)
    except Refused as refused:
        return page(fields=fields, refused=refused, status=refused.status)
    return redirect("analysis:result", project.pk, started.pk)


def _fields(design: str, given: dict[str, Any]) -> list[OptionField]:
    """Return the fields of a design; none if no design is chosen. Raises EngineError when R does not answer."""
    params = (entry_of("designs", design) or {}).get("params", {})
    return fields_of(params.get("properties", {}), given, required=params.get("required", []))


def _page(
    request: PersonRequest, project: Project, design: str, again: Analysis | None, *, status: int = 200, **shown: Any
) -> HttpResponse:
    """Show the page. `shown` has its fields; or the error and hidden values to keep; or the reason of a refusal."""
    sent = request.POST if request.method == "POST" else request.GET
    context = {
        **room(project),
        "again": again,
        "designs": [(one, one.name == design) for one in DESIGNS.values()],
        "design": DESIGNS.get(design),
        "question": sent.get("question", given_title(again) if again else ""),
        **shown,
    }
    return render(request, f"analysis/sample_size.html{'#rest' if request.htmx else ''}", context, status=status)
