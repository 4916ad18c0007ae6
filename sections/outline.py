"""The sections of a thesis: the initial ones, imported ones, and the bin (SPEC T1, T2).

Sections in the bin are never deleted automatically.
"""

from collections.abc import Sequence
from typing import Any

from django.db.models import Max, QuerySet
from django.utils import timezone

from core.errors import Refused
from latex.word_count import count_words
from projects.models import Project, User
from projects.section_templates import UNCHOSEN, find_outline
from sections.models import MOST_SECTIONS, Section, SectionVersion, _free_slug

CHAPTERS = [(part.slug, part.title) for part in UNCHOSEN.parts]


def make_chapters(sender: Any, project: Project, **kwargs: Any) -> None:
    """Create the sections of the outline of a new project, numbered from 0, in the transaction that creates the
    project.

    Their word count is 0, although they start with headings. Raises Refused for an unknown outline.
    """
    Section.objects.bulk_create(
        Section(project=project, number=number, slug=part.slug, title=part.title, latex=part.starter)
        for number, part in enumerate(find_outline(project.outline).parts)
    )


def add_sections(project: Project, texts: Sequence[tuple[str, str]], user: User) -> list[Section]:
    """Add sections from (title, LaTeX) pairs at the end of `project` and return them.

    To be called in a transaction that locks the project.
    """
    there = Section.everything.filter(project=project)
    slugs = set(there.values_list("slug", flat=True))
    last = there.filter(removed_at=None).aggregate(last=Max("number"))["last"]
    sections = []
    for number, (title, latex) in enumerate(texts, 0 if last is None else last + 1):
        slug = _free_slug(title, slugs)
        slugs.add(slug)
        sections.append(
            Section(
                project=project, number=number, slug=slug, title=title, latex=latex, words=count_words(latex), version=1
            )
        )
    Section.objects.bulk_create(sections, batch_size=50)
    SectionVersion.objects.bulk_create(
        [
            SectionVersion(section=one, version=1, latex=one.latex, saved_by=user, kind=SectionVersion.Kind.IMPORTED)
            for one in sections
        ],
        batch_size=50,
    )
    return sections


def sections_in_bin(project: Project) -> "QuerySet[Section]":
    """Return the sections in the bin of `project`, without their text, the last removed first."""
    rows: QuerySet[Section] = Section.everything.filter(project=project).exclude(removed_at=None)
    return rows.defer("latex").order_by("-removed_at", "pk")


def move_to_bin(section: Section) -> None:
    """Move `section` to the bin with its text, history and comments. It keeps its address and its place.

    The sections after it move up. Nothing changes if it is in the bin already.
    """
    with Project.objects.held(section.project_id):
        section.removed_at = timezone.now()
        if Section.objects.filter(pk=section.pk).update(removed_at=section.removed_at):
            Section.objects.renumber(list(Section.objects.filter(project_id=section.project_id).outline()))
            section.touch_project()


def restore_from_bin(section: Section) -> None:
    """Restore `section` to its place, or to the end if the thesis has become shorter.

    Nothing changes if it is not in the bin. Raises Refused if the thesis has the maximum number of sections.
    """
    with Project.objects.held(section.project_id):
        if not Section.everything.filter(pk=section.pk).exclude(removed_at=None).exists():
            return
        order = list(Section.objects.filter(project_id=section.project_id).outline())
        if len(order) >= MOST_SECTIONS:
            raise Refused(
                f"A thesis can have at most {MOST_SECTIONS} sections. Remove another one first.", field="title"
            )
        section.removed_at = None
        Section.everything.filter(pk=section.pk).update(removed_at=None)
        order.insert(min(section.number, len(order)), section)
        Section.objects.renumber(order)
        section.touch_project()
