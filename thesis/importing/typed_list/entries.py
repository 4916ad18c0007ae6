"""Finding a typed list of references in a section and splitting it into its entries (SPEC C5). Pure.

The list is what follows a heading such as References, Literatur or संदर्भ, also one that is only a paragraph, up to the
next heading. Its entries are paragraphs, items or lines; a number before one is the number that is typed there, or that
of an automatic list.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from latex.cite_keys import visible
from latex.headings import Heading, headings_in
from latex.shown_text import shown_text
from text.reference_lists import LIKELY, is_entry, is_list_heading, is_prose, signs_of

MOST = 2_000  # entries of a list
_LONGEST_HEADING = 150  # characters of LaTeX
_BREAK = re.compile(
    r"\n[ \t]*\n\s*|\\item(?![A-Za-z])(?:\[[^\]]*\])?\s*|\\\\(?:\[[^\]]*\])?\s*"
    r"|\\(?:begin|end)\{(?:enumerate|itemize|quote|description)\}(?:\[[^\]]*\])?\s*"
    r"|\\setcounter\{enum[iv]+\}\{\d+\}\s*|\\label\{[^{}]*\}\s*|\Z"
)
_ADDRESS = re.compile(r"\\(?:url|nolinkurl)\{([^{}]*)\}|\\href\{([^{}]*)\}\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_RAISED = re.compile(r"\\textsuperscript\{\s*(\d{1,4})\s*\}")
_SIGNS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NUMBER = re.compile(r"(?:\[(\d{1,4})\]|\((\d{1,4})\)|(\d{1,4})[.)](?!\d)|(\d{1,4})(?=\s+[^\W\d_a-z]))\s*")
_RAISED_SIGN = re.compile(r"([⁰¹²³⁴⁵⁶⁷⁸⁹]+)\s*")


@dataclass(frozen=True)
class TypedEntry:
    """An entry of a typed list: its words without its number, its number or None, and its place in the LaTeX."""

    text: str
    number: int | None
    start: int
    end: int


@dataclass(frozen=True)
class TypedList:
    """A typed list at `start` to `end` of a section, with its heading, and its entries.

    `in_brackets`: the numbers are typed as (1), so that such marks in the text can mean them.
    """

    title: str
    start: int
    end: int
    entries: list[TypedEntry]
    in_brackets: bool = False

    @property
    def is_numbered(self) -> bool:
        """Whether most entries have a number."""
        return 2 * sum(one.number is not None for one in self.entries) >= len(self.entries)


@dataclass
class _Block:
    """A paragraph, an item or a line. `counted`: its number in an automatic list."""

    text: str
    start: int
    end: int
    counted: int | None


def find_list(latex: str) -> TypedList | None:
    """Return the last typed list of references in the LaTeX of a section; None if there is none."""
    headings = [Heading(0, ""), *headings_in(latex, None)]
    ends = [*(one.start for one in headings[1:]), len(latex)]
    for heading, end in reversed(list(zip(headings, ends, strict=True))):
        if is_list_heading(heading.title):
            close = latex.find("}", heading.start) + 1
            found = _list_of(latex, heading.title, heading.start, close, end)
            if found.entries:
                return found
        # A heading that is only a paragraph, perhaps in bold
        for one in reversed(list(_blocks(latex, heading.start, end, longest=_LONGEST_HEADING))):
            if is_list_heading(one.text) and one.end < end:
                found = _list_of(latex, one.text, one.start, one.end, end)
                if found.entries:
                    return found
    return None


def _list_of(latex: str, title: str, start: int, begin: int, end: int) -> TypedList:
    entries: list[TypedEntry] = []
    lines: list[tuple[str, int]] = []  # that go on, if another number follows; otherwise the list ended before them
    in_brackets = 0
    for block in _blocks(latex, begin, end):
        number, words, is_bracketed = _numbered(block)
        if number is None and entries:
            has_numbers = any(one.number is not None for one in entries)
            if not has_numbers and is_prose(block.text) and re.search(r"[A-Za-z]", block.text):
                break  # the list has ended
            if has_numbers and not is_entry(words):
                lines.append((words, block.end))
                continue
        if number is None and not entries and signs_of(words) < LIKELY:
            break  # words before a list, or no list
        if lines:
            text = " ".join([entries[-1].text, *(line for line, _ in lines)])
            entries[-1] = replace(entries[-1], text=text, end=lines[-1][1])
            lines = []
        in_brackets += is_bracketed
        entries.append(TypedEntry(words, number, block.start, block.end))
        if len(entries) == MOST:
            break
    rest = _blank_end(latex, entries[-1].end if entries else begin, end)
    return TypedList(title, start, rest, entries, 2 * in_brackets > len(entries))


def _blank_end(latex: str, stop: int, end: int) -> int:
    """Return where a list ends that has its last entry at `stop`: after the commands that close it."""
    found = re.compile(r"(?:\s|\\end\{(?:enumerate|itemize|quote|description)\})*").match(latex, stop, end)
    return found.end() if found else stop


def _blocks(latex: str, begin: int, end: int, *, longest: int = 20_000) -> Iterator[_Block]:
    """Yield the paragraphs, items and lines of a stretch that are not longer, without commands around them."""
    seen = visible(latex)
    at, counters, in_item = begin, list[int](), False
    for found in _BREAK.finditer(seen, begin, end):
        sign = found[0]
        words = _words(latex[at : found.start()]) if found.start() - at <= longest else ""
        if words:
            start = at + len(latex[at : found.start()]) - len(latex[at : found.start()].lstrip())
            number = counters[-1] if counters and in_item and counters[-1] else None
            yield _Block(words, start, found.start(), number)
            in_item = False
        at = found.end()
        if sign.startswith("\\begin"):
            counters.append(0 if "enumerate" in sign else -MOST * 2)
        elif sign.startswith("\\end") and counters:
            counters.pop()
        elif sign.startswith("\\setcounter") and counters:
            counters[-1] = int(re.findall(r"\d+", sign)[0])
        elif sign.startswith("\\item"):
            in_item = True
            if counters:
                counters[-1] += 1


def _numbered(block: _Block) -> tuple[int | None, str, bool]:
    """Return the number of a block, its words without it, and whether it is typed as (1)."""
    if found := _RAISED_SIGN.match(block.text):
        return int(found[1].translate(_SIGNS)), block.text[found.end() :], False
    if found := _NUMBER.match(block.text):
        digits = next(filter(None, found.groups()))
        return int(digits), block.text[found.end() :], bool(found[2])
    counted = block.counted if block.counted and block.counted > 0 else None
    return counted, block.text, False


def _words(latex: str) -> str:
    """Return the words of a stretch as they are read, with its addresses in full."""
    if not latex.strip():
        return ""
    latex = _RAISED.sub(r"[\1]", latex)
    latex = _ADDRESS.sub(_address, latex)
    return " ".join(shown_text(latex).text.replace("\ufffc", " ").split())


def _address(found: re.Match[str]) -> str:
    target = found[1] or found[2]
    return target if found[1] or (found[3] or "") in target else f"{found[3]} {target}"
