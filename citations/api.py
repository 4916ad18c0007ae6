"""Citations for programs (SPEC P4, C5, C10). The same functions as the pages call."""

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from ninja import Router, Schema, Status

from citations.exporting import download
from citations.importing import Format, import_entries
from citations.models import Citation
from projects.access import get_in_project, get_project

router = Router(tags=["citations"])
router.add_router("", "citations.entry_api.router")


class CitationOut(Schema):
    """One entry. `status` unresolved: nothing was looked up yet; `tier` is empty until something was."""

    id: UUID
    cite_key: str
    title: str
    authors: str
    year: int | None
    container: str
    doi: str
    pmid: str
    url: str
    note: str
    status: str
    tier: str
    retracted: bool
    created_at: datetime
    updated_at: datetime


class CitationDetail(CitationOut):
    """The same with the entry as CSL-JSON, and the BibTeX as it was brought in."""

    csl: dict[str, Any]
    bibtex: str


class ImportIn(Schema):
    """BibTeX, RIS or CSL-JSON; `format` null finds out which."""

    text: str
    format: Format | None = None


class ProblemOut(Schema):
    """Something to look at. `line` is a line of BibTeX or RIS, or the number of a work in a JSON list."""

    line: int
    key: str
    message: str


class ImportOut(Schema):
    """How many entries came in, changed, or were here already, and what is wrong with the others."""

    added: int
    updated: int
    unchanged: int
    problems: list[ProblemOut]


@router.get("/projects/{uuid:project_id}/citations", response=list[CitationOut])
def list_citations(request: HttpRequest, project_id: UUID, q: str = "") -> Any:
    """The citations of a thesis, oldest first; `q` keeps those that have all its words."""
    return Citation.objects.filter(project=get_project(request.user, project_id)).matching(q)


@router.post("/projects/{uuid:project_id}/citations/import", response=ImportOut)
def import_citations(request: HttpRequest, project_id: UUID, data: ImportIn) -> Any:
    """Add or update the entries of a file's text. Entries that are proven or attested stay as they are."""
    imported = import_entries(get_project(request.user, project_id, "write"), data.text, format=data.format)
    counts = {name: len(getattr(imported, name)) for name in ("added", "updated", "unchanged")}
    return {**counts, "problems": imported.problems}


@router.get("/projects/{uuid:project_id}/citations/export")
def export_citations(
    request: HttpRequest, project_id: UUID, format: Literal["bibtex", "ris", "csl"] = "bibtex"
) -> HttpResponse:
    """All citations as a file for a reference manager, with doi, pmid and url."""
    return download(get_project(request.user, project_id), format)


@router.get("/projects/{uuid:project_id}/citations/{uuid:citation_id}", response=CitationDetail)
def read_citation(request: HttpRequest, project_id: UUID, citation_id: UUID) -> Any:
    """One citation, whole."""
    return _find(request, project_id, citation_id)


@router.delete("/projects/{uuid:project_id}/citations/{uuid:citation_id}", response={204: None})
def delete_citation(request: HttpRequest, project_id: UUID, citation_id: UUID) -> Any:
    """Delete one citation. Text that cites its key stays as it is written."""
    _find(request, project_id, citation_id, "write").delete()
    return Status(204, None)


def _find(request: HttpRequest, project_id: UUID, citation_id: UUID, act: Any = "read") -> Citation:
    return get_in_project(request.user, Citation.objects.all(), act, pk=citation_id, project_id=project_id)
