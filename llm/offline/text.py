"""A text as blocks and sentences, each with its exact place: `text[s.start:s.end] == s.text`, always.

Markdown is respected without being parsed: a heading, a bullet and a table are units of their own and never glued
to what stands beside them. A bold phrase that ends in a full stop or colon at the start of a paragraph is its
heading ("**What they found.** Overall, ..."). A table of at most `TABLE_LIMIT` characters is one unit, because a
row without its header says little; of a longer one, and of rows without a header, each row is a unit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import sentencex

from llm.offline.vocabulary import ABBREVIATIONS, STOP_WORDS
from llm.offline.words import figures, language_of

TABLE_LIMIT = 1000  # characters
PARTS = " · "

_HEADING = re.compile(r" {0,3}#{1,6}\s+")
_BULLET = re.compile(r"\s*(?:[-*+•‣–]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+(?:\[[ xX]\]\s+)?(?=\S)")
_QUOTE = re.compile(r"\s*>+\s?")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)\s*$")
_RUN_IN = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,100}?)(?:[.:]\1|\1[.:])(?=\s)")
_ENDS_ABBREVIATED = re.compile(r"(?:^|[\s(\[])([^\W\d_](?:\.?[^\W\d_])*)\.$")
_PROSE = re.compile(r"[a-z]{3}[.!?]\s+[A-Z]")
_LINE = re.compile(r"[^\n]*\n?")


class Sentence(NamedTuple):
    """A unit that can be quoted. `block` counts the blocks of the text; `heading` is all that stands above it."""

    text: str
    start: int
    end: int
    block: int
    heading: str  # heading, lead-in of a list and run-in heading, parted by PARTS
    kind: str = "paragraph"  # paragraph, bullet, table

    @property
    def is_table(self) -> bool:
        return self.kind == "table"


class Block(NamedTuple):
    kind: str  # paragraph, bullet, table, heading
    start: int
    end: int


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Every sentence, bullet sentence and table of `text` in order; headings are context and not in the list."""
    found: list[Sentence] = []
    above = _Above()
    for number, block in enumerate(_blocks(text)):
        if block.kind == "heading":
            above.begin(_bare(text[block.start : block.end]))
            continue
        start, run_in = block.start, ""
        bold = _RUN_IN.match(text, start, block.end)
        if bold and not text[bold.end() : block.end].strip():
            above.begin(bold.group(2))
            continue
        if bold:
            start, run_in = bold.end(), bold.group(2)
        heading = above.of(block.kind, run_in)
        for first, last in _units(text, block, start):
            first, last = _trimmed(text, first, last)
            if first < last:
                found.append(Sentence(text[first:last], first, last, number, heading, block.kind))
        above.passed(block.kind, text[start : block.end].strip())
    return tuple(found)


@dataclass
class _Above:
    """What stands above a block: the nearest heading, and the line that leads into a list or a table."""

    heading: str = ""
    lead_in: str = ""

    def begin(self, heading: str) -> None:
        self.heading, self.lead_in = heading, ""

    def of(self, kind: str, run_in: str) -> str:
        lead_in = self.lead_in if kind in ("bullet", "table") else ""
        return PARTS.join(part for part in (self.heading, lead_in, run_in) if part)

    def passed(self, kind: str, text: str) -> None:
        if kind != "paragraph":
            return
        if is_title_like(text):
            self.begin(text)
        else:
            last = text.splitlines()[-1] if text else ""
            self.lead_in = last.rstrip("*_").rstrip(":") if last.rstrip("*_").endswith(":") else ""


def is_title_like(text: str) -> bool:
    """Whether a paragraph is a heading without marks: one short line of words that does not end as a sentence does."""
    return "\n" not in text and len(text) <= 90 and not figures(text) and text[-1:].isalnum()


def _bare(line: str) -> str:
    return line.strip(" #\t\r\n*_")


def headings(text: str) -> list[str]:
    """The headings that stand in `text` itself."""
    marked = (text[block.start : block.end] for block in _blocks(text) if block.kind == "heading")
    return [words for each in marked if (words := _bare(each))]


def table_rows(text: str) -> list[str]:
    """The body rows of a Markdown table, each verbatim without its outer bars."""
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    body = [row for row in rows if not _is_divider(row)]
    if len(body) < len(rows):
        body = body[1:]
    return [row.strip("| \t") for row in body if row.strip("| \t")]


def _is_divider(row: str) -> bool:
    return bool(row) and "-" in row and not row.strip("|-: \t")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _kind(line: str) -> str:
    bare = line.strip()
    if not bare or _RULE.match(line):
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if bare.startswith("|") or (("\t" in bare or " | " in bare) and not _PROSE.search(bare)):
        return "table"
    return "bullet" if _BULLET.match(line) else "paragraph"


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _LINE.finditer(text):
        if match.group():
            yield match.start(), match.end(), _kind(match.group())


def _blocks(text: str) -> list[Block]:
    """The blocks of `text` in order, markers of bullets and quotations left out."""
    found: list[Block] = []
    open_block = ""
    for start, end, kind in _lines(text):
        line = text[start:end]
        if open_block == "paragraph" and _SETEXT.match(line) and found and found[-1].end == start:
            if "\n" not in text[found[-1].start : found[-1].end].strip() and len(line.strip()) > 1:
                found[-1] = found[-1]._replace(kind="heading")
            open_block = ""
            continue
        if kind == "blank":
            open_block = ""
            continue
        continues = kind == open_block != "bullet" or (kind == "paragraph" and open_block == "bullet")
        if continues and kind != "heading":
            found[-1] = found[-1]._replace(end=end)
            continue
        marker = _BULLET.match(line) if kind == "bullet" else _QUOTE.match(line)
        found.append(Block(kind, start + (marker.end() if marker else 0), end))
        open_block = kind
    return found


def _units(text: str, block: Block, start: int) -> Iterator[tuple[int, int]]:
    if block.kind != "table":
        for first, last in _deliberate_lines(text, start, block.end):
            yield from _split(text, first, last)
    elif block.end - block.start <= TABLE_LIMIT and text.startswith("|", block.start):
        yield block.start, block.end
    else:
        for match in _LINE.finditer(text, block.start, block.end):
            row = match.group().strip()
            if row and not _is_divider(row):
                inner = row.strip("| \t")
                first = text.index(inner, match.start(), match.end()) if inner else match.start()
                yield first, first + len(inner)


def _deliberate_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The stretch cut where its writer chose to begin a new line, not where a line was merely full.

    A break is a choice when the next line begins with a capital or a figure and its first word would still have
    fitted, and the line does not end in the middle of a phrase. A line that ends a sentence is one in any case.
    """
    lines = [match for match in _LINE.finditer(text, start, end) if match.group().strip()]
    width = max((len(line.group().rstrip()) for line in lines), default=0)
    first = start
    for line, following in pairwise(lines):
        before, after = line.group().rstrip(), following.group().lstrip()
        opens = after[:1].isupper() or after[:1].isdigit()
        room = width - len(before) - 1
        ended = before[-1] not in ",;-–—(" and before.split()[-1].casefold() not in STOP_WORDS["en"]
        if opens and (_ends_sentence(before) or (ended and len(after.split()[0]) <= room)):
            yield first, line.end()
            first = following.start()
    yield first, end


def _ends_sentence(line: str) -> bool:
    word = _ENDS_ABBREVIATED.search(line)
    return line.endswith((".", "!", "?")) and not (word and word.group(1).casefold() in ABBREVIATIONS)


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Sentence boundaries by sentencex, with its known misses mended: "6 mg. daily", "Approx. 5 ml"."""
    part = text[start:end]
    language = language_of(part)
    pending: int | None = None
    for found in sentencex.get_sentence_boundaries(language, part):
        first, last = found["start_index"], found["end_index"]
        first = first if pending is None else pending
        pending = None
        if last < len(part) and _runs_on(part[first:last].rstrip(), part[last:].lstrip()):
            pending = first
            continue
        yield start + first, start + last
    if pending is not None:
        yield start + pending, end


def _runs_on(before: str, after: str) -> bool:
    """Whether a sentence goes on: a small letter follows, or a figure after an abbreviation."""
    if not before.endswith("."):
        return bool(after[:1].islower()) and not before.endswith(("!", "?", "。", "！", "？", "…", ":"))
    opening = after.lstrip("(\"'“‘[*_")
    if opening[:1].islower():
        return True
    word = _ENDS_ABBREVIATED.search(before)
    if not word:
        return False
    name = word.group(1)
    if name.casefold() in ABBREVIATIONS:
        return opening[:1].isdigit() or not opening[:1].isupper() or name.casefold() in _TITLES
    return False


_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "mt", "vs", "cf", "e.g", "i.e", "z.b", "al"})
