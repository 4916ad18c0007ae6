"""The PDFs of a reference, as a part of its page: listed, uploaded or chosen, detached (SPEC C9, X1)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from citations.models import Citation
from contextfiles.models import ContextFile
from contextfiles.upload import upload_limits
from core.errors import Refused
from projects.access import Act, get_in_project, may, may_open_data
from projects.signed_in_request import PersonRequest
from thesis.attached_pdfs.attach import attach, detach, pdfs_of, unattached_pdfs, upload_and_attach

MOST_OFFERED = 500  # files in the select


@require_safe
@vary_on_headers("HX-Request")
def reference_pdfs(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Show the PDFs of a reference, for htmx as a part of its page."""
    return _shown(request, find_reference(request, project_id, citation_id))


@require_POST
def attach_pdf(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Attach an uploaded PDF, or the file `file_id` of the thesis, to a reference."""
    citation = find_reference(request, project_id, citation_id, "write")
    try:
        if upload := request.FILES.get("file"):
            row = upload_and_attach(citation, request.user, upload)
        else:
            row = attach(citation, _chosen(request, citation), request.user)
    except Refused as refused:
        return _shown(request, citation, wrong=refused.message, status=refused.status)
    return _done(request, citation, f"{row.file.name} is attached.")


@require_POST
def detach_pdf(request: PersonRequest, project_id: UUID, citation_id: UUID, file_id: UUID) -> HttpResponse:
    """Detach a PDF from a reference. The file stays in the thesis."""
    citation = find_reference(request, project_id, citation_id, "write")
    try:
        file = detach(citation, file_id)
    except Refused as refused:
        return _shown(request, citation, wrong=refused.message, status=refused.status)
    return _done(request, citation, f"{file.name} is detached. It stays under Files.")


def find_reference(request: PersonRequest, project_id: UUID, citation_id: UUID, act: Act = "read") -> Citation:
    """Return the reference with these ids. Raises Http404 or PermissionDenied as `get_in_project`."""
    return get_in_project(request.user, Citation.objects.all(), act, pk=citation_id, project_id=project_id)


def _chosen(request: PersonRequest, citation: Citation) -> ContextFile:
    try:
        file_id = UUID(request.POST.get("file_id", ""))
    except ValueError:
        raise Refused("Choose a PDF to attach.", field="file", code="empty") from None
    return get_in_project(request.user, ContextFile.objects.all(), "write", pk=file_id, project_id=citation.project_id)


def _done(request: PersonRequest, citation: Citation, said: str) -> HttpResponse:
    if request.htmx:
        return _shown(request, citation, said=said)
    messages.success(request, said)
    return redirect("citations:detail", citation.project_id, citation.pk)


def _shown(
    request: PersonRequest, citation: Citation, *, wrong: str = "", said: str = "", status: int = 200
) -> HttpResponse:
    project = citation.project
    may_write = may(project.role, "write")  # type: ignore[attr-defined]
    context = {
        "project": project,
        "tab": "citations",
        "citation": citation,
        "pdfs": list(pdfs_of(citation)),
        "offered": list(unattached_pdfs(project)[:MOST_OFFERED]) if may_write else [],
        "may_write": may_write,
        "may_open_data": may_open_data(project),
        "wrong": wrong,
        "said": said,
        "most_bytes": upload_limits()["most_bytes"],
    }
    template = "thesis/reference_pdfs.html"
    return render(request, f"{template}#pdfs" if request.htmx else template, context, status=status)
