"""The writer of RIS for reference managers (SPEC C10, R14); `ris_reader` reads it back.

A line is a tag of two characters, two spaces, a hyphen, a space and the value; `ER` ends an entry. RIS has no escaping,
so a value is one line, and the parts of a name are separated only by commas.
"""

import re
from collections.abc import Iterator

from citations.formats.names_and_dates import date_fields
from citations.formats.reading import Csl, custom_of, dicts_of, text_of

TYPES = {
    "article-journal": "JOUR",
    "article-magazine": "MGZN",
    "article-newspaper": "NEWS",
    "article": "UNPB",
    "manuscript": "UNPB",
    "paper-conference": "CPAPER",
    "speech": "CPAPER",
    "book": "BOOK",
    "chapter": "CHAP",
    "entry-encyclopedia": "ENCYC",
    "entry-dictionary": "DICT",
    "thesis": "THES",
    "report": "RPRT",
    "standard": "STAND",
    "webpage": "ELEC",
    "post": "ELEC",
    "post-weblog": "BLOG",
    "dataset": "DATA",
    "software": "COMP",
    "patent": "PAT",
    "pamphlet": "PAMP",
    "motion_picture": "VIDEO",
    "map": "MAP",
}
_SERIAL = {"article-journal", "article-magazine", "article-newspaper"}
_PARTS = {"chapter", "paper-conference"}  # for these types A2 are the editors of the book
PLAIN = {
    "T3": "collection-title",
    "VL": "volume",
    "IS": "issue",
    "C7": "number",
    "ET": "edition",
    "PB": "publisher",
    "CY": "publisher-place",
    "M3": "genre",
    "LA": "language",
    "DO": "DOI",
    "AN": "PMID",
    "C2": "PMCID",
    "UR": "URL",
}
_PAGES = re.compile(r"\s*([^-–—]+?)\s*[-–—]+\s*([^-–—]+?)\s*")


def write_ris(csl: Csl, key: str) -> str:
    """Return one entry as RIS: TY, ID, the fields, ER."""
    lines = [("TY", TYPES.get(text_of(csl.get("type")), "GEN")), ("ID", key), *_fields(csl)]
    return "".join([*(f"{tag}  - {one}\n" for tag, value in lines if (one := " ".join(value.split()))), "ER  - \n"])


def _fields(csl: Csl) -> Iterator[tuple[str, str]]:
    yield from (("AU", name) for name in _names(csl, "author"))
    yield from (("A2" if csl.get("type") in _PARTS else "ED", name) for name in _names(csl, "editor"))
    yield from (("A4", name) for name in _names(csl, "translator"))
    yield "TI", text_of(csl.get("title"))
    container = text_of(csl.get("container-title"))
    yield "T2", container
    # Some programs read the journal's name from T2, others from JO.
    yield "JO", container if csl.get("type") in _SERIAL else ""
    yield from _dates(csl)
    yield from _pages(text_of(csl.get("page")))
    numbers = ("ISSN", "ISBN") if csl.get("type") in _SERIAL else ("ISBN", "ISSN")  # some programs read only the first
    yield from (("SN", text_of(csl.get(name))) for name in numbers)
    yield from ((tag, text_of(csl.get(variable))) for tag, variable in PLAIN.items())
    yield from (("KW", word) for word in re.split(r"\s*[,;]\s*", text_of(csl.get("keyword"))))
    yield "AB", text_of(csl.get("abstract"))
    yield (
        "N1",
        " ".join(filter(None, ["Retracted." if custom_of(csl).get("retracted") else "", text_of(csl.get("note"))])),
    )


def _dates(csl: Csl) -> Iterator[tuple[str, str]]:
    issued = date_fields(csl.get("issued"))
    year, _, rest = issued.get("year", issued.get("date", "")).partition("/")
    yield "PY", year[:4] if year[:4].isdecimal() else ""
    if not year.isdecimal() or rest:
        yield "DA", " ".join(filter(None, [year, rest]))  # words ("in press") or a range, which PY does not allow
    elif issued.get("month"):
        yield (
            "DA",
            "/".join([year, *(issued.get(name, "").zfill(2) for name in ("month", "day") if name in issued), ""]),
        )
    yield "Y2", date_fields(csl.get("accessed"), whole=True).get("date", "").replace("-", "/")


def _pages(text: str) -> Iterator[tuple[str, str]]:
    found = _PAGES.fullmatch(text)
    yield "SP", found[1] if found else text
    yield "EP", found[2] if found else ""


def _names(csl: Csl, variable: str) -> Iterator[str]:
    """Yield each name as "van Lunteren, J., Jr."; a group unchanged."""
    for person in dicts_of(csl.get(variable)):
        particle = text_of(person.get("non-dropping-particle")) or text_of(person.get("dropping-particle"))
        family = " ".join(filter(None, [particle, text_of(person.get("family"))]))
        parts = [family, text_of(person.get("given")), text_of(person.get("suffix"))]
        while parts and not parts[-1]:
            parts.pop()
        yield ", ".join(parts) if family else text_of(person.get("literal"))
