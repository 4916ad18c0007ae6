"""Parts of other sections that have no label yet, and giving them one (SPEC T2)."""

from collections.abc import Iterator
from typing import Any

from django.db import transaction

from core.errors import Refused
from latex.label_places import KEY, TITLE, LabelPlace, label_places, with_label, with_title_label
from projects.models import Project, User
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers


def unlabelled_parts(opened: Section) -> Iterator[dict[str, Any]]:
    """Yield the parts without a label: titles of sections, and headings, tables and figures of all but `opened`.

    They have numbers. A title that Scholium prints before a section is at TITLE.
    """
    numbers = compute_printed_numbers(opened.project)
    for section in Section.objects.filter(project=opened.project).order_by("number", "pk"):
        title = numbers.titles.get(str(section.pk))
        if title and title.number and not title.labels:
            yield {
                "section_id": section.pk,
                "section": section.title,
                "kind": title.kind,
                "number": title.number,
                "level": title.level,
                "start": TITLE,
                "title": section.title,
            }
        if section.pk == opened.pk:
            continue
        numbered = {(one.kind, one.start): one for one in numbers.parts.get(str(section.pk), []) if one.number}
        for place in label_places(section.latex):
            part = numbered.get((place.kind, place.start))
            if part and not place.labels:
                yield {
                    "section_id": section.pk,
                    "section": section.title,
                    "kind": place.kind,
                    "number": part.number,
                    "level": part.level,
                    "start": place.start,
                    "title": place.title,
                }


def give_label(section: Section, kind: str, title: str, start: int, key: str, *, by: User) -> str:
    r"""Add \label{key} to the part of `section` with this kind and title, and return the label of the part.

    A part that got a label since it was listed keeps that. Of several with one title, the one nearest to `start` is
    meant. Raises Refused if the part is gone, cannot have a label, or the label is in use.
    """
    if not KEY.fullmatch(key):
        raise Refused("A label has letters, digits and the signs : . _ + / - only.", field="key")
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=section.project_id)  # two parts must not get one label
        current = Section.objects.select_for_update().filter(pk=section.pk).first()
        numbers = compute_printed_numbers(section.project)
        place = None
        if current and start == TITLE:
            own = numbers.titles.get(str(current.pk))
            place = own and LabelPlace("heading", TITLE, current.title, own.labels, 0)
        elif current:
            place = _place(label_places(current.latex), kind, title, start)
        if current is None or place is None:
            raise Refused(
                f"“{section.title}” has changed, and this is no longer there. Open “Refer to” again.", code="changed"
            )
        if place.labels:
            return place.labels[0]
        if key in numbers.labels:
            raise Refused(f"The label {key} is in use.", field="key", code="in_use")
        titled = start == TITLE
        latex = with_title_label(current.latex, key) if titled else with_label(current.latex, place, key)
        if latex is None:
            raise Refused(f"This place in “{section.title}” cannot have a label. Add it there in Source.")
        current.write(latex, based_on=current.version, by=by)
    return key


def _place(places: list[LabelPlace], kind: str, title: str, start: int) -> LabelPlace | None:
    alike = [one for one in places if (one.kind, one.title) == (kind, title)]
    return min(alike, key=lambda one: (bool(one.labels), abs(one.start - start)), default=None)
