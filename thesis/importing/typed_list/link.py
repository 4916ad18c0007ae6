r"""Linking the marks of a typed list of references to its entries, once a person has seen them (SPEC C5, T2).

What each mark means is computed anew from the present text, so that nothing is linked that was typed since unseen. The
text before is a version in the history. A list of which every entry is cited and every mark is linked can be removed,
since Scholium prints the references itself; otherwise it stays as it was typed.
"""

import hashlib
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db import transaction

from citations.formats.typed_reference import csl_of_typed
from citations.models import Citation
from core.errors import Refused
from latex.cite_keys import cite_commands
from latex.shown_text import shown_text
from latex.text_edits import Edit, apply_edits
from projects.models import Project, User
from sections.models import Section, TextImport
from sections.outline import move_to_bin
from thesis.importing.typed_list.entries import TypedEntry, TypedList, find_list
from thesis.importing.typed_list.marks import Doubt, Entry, Finder, Link, style_of

_AROUND = 90  # characters shown on either side of a mark


@dataclass(frozen=True)
class ListedEntry:
    """An entry of a list with its reference, if that is there still, and how many marks mean it."""

    entry: TypedEntry
    citation: Citation | None
    section: Section
    uses: int = 0


@dataclass(frozen=True)
class Place:
    """A mark in a section: the words around it, and what becomes of it or `why` it is left."""

    id: str
    section: Section
    before: str
    words: str
    after: str
    latex: str = ""
    why: str = ""


@dataclass
class LinkPlan:
    """What linking would do: the marks to link, those that are left, and the entries.

    `token` changes with the text, the references, and so with every mark.
    """

    places: list[Place] = field(default_factory=list)
    doubts: list[Place] = field(default_factory=list)
    entries: list[ListedEntry] = field(default_factory=list)
    lists: list[tuple[Section, TypedList]] = field(default_factory=list)
    edits: dict[UUID, list[tuple[str, Link]]] = field(default_factory=dict)
    token: str = ""

    @property
    def unused(self) -> list[ListedEntry]:
        """The entries that no mark means."""
        return [one for one in self.entries if not one.uses]

    @property
    def has_uses(self) -> bool:
        """Whether any entry is cited."""
        return any(one.uses for one in self.entries)

    @property
    def is_complete(self) -> bool:
        """Whether every entry is cited and every mark is certain, so that the typed list says nothing more."""
        return bool(self.entries) and not self.unused and not self.doubts


def plan_links(brought: TextImport) -> LinkPlan:
    """Return what linking the typed lists of an import would do. It changes nothing."""
    stored = {one["text"]: one["citation"] for one in (brought.result or {}).get("typed", [])}
    rows = {str(row.pk): row for row in Citation.objects.filter(project=brought.project_id, pk__in=_ids(stored))}
    sections = list(Section.objects.filter(project=brought.project_id).outline())
    plan = LinkPlan()
    for section in sections:
        found = find_list(section.latex)
        if found and any(entry.text in stored for entry in found.entries):
            plan.lists.append((section, found))
    own = {section.pk for section, _ in plan.lists if _is_within_text(section)}
    for section, found in plan.lists:
        # A list at the end of a chapter is that chapter's; one of its own is that of all others.
        read = [section] if section.pk in own else [one for one in sections if one.pk not in own]
        _plan_list(plan, section, found, read, {text: rows.get(pk) for text, pk in stored.items()})
    seen = [(one.id, one.latex, one.why) for one in (*plan.places, *plan.doubts)]
    plan.token = hashlib.sha256(repr(seen).encode()).hexdigest()[:24]
    return plan


def link(
    brought: TextImport, user: User, *, token: str, left: Collection[str] = (), remove_list: bool = False
) -> LinkPlan:
    r"""Replace the marks by `\cite`, without those whose ids are in `left`; return the plan that was carried out.

    `token` is that of the plan that the person saw. With `remove_list` the typed list is removed too. Raises Refused
    when the text or the references have changed since, and when the list has to stay.
    """
    with transaction.atomic():
        Project.objects.select_for_update(no_key=True).get(pk=brought.project_id)
        list(Section.objects.select_for_update().filter(project=brought.project_id).order_by("pk"))
        plan = plan_links(brought)
        if token != plan.token:
            raise Refused(
                "The text or the citations have changed since. Check the marks again.", code="changed", status=409
            )
        if remove_list and (left or not plan.is_complete):
            raise Refused(
                "The typed list can only be removed where each of its marks is linked and each entry cited.",
                field="remove_list",
                code="incomplete",
            )
        for section in Section.objects.filter(project=brought.project_id).outline():
            links = [one for id, one in plan.edits.get(section.pk, ()) if id not in left]
            edits = [Edit(one.start, one.end, one.latex) for one in links]
            if remove_list:
                edits += [Edit(found.start, found.end, "") for where, found in plan.lists if where.pk == section.pk]
            if not edits:
                continue
            latex = apply_edits(section.latex, edits)
            if latex.strip():
                section.take_in(f"{latex.rstrip()}\n" if remove_list else latex, by=user)
            else:
                move_to_bin(section)
    return plan


def linked_message(plan: LinkPlan, left: Collection[str]) -> str:
    """Return a sentence about the marks that were linked."""
    count = sum(one.id not in left for one in plan.places)
    rest = len(plan.places) - count + len(plan.doubts)
    return (
        f"{count:,} mark{'' if count == 1 else 's'} linked"
        f"{f', {rest:,} left as typed' if rest else ''}. The text before is in the history of each section."
    )


def _ids(stored: dict[str, str]) -> list[str]:
    return [pk for pk in stored.values() if pk]


def _is_within_text(section: Section) -> bool:
    """Return whether a section has more words than its list, so that the list is only its own."""
    found = find_list(section.latex)
    return found is not None and len(section.latex[: found.start].split()) > 20  # more than a heading


def _plan_list(
    plan: LinkPlan, section: Section, found: TypedList, read: list[Section], rows: dict[str, Citation | None]
) -> None:
    """Add a list, and its marks in the sections `read`, to the plan."""
    entries = [_entry(one, rows.get(one.text)) for one in found.entries]
    texts = {one.pk: _without_list(one, section, found) for one in read}
    numbers = {one.number for one in entries if one.number is not None}
    style = style_of(texts.values(), numbers, found.in_brackets) if found.is_numbered else "names"
    finder, uses = Finder(entries, style), dict[int, int]()
    for one in read:
        marks = finder.find(texts[one.pk])
        for found_link in marks.links:
            place = _place(one, found_link, latex=found_link.latex)
            plan.places.append(place)
            plan.edits.setdefault(one.pk, []).append((place.id, found_link))
            for number in found_link.places:
                uses[number] = uses.get(number, 0) + 1
        cited = Counter(key for command in cite_commands(texts[one.pk]) for key in command.keys)  # linked before
        for number, entry in enumerate(entries):
            uses[number] = uses.get(number, 0) + cited[entry.key]
        plan.doubts += [_place(one, doubt, why=doubt.why) for doubt in marks.doubts]
    plan.entries += [
        ListedEntry(one, rows.get(one.text), section, uses.get(number, 0)) for number, one in enumerate(found.entries)
    ]


def _entry(one: TypedEntry, citation: Citation | None) -> Entry:
    """Return an entry as marks mean it: by the names and the year that are typed, not by those of a registry."""
    csl: dict[str, Any] = csl_of_typed(one.text)
    names = tuple(person.get("family") or person.get("literal", "") for person in csl.get("author", []))
    names += ("",) * (2 if csl.get("custom", {}).get("others") else 0)  # "et al."
    return Entry(one.number, names, year_with_letter(one.text, csl), citation.cite_key if citation else "")


def year_with_letter(text: str, csl: dict[str, Any]) -> str:
    """Return the year of an entry with the letter that tells it from others of that year: "2019a"."""
    year = str(csl.get("issued", {}).get("date-parts", [[""]])[0][0])
    at = text.find(year) + len(year) if year else 0
    letter = text[at : at + 1] if year and text[at : at + 1].islower() and not text[at + 1 : at + 2].isalpha() else ""
    return f"{year}{letter}"


def _without_list(one: Section, section: Section, found: TypedList) -> str:
    """Return the LaTeX of a section with spaces in place of the list; its length stays."""
    latex: str = one.latex
    if one.pk != section.pk:
        return latex
    return latex[: found.start] + " " * (found.end - found.start) + latex[found.end :]


def _place(section: Section, mark: Link | Doubt, *, latex: str = "", why: str = "") -> Place:
    text = section.latex
    before = text[max(0, mark.start - _AROUND) : mark.start].rpartition("\n\n")[2]
    after = text[mark.end : mark.end + _AROUND].partition("\n\n")[0]
    if 0 <= before.find("}") < (before + "{").find("{"):  # it begins inside a command
        before = before.partition("}")[2]
    if after.rfind("{") > after.rfind("}"):  # it ends inside one
        after = after[: after.rfind("\\")] if "\\" in after else after[: after.rfind("{")]
    parts = (before, text[mark.start : mark.end], after)
    shown_before, words, shown_after = (_words(part) for part in parts)
    id = hashlib.sha256(f"{section.pk} {section.version} {mark.start} {mark.end}".encode()).hexdigest()[:16]
    return Place(id, section, shown_before, words, shown_after, latex, why)


def _words(latex: str) -> str:
    """Return a piece of LaTeX as it is read, cut anywhere."""
    shown = shown_text(latex).text.replace("\ufffc", "…")
    return f"{' ' if latex[:1].isspace() else ''}{' '.join(shown.split())}{' ' if latex[-1:].isspace() else ''}"
