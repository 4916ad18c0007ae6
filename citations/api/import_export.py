"""The API operations for importing texts and entries of stored files, and for exporting (SPEC P4, X1, C10)."""

from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import File, Router, Schema, Status
from ninja.files import UploadedFile

from citations.api.schemas import JobOut, NoteOut
from citations.formats.export import download
from citations.formats.reading import Outcome, decode
from citations.importing.file_import import (
    MAX_BYTES,
    Format,
    Imported,
    import_progress,
    import_report,
    job_of,
    start_import,
)
from citations.importing.stored_file_entries import ComparedEntry, Renamed, Skipped, compare_entries, read_file
from citations.importing.stored_file_entries import import_file as import_stored_entries
from citations.models import Import
from core.errors import Refused
from jobs.models import Job
from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest
from projects.stored_files import stored_file

router = Router(tags=["citations"])


class ImportIn(Schema):
    """BibTeX, RIS or CSL-JSON; with `format` null the format is detected."""

    text: str
    format: Format | None = None


class ProblemOut(NoteOut):
    """A problem with an entry. `line` is a line of BibTeX or RIS, or the number of a work in a JSON list.

    `outcome`: "refused" entries were not imported; "repaired" ones were imported; "kept" ones exist and stay unchanged.
    """

    outcome: Outcome


class ImportOut(Schema):
    """How many entries were added, updated, or already existed, and the problems."""

    added: int
    updated: int
    unchanged: int
    problems: list[ProblemOut]

    @classmethod
    def of(cls, imported: Imported) -> "ImportOut":
        """Return the report of an import."""
        counts = {name: len(getattr(imported, name)) for name in ("added", "updated", "unchanged")}
        return cls.model_validate({**counts, "problems": imported.problems})


class ImportingOut(Schema):
    """An import that runs as a job, as for long files. Read its progress and result at /api/imports/{import_id}."""

    import_id: UUID
    job: UUID | None


class ImportState(ImportingOut):
    """The progress of an import.

    `state` is that of its job; `done` of `total` entries are imported; `report` is null until the file is read.
    """

    state: str
    done: int
    total: int
    reason: str
    report: ImportOut | None


@router.post("/projects/{uuid:project_id}/citations/import", response={200: ImportOut, 202: ImportingOut})
def import_citations(request: PersonRequest, project_id: UUID, data: ImportIn) -> Any:
    """Add or update the entries of a text and look them up. Entries that are proven or attested stay as they are."""
    return _answer(
        start_import(get_project(request.user, project_id, "write"), request.user, data.text, format=data.format)
    )


@router.post("/projects/{uuid:project_id}/citations/import/file", response={200: ImportOut, 202: ImportingOut})
def import_file(request: PersonRequest, project_id: UUID, file: File[UploadedFile]) -> Any:
    """Import a file, sent as a form: BibTeX, RIS or CSL-JSON, in any usual encoding."""
    project = get_project(request.user, project_id, "write")
    if (file.size or 0) > MAX_BYTES:
        raise Refused(
            f"This file is larger than {MAX_BYTES // 1_000_000} MB. Import it in parts.",
            field="file",
            code="too_big",
            status=413,
        )
    return _answer(start_import(project, request.user, decode(file.read()), name=file.name or ""))


@router.get("/imports/{uuid:import_id}", response=ImportState)
def read_import(request: PersonRequest, import_id: UUID) -> Any:
    """The progress of an import that runs as a job, and its results so far."""
    brought: Import = get_in_project(request.user, Import.objects.all(), pk=import_id)
    job = job_of(brought)
    imported = import_report(brought, job)
    return {
        **import_progress(brought, job),
        "import_id": brought.pk,
        "job": job.pk if job else None,
        "report": ImportOut.of(imported) if imported else None,
    }


@router.get("/projects/{uuid:project_id}/citations/export")
def export_citations(
    request: HttpRequest, project_id: UUID, format: Literal["bibtex", "biblatex", "ris", "csl"] = "bibtex"
) -> HttpResponse:
    """Export all citations as a file for a reference manager, with DOI, PMID and URL."""
    return download(get_project(request.user, project_id), format)


def _answer(brought: Imported | Import) -> Any:
    if isinstance(brought, Imported):
        return Status(200, ImportOut.of(brought))
    job = job_of(brought)
    return Status(202, ImportingOut(import_id=brought.pk, job=job.pk if job else None))


class EntryOut(Schema):
    """An entry of a file. `key` is its name for an import, `new_key` the key it would get; empty where it has none.

    `here` is the cite key of the same work among the references, `twin` the key of the same work earlier in the file;
    both are empty when there is none. `why` says what they have in common, or why the entry cannot be imported.
    """

    key: str
    new_key: str
    line: int
    type: str
    title: str
    authors: str
    year: int | None
    doi: str
    pmid: str
    here: str
    twin: str
    why: str

    @classmethod
    def of(cls, one: ComparedEntry) -> "EntryOut":
        """Return the JSON of a compared entry."""
        match = one.here or one.twin
        return cls(
            key=one.name,
            new_key=one.into,
            line=one.entry.line,
            type=str(one.entry.csl.get("type", "")),
            title=one.row.title,
            authors=one.row.authors,
            year=one.row.year,
            doi=one.row.doi,
            pmid=one.row.pmid,
            here=one.here.work.key if one.here else "",
            twin=one.twin.work.key if one.twin else "",
            why=f"same {match.by}" if match else one.wrong,
        )


class UnreadableOut(NoteOut):
    """An entry that could not be read, why, and its shortened text."""

    text: str


class EntriesOut(Schema):
    """The entries of a file. Nothing is imported."""

    entries: list[EntryOut]
    unreadable: list[UnreadableOut]
    notes: list[NoteOut]


class ImportEntriesIn(Schema):
    """The `key`s of the entries to import, at most 1,000, or "all" for all new ones."""

    keys: list[str] | Literal["all"]


class BroughtOut(Schema):
    """The imported cite keys, and the entries that were skipped or renamed."""

    imported: list[str]
    skipped: list[Skipped]
    renamed: list[Renamed]
    notes: list[NoteOut]


@router.post(
    "/projects/{uuid:project_id}/context-files/{uuid:file_id}/entries", response={200: EntriesOut, 202: JobOut}
)
def read_entries(request: PersonRequest, project_id: UUID, file_id: UUID) -> Any:
    """Read the entries of a stored BibTeX or RIS file. Nothing is imported, and the call can be repeated."""
    project = get_project(request.user, project_id, "write")
    reading = read_file(project, stored_file(project, file_id), request.user)
    if isinstance(reading, Job):
        return Status(202, {"job": reading.pk})
    return Status(
        200,
        {
            "entries": [EntryOut.of(one) for one in compare_entries(project, reading.entries)],
            "unreadable": reading.unreadable,
            "notes": reading.notes,
        },
    )


@router.post(
    "/projects/{uuid:project_id}/context-files/{uuid:file_id}/entries/import",
    response={200: BroughtOut, 202: JobOut},
)
def import_entries(request: PersonRequest, project_id: UUID, file_id: UUID, data: ImportEntriesIn) -> Any:
    """Import entries of a file that was read. References that already exist stay unchanged."""
    project = get_project(request.user, project_id, "write")
    brought = import_stored_entries(
        project, stored_file(project, file_id), request.user, None if data.keys == "all" else data.keys
    )
    return Status(202, {"job": brought.pk}) if isinstance(brought, Job) else Status(200, brought)
