"""The pages for importing and exporting: upload or paste, progress, and the entries of a stored file (SPEC X1, C10)."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.core.paginator import Page, Paginator
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, retarget

from citations.formats.export import download
from citations.formats.reading import Reading
from citations.importing.file_import import (
    MAX_PROBLEMS,
    import_progress,
    import_report,
    job_of,
    running_import,
    start_import,
)
from citations.importing.stored_file_entries import (
    IMPORT,
    READ,
    ComparedEntry,
    check_readable,
    compare_entries,
    entry_names,
    import_file,
    last_job,
    read_file,
    running_job,
    saved_reading,
)
from citations.models import Import
from citations.pages.forms import ImportForm
from citations.pages.reference_list import PAGE, list_page
from core.errors import Refused
from jobs import progress as job_progress
from jobs.models import Job, State
from projects.access import get_in_project, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest
from projects.stored_files import StoredFile, stored_file


@require_POST
def import_references(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Import an uploaded or pasted text and show the result above the list, or go to the page of a longer import.

    An invalid import shows the form again, with its text.
    """
    project = get_project(request.user, project_id, "write")
    form = ImportForm(request.POST, request.FILES)
    if form.is_valid():
        try:
            brought = start_import(project, request.user, form.cleaned_data["content"], name=form.cleaned_data["name"])
        except Refused as refused:
            form.add_error(refused.field or None, refused.message)
        else:
            if isinstance(brought, Import):
                address = reverse("citations:imported", args=[brought.pk])
                return HttpResponseClientRedirect(address) if request.htmx else redirect(address)
            template = f"{PAGE}#citations" if request.htmx else PAGE
            return list_page(request, project, ImportForm(), template=template, imported=brought)
    if request.htmx:
        return retarget(
            render(
                request,
                "citations/_import.html",
                {"project": project, "form": form, "importing": running_import(project)},
                status=422,
            ),
            "#import-form",
        )
    return list_page(request, project, form, status=422)


@require_safe
def import_page(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """Show the page of an import: its progress, then its result."""
    return render(request, "citations/import.html", _context(_find_import(request, import_id)))


@require_safe
def progress(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """Show the progress of an import, polled by its page; redirect to the page once the import has ended."""
    brought = _find_import(request, import_id)
    return job_progress.render_progress(
        request, "citations/import.html", _context(brought), "citations:imported", brought.pk
    )


@require_POST
def stop(request: PersonRequest, import_id: UUID) -> HttpResponse:
    """Stop an import and go back to its page. Entries imported so far stay."""
    brought = _find_import(request, import_id, "write")
    return job_progress.stopped(job_of(brought), "citations:imported", brought.pk)


@require_safe
def export(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Download all references as a file; the parameter `format` is bibtex, biblatex, ris or csl."""
    return download(get_project(request.user, project_id), request.GET.get("format", "bibtex"))


def _find_import(request: PersonRequest, import_id: UUID, act: Any = "read") -> Import:
    return get_in_project(request.user, Import.objects.all(), act, pk=import_id)


def _context(brought: Import) -> dict[str, Any]:
    project: Project = brought.project
    job = job_of(brought)
    return {
        "project": project,
        "tab": "citations",
        "brought": brought,
        "import": import_progress(brought, job),
        "imported": import_report(brought, job) if not job or job.has_ended else None,
        "most_problems": MAX_PROBLEMS,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }


PER_PAGE = 500


@require_http_methods(["GET", "HEAD", "POST"])
def entries(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Show the saved entries of a file (GET), or read the file and go back to that page (POST)."""
    posted = request.method == "POST"
    project = get_project(request.user, project_id, "write" if posted else "data")
    file = stored_file(project, file_id)
    if not posted:
        return _show_entries(request, project, file)
    try:
        read_file(project, file, request.user)
    except Refused as refused:
        return _show_unread(request, project, file, refused.message, status=refused.status)
    return redirect("citations:entries", project.pk, file.id)


@require_POST
def entries_import(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Import the ticked entries, or with `all` all new ones, and show the result above the list of references."""
    project = get_project(request.user, project_id, "write")
    file = stored_file(project, file_id)
    names = None if "all" in request.POST else _ticked(request, saved_reading(project, file))
    if names == set():
        messages.warning(request, "Nothing was imported. Select at least one entry.")
        return redirect("citations:entries", project.pk, file.id)
    try:
        brought = import_file(project, file, request.user, names)
    except Refused as refused:
        return _show_unread(request, project, file, refused.message, status=refused.status)
    if isinstance(brought, Job):
        return redirect("citations:entries", project.pk, file.id)
    return list_page(request, project, ImportForm(), brought=brought, brought_from=file.id)


@require_POST
def entries_stop(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Stop the job that reads or imports a file's entries and go back to their page. Nothing of it is saved."""
    project = get_project(request.user, project_id, "write")
    file = stored_file(project, file_id)
    return job_progress.stopped(running_job(project, file), "citations:entries", project.pk, file.id)


@require_safe
def entries_progress(request: PersonRequest, job_id: UUID) -> HttpResponse:
    """Show the progress of a job, polled by its page; redirect to its result once it has ended."""
    job: Job = get_in_project(request.user, Job.objects.filter(kind__in=[READ, IMPORT]), pk=job_id, act="data")
    if job.is_alive:
        return render(request, "citations/entries_working.html#progress", {"job": job, "reads": job.kind == READ})
    address = reverse("citations:entries", args=[job.project_id, job.subject])
    if job.kind == IMPORT and job.state == State.DONE:
        address = f"{reverse('citations:list', args=[job.project_id])}?brought={job.pk}"
    return HttpResponseClientRedirect(address)


@require_safe
def entries_of(request: PersonRequest, file_id: UUID) -> HttpResponse:
    """Redirect from the id of a file, which is all that a job knows, to the page of that file's entries."""
    rows = Job.objects.filter(kind__in=[READ, IMPORT])
    return redirect(
        "citations:entries", get_in_project(request.user, rows, "data", subject=file_id).project_id, file_id
    )


def _show_entries(request: PersonRequest, project: Project, file: StoredFile) -> HttpResponse:
    if job := running_job(project, file):
        return _rendered(request, "entries_working", project, file, job=job, reads=job.kind == READ)
    reading = saved_reading(project, file)
    if reading is None:
        return _show_unread(request, project, file)
    found = compare_entries(project, reading.entries)
    page: Page[ComparedEntry] = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    last = last_job(project, file)
    return _rendered(
        request,
        "entries",
        project,
        file,
        page=page,
        ticked=sum(one.is_new for one in page),
        counts={
            "new": sum(one.is_new for one in found),
            "here": sum(one.here is not None for one in found),
            "twin": sum(one.twin is not None for one in found),
            "wrong": sum(bool(one.wrong) for one in found),
        },
        reading=reading,
        stopped=last if last and last.kind == IMPORT and last.state == State.FAILED else None,
    )


def _show_unread(
    request: PersonRequest, project: Project, file: StoredFile, wrong: str = "", *, status: int = 200
) -> HttpResponse:
    """Show the page of a file that was not read: with the reason, if any, and the button to read it."""
    try:
        check_readable(file)
    except Refused as refused:
        return _rendered(request, "entries_unread", project, file, status=refused.status, hopeless=refused.message)
    last = last_job(project, file)
    if not wrong and last and last.kind == READ and last.state == State.FAILED:
        wrong = last.reason
    return _rendered(request, "entries_unread", project, file, status=status, wrong=wrong)


def _rendered(
    request: PersonRequest, name: str, project: Project, file: StoredFile, *, status: int = 200, **more: Any
) -> HttpResponse:
    return render(
        request,
        f"citations/{name}.html",
        {
            "project": project,
            "tab": "citations",
            "file": file,
            "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
            "most_problems": MAX_PROBLEMS,
            **more,
        },
        status=status,
    )


def _ticked(request: PersonRequest, reading: Reading | None) -> set[str]:
    """Return the names of the ticked entries. The form sends numbers, since a form may alter characters of a name."""
    numbers = {int(number) for number in request.POST.getlist("entry") if number.isdecimal() and len(number) < 7}
    return {name for number, name in enumerate(entry_names(reading.entries) if reading else [], 1) if number in numbers}
