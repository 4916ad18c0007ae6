"""A reference as fields by type, over the same entry that its BibTeX is (SPEC C9).

What a form does not show, and what nobody changed in it, stays as it was written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from citations.formats.bibtex import read_bibtex, write_bibtex
from citations.formats.csl import usable_key
from citations.formats.names_and_dates import date_fields, read_day
from citations.formats.reading import Csl, custom_of, dicts_of, text_in
from core.errors import Refused
from core.storable_text import check_storable
from sources.identifiers import clean_doi


class EntryType(NamedTuple):
    """A type of work: its name, and its fields as (CSL variable, label), besides title, people and date."""

    label: str
    fields: tuple[tuple[str, str], ...]
    has_editors: bool = False


_ONLINE = (("DOI", "DOI"), ("URL", "Web address"))
_PUBLISHED = (("publisher", "Publisher"), ("publisher-place", "Place"))
_PLACE_IN_VOLUME = (("volume", "Volume"), ("page", "Pages"))
TYPES: dict[str, EntryType] = {
    "article-journal": EntryType(
        "Journal article",
        (("container-title", "Journal"), ("volume", "Volume"), ("issue", "Issue"), ("page", "Pages"))
        + (("number", "Article number"), ("DOI", "DOI"), ("PMID", "PMID"), ("URL", "Web address")),
    ),
    "book": EntryType(
        "Book",
        (("edition", "Edition"), *_PUBLISHED, ("volume", "Volume"), ("collection-title", "Series"))
        + (("ISBN", "ISBN"), *_ONLINE),
        has_editors=True,
    ),
    "chapter": EntryType(
        "Chapter of a book",
        (("container-title", "Book"), *_PLACE_IN_VOLUME, ("edition", "Edition"), *_PUBLISHED)
        + (("ISBN", "ISBN"), *_ONLINE),
        has_editors=True,
    ),
    "paper-conference": EntryType(
        "Conference paper",
        (("container-title", "Proceedings"), *_PLACE_IN_VOLUME, *_PUBLISHED, ("ISBN", "ISBN"), *_ONLINE),
        has_editors=True,
    ),
    "thesis": EntryType(
        "Thesis",
        (("genre", "Kind, such as PhD thesis"), ("publisher", "University"), ("publisher-place", "Place"), *_ONLINE),
    ),
    "report": EntryType(
        "Report or guideline",
        (("publisher", "Institution"), ("publisher-place", "Place"), ("number", "Number"), ("genre", "Kind"), *_ONLINE),
    ),
    "webpage": EntryType("Web page", (("container-title", "Website"), ("publisher", "Publisher"), *_ONLINE[::-1])),
    "dataset": EntryType("Dataset", (("publisher", "Repository"), ("version", "Version"), *_ONLINE)),
    "software": EntryType("Software", (("version", "Version"), ("publisher", "Publisher"), *_ONLINE)),
    "manuscript": EntryType("Unpublished manuscript", (("genre", "Kind"), *_ONLINE)),
    "document": EntryType("Other", (("container-title", "Published in"), *_PUBLISHED, ("genre", "Kind"), *_ONLINE)),
}
LABELS = {name: label for one in reversed(TYPES.values()) for name, label in one.fields}
LONGEST_TEXT = 2_000  # characters of a field


@dataclass(frozen=True)
class EntryForm:
    """The contents of the form: a type, texts by CSL variable, and people as (family name, given names)."""

    key: str = ""
    type: str = "article-journal"
    title: str = ""
    issued: str = ""
    texts: Mapping[str, str] = field(default_factory=dict)
    authors: tuple[tuple[str, str], ...] = ()
    editors: tuple[tuple[str, str], ...] = ()
    and_others: bool = False

    @property
    def shown(self) -> list[tuple[str, str, str]]:
        """(variable, label, text) of the fields of its type, then those of other types that are filled in."""
        own = dict(TYPES[self.type].fields) if self.type in TYPES else {}
        others = {name: LABELS[name] for name in LABELS if name not in own and self.texts.get(name)}
        return [(name, label, self.texts.get(name, "")) for name, label in (own | others).items()]


def form_of(bibtex: str) -> EntryForm:
    """Return what the form shows of an entry; raises Refused where it is not one readable entry."""
    csl, key, _ = _entry(bibtex)
    return _form_of(csl, key)


def write_entry(form: EntryForm, bibtex: str = "") -> str:
    """Return the BibTeX of what `form` says. `bibtex` is the entry before, "" for a new one; unchanged, it stays.

    An entry without a key stays without one: a key made here could be that of another reference.

    Raises Refused, with the field, for an entry without a title, and for what was changed to an unknown type, a date
    that cannot be read, or a text that is too long or cannot be stored.
    """
    csl, key, note = _entry(bibtex) if bibtex else ({}, "", "")
    before = _form_of(csl, key) if bibtex else EntryForm(type="")
    if form == before:
        return bibtex
    _check(form, before)
    changed = dict(csl)
    for name in {*LABELS, *form.texts}:
        _put(changed, name, form.texts.get(name, ""), before.texts.get(name, ""))
    _put(changed, "title", form.title, before.title)
    if form.type != before.type:
        changed["type"] = form.type
    if form.issued != before.issued:
        changed.pop("issued", None)
        if date := read_day(form.issued):
            changed["issued"] = date
    for name, people in (("author", form.authors), ("editor", form.editors)):
        known = {_shown(person): person for person in dicts_of(csl.get(name))}
        changed[name] = [known.get(person) or _person(*person) for person in people]
    custom = {**custom_of(csl), "others": form.and_others}
    changed = {name: value for name, value in {**changed, "custom": custom}.items() if value}
    return write_bibtex({**changed, "note": note}, form.key, reference_manager=True)


def with_row(form: EntryForm, people: str) -> EntryForm:
    """Return `form` with one more empty row for "authors" or "editors"."""
    if people == "editors":
        return replace(form, editors=(*form.editors, ("", "")))
    return replace(form, authors=(*form.authors, ("", "")))


def _entry(bibtex: str) -> tuple[Csl, str, str]:
    entries = read_bibtex(bibtex).entries
    if len(entries) != 1:
        raise Refused("This entry cannot be shown as fields. Edit its BibTeX.", field="bibtex", code="unreadable")
    return entries[0].csl, entries[0].key, entries[0].note


def _form_of(csl: Csl, key: str) -> EntryForm:
    date = date_fields(csl.get("issued"), whole=True).get("date", "")
    return EntryForm(
        key=key,
        type=text_in(csl, "type") or "document",
        title=text_in(csl, "title"),
        issued=date,
        texts={name: text for name in LABELS if (text := text_in(csl, name))},
        authors=tuple(map(_shown, dicts_of(csl.get("author")))),
        editors=tuple(map(_shown, dicts_of(csl.get("editor")))),
        and_others=bool(custom_of(csl).get("others")),
    )


def _put(csl: Csl, name: str, text: str, before: str) -> None:
    if text == before:
        return
    csl.pop(name, None)
    if text:
        csl[name] = clean_doi(text) if name == "DOI" else text


def _shown(person: Mapping[str, str]) -> tuple[str, str]:
    """Return a person as the form shows them. A suffix stands behind the given names, as in "Martin Luther, Jr."."""
    particle = text_in(person, "non-dropping-particle") or text_in(person, "dropping-particle")
    family = text_in(person, "literal") or " ".join(filter(None, [particle, text_in(person, "family")]))
    return family, ", ".join(filter(None, [text_in(person, "given"), text_in(person, "suffix")]))


def _person(family: str, given: str) -> dict[str, str]:
    """Return a person in CSL. A family name of several words without given names is a group, such as an institution."""
    if not given:
        return {"literal": family} if " " in family else {"family": family}
    return {"family": family, "given": given}


def _check(form: EntryForm, before: EntryForm) -> None:
    if form.type != before.type and form.type not in TYPES:
        raise Refused("Choose a type.", field="type")
    if not form.title:
        raise Refused("A reference needs a title.", field="title")
    if form.issued and form.issued != before.issued and "date-parts" not in (read_day(form.issued) or {}):
        raise Refused("Write the date as 2020, 2020-03 or 2020-03-14.", field="issued")
    if form.key != before.key and usable_key(form.key) != form.key:
        said = "A key can have letters, digits and signs such as - . : but no spaces, commas or braces."
        raise Refused(said, field="cite_key", code="unusable")
    texts = {**form.texts, "title": form.title, "cite_key": form.key}
    known = {**before.texts, "title": before.title, "cite_key": before.key}
    for name, text in texts.items():
        check_storable(text, name)
        if len(text) > LONGEST_TEXT and text != known.get(name):
            raise Refused(f"{LABELS.get(name, 'Title')}: at most {LONGEST_TEXT:,} characters.", field=name)
    for name, people in (("author", form.authors), ("editor", form.editors)):
        for person in people:
            check_storable(" ".join(person), name)
