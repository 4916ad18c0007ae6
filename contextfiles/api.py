"""The API of uploaded files (SPEC P4). It calls the same functions as the pages."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import File, Router, Schema
from ninja.files import UploadedFile

from contextfiles.deletion import delete_file as remove
from contextfiles.models import ContextFile
from contextfiles.upload import store_all
from contextfiles.views import find_file
from core.errors import Refused
from projects.access import get_project
from projects.signed_in_request import PersonRequest

router = Router(tags=["context files"])


class FileOut(Schema):
    """An uploaded file. `status` is stored (not read yet), ready or error; `error` explains why reading failed."""

    id: UUID
    name: str
    size: int
    sha256: str
    format: str
    status: str
    error: str
    uploaded_by: str | None
    uploaded_at: datetime

    @staticmethod
    def resolve_uploaded_by(file: ContextFile) -> str | None:
        """Return the name of the user who uploaded the file; None when the account was deleted."""
        return str(file.uploaded_by) if file.uploaded_by else None


class NotStored(Schema):
    """A file that was refused, and why."""

    code: str
    message: str


class Uploaded(Schema):
    """The files of one request: those that were stored and those that were refused."""

    stored: list[FileOut]
    refused: list[NotStored]


@router.get("/projects/{uuid:project_id}/context-files", response=list[FileOut])
def list_files(request: PersonRequest, project_id: UUID) -> Any:
    """The files of a thesis, oldest first."""
    return get_project(request.user, project_id).context_files.select_related("uploaded_by")


@router.post("/projects/{uuid:project_id}/context-files", response={201: Uploaded})
def upload_files(request: PersonRequest, project_id: UUID, files: File[list[UploadedFile]]) -> Any:
    """Store one or more files, sent as multipart form data named `files`. Nothing is read until a run starts.

    Refused files are listed next to the stored ones; when all are refused, the response is an error.
    """
    stored = store_all(get_project(request.user, project_id, "write"), request.user, files)
    if stored.refused and not stored.files:
        first = stored.refused[0]
        raise Refused(
            " ".join(refused.message for refused in stored.refused),
            field="files",
            code=first.code,
            status=first.status,
        )
    return {"stored": stored.files, "refused": stored.refused}


@router.get("/projects/{uuid:project_id}/context-files/{uuid:file_id}", response=FileOut)
def read_file(request: PersonRequest, project_id: UUID, file_id: UUID) -> Any:
    """The metadata of one file."""
    return find_file(request, project_id, file_id)


@router.delete("/projects/{uuid:project_id}/context-files/{uuid:file_id}", response={204: None})
def delete_file(request: PersonRequest, project_id: UUID, file_id: UUID) -> None:
    """Delete a file, its text, and what research runs stored from it. Reports keep the passages they quote."""
    remove(find_file(request, project_id, file_id, "write"), request.user)
