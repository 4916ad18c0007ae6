"""The references of a thesis as a list, and what is fetched beside it: the audit and the pairs that may be one work (SPEC C5, C7, C9)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe
from django.views.decorators.vary import vary_on_headers
from django_htmx.http import replace_url, retarget

from citations.arriving.adding import add
from citations.arriving.file_entries import IMPORT, what_it_brought
from citations.arriving.importing import MAX_PROBLEMS
from citations.audit.card import card
from citations.audit.integrity import audit_project
from citations.changing.merging import find_duplicates, merge
from citations.models import Citation
from citations.pages import filters
from citations.pages.check import strip
from citations.pages.forms import AddForm, ImportForm, put
from citations.pages.list_rows import fit_for_rows, rows_of
from core.errors import Refused
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
    return Job.objects.filter(project=project, kind=IMPORT, pk=job_id).first()


def list_page(
    request: PersonRequest,
    project: Project,
    form: ImportForm,
    *,
    template: str = PAGE,
    status: int = 200,
    **told: Any,
) -> HttpResponse:
    """The list, or the part of it that htmx asked for, with what is `told` above it: what came of bringing references in."""
    context = {
        **shown_list(request, project),
        "form": form,
        "add_form": AddForm(auto_id="add_%s"),
        "most_problems": MAX_PROBLEMS,
        "only_rows": template == ROWS,
        **told,
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


@require_safe
@vary_on_headers("HX-Request")
def audit(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """What the audit finds now: the card to htmx, else a page with the card."""
    project = get_project(request.user, project_id)
    context = {
        "project": project,
        "tab": "citations",
        "audit": card(project, audit_project(project)),
        "audited_at": timezone.now(),
    }
    return render(request, "citations/_audit.html" if request.htmx else "citations/audit.html", context)


PAIRS_SHOWN = 100


@require_http_methods(["GET", "HEAD", "POST"])
def duplicates(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """The pairs; POST merges the two that are named."""
    project = get_project(request.user, project_id, "write" if request.method == "POST" else "read")
    wrong, status = "", 200
    if request.method == "POST":
        try:
            kept = merge(project, request.user, *_two(request))
        except Refused as refused:
            wrong, status = refused.message, refused.status
        else:
            messages.success(request, f"Merged. The text may cite {kept.cite_key} by either key.")
            return redirect("citations:duplicates", project.pk)
    pairs = find_duplicates(project)
    context = {
        "project": project,
        "tab": "citations",
        "pairs": pairs[:PAIRS_SHOWN],
        "count": len(pairs),
        "wrong": wrong,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "citations/duplicates.html", context, status=status)


@require_safe
def duplicates_hint(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """A line for the list of references where some may be one work; it is asked for once the list is there."""
    project = get_project(request.user, project_id)
    count = len(find_duplicates(project))
    return render(request, "citations/_duplicates.html", {"project": project, "count": count})


def _two(request: PersonRequest) -> tuple[UUID, UUID]:
    try:
        one, other = (UUID(value) for value in request.POST.getlist("citation"))
    except ValueError:
        raise Http404 from None
    return one, other


@require_http_methods(["GET", "HEAD", "POST"])
@vary_on_headers("HX-Request")
def add_page(request: PersonRequest, project_id: UUID) -> HttpResponse:
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
            here = [one.citation for one in added if one.existing]
            told = {"new": [one for one in added if not one.existing], "here": here, "problems": added.problems}
            answer = list_page(request, project, ImportForm(), template=template, added=told)
            return replace_url(answer, reverse("citations:list", args=[project.pk])) if request.htmx else answer
    return _form(request, project, form, status=422)


def _form(request: PersonRequest, project: Project, form: AddForm, status: int = 200) -> HttpResponse:
    context = {"project": project, "tab": "citations", "add_form": form}
    if request.htmx and status != 200:
        return retarget(render(request, "citations/_add.html", context, status=status), "#add-form")
    return render(request, "citations/add.html", context, status=status)
