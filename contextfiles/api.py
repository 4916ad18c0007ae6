"""Context files for programs (SPEC P4). The same functions as the pages call."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import File, Router, Schema
from ninja.files import UploadedFile

from contextfiles.deletion import delete_file as remove
from contextfiles.models import ContextFile
from contextfiles.upload import store_all
from contextfiles.views import find
from core.errors import Refused
from projects.access import get_project
from projects.signed_in_request import PersonRequest

router = Router(tags=["context files"])


class FileOut(Schema):
    """An uploaded file. `status` is stored (not read yet), ready or error; `error` says why, for people."""

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
        return str(file.uploaded_by) if file.uploaded_by else None


class NotStored(Schema):
    """A file that was not taken, and why."""

    code: str
    message: str


class Uploaded(Schema):
    """What became of the files of one request."""

    stored: list[FileOut]
    refused: list[NotStored]


@router.get("/projects/{uuid:project_id}/context-files", response=list[FileOut])
def list_files(request: PersonRequest, project_id: UUID) -> Any:
    """The files of a thesis, oldest first."""
    return get_project(request.user, project_id).context_files.select_related("uploaded_by")


@router.post("/projects/{uuid:project_id}/context-files", response={201: Uploaded})
def upload_files(request: PersonRequest, project_id: UUID, files: File[list[UploadedFile]]) -> Any:
    """Store one or more files, as multipart form data named `files`. Nothing is read until a run starts.

    Files that are not taken are listed beside those that were; when none is taken, it is an error.
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
    """One file's metadata."""
    return find(request, project_id, file_id)


@router.delete("/projects/{uuid:project_id}/context-files/{uuid:file_id}", response={204: None})
def delete_file(request: PersonRequest, project_id: UUID, file_id: UUID) -> None:
    """Delete a file with its bytes and its text, also in what runs have left of it. Reports keep what they quote."""
    remove(find(request, project_id, file_id, "write"), request.user)
