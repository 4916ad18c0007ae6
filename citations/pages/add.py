"""Adding works by what identifies them (SPEC C5, C9)."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_http_methods
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import replace_url, retarget

from citations.arriving.adding import Additions, add
from citations.badges import badge_of, drawn
from citations.pages.forms import AddForm, ImportForm, put
from citations.pages.listed import PAGE, list_page
from core.errors import Refused
from projects.access import get_project
from projects.models import Project
from projects.requests import PersonRequest


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def page(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """A form of one box, which `text` of the address fills. What came of it is shown above the list."""
    project = get_project(request.user, project_id, "write")
    if request.method != "POST":
        form = AddForm(initial={"text": request.GET.get("text", "")[:500]}, auto_id="add_%s")
        return _form(request, project, form)
    form = AddForm(request.POST, auto_id="add_%s")
    if form.is_valid():
        try:
            added = add(project, request.user, text=form.cleaned_data["text"])
        except Refused as refused:
            put(form, refused)
        else:
            template = f"{PAGE}#citations" if request.htmx else PAGE
            answer = list_page(request, project, ImportForm(), template=template, added=_told(added))
            return replace_url(answer, reverse("citations:list", args=[project.pk])) if request.htmx else answer
    return _form(request, project, form, status=422)


def _told(added: Additions) -> dict[str, Any]:
    """What came of it, for the notice: the new references with their badges, what is here, what did not come in."""
    new = [one for one in added if not one.existing]
    return {
        # A badge that is still to turn is shown in the list alone, where it does.
        "new": [
            {
                "citation": one.citation,
                "badge": "" if one.citation.check_due_at else drawn(badge_of(one.citation)),
                "note": one.note,
            }
            for one in new
        ],
        "here": [one.citation for one in added if one.existing],
        "problems": added.problems,
    }


def _form(request: PersonRequest, project: Project, form: AddForm, status: int = 200) -> HttpResponse:
    context = {"project": project, "tab": "citations", "add_form": form}
    if request.htmx and status != 200:
        return retarget(render(request, "citations/_add.html", context, status=status), "#add-form")
    return render(request, "citations/add.html", context, status=status)
