"""The JSON API of PDFs of references: attaching one, and matching many (SPEC P4, C9, X1)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from ninja import File, Form, Router, Schema, Status
from ninja.files import UploadedFile
from pydantic import Field

from citations.models import Citation
from contextfiles.models import ContextFile
from core.errors import Refused
from projects.access import Act, get_in_project, get_project
from projects.signed_in_request import PersonRequest
from thesis.attached_pdfs.attach import attach, detach, pdfs_of, upload_and_attach
from thesis.attached_pdfs.batch import look_again, start_batch
from thesis.attached_pdfs.batch_report import ReportedPdf, headline, newest_batches, report_of, reported_files
from thesis.models import AttachedPdf, PdfBatch

router = Router(tags=["PDFs of references"])
REFERENCE = "/projects/{uuid:project_id}/citations/{uuid:citation_id}/pdfs"


class AttachedPdfOut(Schema):
    """A PDF of a reference. `file` is the id of the uploaded file, `view` the address of the page that shows it."""

    file: UUID = Field(alias="file_id")
    name: str = Field(alias="file.name")
    pages: int
    attached_at: datetime
    view: str

    @staticmethod
    def resolve_view(row: AttachedPdf) -> str:
        """Return the address of the viewer; #page-3 opens it at that page."""
        return f"/projects/{row.file.project_id}/files/{row.file_id}/view/"


class MatchedPdfOut(Schema):
    """A file of an upload, as it is now.

    `outcome` is waiting, attached, added (to the citations, and attached), unmatched, conflict, scan, unreadable, copy
    or refused, and `reason` says why. `citation` is the reference it is attached to, `suggested` one that it may be.
    `title` and `doi` are read from its first page. `file` is null where the upload was refused.
    """

    name: str
    file: UUID | None
    outcome: str
    reason: str
    citation: UUID | None
    cite_key: str
    suggested: UUID | None
    title: str
    doi: str


class PdfBatchBrief(Schema):
    """PDFs that were uploaded together. `state` is that of the job, which /api/jobs describes; `result` is a sentence.

    `state` is "gone" where the job was deleted.
    """

    id: UUID
    created_at: datetime
    job: UUID | None = Field(alias="job_id")
    state: str
    result: str

    @staticmethod
    def resolve_state(batch: PdfBatch) -> str:
        """Return the state of the job."""
        return batch.job.state if batch.job else "gone"

    @staticmethod
    def resolve_result(batch: PdfBatch) -> str:
        """Return what was found so far."""
        return headline(report_of(batch))


class PdfBatchOut(PdfBatchBrief):
    """An upload with its files, in the order in which they were sent."""

    files: list[MatchedPdfOut]

    @staticmethod
    def resolve_files(batch: PdfBatch) -> list[dict[str, Any]]:
        """Return the files as they are now."""
        return [pdf_json(one) for one in reported_files(batch)]


def pdf_json(one: ReportedPdf) -> dict[str, Any]:
    """Return a file of a report as JSON."""
    return {
        "name": one.row.name,
        "file": one.row.file_id,
        "outcome": one.outcome,
        "reason": one.reason,
        "citation": one.citation.pk if one.citation else None,
        "cite_key": one.citation.cite_key if one.citation else "",
        "suggested": one.suggested.pk if one.suggested else None,
        "title": one.row.title,
        "doi": one.row.doi,
    }


@router.get(REFERENCE, response=list[AttachedPdfOut], summary="The PDFs of a reference")
def list_pdfs(request: PersonRequest, project_id: UUID, citation_id: UUID) -> Any:
    """The uploaded PDFs that are the text of a reference, the oldest first."""
    return pdfs_of(_reference(request, project_id, citation_id))


@router.post(REFERENCE, response={201: AttachedPdfOut}, summary="Attach a PDF to a reference")
def attach_pdf(
    request: PersonRequest,
    project_id: UUID,
    citation_id: UUID,
    file: File[UploadedFile | None] = None,
    file_id: Form[UUID | None] = None,
) -> Any:
    """Send a PDF as multipart form data named `file`, or the id of a file of the thesis as `file_id`.

    A PDF that the thesis has already is attached as it is. 409 for a file that is attached to another reference.
    """
    citation = _reference(request, project_id, citation_id, "write")
    if file is not None:
        return Status(201, upload_and_attach(citation, request.user, file))
    if file_id is None:
        raise Refused("Send a PDF as file, or the id of one as file_id.", field="file", code="empty")
    rows = ContextFile.objects.filter(project_id=project_id)
    return Status(201, attach(citation, get_in_project(request.user, rows, "write", pk=file_id), request.user))


@router.delete(REFERENCE + "/{uuid:file_id}", response={204: None}, summary="Detach a PDF from a reference")
def detach_pdf(request: PersonRequest, project_id: UUID, citation_id: UUID, file_id: UUID) -> None:
    """Detaches the file, which stays in the thesis."""
    detach(_reference(request, project_id, citation_id, "write"), file_id)


@router.get("/projects/{uuid:project_id}/pdf-batches", response=list[PdfBatchBrief], summary="Uploads of PDFs")
def list_batches(request: PersonRequest, project_id: UUID) -> Any:
    """The newest 20 uploads of PDFs of references, with what was found."""
    return newest_batches(get_project(request.user, project_id, "data"))


@router.post(
    "/projects/{uuid:project_id}/pdf-batches", response={202: PdfBatchOut}, summary="Match PDFs with references"
)
def match_pdfs(request: PersonRequest, project_id: UUID, files: File[list[UploadedFile]]) -> Any:
    """Store PDFs, sent as multipart form data named `files`, and find the reference of each by a job.

    Refused files are listed with the others; when all are refused, the response is an error.
    """
    return Status(202, start_batch(get_project(request.user, project_id, "write"), request.user, files))


@router.get("/pdf-batches/{uuid:batch_id}", response=PdfBatchOut, summary="One upload of PDFs")
def read_batch(request: PersonRequest, batch_id: UUID) -> Any:
    """What was found for each file so far."""
    return _batch(request, batch_id)


@router.post("/pdf-batches/{uuid:batch_id}/stop", response=PdfBatchOut, summary="Stop matching PDFs")
def stop_batch(request: PersonRequest, batch_id: UUID) -> Any:
    """Cancels the job. What is attached stays attached."""
    batch = _batch(request, batch_id, "write")
    if batch.job:
        batch.job.ask("cancel")
    return _batch(request, batch_id)


@router.post("/pdf-batches/{uuid:batch_id}/again", response={202: PdfBatchOut}, summary="Match what is left")
def match_again(request: PersonRequest, batch_id: UUID) -> Any:
    """Looks again at the files that are attached to nothing. 409 while the job runs, and when nothing is left."""
    batch = _batch(request, batch_id, "write")
    look_again(batch, request.user)
    return Status(202, batch)


def _reference(request: PersonRequest, project_id: UUID, citation_id: UUID, act: Act = "read") -> Citation:
    return get_in_project(request.user, Citation.objects.all(), act, pk=citation_id, project_id=project_id)


def _batch(request: PersonRequest, batch_id: UUID, act: Act = "data") -> PdfBatch:
    return get_in_project(request.user, PdfBatch.objects.select_related("job"), act, pk=batch_id)
