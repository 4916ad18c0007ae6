"""Many PDFs at once: uploading them, the progress of the job, and its report (SPEC C9, X1, X8)."""

from datetime import timedelta
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect, reswap, trigger_client_event

from citations.models import Citation
from contextfiles.upload import upload_limits
from core.errors import Refused
from jobs import progress as job_progress
from projects.access import Act, get_in_project, get_project, may, may_open_data
from projects.models import Project
from projects.signed_in_request import PersonRequest
from thesis.attached_pdfs.batch import add_and_attach, attach_row, look_again, start_batch
from thesis.attached_pdfs.batch_report import count_open, headline, newest_batches, report_of
from thesis.models import PdfBatch

_NOTICED_FOR = timedelta(days=7)  # after that the list of uploads still leads to the report


@require_http_methods(["GET", "HEAD", "POST"])
def pdf_batches(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the form to upload PDFs of references, with earlier reports; on POST start a job that matches them."""
    if request.method != "POST":
        return _list(request, get_project(request.user, project_id, "data"))
    project = get_project(request.user, project_id, "write")
    try:
        batch = start_batch(project, request.user, request.FILES.getlist("files"))
    except Refused as refused:
        if request.htmx:
            return trigger_client_event(reswap(HttpResponse(), "none"), "toast", {"text": refused.message})
        return _list(request, project, refused)
    address = reverse("thesis:pdf_batch", args=[batch.pk])
    return HttpResponseClientRedirect(address) if request.htmx else redirect(address)


@require_safe
def pdf_drop(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Return the button that uploads PDFs, for the page of references; it takes what is dropped on that page too."""
    project = get_project(request.user, project_id, "write")
    return render(request, "thesis/_pdf_drop.html", {"project": project, **upload_limits()})


@require_safe
def pdf_notice(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Return a notice of the newest upload of PDFs, while its job runs or files of it wait for a person."""
    project = get_project(request.user, project_id)
    batch = next(iter(newest_batches(project, 1)), None) if may_open_data(project) else None
    groups = report_of(batch) if batch else []
    is_running = bool(batch and batch.job and batch.job.is_alive)
    is_recent = bool(batch and batch.created_at > timezone.now() - _NOTICED_FOR)
    shown = is_running or (is_recent and count_open(groups) > 0)
    return render(
        request,
        "thesis/_pdf_notice.html",
        {"batch": batch if shown else None, "is_running": is_running, "headline": headline(groups)},
    )


@require_safe
def pdf_batch(request: PersonRequest, batch_id: UUID) -> HttpResponse:
    """Show what was found for each file of an upload, and while the job runs its progress."""
    return _report(request, _find(request, batch_id))


@require_safe
def progress(request: PersonRequest, batch_id: UUID) -> HttpResponse:
    """Show the progress of the job, polled by its page; redirect to the report once it has ended."""
    batch = _find(request, batch_id)
    return job_progress.render_progress(request, "thesis/pdf_batch.html", _context(batch), "thesis:pdf_batch", batch.pk)


@require_POST
def stop(request: PersonRequest, batch_id: UUID) -> HttpResponse:
    """Stop the job. What is attached stays attached, and the rest waits."""
    batch = _find(request, batch_id, "write")
    return job_progress.stopped(batch.job, "thesis:pdf_batch", batch.pk)


@require_POST
def again(request: PersonRequest, batch_id: UUID) -> HttpResponse:
    """Look again at the files that are attached to nothing."""
    batch = _find(request, batch_id, "write")
    try:
        look_again(batch, request.user)
    except Refused as refused:
        return _report(request, batch, wrong=refused.message, status=refused.status)
    return redirect("thesis:pdf_batch", batch.pk)


@require_POST
def attach(request: PersonRequest, batch_id: UUID, row_id: int) -> HttpResponse:
    """Attach one file to the reference with the key `key`, or with `add` to a new one by the DOI that was found."""
    batch = _find(request, batch_id, "write")
    row = get_object_or_404(batch.rows.select_related("file", "batch__project"), pk=row_id)
    try:
        if "add" in request.POST:
            citation = add_and_attach(row, request.user)
        else:
            citation = _named(batch.project, request.POST.get("key", ""))
            attach_row(row, citation, request.user)
    except Refused as refused:
        return _report(request, batch, wrong=f"{row.name}: {refused.message}", status=refused.status)
    messages.success(request, f"{row.name} is attached to {citation.cite_key}.")
    return redirect("thesis:pdf_batch", batch.pk)


def _named(project: Project, key: str) -> Citation:
    citation = Citation.objects.filter(project=project, cite_key=key.strip()).first()
    if citation is None:
        said = f"There is no reference with the key “{key.strip()[:80]}”." if key.strip() else "Choose a reference."
        raise Refused(f"{said} Its key is in the list of citations.", field="key", code="unknown_key")
    return citation


def _find(request: PersonRequest, batch_id: UUID, act: Act = "data") -> PdfBatch:
    return get_in_project(request.user, PdfBatch.objects.select_related("job", "created_by"), act, pk=batch_id)


def _list(request: PersonRequest, project: Project, refused: Refused | None = None) -> HttpResponse:
    context = {
        "project": project,
        "tab": "citations",
        "batches": [(batch, headline(report_of(batch))) for batch in newest_batches(project)],
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "wrong": refused.message if refused else "",
        **upload_limits(),
    }
    return render(request, "thesis/pdf_batches.html", context, status=refused.status if refused else 200)


def _report(request: PersonRequest, batch: PdfBatch, *, wrong: str = "", status: int = 200) -> HttpResponse:
    return render(request, "thesis/pdf_batch.html", {**_context(batch), "wrong": wrong}, status=status)


def _context(batch: PdfBatch) -> dict[str, Any]:
    job, project = batch.job, batch.project
    is_alive = bool(job and job.is_alive)
    groups = [] if is_alive else report_of(batch)
    left = count_open(groups)
    return {
        "project": project,
        "tab": "citations",
        "batch": batch,
        "import": {"is_alive": is_alive},
        "job": job,
        "groups": groups,
        "headline": headline(groups),
        "left": left,
        "is_unfinished": any(group.outcome == "waiting" for group in groups),
        "references": Citation.objects.filter(project=project).only("cite_key", "title", "authors", "year")
        if left
        else [],
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
