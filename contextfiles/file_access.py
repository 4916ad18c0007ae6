"""Gives other apps the bytes of an uploaded file, through `projects.stored_files`."""

from uuid import UUID

from contextfiles.models import ContextFile
from projects.models import Project
from projects.stored_files import StoredFile, finds_files


@finds_files
def stored_file_of(project: Project, file_id: UUID) -> StoredFile | None:
    """Return a file of `project`, or None when there is none. It is opened only when `read` is called (SPEC X1)."""
    file = ContextFile.objects.filter(project=project, pk=file_id).first()
    if file is None:
        return None

    def read() -> bytes:
        with file.blob.open("rb") as blob:
            return bytes(blob.read())

    return StoredFile(file.pk, file.name, file.format, file.size, file.sha256, read)
