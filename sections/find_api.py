"""The API for finding and replacing words in the whole thesis (SPEC T2, P4)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from ninja import Query, Router, Schema
from pydantic import AliasPath, Field

from projects.access import get_project
from projects.forms import clean_or_refuse
from projects.signed_in_request import PersonRequest
from sections.find_and_replace import (
    Outcome,
    find_in_thesis,
    recent_replacements,
    replace_in_thesis,
    undo_replacement,
)
from sections.forms import ReplaceForm, SearchForm, search_of
from sections.models import Replacement

router = Router(tags=["Find and replace"])


class SearchIn(Schema):
    """What is searched: at most 200 characters, as a reader sees them. `in_source`: in the LaTeX as it is written."""

    words: str = ""
    match_case: bool = False
    whole_words: bool = False
    in_source: bool = False


class ReplaceIn(SearchIn):
    """What is searched, and `new`, plain text of at most 500 characters (LaTeX with `in_source`).

    `matches` has the keys of the matches to replace, by section; without it, all are replaced.
    """

    new: str
    matches: dict[UUID, list[str]] | None = None


class MatchOut(Schema):
    """A match with the words around it. `start` and `end` count characters (code points) of the section's LaTeX.

    `key` names the match when it is replaced; it is found by it even if the text changed elsewhere.
    """

    key: str
    start: int
    end: int
    words: str
    before: str
    after: str


class SectionMatchesOut(Schema):
    """The matches in a section; `number` is printed before its title."""

    section_id: UUID
    slug: str
    title: str
    number: str
    matches: list[MatchOut]


class FoundOut(Schema):
    """The matches by section. `is_cut`: there are more than 10,000, and they cannot be replaced at once."""

    total: int
    is_cut: bool
    sections: list[SectionMatchesOut]


class ReplacementOut(Schema):
    """Words that were replaced in the thesis at once."""

    id: UUID
    words: str
    new: str
    made_at: datetime
    made_by: str | None = Field(None, validation_alias=AliasPath("made_by", "email"))


class ChangedOut(Schema):
    """A section whose text changed, with its new version."""

    id: UUID = Field(validation_alias="pk")
    version: int


class OutcomeOut(Schema):
    """The `number` of places that changed, the `sections`, and sentences on what was `left` as it is.

    `replacement` is None if nothing was replaced.
    """

    replacement: ReplacementOut | None
    number: int
    sections: list[ChangedOut]
    left: list[str]


@router.get("/projects/{uuid:project_id}/find", response=FoundOut, summary="Find words in the thesis")
def find(request: PersonRequest, project_id: UUID, asked: Query[SearchIn]) -> dict[str, Any]:
    r"""Searches the words that a reader sees, across commands: "95%" finds `95\%`. Keys and formulas are not words."""
    project = get_project(request.user, project_id)
    found = find_in_thesis(project, search_of(clean_or_refuse(SearchForm(asked.dict()))))
    return {
        "total": found.total,
        "is_cut": found.is_cut,
        "sections": [
            {
                "section_id": one.section.pk,
                "slug": one.section.slug,
                "title": one.section.title,
                "number": one.number,
                "matches": [{"key": key, **match._asdict()} for key, match in one.matches],
            }
            for one in found.sections
        ],
    }


@router.post("/projects/{uuid:project_id}/replace", response=OutcomeOut, summary="Replace words in the thesis")
def replace(request: PersonRequest, project_id: UUID, payload: ReplaceIn) -> Outcome:
    """One change of all sections, which can be undone. Matches that changed since the search are left and named."""
    project = get_project(request.user, project_id, "write")
    sent = clean_or_refuse(ReplaceForm(payload.dict()))
    return replace_in_thesis(project, search_of(sent), sent["new"], payload.matches, by=request.user)


@router.get(
    "/projects/{uuid:project_id}/replacements", response=list[ReplacementOut], summary="The replacements to undo"
)
def list_replacements(request: PersonRequest, project_id: UUID) -> list[Replacement]:
    """The last 50 that were not undone, newest first."""
    return recent_replacements(get_project(request.user, project_id), most=50)


@router.post(
    "/projects/{uuid:project_id}/replacements/{uuid:replacement_id}/undo",
    response=OutcomeOut,
    summary="Undo a replacement",
)
def undo(request: PersonRequest, project_id: UUID, replacement_id: UUID) -> Outcome:
    """Puts the words back and keeps what was typed since. Places that changed since are left and named."""
    project = get_project(request.user, project_id, "write")
    return undo_replacement(get_object_or_404(Replacement, project=project, pk=replacement_id), by=request.user)
