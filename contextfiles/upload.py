"""Upload of files: their bytes are stored, and their format and size checked, without reading the text (SPEC X1)."""

import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.core.files import File

from contextfiles.formats import ACCEPT_ATTRIBUTE, FORMAT_NAMES, HEAD, format_of
from contextfiles.models import ContextFile, stored_at
from core.errors import Refused
from projects.models import Project, User
from untrusted.file_names import cleaned, free_name, shortened
from untrusted.measured_upload import MeasuredUpload


def upload_limits() -> dict[str, Any]:
    """Return the limits of an upload for the template of a file input: formats, bytes per file, files per upload."""
    return {
        "accept": ACCEPT_ATTRIBUTE,
        "accepted": FORMAT_NAMES,
        "most_bytes": settings.UPLOAD_MAX_BYTES,
        "most": upload_limit_text(),
        "most_files": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
    }


def upload_limit_text() -> str:
    """Return the upload limit of one file as text: "50 MB"."""
    return f"{settings.UPLOAD_MAX_BYTES / 1024 / 1024:g} MB"


def store(project: Project, user: User, name: str, upload: "File[bytes]") -> ContextFile:
    """Store `upload` as a file of `project`. Only its size and first bytes are read (X1).

    Raises Refused, and stores nothing, for an empty or oversized file, an unsupported format (X11) and, with status
    409, for content that the project already has.
    """
    name = cleaned(name)
    measured = MeasuredUpload(upload, partial(check_size, shortened(name)))
    upload.seek(0)
    head: bytes = upload.read(HEAD)
    if not head:
        raise Refused(f"{shortened(name)} is empty.", field="files", code="empty")
    file = ContextFile(project=project, name=name, uploaded_by=user, format=format_of(name, head))
    try:
        file.blob.save(name, cast("File[bytes]", measured), save=False)  # a storage only calls chunks()
        file.size, file.sha256 = measured.size, measured.digest.hexdigest()
        with Project.objects.held(project.pk):
            # Uploads to one project wait for each other here, so that no content or name is stored twice.
            _refuse_twin(file)
            file.name = free_name(name, set(project.context_files.values_list("name", flat=True)))
            file.save(force_insert=True)
    except OSError as error:
        raise Refused(
            f"The server could not store {name} ({error.strerror}). It was not added; tell whoever runs this server.",
            field="files",
            code="not_stored",
            status=507,
        ) from error
    except BaseException:
        file.blob.storage.delete(stored_at(file, name))
        raise
    return file


class UploadOutcome(NamedTuple):
    """The outcome of several uploads: the stored files, and why each of the others was refused."""

    files: list[ContextFile]
    refused: list[Refused]


def store_all(project: Project, user: User, uploads: "Iterable[File[bytes]]") -> UploadOutcome:
    """Store several uploads one by one, as `store` does; a refused file does not stop the others."""
    kept = UploadOutcome([], [])
    for upload in uploads:
        try:
            kept.files.append(store(project, user, upload.name or "", upload))
        except Refused as refused:
            kept.refused.append(refused)
    return kept


def store_or_find(project: Project, user: User, name: str, upload: "File[bytes]") -> tuple[ContextFile, bool]:
    """Store `upload` as `store` does, or return the file of the project with the same content; and whether it is new.

    Raises Refused as `store`, except for content that the project has.
    """
    try:
        return store(project, user, name, upload), True
    except Refused as refused:
        upload.seek(0)
        twin = _twin_of(project, upload) if refused.code == "duplicate" else None
        if twin is None:
            raise
        return twin, False


def store_path(project: Project, user: User, path: Path) -> ContextFile:
    """Store a file of this machine, as `store` does. Raises Refused also when there is none at `path`.

    Content that the project already has is no error: the stored file is returned, since a command may name it twice.
    """
    try:
        with path.open("rb") as raw:
            return store_or_find(project, user, path.name, File(raw))[0]
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", field="file") from error


def _refuse_twin(file: ContextFile) -> None:
    twin = ContextFile.objects.filter(project=file.project, sha256=file.sha256).first()
    if twin is not None:
        where = "uploaded already" if twin.name == file.name else f"uploaded already, as {shortened(twin.name)}"
        raise Refused(f"{shortened(file.name)} is {where}.", field="files", code="duplicate", status=409)


def _twin_of(project: Project, upload: "File[bytes]") -> ContextFile | None:
    measured = hashlib.sha256()
    for part in upload.chunks():
        measured.update(part)
    return ContextFile.objects.filter(project=project, sha256=measured.hexdigest()).first()


def check_size(name: str, size: int) -> None:
    """Raise Refused for a file above the upload limit."""
    if size > settings.UPLOAD_MAX_BYTES:
        raise Refused(
            f"{name} is larger than {upload_limit_text()}, which is the limit here.",
            field="files",
            code="too_large",
            status=413,
        )
