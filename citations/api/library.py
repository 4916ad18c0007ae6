"""The API of a library of references: one action on several, tags, saved filters, the pattern of keys (SPEC P4, C5)."""

from typing import Annotated, Any, Literal
from uuid import UUID

from django.http import HttpResponse
from ninja import Router, Schema, Status
from pydantic import Field

from citations.api.references import find_citation
from citations.formats.export import download
from citations.library import key_patterns
from citations.library.bulk import MOST, Action, BulkResult, change_several
from citations.library.list_filter import LONGEST_WORDS, ListFilter
from citations.library.saved_filters import filter_of, save_filter
from citations.library.tags import (
    MOST_AT_ONCE,
    make_tags_of_keywords,
    rename_tag,
    set_tags,
    tags_of_project,
)
from citations.models import SavedFilter, Tag
from core.storable_text import check_storable
from projects.access import get_in_project, get_project
from projects.signed_in_request import PersonRequest

router = Router(tags=["citations"])
LIBRARY = "/projects/{uuid:project_id}/citations"
TagName = Annotated[str, Field(max_length=4 * Tag.LONGEST)]  # longer ones get a plain message
Ids = Annotated[list[UUID], Field(max_length=MOST)]


class BulkIn(Schema):
    """One action on the references `citations`.

    `tags` are for "tag" and "untag". "delete" leaves references that the text cites, unless `delete_cited` is true.
    """

    action: Action
    citations: Ids
    tags: Annotated[list[TagName], Field(max_length=MOST_AT_ONCE)] = []
    delete_cited: bool = False


class NotDoneOut(Schema):
    """A reference that was left as it was. `key` is empty where there is no such reference."""

    citation: UUID
    key: str
    reason: str


class BulkOut(Schema):
    """The references that the action was done for, and those that were left. `job` looks them up (see /api/jobs)."""

    done: list[UUID]
    not_done: list[NotDoneOut]
    job: UUID | None

    @staticmethod
    def resolve_job(result: BulkResult) -> UUID | None:
        """Return the id of the job; None for none."""
        return result.job.pk if result.job else None


class ExportIn(Schema):
    """The references to export."""

    citations: Ids
    format: Literal["bibtex", "biblatex", "ris", "csl"] = "bibtex"


class TagOut(Schema):
    """A tag, and how many references have it."""

    id: int
    name: str
    count: int = 0


class TagIn(Schema):
    """The new name of a tag, at most 60 characters without commas."""

    name: TagName


class KeywordsIn(Schema):
    """The keywords to make tags of."""

    keywords: Annotated[list[TagName], Field(max_length=1_000)]


class TagsIn(Schema):
    """All tags that a reference shall have; those that do not exist are made."""

    tags: Annotated[list[TagName], Field(max_length=MOST_AT_ONCE)]


class FilterIn(Schema):
    """A search of the list: words, a filter such as "d" or "retracted", the id of a tag, and an order."""

    name: TagName
    q: Annotated[str, Field(max_length=LONGEST_WORDS)] = ""
    show: Annotated[str, Field(max_length=20)] = ""
    tag: int | None = None
    sort: Annotated[str, Field(max_length=20)] = ""


class FilterOut(Schema):
    """A saved filter. `query` shows it on the page of citations."""

    id: int
    name: str
    q: str
    show: str
    tag: int | None
    sort: str
    query: str

    @staticmethod
    def resolve_tag(saved: SavedFilter) -> int | None:
        """Return the id of the tag."""
        return saved.tag_id

    @staticmethod
    def resolve_query(saved: SavedFilter) -> str:
        """Return the filter for a URL."""
        return filter_of(saved).query()


class PatternIn(Schema):
    """The pattern of new keys."""

    pattern: Literal["surname-year", "surname-year-word", "surname_word_year", "Surname:year"]


@router.post(f"{LIBRARY}/bulk", response=BulkOut)
def change_citations(request: PersonRequest, project_id: UUID, data: BulkIn) -> Any:
    """Look up, tag, untag or delete several references. Those that it cannot be done for are named with the reason."""
    project = get_project(request.user, project_id, "write")
    return change_several(
        project, request.user, data.action, data.citations, tags=data.tags, delete_cited=data.delete_cited
    )


@router.post(f"{LIBRARY}/export/selected")
def export_selected(request: PersonRequest, project_id: UUID, data: ExportIn) -> HttpResponse:
    """Export the given references as a file, with their tags as keywords."""
    return download(get_project(request.user, project_id), data.format, data.citations)


@router.get(f"{LIBRARY}/tags", response=list[TagOut])
def list_tags(request: PersonRequest, project_id: UUID) -> Any:
    """The tags of a thesis by name."""
    return tags_of_project(get_project(request.user, project_id))


@router.post(f"{LIBRARY}/tags/keywords", response=list[TagOut])
def tags_of_keywords(request: PersonRequest, project_id: UUID, data: KeywordsIn) -> Any:
    """Make tags of keywords of imported references, for all that have them. The entries keep their keywords."""
    project = get_project(request.user, project_id, "write")
    make_tags_of_keywords(project, data.keywords)
    return tags_of_project(project)


@router.put(f"{LIBRARY}/tags/{{int:tag_id}}", response=TagOut)
def change_tag(request: PersonRequest, project_id: UUID, tag_id: int, data: TagIn) -> Any:
    """Rename a tag on all references."""
    tag = rename_tag(_find_tag(request, project_id, tag_id), data.name)
    return tags_of_project(tag.project).get(pk=tag.pk)


@router.delete(f"{LIBRARY}/tags/{{int:tag_id}}", response={204: None})
def delete_tag(request: PersonRequest, project_id: UUID, tag_id: int) -> Any:
    """Delete a tag, and the saved filters that use it. The references stay."""
    _find_tag(request, project_id, tag_id).delete()
    return Status(204, None)


@router.put(f"{LIBRARY}/{{uuid:citation_id}}/tags", response=list[TagOut])
def change_tags_of_citation(request: PersonRequest, project_id: UUID, citation_id: UUID, data: TagsIn) -> Any:
    """Give a reference exactly these tags."""
    found = find_citation(request, project_id, citation_id, "write")
    set_tags(found, data.tags)
    return tags_of_project(found.project).filter(pk__in=found.taggings.values("tag"))


@router.get(f"{LIBRARY}/filters", response=list[FilterOut])
def list_filters(request: PersonRequest, project_id: UUID) -> Any:
    """The saved filters of a thesis by name; all its members see them."""
    return SavedFilter.objects.filter(project=get_project(request.user, project_id))


@router.post(f"{LIBRARY}/filters", response={201: FilterOut})
def add_filter(request: PersonRequest, project_id: UUID, data: FilterIn) -> Any:
    """Save a search of the list under a name."""
    project = get_project(request.user, project_id, "write")
    check_storable(data.q, "q")
    return Status(201, save_filter(project, data.name, ListFilter.read(data.dict())))


@router.delete(f"{LIBRARY}/filters/{{int:filter_id}}", response={204: None})
def delete_filter(request: PersonRequest, project_id: UUID, filter_id: int) -> Any:
    """Delete a saved filter. No reference is changed."""
    get_in_project(request.user, SavedFilter.objects.all(), "write", pk=filter_id, project_id=project_id).delete()
    return Status(204, None)


@router.get(f"{LIBRARY}/key-pattern", response=PatternIn)
def read_pattern(request: PersonRequest, project_id: UUID) -> Any:
    """The pattern by which keys of new references are made."""
    return {"pattern": key_patterns.pattern_of(get_project(request.user, project_id))}


@router.put(f"{LIBRARY}/key-pattern", response=PatternIn)
def change_pattern(request: PersonRequest, project_id: UUID, data: PatternIn) -> Any:
    """Change the pattern of new keys. Keys that exist stay as they are."""
    project = get_project(request.user, project_id, "write")
    key_patterns.save_pattern(project, data.pattern)
    return {"pattern": key_patterns.pattern_of(project)}


def _find_tag(request: PersonRequest, project_id: UUID, tag_id: int) -> Tag:
    return get_in_project(request.user, Tag.objects.all(), "write", pk=tag_id, project_id=project_id)
