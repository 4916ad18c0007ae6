"""The page of a thesis's tags, and the tags of one reference (SPEC C9)."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from citations.library.tags import (
    add_tags,
    keywords_of,
    make_tags_of_keywords,
    remove_tags,
    rename_tag,
    split_names,
    tags_of_project,
)
from citations.models import Tag
from citations.pages.reference import find, show_reference
from core.errors import Refused
from projects.access import get_in_project, get_project, may
from projects.models import Project
from projects.signed_in_request import PersonRequest

KEYWORDS_SHOWN = 200


@require_safe
def tags(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Show the tags of a thesis, and the keywords of imported entries that could become tags."""
    return _page(request, get_project(request.user, project_id))


@require_POST
def rename(request: PersonRequest, project_id: UUID, tag_id: int) -> HttpResponse:
    """Rename a tag and go back to the page of tags; a refused name stays in its field."""
    tag = _find_tag(request, project_id, tag_id)
    typed = request.POST.get("tag", "")
    try:
        rename_tag(tag, typed)
    except Refused as refused:
        return _page(request, tag.project, refused, tag, typed)
    messages.success(request, "Renamed.")
    return redirect("citations:tags", project_id)


@require_POST
def delete(request: PersonRequest, project_id: UUID, tag_id: int) -> HttpResponse:
    """Delete a tag and go back to the page of tags. The references stay; saved filters with the tag are deleted."""
    tag = _find_tag(request, project_id, tag_id)
    tag.delete()
    messages.success(request, f"The tag {tag.name} was deleted.")
    return redirect("citations:tags", project_id)


@require_POST
def keywords(request: PersonRequest, project_id: UUID) -> HttpResponse:
    """Make tags of the chosen keywords and go back to the page of tags. The entries keep their keywords."""
    project = get_project(request.user, project_id, "write")
    try:
        count = make_tags_of_keywords(project, request.POST.getlist("keyword")[:KEYWORDS_SHOWN])
    except Refused as refused:
        return _page(request, project, refused)
    messages.success(request, f"{count:,} tag{'' if count == 1 else 's'} made.")
    return redirect("citations:tags", project_id)


@require_POST
def of_reference(request: PersonRequest, project_id: UUID, citation_id: UUID) -> HttpResponse:
    """Add the typed tags to a reference, or remove one, and go back to its page."""
    found = find(request, project_id, citation_id, "write")
    try:
        if removed := request.POST.get("remove", ""):
            remove_tags(found.project, [found.pk], [removed])
        else:
            add_tags(found.project, [found.pk], split_names(request.POST.get("names", "")))
    except Refused as refused:
        return show_reference(request, found, wrong=refused.message, status=refused.status)
    return redirect("citations:detail", project_id, citation_id)


def _find_tag(request: PersonRequest, project_id: UUID, tag_id: int) -> Tag:
    return get_in_project(request.user, Tag.objects.all(), "write", pk=tag_id, project_id=project_id)


def _page(
    request: PersonRequest, project: Project, refused: Refused | None = None, tag: Tag | None = None, typed: str = ""
) -> HttpResponse:
    """Show the page of tags, with the message of `refused` at the field of `tag`, or else at the top."""
    found = keywords_of(project)
    context = {
        "project": project,
        "tab": "citations",
        "tags": tags_of_project(project),
        "keywords": found[:KEYWORDS_SHOWN],
        "keyword_count": len(found),
        "wrong": refused.message if refused else "",
        "wrong_tag": tag.pk if tag else None,
        "typed": typed[: 4 * Tag.LONGEST],
        "longest": Tag.LONGEST,
        "may_write": may(project.role, "write"),  # type: ignore[attr-defined]
    }
    return render(request, "citations/tags.html", context, status=refused.status if refused else 200)
