"""The API of files, /api/projects/{id}/files: the pictures and other files of a thesis (SPEC T2, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import FileResponse, Http404
from django.urls import reverse
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile

from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest
from sections.models import ThesisFile
from sections.thesis_files import SHOWN, add_picture, check_size, remove_file

router = Router(tags=["Sections"])


class FileOut(Schema):
    """A file that belongs to the text. `path` is its path in the LaTeX project; `kind` is tex, picture, bib or other.

    `url` shows a picture and is null for other files. `size` is in bytes.
    """

    id: UUID
    path: str
    kind: str
    is_main: bool
    media_type: str
    size: int
    sha256: str
    url: str | None
    added_at: datetime

    @staticmethod
    def resolve_url(file: ThesisFile) -> str | None:
        """Return the address of a picture that pages can show, else None."""
        if file.media_type not in SHOWN:
            return None
        return reverse("sections:file_by_path", args=[file.project_id, file.path])


class PictureOut(FileOut):
    r"""A picture that was added. `path` is for \includegraphics; `width` and `height` are in pixels, 0 for a PDF."""

    width: int
    height: int


@router.get("/projects/{uuid:project_id}/files", response=list[FileOut], summary="The files of the text, by path")
def list_files(request: PersonRequest, project_id: UUID) -> Any:
    """All files of the thesis, including LaTeX files whose text is in sections."""
    return get_project(request.user, project_id).thesis_files.all()


@router.post("/projects/{uuid:project_id}/files", response={201: PictureOut}, summary="Add a picture")
def add_file(request: PersonRequest, project_id: UUID, file: File[UploadedFile]) -> Any:
    """Send multipart form data with a `file`: PNG, JPEG, GIF, WebP or PDF.

    Images are encoded again without camera metadata; GIF and WebP become PNG, which LaTeX supports. Sending a picture a
    second time returns the existing file.
    """
    project = get_project(request.user, project_id, "write")
    check_size(file.size or 0, "This file")
    return Status(201, add_picture(project, request.user, file.read(), file.name or ""))


@router.get("/projects/{uuid:project_id}/files/{uuid:file_id}", response=FileOut, summary="One file of the text")
def read_file(request: PersonRequest, project_id: UUID, file_id: UUID) -> Any:
    """The metadata of a file; its bytes are at `content`."""
    return _find(request, project_id, file_id)


@router.get("/projects/{uuid:project_id}/files/{uuid:file_id}/content", summary="Download a file")
def read_content(request: PersonRequest, project_id: UUID, file_id: UUID) -> Any:
    """The stored bytes. 404 for a LaTeX file whose text is in sections; the export contains that file."""
    found = _find(request, project_id, file_id)
    try:
        if not found.blob:
            raise Http404("The text of this file is in sections.")
        blob = found.blob.open("rb")
    except OSError as error:
        raise Http404("The stored file cannot be read from the disk.") from error
    response = FileResponse(
        blob, as_attachment=True, filename=found.path.rpartition("/")[2], content_type="application/octet-stream"
    )
    response["X-Content-Type-Options"] = "nosniff"
    return response


@router.delete("/projects/{uuid:project_id}/files/{uuid:file_id}", response={204: None}, summary="Delete a file")
def delete_file(request: PersonRequest, project_id: UUID, file_id: UUID) -> Status[Any]:
    """409 for the main file and for a LaTeX file that contains sections."""
    remove_file(_find(request, project_id, file_id, "write"))
    return Status(204, None)


def _find(request: PersonRequest, project_id: UUID, file_id: UUID, act: Any = "read") -> ThesisFile:
    return get_in_project(request.user, ThesisFile.objects.all(), act, pk=file_id, project_id=project_id)
