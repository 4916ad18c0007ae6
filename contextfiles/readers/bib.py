"""Reader of BibTeX: each entry becomes a passage of readable text. Other text and broken entries stay unchanged."""

import logging
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from bibtexparser import model
from bibtexparser.entrypoint import parse_string
from pylatexenc.latex2text import LatexNodes2Text

from contextfiles.passages import Chunk, Reading, decoded, reading_of_chunks
from contextfiles.readers.reference_text import reference_as_text
from contextfiles.readers.text import read_text

logging.getLogger("bibtexparser").setLevel(logging.CRITICAL)  # broken entries are expected, and their text is used

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_VENUE = ("journal", "journaltitle", "booktitle", "volume", "number", "pages", "edition", "school", "institution")
_PUBLISHED = ("publisher", "address", "location")
_LEFT_OUT = {"month", "file", "date-added", "date-modified", "bdsk-file-1", "timestamp", "owner", "groups"}
_ABSTRACT = {"abstract", "note", "annote", "annotation"}  # their paragraphs are kept
_BARE_PERCENT = re.compile(r"(?<!\\)%")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)


def read_bib(data: bytes) -> Reading:
    """Return the entries of a BibTeX file, all as leads, since they only name works; headings are the entries' keys.

    Raises Unreadable for bytes that are not text.
    """
    text = decoded(data)
    try:
        return reading_of_chunks(_chunks(text))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):  # the parser gave up
        reading = read_text(data)
        return Reading(reading.text, [replace(segment, is_lead=True) for segment in reading.segments])


def _chunks(text: str) -> Iterator[Chunk]:
    blocks = parse_string(text, parse_stack=[]).blocks
    strings = {month: month.capitalize() for month in _MONTHS}
    for block in blocks:
        if isinstance(block, model.String):
            strings[block.key.lower()] = _bare(str(block.value), strings)
    for block in blocks:
        entry = _entry(block)
        if entry is not None:
            yield Chunk(_entry_text(entry, strings) or block.raw or "", entry.key, is_lead=True)
        elif isinstance(block, model.ParsingFailedBlock):
            yield Chunk(block.raw or "", f"Not a whole entry, line {(block.start_line or 0) + 1}", is_lead=True)
        elif isinstance(block, model.ImplicitComment | model.ExplicitComment):
            yield Chunk(block.comment, "Beside the entries", is_lead=True)


def _entry(block: model.Block | None) -> model.Entry | None:
    """Return the entry of a block, also when its key or one of its fields is a duplicate."""
    if isinstance(block, model.DuplicateBlockKeyBlock | model.DuplicateFieldKeyBlock):
        return _entry(block.ignore_error_block)
    return block if isinstance(block, model.Entry) else None


def _entry_text(entry: model.Entry, strings: dict[str, str]) -> str:
    fields: dict[str, str] = {}
    for field in entry.fields:
        name = field.key.strip().lower()
        fields.setdefault(name, _text(_bare(str(field.value), strings), keep_paragraphs=name in _ABSTRACT))
    fields = {name: value for name, value in fields.items() if value}
    people = fields.pop("author", "") or fields.pop("editor", "")
    return reference_as_text(
        title=". ".join(filter(None, [fields.pop("title", ""), fields.pop("subtitle", "")])),
        authors=_AND.split(people) if people else [],
        year=fields.pop("year", "") or fields.pop("date", ""),
        venue=[fields.pop(name, "") for name in (*_VENUE, *_PUBLISHED)],
        doi=fields.pop("doi", ""),
        abstract=fields.pop("abstract", ""),
        rest=[(name.capitalize(), value) for name, value in fields.items() if name not in _LEFT_OUT],
    )


def _bare(raw: str, strings: dict[str, str]) -> str:
    """Return a value without its quotes or braces, with parts joined at `#` and @strings replaced."""
    raw = raw.strip()
    is_quoted = raw[:1] == '"' and raw[-1:] == '"' and raw.count('"') == 2
    if is_quoted or (raw[:1] == "{" and raw[-1:] == "}"):
        return raw[1:-1]
    return "".join(strings.get(part.lower(), part.strip('"')) for part in map(str.strip, raw.split("#")))


def _text(value: str, keep_paragraphs: bool = False) -> str:
    parts = re.split(r"\n\s*\n", value) if keep_paragraphs else [value]
    return "\n\n".join(filter(None, map(_unicode, parts)))


def _unicode(value: str) -> str:
    """Return LaTeX as Unicode text: accents and symbols as characters, without braces, with single spaces."""
    if "\\" in value or "$" in value:
        try:  # a percent sign starts a comment in LaTeX, but not in BibTeX
            value = _decoder().latex_to_text(_BARE_PERCENT.sub(r"\\%", value))
        except Exception:  # incomplete commands make pylatexenc raise many kinds of errors
            return " ".join(value.split())
    else:
        value = value.replace("---", "—").replace("--", "–").replace("~", " ").replace("{", "").replace("}", "")
    return " ".join(value.split())


@cache
def _decoder() -> LatexNodes2Text:
    return LatexNodes2Text(math_mode="text")
