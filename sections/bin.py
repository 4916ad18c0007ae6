"""Taking a section out of a thesis, and putting it back as it was (SPEC T1). Nothing in the bin is ever deleted by it."""

from django.db.models import QuerySet
from django.utils import timezone

from core.errors import Refused
from projects.models import Project
from sections.models import MOST_SECTIONS, Section


def removed_from(project: Project) -> "QuerySet[Section]":
    """What is in the bin of `project`, without its text, the last removed first."""
    rows: QuerySet[Section] = Section.everything.filter(project=project).exclude(removed_at=None)
    return rows.defer("latex").order_by("-removed_at", "pk")


def remove(section: Section) -> None:
    """Put `section` into the bin with its text, history and comments; it keeps its address and its place.

    Removed already, nothing changes. The sections after it move up.
    """
    with Project.objects.held(section.project_id):
        section.removed_at = timezone.now()
        if Section.objects.filter(pk=section.pk).update(removed_at=section.removed_at):
            Section.objects.renumber(list(Section.objects.filter(project_id=section.project_id).outline()))
            section.touch_project()


def put_back(section: Section) -> None:
    """Put `section` back where it was, or at the end when the thesis has become shorter.

    Not in the bin, nothing changes. Raises Refused when the thesis holds as many sections as it can.
    """
    with Project.objects.held(section.project_id):
        if not Section.everything.filter(pk=section.pk).exclude(removed_at=None).exists():
            return
        order = list(Section.objects.filter(project_id=section.project_id).outline())
        if len(order) >= MOST_SECTIONS:
            raise Refused(f"A thesis holds at most {MOST_SECTIONS} sections. Remove another one first.", field="title")
        section.removed_at = None
        Section.everything.filter(pk=section.pk).update(removed_at=None)
        order.insert(min(section.number, len(order)), section)
        Section.objects.renumber(order)
        section.touch_project()
