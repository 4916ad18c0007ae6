"""What the chips of a text say of the works it cites, all of a thesis at once (SPEC C9; the editor's citation chips)."""

from typing import Annotated, Any
from uuid import UUID

from django.http import HttpRequest
from ninja import Query, Router, Schema

from citations.api.schemas import CitationStatus
from citations.badges import badge_of
from citations.models import Citation, OtherKey
from citations.other_keys import rows_cited
from core.storable import check_storable
from projects.access import get_project

LONGEST_LABEL = 40  # characters of a chip
_READ = (
    *("id", "cite_key", "title", "authors", "year", "status", "tier", "evidence_type", "retracted", "check_due_at"),
    "failures",
)

router = Router(tags=["citations"])


class ChipOut(Schema):
    """One work as a chip names it: "Sterne 2020" with its badge. `pending`: it is being checked, so ask again soon."""

    id: UUID
    label: str
    tier: str
    letter: str
    icon: str
    words: str
    status: CitationStatus
    retracted: bool
    pending: bool


@router.get(
    "/projects/{uuid:project_id}/citations/chips", response=dict[str, ChipOut], summary="The chips of citations"
)
def chips(
    request: HttpRequest, project_id: UUID, named: Annotated[str, Query(alias="keys", max_length=20_000)] = ""
) -> Any:
    """Key to chip, for `keys` (with commas between them) or for all that the thesis has. A key it has not is left out."""
    check_storable(named, "keys")
    project = get_project(request.user, project_id)
    rows = Citation.objects.filter(project=project).order_by().only(*_READ)
    if named:
        cited = rows_cited(rows, project, {key.strip() for key in named.split(",")})
        return {key: _chip(row) for key, row in cited.items()}
    by_key = {row.cite_key: _chip(row) for row in rows}
    others = OtherKey.objects.by_key(project)
    return by_key | {key: by_key[main] for key, main in others.items() if main in by_key}


def label_of(citation: Citation) -> str:
    """ "Sterne 2020": the first author and the year; the title, shortened, of a work without authors."""
    first = citation.authors.replace(" and ", ",").split(",")[0].strip()
    if not first:
        return _cut(citation.title or citation.cite_key)
    return f"{_cut(first)} {citation.year}" if citation.year else _cut(first)


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_LABEL else f"{words[: LONGEST_LABEL - 1].rstrip()}…"


def _chip(citation: Citation) -> dict[str, Any]:
    return {
        **badge_of(citation)._asdict(),
        "id": citation.pk,
        "label": label_of(citation),
        "status": citation.status,
        "retracted": citation.retracted,
        "pending": citation.check_due_at is not None,
    }
