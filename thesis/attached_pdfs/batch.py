"""Many PDFs at once: a job finds the reference of each and attaches it (SPEC C9, X1, X8).

Each file is one row of the report and is saved as soon as it was looked at: after a crash the job goes on with those
that wait, and when it is stopped the rest wait until somebody continues. What is attached already stays so, and a file
that the thesis has is used again, so that nothing is doubled when the same files are uploaded twice.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from asgiref.sync import async_to_sync
from django.db import transaction

from citations.identity.grade import describe_work
from citations.identity.verdict_types import Verdict
from citations.importing.add_references import add
from citations.models import Citation
from citations.resolution.resolve import resolve
from contextfiles.ingest import mark_read, read_file_text, save_text
from contextfiles.models import ContextFile
from contextfiles.passages import Unreadable
from contextfiles.upload import store_or_find
from core.errors import Refused
from jobs.models import Job
from jobs.work import Stopped, raise_if_stopped, set_progress
from projects.models import Project, User
from sources.http_client import Client
from thesis.attached_pdfs.attach import PASSWORD_OR_DAMAGED, attach, bytes_of, check_is_pdf
from thesis.attached_pdfs.first_page import FirstPage, read_first_page
from thesis.attached_pdfs.identify import (
    Identified,
    KnownReference,
    agrees_with,
    doubts_of,
    identify,
    known_references,
)
from thesis.models import AttachedPdf, BatchedPdf, PdfBatch
from untrusted.file_names import cleaned, shortened
from untrusted.pdf_words import open_pdf

KIND = "match_pdfs"  # the kind of the job; its subject is the batch
STEP = "pdf"  # the kind of its events, one for each file
_O = BatchedPdf.Outcome
_MOST_LOOKED_UP = 3  # DOIs of one page
_LOOK_AGAIN = (_O.UNMATCHED, _O.CONFLICT, _O.SCAN, _O.UNREADABLE)


def start_batch(project: Project, user: User, uploads: Iterable[Any], *, enqueue: bool = True) -> PdfBatch:
    """Store uploaded PDFs and start the job that finds their references.

    A file that is refused is a row with the reason. Raises Refused when none is left.
    """
    rows: list[BatchedPdf] = []
    seen: dict[Any, str] = {}
    for upload in uploads:
        row = BatchedPdf(name=cleaned(upload.name or ""))
        rows.append(row)
        try:
            check_is_pdf(upload)
            row.file, _ = store_or_find(project, user, upload.name or "", upload)
        except Refused as refused:
            row.outcome, row.reason = _O.REFUSED, refused.message
            continue
        if row.file.pk in seen:
            row.outcome, row.reason = _O.COPY, f"It has the same content as {shortened(seen[row.file.pk])}."
        seen.setdefault(row.file.pk, row.name)
    if not seen:
        reasons = " ".join(row.reason for row in rows[:10])
        raise Refused(reasons or "Choose the PDFs to upload.", field="files", code="invalid" if rows else "empty")
    with transaction.atomic():
        batch: PdfBatch = PdfBatch.objects.create(project=project, created_by=user)
        for row in rows:
            row.batch = batch
        BatchedPdf.objects.bulk_create(rows)
        _start_job(batch, user, enqueue=enqueue)
    return batch


def look_again(batch: PdfBatch, user: User) -> None:
    """Look again at the files of a batch that are attached to nothing, also those that a stopped job left.

    Raises Refused while the job of the batch is running, and when nothing is left.
    """
    with Project.objects.held(batch.project_id):
        batch.refresh_from_db()
        if batch.job and batch.job.is_alive:
            raise Refused("These files are being looked at.", code="busy", status=409)
        batch.rows.filter(outcome__in=_LOOK_AGAIN, file__attachment=None).update(
            outcome=_O.WAITING, reason="", citation=None
        )
        if not batch.rows.filter(outcome=_O.WAITING).exists():
            raise Refused("Each of these files is attached.", code="done", status=409)
        _start_job(batch, user)


def _start_job(batch: PdfBatch, user: User, *, enqueue: bool = True) -> None:
    batch.job = Job.objects.start(project=batch.project, kind=KIND, subject=batch.pk, user=user, enqueue=enqueue)
    batch.save(update_fields=["job"])


def run_batch(job: Job) -> None:
    """Find the reference of each file of the job's batch that waits."""
    batch = PdfBatch.objects.select_related("project").filter(pk=job.subject).first()
    if batch is None:
        raise Stopped("These files are no longer listed. Nothing was attached.")
    user = job.created_by or batch.project.owner
    total = batch.rows.exclude(outcome__in=(_O.COPY, _O.REFUSED)).count()
    waiting = list(batch.rows.filter(outcome=_O.WAITING).values_list("pk", flat=True))
    known = known_references(batch.project)
    for number, pk in enumerate(waiting, total - len(waiting) + 1):
        raise_if_stopped(job)
        row = BatchedPdf.objects.select_related("file").filter(pk=pk).first()
        if row is None or row.file is None:
            continue  # the file was deleted meanwhile
        found = _look_at(row, row.file, batch.project, user, known)
        # An update, not a save: the file may have been deleted meanwhile.
        values = {name: getattr(row, name) for name in ("outcome", "reason", "title", "doi", "citation_id")}
        BatchedPdf.objects.filter(pk=pk).update(**values)
        job.emit(STEP, f"{shortened(row.name)}: {row.get_outcome_display().lower()}.")
        set_progress(job, number, total)
        if found == _O.ADDED:
            known = known_references(batch.project)


def _look_at(row: BatchedPdf, file: ContextFile, project: Project, user: User, known: Sequence[KnownReference]) -> str:
    """Find the reference of one file and attach it; set what was found in `row`. Return the outcome."""
    attached = AttachedPdf.objects.filter(file=file).first()
    if attached:
        row.outcome, row.citation_id, row.reason = _O.ATTACHED, attached.citation_id, "It was attached before."
        return row.outcome
    try:
        opened = open_pdf(bytes_of(file), 1, 1)
        page = read_first_page(opened.pages[0]) if opened and opened.pages else None
        if opened is None or page is None:
            row.outcome, row.reason = _O.UNREADABLE, _why_unread(file)
        elif page.is_blank:
            row.outcome, row.reason = _O.SCAN, _why_unread(file)
        else:
            row.title, row.doi = next(iter(page.titles), ""), next(iter(page.dois), "")[:500]
            _match(row, file, len(opened.sizes), page, identify(page, known), project, user)
    except Refused as refused:
        row.outcome, row.reason = _O.UNREADABLE, refused.message
    return row.outcome


def _match(
    row: BatchedPdf, file: ContextFile, pages: int, page: FirstPage, found: Identified, project: Project, user: User
) -> None:
    """Attach a file to the reference that was found, or to a new one by its DOI; set what was found in `row`."""
    if found.match:
        row.outcome, row.reason, row.citation_id = _O.ATTACHED, found.reason, found.match.pk
        _attach_found(row, file, pages, user)
        return
    row.outcome = _O.CONFLICT if found.is_conflict else _O.UNMATCHED
    row.citation_id = found.suggested.pk if found.suggested else None
    row.reason = found.reason or _no_match(page)
    for doi, verdict in _looked_up(found.new_dois[:_MOST_LOOKED_UP]).items():
        compared = agrees_with(page, verdict.work) if verdict.work else None
        if compared and compared.grade == "proven":
            added = add(project, user, doi=doi)[0]
            row.outcome = _O.ATTACHED if added.existing else _O.ADDED
            row.doi, row.citation_id = doi, added.citation.pk
            row.reason = f"The DOI {doi} leads to {describe_work(compared.work)}, whose title is on the first page."
            _attach_found(row, file, pages, user)
            return
        if not found.reason:
            row.doi = doi
            _tell_unproven(row, page, verdict, doubts_of(compared) if compared else "")
            found.reason = row.reason  # that of the first DOI stays


def _tell_unproven(row: BatchedPdf, page: FirstPage, verdict: Verdict, doubts: str) -> None:
    """Set why a DOI that no reference has was not added."""
    said = f"The DOI {row.doi} is in none of your references"
    if verdict.work is None:
        why = "the catalogues did not answer" if verdict.status == "unresolved" else "no catalogue knows it"
        row.reason = f"{said}, and {why}. Try again later, or add it yourself."
    elif doubts or not page.titles:
        row.reason = (
            f"{said}. It leads to {describe_work(verdict.work)}. {doubts or 'No title could be read on the page.'}"
        )
    else:
        row.outcome = _O.CONFLICT
        row.reason = (
            f"The DOI on its first page, {row.doi}, leads to {describe_work(verdict.work)}, but its title seems to be "
            f"“{row.title[:120]}”."
        )


def _attach_found(row: BatchedPdf, file: ContextFile, pages: int, user: User) -> None:
    try:
        attach(Citation.objects.get(pk=str(row.citation_id)), file, user, pages=pages)
    except Citation.DoesNotExist:
        row.outcome, row.citation_id, row.reason = _O.UNMATCHED, None, "Its reference was deleted meanwhile."
    except Refused as refused:
        row.outcome, row.citation_id, row.reason = _O.UNMATCHED, None, refused.message


def _looked_up(dois: Sequence[str]) -> dict[str, Verdict]:
    """Return what the catalogues say about DOIs, in the order of `dois`."""
    told: dict[str, Verdict] = {}

    async def ask() -> None:
        async with Client() as client:
            claims = {doi: {"type": "document", "DOI": doi} for doi in dois}
            async for doi, verdict in resolve(claims, client):
                told[doi] = verdict

    if dois:
        async_to_sync(ask)()
    return {doi: told[doi] for doi in dois if doi in told}


def _why_unread(file: ContextFile) -> str:
    """Read a whole file, as a research run does, and return why its first page has no text, and what to do."""
    try:
        save_text(file, read_file_text(file))
    except Unreadable as wrong:
        mark_read(file, str(wrong))
        return str(wrong)
    mark_read(file)
    if file.format == "pdf" and open_pdf(bytes_of(file), 1, 1) is None:
        return PASSWORD_OR_DAMAGED.format(name=shortened(file.name))
    return "Its first page has no text: it looks like a scan, or a cover. The pages after it can be read."


def _no_match(page: FirstPage) -> str:
    if not page.titles:
        return "Neither a title nor a DOI could be read on its first page."
    return "No DOI is on its first page, and no reference has its title." if not page.dois else ""


def attach_row(row: BatchedPdf, citation: Citation, user: User) -> None:
    """Attach the file of a row to a reference that a person chose. Raises Refused as `attach`, and without a file."""
    if row.file is None:
        raise Refused("This file was not uploaded.", code="refused", status=409)
    attach(citation, row.file, user)


def add_and_attach(row: BatchedPdf, user: User) -> Citation:
    """Add the DOI of a row to the references, as a pasted one, and attach its file. Raises Refused without a DOI."""
    if not row.doi or row.file is None:
        raise Refused("No DOI was found in this file.", code="no_doi", status=409)
    citation = add(row.batch.project, user, doi=row.doi)[0].citation
    attach(citation, row.file, user)
    return citation
