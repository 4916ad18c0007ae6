"""Which RIS field, by the name rispy gives it, is which CSL variable."""

import re
from typing import Any

from citations.formats.bibtex_fields import clean_doi
from citations.formats.csl import usable_key
from citations.formats.dates import Date, read_day
from citations.formats.entries import Csl
from citations.formats.ris import TYPES

Name = dict[str, str]

# Kinds that RIS has and we never write, and those of ours that share one of RIS: the first is what it means.
_KINDS = {written: kind for kind, written in reversed(TYPES.items())} | {
    "UNPB": "manuscript",
    "MANSCPT": "manuscript",
    "ABST": "article-journal",
    "EJOUR": "article-journal",
    "INPR": "article-journal",
    "JFULL": "article-journal",
    "CONF": "paper-conference",
    "EBOOK": "book",
    "EDBOOK": "book",
    "CLSWK": "book",
    "CTLG": "book",
    "ECHAP": "chapter",
    "GOVDOC": "report",
    "DBASE": "dataset",
    "AGGR": "dataset",
    "SLIDE": "speech",
    "ICOMM": "personal_communication",
    "PCOMM": "personal_communication",
    "CASE": "legal_case",
    "BILL": "bill",
    "STAT": "legislation",
    "LEGAL": "legislation",
    "HEAR": "hearing",
    "ART": "graphic",
    "FIGURE": "figure",
    "MPCT": "motion_picture",
    "MULTI": "webpage",
    "MUSIC": "musical_score",
    "SOUND": "song",
}
_TITLES = ("title", "primary_title")
_CONTAINERS = ("secondary_title", "journal_name", "alternate_title3", "alternate_title2", "alternate_title1")
_BOOKS = {"book", "chapter", "entry-encyclopedia", "entry-dictionary", "thesis", "pamphlet"}
_PLAIN = {
    "short_title": "title-short",
    "tertiary_title": "collection-title",
    "volume": "volume",
    "number": "issue",
    "custom7": "number",
    "edition": "edition",
    "publisher": "publisher",
    "place_published": "publisher-place",
    "type_of_work": "genre",
    "language": "language",
}
# Editors are tagged A2 or ED, of the series A3, translators A4.
_PEOPLE = {
    "author": ("authors", "first_authors"),
    "editor": ("secondary_authors", "ED"),
    "collection-editor": ("tertiary_authors",),
    "translator": ("subsidiary_authors",),
}
_OTHERS = re.compile(r"et al\.?|and others", re.IGNORECASE)
_DAY = re.compile(r"(\d{4})(?:[/-](\d{1,2})?)?(?:[/-](\d{1,2})?)?(?:[/-].*)?")
_DOI = re.compile(r"10\.\d{4,9}/\S+")
_PMID = re.compile(r"(?:(?:pmid|pubmed|medline)\W{0,3})?(\d{1,8})", re.IGNORECASE)
_PMID_SAID = re.compile(r"\bPMID:?\s*(\d{1,8})\b")
_PMCID = re.compile(r"PMC\d{1,10}", re.IGNORECASE)
_ISBN = re.compile(r"(?<![\d-])(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx](?![\d-])")
_ISSN = re.compile(r"(?<![\d-])\d{4}-?\d{3}[\dXx](?![\d-])")


def csl_of(fields: dict[str, Any]) -> tuple[Csl, str]:
    """The CSL item of an entry, and its key; empty when it gives none that a text can cite."""
    kind = _KINDS.get(_text(fields, "type_of_reference").upper(), "document")
    csl: Csl = {"type": kind, "title": _first(fields, *_TITLES)}
    if not csl["title"] and kind in _BOOKS:
        csl["title"] = _first(fields, "BT")
    csl["container-title"] = _first(fields, *_CONTAINERS, *(() if kind == "book" else ("BT",)))
    csl |= {variable: _text(fields, name) for name, variable in _PLAIN.items()}
    for variable, names in _PEOPLE.items():
        _put_people(csl, variable, [one for name in names for one in _all(fields, name)])
    csl["issued"] = _issued(fields)
    csl["accessed"] = _day(_text(fields, "access_date"), literal=False)
    csl["page"] = "-".join(filter(None, [_text(fields, "start_page"), _text(fields, "end_page")]))
    csl["keyword"] = ", ".join(_all(fields, "keywords"))
    csl["URL"] = "".join(_first(fields, "urls").split())
    csl |= _identifiers(fields, kind)
    if "Retracted." in _notes(fields):
        csl.setdefault("custom", {})["retracted"] = True
    return {name: value for name, value in csl.items() if value}, usable_key(_text(fields, "id"))


def note_of(fields: dict[str, Any]) -> str:
    """The abstract and the notes, a paragraph each; our own mark of a retraction is none of them."""
    abstracts = [_text(fields, "abstract"), _text(fields, "notes_abstract")]
    notes = [note for note in _notes(fields) if note != "Retracted."]
    return "\n\n".join(dict.fromkeys(filter(None, [*abstracts, *notes])))


def _notes(fields: dict[str, Any]) -> list[str]:
    """The lines of N1. The writer puts a mark of retraction and a note into one."""
    found: list[str] = []
    for line in _all(fields, "notes"):
        marked = line.startswith("Retracted. ")
        found += ["Retracted.", line.removeprefix("Retracted. ")] if marked else [line]
    return found


def _identifiers(fields: dict[str, Any], kind: str) -> Csl:
    doi = clean_doi(_text(fields, "doi"))
    if not doi:  # some databases keep it elsewhere
        places = [_text(fields, "type_of_work"), _text(fields, "L3"), *_all(fields, "urls")]
        found = next(filter(None, (_DOI.search(place) for place in places)), None)
        doi = found.group() if found else ""
    pmcid = _PMCID.fullmatch(_text(fields, "custom2"))
    serial = " ".join(_all(fields, "issn"))
    isbn, issn = _ISBN.search(serial), _ISSN.search(serial)
    is_book = kind in _BOOKS and not issn
    return {
        "DOI": doi,
        "PMID": _pmid(fields),
        "PMCID": pmcid.group() if pmcid else "",
        "ISBN": isbn.group() if isbn else serial if is_book else "",
        "ISSN": issn.group() if issn else "" if isbn or is_book else serial,
    }


def _pmid(fields: dict[str, Any]) -> str:
    """AN is the number in the database an entry comes from: PubMed's only if no other database is named."""
    database = f"{_text(fields, 'name_of_database')} {_text(fields, 'database_provider')}".casefold().strip()
    found = _PMID.fullmatch(_text(fields, "accession_number"))
    if found and (not database or re.search(r"pubmed|medline|nlm", database)):
        return found[1]
    said = next(filter(None, (_PMID_SAID.search(note) for note in _notes(fields))), None)
    return said[1] if said else ""


def _issued(fields: dict[str, Any]) -> Date | None:
    """The year of PY or Y1, with the day of DA where that is of the same year."""
    year, date = _first(fields, "year", "publication_year"), _text(fields, "date")
    known, closer = _day(year), _day(date)
    if not closer or not known:
        return known or closer
    is_closer = "date-parts" in closer and closer["date-parts"][0][0] == known.get("date-parts", [[0]])[0][0]
    return closer if is_closer or "date-parts" not in known else known


def _day(text: str, *, literal: bool = True) -> Date | None:
    """ "2021/03/04/Spring" and shorter; two days with a space between them are a range; words stay words."""
    days = [found for half in text.split(" ") if (found := _DAY.fullmatch(half))]
    if not 1 <= len(days) <= 2 or len(days) != len(text.split(" ")):
        return read_day(text) if literal else None
    numbers = [[int(number) for number in _known(found)] for found in days]
    fits = all(all(1 <= one <= most for one, most in zip(day[1:], (12, 31), strict=False)) for day in numbers)
    if fits and all(day[0] for day in numbers):
        return {"date-parts": numbers}
    return read_day(text) if literal else None


def _known(day: re.Match[str]) -> list[str]:
    """Year, month, day, up to the first that is missing."""
    known: list[str] = []
    for number in day.groups():
        if not number:
            break
        known.append(number)
    return known


def _put_people(csl: Csl, variable: str, written: list[str]) -> None:
    people = [one for one in written if not _OTHERS.fullmatch(one)]
    if names := [name for one in people if (name := _name(one))]:
        csl[variable] = names
    if variable == "author" and len(people) < len(written):
        csl.setdefault("custom", {})["others"] = True


def _name(written: str) -> Name:
    """ "van Lunteren, J., Jr."; without a comma, or with one behind it, it is a group, or somebody with one name."""
    family, *rest = (part.strip() for part in written.split(","))
    if not any(rest):
        return {"literal": family} if " " in family else {"family": family} if family else {}
    words = family.split()
    small = [place for place, word in enumerate(words[:-1]) if word[:1].islower()]
    cut = small[-1] + 1 if small else 0
    name = {
        "family": " ".join(words[cut:]),
        "given": rest[0],
        "non-dropping-particle": " ".join(words[:cut]),
        "suffix": ", ".join(filter(None, rest[1:])),
    }
    known = {part: text for part, text in name.items() if text}
    return known if "family" in known else {"literal": written.strip(" ,")} if written.strip(" ,") else {}


def _all(fields: dict[str, Any], name: str) -> list[str]:
    """The values of a field, white space single; tags rispy has no name for stand apart."""
    value = fields.get(name) or fields.get("unknown_tag", {}).get(name) or []
    return [text for one in (value if isinstance(value, list) else [value]) if (text := " ".join(one.split()))]


def _text(fields: dict[str, Any], name: str) -> str:
    return next(iter(_all(fields, name)), "")


def _first(fields: dict[str, Any], *names: str) -> str:
    return next(filter(None, (_text(fields, name) for name in names)), "")
