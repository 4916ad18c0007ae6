"""Pages of the files of a thesis: list, upload, text, download, delete (SPEC X1, X8, X9)."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.http import FileResponse, Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from contextfiles.deletion import delete_file
from contextfiles.ingest import shown_text_of
from contextfiles.models import ContextFile
from contextfiles.text_view import marked_range, outline, passage_range, set_personal_data_notice, text_page
from contextfiles.upload import UploadOutcome, store_all, upload_limits
from projects.access import Act, get_in_project, get_project, may, may_open_data
from projects.models import Project
from projects.signed_in_request import PersonRequest


@require_safe
@vary_on_headers("HX-Request")
def files(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the page with the files of a thesis."""
    return _files(request, get_project(request.user, project_id))


@require_POST
def upload(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Store the uploaded files and show the list again, with the reason for each refused file."""
    project = get_project(request.user, project_id, "write")
    uploads = [*request.FILES.getlist("files"), *request.FILES.getlist("new")]  # "new": picked inside another form
    stored = store_all(project, request.user, uploads)
    if request.htmx or stored.refused:
        return _files(request, project, stored)
    messages.success(request, "Uploaded." if stored.files else "No file was chosen.")
    return redirect("contextfiles:list", project.pk)


@require_safe
def file(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Show the text that was read from a file, without the text for members who may not open uploads.

    ?at=12 begins at passage 12; ?start= and ?end=, or ?passage=S12, mark a part and begin there; ?read=2 shows the text
    as reader version 2 read it.
    """
    found = find_file(request, project_id, file_id)
    opens = may_open_data(found.project)
    text = shown_text_of(found, request.GET.get("read", "")) if opens else None
    context = {
        "project": found.project,
        "tab": "files",
        "file": found,
        "text": text,
        "format": found.format,
        "may_write": may(found.project.role, "write"),  # type: ignore[attr-defined]
        "may_open_data": opens,
    }
    set_personal_data_notice([found])
    if text is not None:
        mark = marked_range(text, request.GET.get("start", ""), request.GET.get("end", "")) or passage_range(
            text, request.GET.get("passage", "")
        )
        at = request.GET.get("at", "")
        context |= {
            "view": text_page(text, int(at) if at.isdecimal() and len(at) < 7 else 1, mark),
            "outline": outline(text),
            "mark": mark,
            "characters": len(text.text),
        }
    return render(request, "contextfiles/file.html", context)


@require_safe
def download(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponseBase:
    """Send the uploaded file as a download."""
    found = find_file(request, project_id, file_id, "data")
    try:
        blob = found.blob.open("rb")
    except OSError as error:
        raise Http404("The stored file cannot be read from the disk.") from error
    # Untrusted content must never open in the browser: it is always saved, with a neutral content type.
    return FileResponse(
        blob,
        as_attachment=True,
        filename=found.name,
        content_type="application/octet-stream",
        headers={"X-Content-Type-Options": "nosniff"},
    )


@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: PersonRequest, project_id: UUID, file_id: UUID) -> HttpResponse:
    """Show the page that asks for confirmation; on POST delete the file and go back to the list."""
    found = find_file(request, project_id, file_id, "write")
    if request.method != "POST":
        return render(request, "contextfiles/delete.html", {"project": found.project, "tab": "files", "file": found})
    delete_file(found, request.user)
    if request.htmx:
        return _files(request, found.project)
    messages.success(request, f"{found.name} was deleted.")
    return redirect("contextfiles:list", found.project.pk)


def find_file(request: PersonRequest, project_id: UUID, file_id: UUID, act: Act = "read") -> ContextFile:
    """Return the file with these ids. Raises Http404 or PermissionDenied when the user may not `act` on its project."""
    return get_in_project(
        request.user, ContextFile.objects.select_related("uploaded_by"), act, pk=file_id, project_id=project_id
    )


def _files(request: PersonRequest, project: Project, stored: UploadOutcome | None = None) -> HttpResponse:
    """Return the page with the files, or for htmx only their list. `?pick` is the variant inside another form."""
    pick = "pick" in request.GET
    found = list(project.context_files.select_related("uploaded_by"))
    set_personal_data_notice(found)
    context = {
        "project": project,
        "tab": "files",
        "files": found,
        "stored": stored,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
        "may_open_data": may_open_data(project),
        "pick": pick,
        "chosen": _chosen(request, found, stored) if pick else set(),
        **upload_limits(),
    }
    template = "contextfiles/files.html#files" if request.htmx else "contextfiles/files.html"
    nothing = stored is not None and stored.refused and not stored.files
    return render(request, template, context, status=422 if nothing else 200)


def _chosen(request: PersonRequest, found: Sequence[ContextFile], stored: UploadOutcome | None) -> set[UUID]:
    """Return the ids of the ticked files: all at first; after an upload those ticked before, and the new ones."""
    if stored is None:
        return {file.pk for file in found}
    ticked = set(request.POST.getlist("files"))
    return {file.pk for file in found if str(file.pk) in ticked} | {file.pk for file in stored.files}
