"""The API operations of the cite dialog and the editor: search, pasted text, chips, audit (SPEC C5, C7 to C9)."""

from dataclasses import asdict, dataclass
from typing import Annotated, Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import StringConstraints

from citations.audit.audit import Audit, audit_project
from citations.audit.audit_json import AuditOut
from citations.badges import Badge, badge_of
from citations.cite_dialog.cite_dialog import (
    CatalogueWork,
    RecognisedText,
    Source,
    find_works,
    recognise_text,
    shown_works,
)
from citations.key_aliases import references_by_key
from citations.models import Citation, CitationStatus, OtherKey
from core.storable_text import check_storable
from projects.access import get_project

LONGEST_LABEL = 40  # characters of a chip
_READ = (
    *("id", "cite_key", "title", "authors", "year", "status", "tier", "evidence_type", "retracted", "check_due_at"),
    "failures",
)
MOST_PASTED = 200_000  # characters of a pasted text

router = Router(tags=["citations"])


class FoundOut(Schema):
    """The works found in one catalogue, best first; `total` is its own count."""

    source: str
    total: int
    works: list[CatalogueWork]


class LookIn(Schema):
    """A typed or pasted text of at most 200,000 characters."""

    text: Annotated[str, StringConstraints(max_length=MOST_PASTED)]


Words = Annotated[str, StringConstraints(strip_whitespace=True, min_length=2, max_length=500)]


@router.get("/citations/search", response=FoundOut, url_name="search_works", summary="Search PubMed or Crossref")
async def search(
    request: HttpRequest,
    q: Words,
    source: Source = "pubmed",
    limit: Annotated[int, Query(ge=1, le=20)] = 10,
    project: UUID | None = None,
) -> Any:
    """Search for works by words or an identifier. With a `project`, works that are already its references are marked.

    A catalogue that fails or does not answer within eight seconds is an error with its reason (502, 503, 504); an empty
    list means that it answered and found nothing.
    """
    check_storable(q, "q")
    thesis = await sync_to_async(get_project)(request.user, project) if project else None
    works, total = await find_works(source, q, limit)
    return {"source": source, "total": total, "works": await sync_to_async(shown_works)(thesis, works)}


@router.post("/projects/{uuid:project_id}/citations/look", response=RecognisedText, summary="Recognise a pasted text")
def look_at(request: HttpRequest, project_id: UUID, data: LookIn) -> Any:
    """The identifiers and entries in a text, and matching references of the thesis. No catalogue is asked."""
    check_storable(data.text, "text")
    return recognise_text(get_project(request.user, project_id), data.text)


@router.get("/projects/{uuid:project_id}/citations/audit", response=AuditOut)
def read_audit(request: HttpRequest, project_id: UUID) -> Audit:
    """Compare the keys that the text cites now with the entries, both ways."""
    return audit_project(get_project(request.user, project_id))


@dataclass(frozen=True, kw_only=True)
class ChipOut(Badge):
    """The chip of one work: "Sterne 2020" with its badge. `pending`: it is being checked, so ask again soon."""

    id: UUID
    label: str
    status: CitationStatus
    retracted: bool
    pending: bool


@router.get(
    "/projects/{uuid:project_id}/citations/chips", response=dict[str, ChipOut], summary="The chips of citations"
)
def chips(
    request: HttpRequest, project_id: UUID, named: Annotated[str, Query(alias="keys", max_length=20_000)] = ""
) -> Any:
    """The chips by key, for `keys` (separated by commas) or for all of the thesis. Unknown keys are left out."""
    check_storable(named, "keys")
    project = get_project(request.user, project_id)
    rows = Citation.objects.filter(project=project).order_by().only(*_READ)
    if named:
        return {
            key: _chip(row)
            for key, row in references_by_key(rows, project, {key.strip() for key in named.split(",")}).items()
        }
    by_key = {row.cite_key: _chip(row) for row in rows}
    return by_key | {key: by_key[main] for key, main in OtherKey.objects.by_key(project).items() if main in by_key}


def label_of(citation: Citation) -> str:
    """Return the label of a chip: "Sterne 2020", or the shortened title of a work without authors."""
    first = citation.authors.replace(" and ", ",").split(",")[0].strip()
    if not first:
        return _cut(citation.title or citation.cite_key)
    return f"{_cut(first)} {citation.year}" if citation.year else _cut(first)


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_LABEL else f"{words[: LONGEST_LABEL - 1].rstrip()}…"


def _chip(citation: Citation) -> dict[str, Any]:
    return {
        **asdict(badge_of(citation)),
        "id": citation.pk,
        "label": label_of(citation),
        "status": citation.status,
        "retracted": citation.retracted,
        "pending": citation.check_due_at is not None,
    }
