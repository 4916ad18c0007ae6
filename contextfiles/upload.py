"""Taking a file in: its bytes and what can be known without reading it (SPEC X1)."""

import hashlib
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, cast

from django.conf import settings
from django.core.files import File

from contextfiles.formats import ACCEPT, ACCEPTED, HEAD, format_of
from contextfiles.models import ContextFile, stored_at
from core.errors import Refused
from projects.models import Project, User
from untrusted.file_names import cleaned, free_name, shortened
from untrusted.measured_upload import Measured


def taken() -> dict[str, Any]:
    """Return what is taken, for the template of a file input: formats, bytes of a file, files of one upload."""
    return {
        "accept": ACCEPT,
        "accepted": ACCEPTED,
        "most_bytes": settings.UPLOAD_MAX_BYTES,
        "most": largest(),
        "most_files": settings.DATA_UPLOAD_MAX_NUMBER_FILES,
    }


def largest() -> str:
    """Return the size of the largest file that is taken: "50 MB"."""
    return f"{settings.UPLOAD_MAX_BYTES / 1024 / 1024:g} MB"


def store(project: Project, user: User, name: str, upload: "File[bytes]") -> ContextFile:
    """Keeps `upload` as a file of `project`. Only its size and first bytes are looked at (X1).

    Raises Refused, and leaves nothing behind, for an empty or oversized file, a format that is not taken (X11)
    and, with status 409, for content the project already has.
    """
    name = cleaned(name)
    measured = Measured(upload, partial(_check_size, shortened(name)))
    upload.seek(0)
    head: bytes = upload.read(HEAD)
    if not head:
        raise Refused(f"{shortened(name)} is empty.", field="files", code="empty")
    file = ContextFile(project=project, name=name, uploaded_by=user, format=format_of(name, head))
    try:
        file.blob.save(name, cast("File[bytes]", measured), save=False)  # a storage asks it for chunks, no more
        file.size, file.sha256 = measured.size, measured.digest.hexdigest()
        with Project.objects.held(project.pk):
            # Uploads to one project wait for each other here, so that no content or name comes in twice.
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


class Stored(NamedTuple):
    """What became of several uploads: the files kept, and why each of the others was not."""

    files: list[ContextFile]
    refused: list[Refused]


def store_all(project: Project, user: User, uploads: "Iterable[File[bytes]]") -> Stored:
    """As `store`, one by one: a bad file does not keep its neighbours out."""
    kept = Stored([], [])
    for upload in uploads:
        try:
            kept.files.append(store(project, user, upload.name or "", upload))
        except Refused as refused:
            kept.refused.append(refused)
    return kept


def store_path(project: Project, user: User, path: Path) -> ContextFile:
    """As `store`, for a file on this machine. Raises Refused also when there is none at `path`.

    Content the project already has is no error here: a command may be given the same file twice.
    """
    try:
        with path.open("rb") as raw:
            return store(project, user, path.name, File(raw))
    except OSError as error:
        raise Refused(f"{path} cannot be read: {error.strerror}.", field="file") from error
    except Refused as refused:
        twin = _twin_at(project, path) if refused.code == "duplicate" else None
        if twin is None:
            raise
        return twin


def _refuse_twin(file: ContextFile) -> None:
    twin = ContextFile.objects.filter(project=file.project, sha256=file.sha256).first()
    if twin is not None:
        where = "already here" if twin.name == file.name else f"already here as {shortened(twin.name)}"
        raise Refused(f"{shortened(file.name)} is {where}.", field="files", code="duplicate", status=409)


def _twin_at(project: Project, path: Path) -> ContextFile | None:
    with path.open("rb") as raw:
        sha256 = hashlib.file_digest(raw, "sha256").hexdigest()
    return ContextFile.objects.filter(project=project, sha256=sha256).first()


def _check_size(name: str, size: int) -> None:
    """Raises Refused for a file of more bytes than are taken."""
    if size > settings.UPLOAD_MAX_BYTES:
        raise Refused(
            f"{name} is larger than {largest()}, which is the limit here.",
            field="files",
            code="too_large",
            status=413,
        )
