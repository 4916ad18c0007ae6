"""The references of a thesis as a list (SPEC C5, C9)."""

from typing import Any
from uuid import UUID

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from citations.arriving.bringing import Brought
from citations.arriving.file_entries import IMPORT, what_it_brought
from citations.arriving.importing import MAX_PROBLEMS, Imported
from citations.models import Citation
from citations.pages import filters
from citations.pages.check import strip
from citations.pages.forms import ImportForm
from citations.pages.forms_of_one import AddForm
from citations.pages.list_rows import fit_for_rows, rows_of
from jobs.models import Job
from projects.access import get_project, may
from projects.files import has_file
from projects.models import Project
from projects.requests import PersonRequest

PER_PAGE = 100
PAGE = "citations/citations.html"
ROWS = "citations/_rows.html"


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def citations(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The list; to htmx the rows alone, with the counts of the filters."""
    project = get_project(request.user, project_id)
    rows = request.htmx and request.htmx.target == "rows"
    job = _import_of(request, project)
    return list_page(
        request,
        project,
        ImportForm(),
        template=ROWS if rows else PAGE,
        brought=what_it_brought(job) if job else None,
        brought_from=job.subject if job and has_file(project, job.subject) else None,
    )


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
    **more: Any,
) -> HttpResponse:
    """The list, or the part of it that htmx asked for."""
    context = {
        **shown_list(request, project),
        "form": form,
        "add_form": AddForm(auto_id="add_%s"),
        "imported": imported,
        "brought": brought,
        "brought_from": brought_from,
        "most_problems": MAX_PROBLEMS,
        "only_rows": template == ROWS,
        **more,
    }
    return render(request, template, context, status=status)


def shown_list(request: HttpRequest, project: Project) -> dict[str, Any]:
    """What the list shows for the words, the filter and the page of the address: one page of rows and the counts."""
    everything = Citation.objects.filter(project=project)
    words = request.GET.get("q", "").replace("\0", "").strip()[:200]
    shown = filters.known(request.GET.get("show", ""))
    counted = filters.counts(everything)
    found = fit_for_rows(filters.show(everything, shown).matching(words))
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    return {
        "project": project,
        "tab": "citations",
        "counts": counted,
        **strip(project, counted),
        "filters": filters.offered(counted, shown),
        "shown": shown,
        "q": words,
        "page": page,
        "rows": rows_of(project, page),
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_attest": may(project.role, "attest"),  # type: ignore[attr-defined]
    }
