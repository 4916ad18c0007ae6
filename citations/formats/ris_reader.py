"""The reader of RIS from any reference manager or database (SPEC C10): the only module that uses rispy.

rispy reads one entry at a time. The file is split into entries here, because rispy would join two entries at a missing
ER, and text outside of entries or in a broken one must be reported. Then rispy's fields are mapped to CSL variables.
"""

import logging
import re
from itertools import takewhile
from typing import Any

from rispy.parser import RisParser

from citations.formats.bibtex_fields import bare_doi
from citations.formats.csl import usable_key
from citations.formats.names_and_dates import Date, read_day
from citations.formats.reading import Csl, Entry, Problem, ProgressCallback, Reading, is_work, no_progress
from citations.formats.ris_writer import TYPES

log = logging.getLogger(__name__)

MAX_ENTRY = 300_000  # characters of one entry
# Two letters, two spaces, a hyphen; some programs indent the line, or omit the space after the hyphen.
_TAG = re.compile(r"\s{0,8}([A-Z][A-Z0-9])  -(?: (.*)|(\S.*)|\s*)")
_LINE_END = re.compile(r"\r\n?|\n")


class _Parser(RisParser):  # type: ignore[misc]  # rispy carries no types
    """rispy with lenient matching of tags, and without splitting URLs at semicolons."""

    DEFAULT_DELIMITER_MAPPING: dict[str, str] = {}
    DEFAULT_LIST_TAGS = [*RisParser.DEFAULT_LIST_TAGS, "SN"]  # a chapter has an ISBN, and an ISSN of its series

    def parse_line(self, line: str) -> tuple[str | None, str]:
        found = _TAG.fullmatch(line)
        return (found[1], (found[2] or found[3] or "").strip()) if found else (None, line.strip())


def read_ris(text: str, tick: ProgressCallback = no_progress) -> Reading:
    """Read a RIS file: return its readable entries in order, and a problem for each other part.

    `tick` is called with the number of lines read and the total; an exception from it ends the reading. A key is used
    where a text can cite it and no earlier entry has it.
    """
    reader = _Reader()
    lines = _LINE_END.split(text)
    for number, line in enumerate(lines):
        if number % 500 == 0:
            tick(number, len(lines))
        reader.read(number + 1, line.replace("\ufeff", ""))  # joined files have several byte order marks
    reader.close("")
    return Reading(reader.entries, reader.problems)


class _Reader:
    """Reads the lines of one file and splits it into entries."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.problems: list[Problem] = []
        self.lines: list[str] = []
        self.begun = 0  # the first line of the current entry, or of the current text outside of entries
        self.is_entry = False
        self.keys: set[str] = set()

    def read(self, number: int, line: str) -> None:
        """Read one line; `number` counts from 1."""
        found = _TAG.fullmatch(line)
        tag = found[1] if found else ""
        if tag == "TY":
            self.close("The ER line at the end of this entry is missing. The entry was read anyway.")
            self.is_entry, self.begun, self.lines = True, number, [line]
        elif tag == "ER" and self.is_entry:
            self.close("")
        elif self.is_entry or (line.strip() and tag != "ER"):
            self.begun = self.begun if self.lines else number
            self.lines.append(line)

    def close(self, missing: str) -> None:
        """End the current entry, or report text outside of entries. `missing` is a message if ER is missing."""
        lines, self.lines = self.lines, []
        if self.is_entry:
            self.is_entry = False
            self._entry(lines, missing)
        elif lines:
            self._report(
                "",
                "These lines are outside of any entry. An entry begins with TY and ends with ER. They were left out.",
                "\n".join(lines),
            )

    def _entry(self, lines: list[str], missing: str) -> None:
        raw = "\n".join(lines)
        if len(raw) > MAX_ENTRY:
            return self._report("", f"This entry is longer than {MAX_ENTRY:,} characters. It was left out.", raw)
        try:
            # rispy expects TY at the very beginning, and returns nothing before ER.
            (fields,) = _Parser().parse_lines(iter([lines[0].lstrip(), *lines[1:], "ER  - "]))
            csl, key = csl_from_ris(fields)
            entry = Entry("" if key in self.keys else key, "", csl, note_of(fields), self.begun)
        except Exception:
            log.warning("A RIS entry could not be read", exc_info=True)
            return self._report("", "This entry cannot be read. It was left out.", raw)
        if not is_work(entry.csl):
            return self._report(entry.key, "This entry has neither a title nor authors. It was left out.", raw)
        if missing:
            self._report(entry.key, missing)
        self.keys.add(entry.key)
        self.entries.append(entry)

    def _report(self, key: str, message: str, text: str = "") -> None:
        self.problems.append(Problem(self.begun, key, message, text))


Name = dict[str, str]

# RIS types that are read but never written; where several CSL types are written as one RIS type, the first is read.
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
# Tags: editors A2 or ED, editors of the series A3, translators A4.
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
_PMID_IN_NOTE = re.compile(r"\bPMID:?\s*(\d{1,8})\b")
_PMCID = re.compile(r"PMC\d{1,10}", re.IGNORECASE)
_ISBN = re.compile(r"(?<![\d-])(?:97[89][ -]?)?(?:\d[ -]?){9}[\dXx](?![\d-])")
_ISSN = re.compile(r"(?<![\d-])\d{4}-?\d{3}[\dXx](?![\d-])")


def csl_from_ris(fields: dict[str, Any]) -> tuple[Csl, str]:
    """Return the CSL item of an entry and its key, which is empty when it has none that a text can cite."""
    kind = _KINDS.get(_text(fields, "type_of_reference").upper(), "document")
    csl: Csl = {"type": kind, "title": _first(fields, "title", "primary_title")}
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
    """Return the abstract and the notes, each as a paragraph, without our own mark of a retraction."""
    notes = (note for note in _notes(fields) if note != "Retracted.")
    return "\n\n".join(
        dict.fromkeys(filter(None, [_text(fields, "abstract"), _text(fields, "notes_abstract"), *notes]))
    )


def _notes(fields: dict[str, Any]) -> list[str]:
    """Return the N1 lines; our writer puts the mark of a retraction and a note into one line, which is split."""
    found: list[str] = []
    for line in _all(fields, "notes"):
        found += ["Retracted.", line.removeprefix("Retracted. ")] if line.startswith("Retracted. ") else [line]
    return found


def _identifiers(fields: dict[str, Any], kind: str) -> Csl:
    doi = bare_doi(_text(fields, "doi"))
    if not doi:  # some databases put it into other fields
        doi = next(
            (
                found.group()
                for place in [_text(fields, "type_of_work"), _text(fields, "L3"), *_all(fields, "urls")]
                if (found := _DOI.search(place))
            ),
            "",
        )
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
    """Return the PMID: from the accession number AN, unless another database is named, else from the notes."""
    database = f"{_text(fields, 'name_of_database')} {_text(fields, 'database_provider')}".casefold().strip()
    found = _PMID.fullmatch(_text(fields, "accession_number"))
    if found and (not database or re.search(r"pubmed|medline|nlm", database)):
        return found[1]
    return next((said[1] for note in _notes(fields) if (said := _PMID_IN_NOTE.search(note))), "")


def _issued(fields: dict[str, Any]) -> Date | None:
    """Return the year of PY or Y1, or the more exact date of DA if it is in the same year."""
    year, date = _first(fields, "year", "publication_year"), _text(fields, "date")
    known, closer = _day(year), _day(date)
    if not closer or not known:
        return known or closer
    is_closer = "date-parts" in closer and closer["date-parts"][0][0] == known.get("date-parts", [[0]])[0][0]
    return closer if is_closer or "date-parts" not in known else known


def _day(text: str, *, literal: bool = True) -> Date | None:
    """Return the date of "2021/03/04/Spring" or shorter; two dates with a space are a range; else a literal."""
    halves = text.split(" ")
    found = [day for half in halves if (day := _DAY.fullmatch(half))]
    # Year, month and day up to the first missing part.
    days = [[int(number) for number in takewhile(bool, day.groups())] for day in found]
    fits = all(day[0] and all(1 <= one <= most for one, most in zip(day[1:], (12, 31), strict=False)) for day in days)
    if fits and len(days) == len(halves) <= 2:
        return {"date-parts": days}
    return read_day(text) if literal else None


def _put_people(csl: Csl, variable: str, written: list[str]) -> None:
    people = [one for one in written if not _OTHERS.fullmatch(one)]
    if names := [name for one in people if (name := _name(one))]:
        csl[variable] = names
    if variable == "author" and len(people) < len(written):
        csl.setdefault("custom", {})["others"] = True


def _name(written: str) -> Name:
    """Parse "van Lunteren, J., Jr."; several words without a given name are a group, one word is a family name."""
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
    """Return the values of a field with single spaces, also of tags that rispy does not know."""
    value = fields.get(name) or fields.get("unknown_tag", {}).get(name) or []
    return [text for one in (value if isinstance(value, list) else [value]) if (text := " ".join(one.split()))]


def _text(fields: dict[str, Any], name: str) -> str:
    return next(iter(_all(fields, name)), "")


def _first(fields: dict[str, Any], *names: str) -> str:
    return next(filter(None, (_text(fields, name) for name in names)), "")
