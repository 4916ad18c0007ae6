"""Reader of RIS: each entry becomes a passage of readable text. Other lines and broken entries stay unchanged.

A line is a tag of two characters, two spaces, a hyphen, a space and the value; TY begins an entry and ER ends it.
"""

import re
from collections.abc import Iterator

from contextfiles.passages import Chunk, Reading, decoded, reading_of_chunks
from contextfiles.readers.reference_text import reference_as_text

_LINE = re.compile(r"\s*([A-Z][A-Z0-9])\s{1,2}-(?:\s(.*)|)$")
_TITLES, _AUTHORS, _YEARS = ("TI", "T1", "CT", "BT"), ("AU", "A1"), ("PY", "Y1", "DA")
_ABSTRACTS = ("AB", "N2")
_VENUE = ("JO", "JF", "T2", "JA", "BT", "VL", "IS")
_NAMES = {
    "A2": "Editor", "ED": "Editor", "KW": "Keywords", "N1": "Note", "PB": "Publisher", "CY": "Place", "UR": "Address",
    "LA": "Language", "SN": "ISSN or ISBN", "T3": "Series", "ET": "Edition", "M3": "Kind", "AN": "Number",
}  # fmt: skip
_LEFT_OUT = {"TY", "ER", "ID", "SP", "EP", "L1", "L2", "L3", "L4", "DB", "DP", "Y2", "RP"}

Fields = dict[str, list[str]]


def read_ris(data: bytes) -> Reading:
    """Return the entries of a RIS file, all as leads, since they only name works.

    Raises Unreadable for bytes that are not text, or for too long a text.
    """
    return reading_of_chunks(_chunks(decoded(data).split("\n")))


def _chunks(lines: list[str]) -> Iterator[Chunk]:
    """Yield the entries of a file and the lines between them."""
    held: list[str] = []  # lines of an entry that has not ended yet, or of no entry
    begun, first = False, 1
    for number, line in enumerate(lines, start=1):
        found = _LINE.match(line)
        tag = found[1] if found else ""
        if tag == "TY":
            yield _unread_chunk(held, begun, first)
            held, begun, first = [], True, number
        held.append(line)
        if tag == "ER" and begun:
            yield _entry_chunk(held, first)
            held, begun, first = [], False, number + 1
    yield _unread_chunk(held, begun, first)


def _unread_chunk(lines: list[str], is_entry: bool, first: int) -> Chunk:
    return Chunk(
        "\n".join(lines), f"Not a whole entry, line {first}" if is_entry else "Beside the entries", is_lead=True
    )


def _entry_chunk(lines: list[str], first: int) -> Chunk:
    fields = _fields(lines)
    pages = "–".join(dict.fromkeys(fields.get("SP", [])[:1] + fields.get("EP", [])[:1]))
    authors = [name for tag in _AUTHORS for name in fields.get(tag, [])]
    year = _first(fields, _YEARS).partition("/")[0]
    used = {*_TITLES, *_AUTHORS, *_YEARS, *_ABSTRACTS, *_VENUE, "DO", *_LEFT_OUT}
    said = reference_as_text(
        title=_first(fields, _TITLES),
        authors=authors,
        year=year,
        venue=[*dict.fromkeys(value for tag in _VENUE for value in fields.get(tag, [])[:1]), pages],
        doi=_first(fields, ("DO",)),
        abstract="\n\n".join(dict.fromkeys(value for tag in _ABSTRACTS for value in fields.get(tag, []))),
        rest=[(_NAMES.get(tag, tag), "; ".join(values)) for tag, values in fields.items() if tag not in used],
    )
    short = f"{authors[0].partition(',')[0] if authors else ''} {year}".strip()  # "Hagen 2019"
    return Chunk(said, _first(fields, ("ID",)) or short, is_lead=True) if said else _unread_chunk(lines, True, first)


def _fields(lines: list[str]) -> Fields:
    """Return the values of each tag; a line without a tag continues the value above it."""
    fields: Fields = {}
    values: list[str] = []
    for line in lines:
        found = _LINE.match(line)
        if found:
            values = fields.setdefault(found[1], [])
            values.append((found[2] or "").strip())
        elif line.strip() and values:
            values[-1] = f"{values[-1]} {line.strip()}".strip()
    return {tag: kept for tag, values in fields.items() if (kept := [value for value in values if value])}


def _first(fields: Fields, tags: tuple[str, ...]) -> str:
    return next((value for tag in tags for value in fields.get(tag, [])), "")
