"""Attaching PDFs to references and detaching them (SPEC C9, X1). A detached file stays in the thesis."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from citations.models import Citation
from contextfiles.formats import HEAD, format_of
from contextfiles.models import ContextFile
from contextfiles.upload import check_size, store_or_find
from core.errors import Refused
from projects.models import Project, User
from thesis.models import AttachedPdf
from untrusted.file_names import shortened
from untrusted.pdf_words import OpenedPdf, open_pdf

SECONDS = 5  # of processor time to open a PDF within a request
PASSWORD_OR_DAMAGED = (
    "{name} could not be opened: it is locked with a password or damaged. Save a copy without a password in a PDF "
    "reader, and upload that."
)


def pdfs_of(citation: Citation) -> "QuerySet[AttachedPdf]":
    """Return the PDFs that are attached to a reference, the oldest first."""
    return AttachedPdf.objects.filter(citation=citation).select_related("file")


def unattached_pdfs(project: Project) -> "QuerySet[ContextFile]":
    """Return the PDFs of a thesis that are attached to no reference, by name."""
    return ContextFile.objects.filter(project=project, format="pdf", attachment=None).order_by("name")


def upload_and_attach(citation: Citation, user: User, upload: Any) -> AttachedPdf:
    """Store an uploaded PDF as a file of the thesis and attach it to `citation`.

    A file that the thesis has already is attached as it is. Raises Refused for what is no PDF, cannot be opened, or is
    attached to another reference; nothing is stored then.
    """
    name = shortened(upload.name or "The file")
    check_is_pdf(upload)
    check_size(name, upload.size)
    upload.seek(0)
    opened = _opened(name, upload.read())
    upload.seek(0)
    file, _ = store_or_find(citation.project, user, upload.name or "", upload)
    return _attach(citation, file, user, len(opened.sizes))


def attach(citation: Citation, file: ContextFile, user: User | None, *, pages: int = 0) -> AttachedPdf:
    """Attach a PDF of the thesis to `citation`. `pages` is the number of its pages, if known.

    Raises Refused for a file that is no PDF, cannot be opened, or is attached to another reference.
    """
    if file.format != "pdf":
        raise Refused(f"{shortened(file.name)} is not a PDF.", field="file_id", code="not_a_pdf")
    return _attach(citation, file, user, pages or len(_opened(shortened(file.name), bytes_of(file)).sizes))


def detach(citation: Citation, file_id: UUID) -> ContextFile:
    """Detach a file from a reference and return it; it stays in the thesis. Raises Refused when it is not attached."""
    row = pdfs_of(citation).filter(file=file_id).first()
    if row is None:
        raise Refused("This file is not attached to this reference.", code="not_attached", status=404)
    AttachedPdf.objects.filter(pk=row.pk).delete()
    return row.file


def check_is_pdf(upload: Any) -> None:
    """Raise Refused unless the name and the first bytes of an upload are those of a PDF."""
    name = shortened(upload.name or "The file")
    upload.seek(0)
    head = upload.read(HEAD)
    if not head:
        raise Refused(f"{name} is empty.", field="file", code="empty")
    if format_of(upload.name or "", head) != "pdf":
        raise Refused(f"{name} is not a PDF.", field="file", code="not_a_pdf")


def bytes_of(file: ContextFile) -> bytes:
    """Return the bytes of a file. Raises Refused when they are missing on the server."""
    try:
        with file.blob.open("rb") as blob:
            return bytes(blob.read())
    except OSError as error:
        raise Refused(
            f"{shortened(file.name)} is missing on the server. Delete it under Files and upload it again.",
            field="file_id",
            code="missing",
            status=409,
        ) from error


def _attach(citation: Citation, file: ContextFile, user: User | None, pages: int) -> AttachedPdf:
    with Project.objects.held(citation.project_id):
        if not Citation.objects.filter(pk=citation.pk).exists() or not ContextFile.objects.filter(pk=file.pk).exists():
            raise Refused("The reference or the file was deleted meanwhile.", code="gone", status=404)
        row, _ = AttachedPdf.objects.select_related("citation", "file").get_or_create(
            file=file, defaults={"citation": citation, "pages": pages, "attached_by": user}
        )
    if row.citation_id != citation.pk:
        raise Refused(
            f"{shortened(file.name)} is attached to {row.citation.cite_key}. Detach it there first.",
            field="file_id",
            code="attached_elsewhere",
            status=409,
        )
    return row


def _opened(name: str, pdf: bytes) -> OpenedPdf:
    opened = open_pdf(pdf, 1, 1, seconds=SECONDS)
    if opened is None or not opened.sizes:
        raise Refused(PASSWORD_OR_DAMAGED.format(name=name), field="file", code="unreadable")
    return opened
