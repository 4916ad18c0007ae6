"""The provider for sections.printed_numbers: the numbers of a thesis, read from the database (SPEC T2)."""

from collections import OrderedDict
from uuid import UUID

from projects.models import Project
from sections.models import Section, ThesisFile
from sections.printed_numbers import PrintedNumbers
from thesis.manuscript_data import text_of
from thesis.models import Layout
from thesis.numbering import NumberedSection, number_of_title, numbered_sections

_MOST = 64  # theses in the cache of a process


_kept: OrderedDict[UUID, tuple[object, dict[str, str], dict[str, NumberedSection]]] = OrderedDict()


def printed(project: Project, opened: Section | None) -> PrintedNumbers:
    """Return the number of each section's title, and the numbered parts of `opened`; cached until a text changes."""
    rows = Section.objects.filter(project=project).order_by("number", "pk")
    files = ThesisFile.objects.filter(project=project, kind=ThesisFile.Kind.TEX)
    state = [
        Layout.objects.filter(project=project).values_list("appendices", flat=True).first(),
        list(rows.values_list("pk", "version", "number", "title")),
        list(files.values_list("pk", "sha256")),
    ]
    found = _kept.get(project.pk)
    if found is None or found[0] != state:
        manuscript = text_of(project)
        sections = numbered_sections(manuscript)
        numbers = {chapter.id: number_of_title(chapter, sections.get(chapter.id)) for chapter in manuscript.chapters}
        found = _kept[project.pk] = state, numbers, sections
        if len(_kept) > _MOST:
            _kept.popitem(last=False)
    _, numbers, sections = found
    here = sections.get(str(opened.pk)) if opened else None
    labels = {label: one for section in sections.values() for one in section.labelled for label in one.labels}
    parts = {section: one.numbered for section, one in sections.items()}
    titles = {section: one.heads[0] for section, one in sections.items() if one.heading and one.heads}
    return PrintedNumbers(numbers, here.numbered if here else [], labels, parts, titles)
