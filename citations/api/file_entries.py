"""The entries of a stored file for programs (SPEC P4, X1, C10). The same functions as the pages call."""

from typing import Any, Literal
from uuid import UUID

from ninja import Router, Schema, Status

from citations.api.schemas import JobOut, NoteOut
from citations.arriving.bringing import Found, Renamed, Skipped, compare
from citations.arriving.file_entries import import_file, read_file
from jobs.models import Job
from projects.access import get_project
from projects.files import stored_file
from projects.requests import PersonRequest

router = Router(tags=["citations"])


class EntryOut(Schema):
    """An entry of a file. `key` is what an import calls it, `new_key` the key it comes in under, empty when it does not.

    `here` is the cite key of the same work among the references and `twin` the key of the same work earlier in the
    file, both empty when there is none; `why` says by what they are the same, or why the entry cannot come in.
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
    def of(cls, one: Found) -> "EntryOut":
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
            here=one.here.key if one.here else "",
            twin=one.twin.key if one.twin else "",
            why=f"same {match.by}" if match else one.wrong,
        )


class UnreadableOut(NoteOut):
    """What could not be read, why, and its text, shortened. The file has it whole."""

    text: str


class EntriesOut(Schema):
    """What a file holds. Nothing of it is imported."""

    entries: list[EntryOut]
    unreadable: list[UnreadableOut]
    notes: list[NoteOut]


class ImportEntriesIn(Schema):
    """The `key`s of the entries to import, at most 1,000, or "all" that are new."""

    keys: list[str] | Literal["all"]


class BroughtOut(Schema):
    """The cite keys that came in, and what became of the others."""

    imported: list[str]
    skipped: list[Skipped]
    renamed: list[Renamed]
    notes: list[NoteOut]


@router.post(
    "/projects/{uuid:project_id}/context-files/{uuid:file_id}/entries", response={200: EntriesOut, 202: JobOut}
)
def read_entries(request: PersonRequest, project_id: UUID, file_id: UUID) -> Any:
    """Read the entries of a stored BibTeX or RIS file. Nothing is imported; reading it again changes nothing."""
    project = get_project(request.user, project_id, "write")
    reading = read_file(project, stored_file(project, file_id), request.user)
    if isinstance(reading, Job):
        return Status(202, {"job": reading.pk})
    entries = [EntryOut.of(one) for one in compare(project, reading.entries)]
    return Status(200, {"entries": entries, "unreadable": reading.unreadable, "notes": reading.notes})


@router.post(
    "/projects/{uuid:project_id}/context-files/{uuid:file_id}/entries/import",
    response={200: BroughtOut, 202: JobOut},
)
def import_entries(request: PersonRequest, project_id: UUID, file_id: UUID, data: ImportEntriesIn) -> Any:
    """Import entries of a file that was read. What is here already stays as it is."""
    project = get_project(request.user, project_id, "write")
    file = stored_file(project, file_id)
    brought = import_file(project, file, request.user, None if data.keys == "all" else data.keys)
    return Status(202, {"job": brought.pk}) if isinstance(brought, Job) else Status(200, brought)
