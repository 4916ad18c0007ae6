"""Importing references on the page: the form, an import that takes a while, and what came of it (SPEC C10)."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, retarget

from citations.arriving.importing import MAX_PROBLEMS
from citations.arriving.imports import bring as bring_text
from citations.arriving.imports import job_of, report, told, under_way
from citations.formats.exporting import download
from citations.models import Import
from citations.pages.forms import ImportForm
from citations.pages.listed import PAGE, list_page
from core.errors import Refused
from projects.access import get_in_project, get_project, may
from projects.models import Project
from projects.requests import PersonRequest


@require_POST
def bring(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Import; what came of it is shown above the list, or on a page of its own where it takes a while.

    A refused import gets its form back, text and all.
    """
    project = get_project(request.user, project_id, "write")
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            brought = bring_text(project, request.user, form.cleaned_data["content"], name=form.cleaned_data["name"])
        except Refused as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            if isinstance(brought, Import):
                address = reverse("citations:imported", args=[brought.pk])
                return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
            template = f"{PAGE}#citations" if request.htmx else PAGE
            return list_page(request, project, ImportForm(), template=template, imported=brought)
    if request.htmx:
        context = {"project": project, "form": form, "importing": under_way(project)}
        return retarget(render(request, "citations/_import.html", context, status=422), "#import-form")
    return list_page(request, project, form, status=422)


@require_safe
def imported(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """How far an import is, and at its end what was repaired, kept and left out."""
    brought = _find(request, import_id)
    return render(request, "citations/import.html", _context(brought))


@require_safe
def progress(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """How far an import is, for the page that waits for it; that page as a whole once it has ended."""
    brought = _find(request, import_id)
    context = _context(brought)
    if context["import"]["is_alive"]:
        return render(request, "citations/import.html#progress", context)
    return HttpResponseClientRedirect(reverse("citations:imported", args=[brought.pk]))


@require_POST
def stop(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """Stop an import. What is in stays."""
    brought = _find(request, import_id, "write")
    if job := job_of(brought):
        job.ask("cancel")
    return redirect("citations:imported", brought.pk)


@require_safe
def export(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """All references as a file: `format` is bibtex, biblatex, ris or csl."""
    return download(get_project(request.user, project_id), request.GET.get("format", "bibtex"))


def _find(request: PersonRequest, import_id: UUID, act: Any = "read") -> Import:
    found: Import = get_in_project(request.user, Import.objects.all(), act, pk=import_id)
    return found


def _context(brought: Import) -> dict[str, Any]:
    project: Project = brought.project
    job = job_of(brought)
    return {
        "project": project,
        "tab": "citations",
        "brought": brought,
        "import": told(brought, job),
        "imported": report(brought, job) if not job or job.has_ended else None,
        "most_problems": MAX_PROBLEMS,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
