"""Splitting text into blocks and sentences with exact positions: `text[s.start:s.end] == s.text`, always.

Markdown is respected without a full parser: a heading, a bullet and a table are units of their own and never joined
with their neighbours. A bold phrase that ends in a full stop or colon at the start of a paragraph is its heading
("**What they found.** Overall, ..."). A table of at most `TABLE_LIMIT` characters is one unit, because a row says
little without its header; in a longer table, and in rows without a header, each row is a unit.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

import sentencex

from text.reference_lists import is_entry
from text.stemming import figures, language_of
from text.table_rows import ROW
from text.vocabulary import ABBREVIATIONS, STOP_WORDS

TABLE_LIMIT = 1000  # characters
PARTS = " · "

_HEADING = re.compile(r" {0,3}#{1,6}\s+")
_BULLET = re.compile(
    r"\s*(?P<mark>[-*+•‣▪◦–]|\(?(?P<number>\d{1,3})[.)]|\(?(?P<letter>[a-z])[.)])\s+(?:\[[ xX]\]\s+)?(?=\S)"
)
_QUOTE = re.compile(r"\s*>+\s?")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){3,}$")
_SETEXT = re.compile(r" {0,3}(?:=+|-+)\s*$")
_RUN_IN = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,100}?)(?:[.:]\1|\1[.:])(?=\s)")
_ENDS_ABBREVIATED = re.compile(r"(?:^|[\s(\[–—-])([^\W\d_](?:\.?[^\W\d_])*)\.$")
_PROSE = re.compile(r"[a-z]{3}[.!?]\s+[A-Z]")
_LINE = re.compile(r"[^\n]*\n?")
_SPACE = re.compile(r"\s+")
_SIGN = re.compile(r"\S")
_ENDED = re.compile(r"[.!?…。！？][\"'”’»)\]*_`]*$")
_LED_IN = re.compile(r"[.:;!?…][\"'”’»)\]*_]*$")
_LABEL = re.compile(
    r"(?:\W*)(?:table|figure|fig\.?|tab\.?|abb\.?|abbildung|tabelle|tableau|tabla|figura|box|chart|appendix|chapter|kapitel)"
    r"\s+[A-Z]?\d+|\d+(?:\.\d+)+\.?\s",
    re.IGNORECASE,
)
_BRACKET = re.compile(r"[()\[\]]")
_CLOSING = re.compile(r"[)\]]")
_MARGIN = 8  # free characters, besides the next word, in a line that was broken on purpose
_FAR = 1_000  # characters within which an open bracket must be closed


class Sentence(NamedTuple):
    """A unit that can be quoted. `block` is the number of its block; `heading` is everything above it."""

    text: str
    start: int
    end: int
    block: int
    heading: str  # heading, introduction of a list, and run-in heading, separated by PARTS
    kind: str = "paragraph"  # paragraph, bullet, table, row
    is_whole: bool = True  # a complete statement: not part of a sentence, a heading, a caption or bare cells

    @property
    def is_table(self) -> bool:
        """Whether this unit is a whole table."""
        return self.kind == "table"

    @property
    def words(self) -> str:
        """The sentence on one line; a table unchanged."""
        return self.text if self.is_table else " ".join(self.text.split())


class Block(NamedTuple):
    """A block of a text, from `start` to `end`."""

    kind: str  # paragraph, bullet, table, row, heading
    start: int
    end: int


@lru_cache(maxsize=4096)
def sentences(text: str) -> tuple[Sentence, ...]:
    """Return the sentences, bullet sentences and tables of `text` in order. Headings are context, not units."""
    found: list[Sentence] = []
    above = _Above()
    for number, block in enumerate(_blocks(text)):
        bold = _RUN_IN.match(text, block.start, block.end)
        start, run_in = (bold.end(), bold[2]) if bold else (block.start, "")
        body = text[start : block.end].strip()
        if block.kind == "heading" or (bold and not body):
            above.begin(_bare(text[block.start : block.end]) if block.kind == "heading" else run_in)
            continue
        heading = above.of(block.kind, run_in)
        for first, last, is_last in _units(text, block, start):
            first, last = _trimmed(text, first, last)
            if unit := text[first:last]:
                found.append(Sentence(unit, first, last, number, heading, block.kind, _is_whole(unit, block, is_last)))
        above.passed(block.kind, body)
    return tuple(found)


@dataclass
class _Above:
    """The context of a block: the nearest heading, and the line that introduces a list or table."""

    heading: str = ""
    lead_in: str = ""

    def begin(self, heading: str) -> None:
        """Set a new heading."""
        self.heading, self.lead_in = heading, ""

    def of(self, kind: str, run_in: str) -> str:
        """Return the context of a block of this kind with the run-in heading `run_in`."""
        lead_in = self.lead_in if kind in ("bullet", "table", "row") else ""
        return PARTS.join(part for part in (self.heading, lead_in, run_in) if part)

    def passed(self, kind: str, text: str) -> None:
        """Process a block that may be the context of the next ones."""
        if kind == "paragraph" and is_title_like(text):
            self.begin(text)
        elif kind == "paragraph":
            last = text.splitlines()[-1].rstrip("*_") if text else ""
            self.lead_in = last.rstrip(":") if last.endswith(":") else ""


def is_title_like(text: str) -> bool:
    """Return whether a paragraph is an unmarked heading: one short line that does not end like a sentence."""
    return "\n" not in text and len(text) <= 90 and not figures(text) and text[-1:].isalnum()


def _bare(line: str) -> str:
    return line.strip(" #\t\r\n*_")


def headings(text: str) -> list[str]:
    """Return the headings in `text`."""
    marked = (_bare(text[block.start : block.end]) for block in _blocks(text) if block.kind == "heading")
    return list(filter(None, marked))


def table_rows(text: str) -> list[str]:
    """Return the body rows of a Markdown table, each verbatim without its outer bars."""
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    body = [row for row in rows if not _is_divider(row)]
    without_header = body[1:] if len(body) < len(rows) else body
    return [bare for row in without_header if (bare := row.strip("| \t"))]


def _is_divider(row: str) -> bool:
    return "-" in row and not row.strip("|-: \t")


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    unit = text[start:end]
    return end - len(unit.lstrip()), start + len(unit.rstrip())


def beginnings(text: str) -> list[int]:
    """Return the positions where a sentence, heading, item or row begins, including its marker, in order."""
    places: list[int] = []
    for block in _blocks(text):
        places.append(text.rfind("\n", 0, block.start) + 1)
        places += [_trimmed(text, first, last)[0] for first, last, _ in _units(text, block, block.start)][1:]
    return sorted({found.start() for place in places if (found := _SIGN.search(text, place))})


def _is_whole(unit: str, block: Block, is_last: bool) -> bool:
    """Return whether a unit has the form of a statement: a row, or words that end like a sentence.

    A final full stop may be missing in a line of notes, a list item or the last sentence of a paragraph.

    Unbalanced brackets mean part of a sentence. Captions of tables and figures and numbered headings state nothing, and
    an entry of a reference list is a lead.
    """
    if block.kind in ("row", "table"):
        return block.kind == "row" or "\n" in unit
    if not _is_balanced(unit) or is_entry(unit):
        return False
    if _ENDED.search(unit):
        return True
    words = unit.split()
    is_open = unit[-1] in ",;:-–—(/" or words[-1].casefold() in STOP_WORDS["en"]
    return is_last and not is_open and len(words) > 2 and not _LABEL.match(unit)


def _is_balanced(text: str) -> bool:
    """Return whether all brackets are balanced, apart from those after a number: "1)"."""
    depth = 0
    for match in _BRACKET.finditer(text):
        is_closing = match.group() in ")]"
        if is_closing and not depth and not _ITEM_MARK.search(text, max(0, match.start() - 4), match.end()):
            return False
        depth = max(0, depth - 1) if is_closing else depth + 1
    return depth == 0


_ITEM_MARK = re.compile(r"(?:^|[\s.,;:(])(?:\d{1,3}|[a-zA-Z]|[ivx]{1,4})\)$")


def _kind(line: str) -> str:
    bare = line.strip()
    if not bare or _RULE.match(line):
        return "blank"
    if _HEADING.match(line):
        return "heading"
    if bare.startswith(ROW):  # a table row as written by row_text, with column names
        return "row"
    if bare.startswith("|") or (("\t" in bare or " | " in bare) and not _PROSE.search(bare)):
        return "table"
    return "bullet" if _BULLET.match(line) else "paragraph"


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    yield from ((*match.span(), _kind(match[0])) for match in _LINE.finditer(text) if match[0])


def _blocks(text: str) -> list[Block]:
    """Return the blocks of `text` in order, without bullet and quotation markers."""
    found: list[Block] = []
    marks = _Marks()
    open_block, before = "", ""
    for start, end, kind in _lines(text):
        line = text[start:end]
        is_rule = open_block == "paragraph" and _SETEXT.match(line) and found[-1].end == start
        if is_rule and "\n" not in text[found[-1].start : start].strip() and len(line.strip()) > 1:
            found[-1] = found[-1]._replace(kind="heading")
        if is_rule or kind == "blank":
            open_block = ""
            continue
        marker = _BULLET.match(line) if kind == "bullet" else _QUOTE.match(line)
        if kind == "bullet" and not marks.begins(marker, open_block, before):  # type: ignore[arg-type]
            kind, marker = "paragraph", None
        before = line.rstrip()
        continues = kind == open_block != "bullet" or (kind == "paragraph" and open_block in ("bullet", "row"))
        if continues and kind != "heading":
            found[-1] = found[-1]._replace(end=end)
            continue
        found.append(Block(kind, start + (marker.end() if marker else 0), end))
        open_block = kind
    return found


class _Marks:
    """The markers of the open list, to tell the next item from a line that happens to begin with "12." or "–"."""

    def __init__(self) -> None:
        self.signs: set[str] = set()
        self.last: dict[str, int] = {}

    def begins(self, marker: re.Match[str], open_block: str, before: str) -> bool:
        """Return whether a line with `marker` begins an item.

        `before` is the line above, `open_block` the kind of its block.
        """
        stands_alone = open_block not in ("bullet", "paragraph")
        if stands_alone and (open_block or not self._goes_on(marker)):
            self.signs, self.last = set(), {}
        is_next = open_block == "bullet" and (self._goes_on(marker) or marker["mark"] in "*+•‣▪◦")
        is_first = bool(_LED_IN.search(before)) and (self._position(marker) or 1) == 1
        begins = stands_alone or is_next or is_first
        if begins:
            self._note(marker)
        return begins

    def _goes_on(self, marker: re.Match[str]) -> bool:
        position = self._position(marker)
        return marker["mark"] in self.signs if position is None else position - 1 in self.last.values()

    def _note(self, marker: re.Match[str]) -> None:
        position = self._position(marker)
        if position is None:
            self.signs.add(marker["mark"])
        else:
            self.last["number" if marker["number"] else "letter"] = position

    def _position(self, marker: re.Match[str]) -> int | None:
        if marker["number"]:
            return int(marker["number"])
        return ord(marker["letter"]) - ord("a") + 1 if marker["letter"] else None


def _units(text: str, block: Block, start: int) -> Iterator[tuple[int, int, bool]]:
    """Yield the units of a block: start, end, and whether the unit ends a paragraph, an item or a line."""
    if block.kind == "heading":
        yield start, block.end, True
    elif block.kind == "row":
        yield from ((first, last, True) for first, last in _rows(text, block))
    elif block.kind != "table":
        for first, last in _deliberate_lines(text, start, block.end):
            parts = list(_split(text, first, last))
            yield from ((*part, part is parts[-1]) for part in parts)
    elif block.end - block.start <= TABLE_LIMIT and text.startswith("|", block.start):
        yield block.start, block.end, True
    else:
        for match in _LINE.finditer(text, block.start, block.end):
            row = match.group().strip()
            if row and not _is_divider(row):
                inner = row.strip("| \t")
                first = text.index(inner, match.start(), match.end()) if inner else match.start()
                yield first, first + len(inner), True


def _rows(text: str, block: Block) -> Iterator[tuple[int, int]]:
    """Yield the rows of a block, each from after its marker to the next one."""
    marks = [match.end() for match in re.finditer(rf"^\s*{ROW}", text[block.start : block.end], re.MULTILINE)]
    for first, following in pairwise([*(block.start + at for at in marks), block.end + len(ROW)]):
        yield first, text.rfind("\n", first, following) if following <= block.end else block.end


def _deliberate_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the range, split where the writer started a new line on purpose, not where a line was full.

    A break is deliberate if the next line begins with a capital or a digit, its first word would have fitted with space
    to spare, and the words before it could end a statement. So text that was wrapped at some width is never split.
    """
    lines = [match for match in _LINE.finditer(text, start, end) if match.group().strip()]
    full = [text[text.rfind("\n", 0, line.start()) + 1 : line.end()].rstrip() for line in lines]
    width = max(map(len, full), default=0)
    first = start
    depth = 0  # open brackets
    for (line, whole), (following, _) in pairwise(zip(lines, full, strict=True)):
        after = following.group().lstrip()
        opens = after[:1].isupper() or after[:1].isdigit()
        has_room = len(whole) + 1 + len(after.split()[0]) + _MARGIN <= width
        depth = _depth(line.group(), depth)
        if opens and has_room and not depth and _could_end(whole):
            yield first, line.end()
            first = following.start()
    yield first, end


def _could_end(line: str) -> bool:
    """Return whether a line without a full stop may be a complete statement."""
    return line[-1] not in ",;-–—(/&=<>+.!?" and line.split()[-1].casefold() not in STOP_WORDS["en"]


def _depth(text: str, depth: int = 0) -> int:
    """Return the number of open brackets at the end of `text`, given `depth` open ones before it."""
    for char in _BRACKET.findall(text):
        depth = depth + 1 if char in "([" else max(0, depth - 1)
    return depth


def _split(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield sentence boundaries found by sentencex, corrected for its known errors: "6 mg. daily", "Approx. 5 ml".

    White space of every kind and length counts the same, so wrapping makes no difference.
    """
    part, places = _on_one_line(text, start, end)
    language = language_of(part)
    begin = depth = 0
    for found in sentencex.get_sentence_boundaries(language, part):
        first, last = found["start_index"], found["end_index"]
        depth = _depth(part[first:last], depth)
        before, after = part[first:last].rstrip(), part[last:].lstrip()
        if after and ((depth > 0 and bool(_CLOSING.search(part, last, last + _FAR))) or _runs_on(before, after)):
            continue
        yield places[begin], places[last]
        begin, depth = last, 0
    if begin < len(part):
        yield places[begin], end


def _on_one_line(text: str, start: int, end: int) -> tuple[str, list[int]]:
    """Return `text[start:end]` with single spaces, and the position in `text` of each character and of the end."""
    parts: list[str] = []
    places: list[int] = []
    at = start
    for match in _SPACE.finditer(text, start, end):
        parts += [text[at : match.start()], " "]
        places += range(at, match.start() + 1)
        at = match.end()
    parts.append(text[at:end])
    places += [*range(at, end), end]
    return "".join(parts), places


def _runs_on(before: str, after: str) -> bool:
    """Return whether a sentence continues: a small letter follows, or a digit after an abbreviation."""
    if not before.endswith("."):
        return after[:1].islower() and not before.endswith(("!", "?", "。", "！", "？", "…", ":"))
    opening = after.lstrip("(\"'“‘[*_")
    word = _ENDS_ABBREVIATED.search(before)
    name = word[1].casefold() if word else ""
    if opening[:1].islower() or name not in ABBREVIATIONS:
        return opening[:1].islower()
    following = opening.split(maxsplit=1)[0] if opening else ""
    return any(map(str.isdigit, following)) or not opening[:1].isupper() or name in _TITLES


_TITLES = frozenset({"dr", "mr", "mrs", "ms", "prof", "st", "mt", "vs", "cf", "e.g", "i.e", "z.b", "vgl"})
