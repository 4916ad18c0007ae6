"""The references of a thesis: list, import, export, one entry, delete (SPEC C5, C9, C10)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import retarget

from citations.bringing import Brought
from citations.exporting import download
from citations.file_entries import IMPORT, what_it_brought
from citations.forms import ImportForm
from citations.importing import MAX_PROBLEMS, Imported, import_entries
from citations.models import Citation
from citations.show import details, link, marked, people, printed
from jobs.models import Job
from projects.access import get_in_project, get_project, may
from projects.errors import Refused
from projects.files import has_file
from projects.models import Project
from projects.requests import PersonRequest

PER_PAGE = 100
PAGE = "citations/citations.html"


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def citations(request: PersonRequest, project_id: UUID) -> HttpResponse:
    project = get_project(request.user, project_id)
    rows = request.htmx and request.htmx.target == "rows"
    job = _import_of(request, project)
    return list_page(
        request,
        project,
        ImportForm(),
        template="citations/_rows.html" if rows else PAGE,
        brought=what_it_brought(job) if job else None,
        brought_from=job.subject if job and has_file(project, job.subject) else None,
    )


@require_POST
def bring(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Import; what came of it is shown above the list. A refused import gets its form back, text and all."""
    project = get_project(request.user, project_id, "write")
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            imported = import_entries(project, form.cleaned_data["content"])
        except Refused as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            template = f"{PAGE}#citations" if request.htmx else PAGE
            return list_page(request, project, ImportForm(), template=template, imported=imported)
    if request.htmx:
        context = {"project": project, "form": form}
        return retarget(render(request, "citations/_import.html", context, status=422), "#import-form")
    return list_page(request, project, form, status=422)


@require_safe
def export(request: HttpRequest, project_id: UUID) -> HttpResponse:
    return download(get_project(request.user, project_id), request.GET.get("format", "bibtex"))


@require_safe
def citation(request: HttpRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    found = _find(request, project_id, citation_id)
    context = {
        "project": found.project,
        "tab": "citations",
        "citation": found,
        "reference": printed(found),
        "passages": marked(found, request.GET.get("start", ""), request.GET.get("end", "")),
        "people": people(found),
        "details": details(found),
        "link": link(found),
        "may_write": may(found.project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "citations/citation.html", context)


@require_POST
def delete(request: HttpRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    found = _find(request, project_id, citation_id, "write")
    found.delete()
    messages.success(request, f"{found.cite_key} is deleted.")
    return redirect("citations:list", found.project.pk)


def _find(request: HttpRequest, project_id: UUID, citation_id: UUID, act: Any = "read") -> Citation:
    return get_in_project(request.user, Citation.objects.all(), act, pk=citation_id, project_id=project_id)


def _import_of(request: PersonRequest, project: Project) -> Job | None:
    """The import of a file's entries that the address names by its job, to be told about above the list."""
    try:
        job_id = UUID(request.GET.get("brought", ""))
    except ValueError:
        return None
    job: Job | None = Job.objects.filter(project=project, kind=IMPORT, pk=job_id).first()
    return job


def list_page(
    request: PersonRequest,
    project: Project,
    form: ImportForm,
    *,
    template: str = PAGE,
    imported: Imported | None = None,
    brought: Brought | None = None,
    brought_from: UUID | None = None,
    status: int = 200,
) -> HttpResponse:
    """The list, or the part of it that htmx asked for."""
    everything = Citation.objects.filter(project=project)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    context = {
        "project": project,
        "tab": "citations",
        "counts": everything.counts(),
        "q": words,
        "page": Paginator(everything.matching(words), PER_PAGE).get_page(request.GET.get("page")),
        "form": form,
        "imported": imported,
        "brought": brought,
        "brought_from": brought_from,
        "most_problems": MAX_PROBLEMS,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, template, context, status=status)
