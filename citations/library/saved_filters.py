"""Saved filters: what the list shows, saved under a name for all members of the thesis (SPEC C9)."""

from citations.library.list_filter import ListFilter
from citations.library.names import clean_name, shortened
from citations.models import SavedFilter, Tag
from core.errors import Refused
from projects.models import Project

MOST = 100  # saved filters of a thesis


def save_filter(project: Project, name: str, shown: ListFilter) -> SavedFilter:
    """Save what the list shows under `name`.

    Raises Refused for an invalid name, one that another saved filter has, and a filter that shows all references.
    """
    name = clean_name(name, SavedFilter.LONGEST)
    if not shown.narrows and not shown.sort:
        raise Refused("Search, filter or sort the list first. This is the whole list.", field="name", code="empty")
    tag = None
    if shown.tag is not None:
        tag = Tag.objects.filter(project=project, pk=shown.tag).first()
        if tag is None:
            raise Refused("This tag does not exist any more.", field="tag", code="unknown")
    with Project.objects.held(project.pk):
        others = SavedFilter.objects.filter(project=project)
        if other := others.filter(folded=name.casefold()).first():
            raise Refused(
                f"There is already a filter “{shortened(other.name)}”.", field="name", code="taken", status=409
            )
        if others.count() >= MOST:
            raise Refused(f"A thesis can have at most {MOST} saved filters. Delete one first.", code="too_many")
        saved: SavedFilter = SavedFilter.objects.create(
            project=project,
            name=name,
            folded=name.casefold(),
            q=shown.q,
            show=shown.show,
            tag=tag,
            sort=shown.sort,
        )
    return saved


def filter_of(saved: SavedFilter) -> ListFilter:
    """Return what the list shows for a saved filter."""
    return ListFilter(saved.q, saved.show, saved.tag_id, saved.sort)
