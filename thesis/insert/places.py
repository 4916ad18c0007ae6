r"""The places of a section at which something can be inserted: its end, below a heading, at the cursor (SPEC T7).

All are ends of paragraphs outside braces and environments, so nothing is inserted into a command, a table or a figure.
"""

import json
import re
from typing import Any, NamedTuple

from core.errors import Refused
from latex.headings import Heading, headings_in, nested, plain, shown
from sections.comment_anchors import Anchor, find_place
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers
from thesis.drafting.proposal import AT_THE_END, Placement
from thesis.models import Draft

AT_THE_CURSOR = "cursor"
_GAP = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r)){2,}[ \t]*")
_MOST_ANCHOR = 4_000  # characters of the cursor's place as the editor sends it
_MOST_BLOCK = 4_000  # characters of a paragraph that are read for its first words
_MOST_WORDS = 7
_HEADING = re.compile(
    r"\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph)\*?\s*(?:\[[^\]]*\])?\{(?P<title>(?:[^{}]|\{[^{}]*\})*)\}"
    r"(?:\s*\\label\{[^{}]*\})?\s*"
)
_FLOAT = re.compile(r"\\begin\{(?:sideways|long|wrap)?(table|figure|tabular)[x*]?\}")
_CAPTION = re.compile(r"\\caption\*?(?:\[[^\]]*\])?\{((?:[^{}]|\{[^{}]*\})*)\}")
_FORMULA = re.compile(r"\\\[|\$\$|\\begin\{(?:equation|align|gather|multline)\*?\}")
_LIST = re.compile(r"\\begin\{(?:itemize|enumerate|description)\}")


class Place(NamedTuple):
    """A place in a section: the value of its choice, and its name."""

    value: str
    label: str


class CursorPlace(NamedTuple):
    """Where the cursor's paragraph ends in the present text; `at` is None at the end of the section."""

    at: int | None
    label: str


def places_in(section: Section, cursor: Anchor | None = None) -> list[Place]:
    """Return the places where something can be inserted: at the cursor, at the end, at the end of each heading's part.

    A heading inside a float is no place.
    """
    found = _headings(section.latex)
    numbers = {one.start: one.number for one in compute_printed_numbers(section.project, section).here}
    labels: dict[str, str] = {}  # by value; of headings that end at one place, the highest names it
    open_headings: list[Heading] = []
    for one in found:
        while open_headings and open_headings[-1].level >= one.level:
            ended = open_headings.pop()
            title = f"{numbers.get(ended.start, '')} {ended.title}".strip()
            labels[f"{section.version}-{one.start}"] = f"At the end of “{title}”"
        open_headings.append(one)
    at_cursor = cursor_place(section.latex, cursor) if cursor else None
    first = [Place(AT_THE_CURSOR, f"At the cursor, {at_cursor.label}")] if at_cursor else []
    ordered = sorted(labels.items(), key=lambda one: int(one[0].partition("-")[2]))
    return [*first, Place("", "At the end of the section"), *(Place(*one) for one in ordered)]


def _headings(latex: str) -> list[Heading]:
    found = headings_in(latex, most=None)
    inside = nested(shown(latex), [one.start for one in found]) if found else set()
    return [one for one in found if one.start not in inside]


def placement(section: Section, value: str, cursor: Anchor | None) -> Placement:
    """Return the chosen place. Raises Refused (409, stale) for one that the section does not have, or no longer has."""
    if not value:
        return AT_THE_END
    if value == AT_THE_CURSOR:
        found = cursor_place(section.latex, cursor) if cursor else None
        if found is None:
            raise _refused("The paragraph of the cursor is no longer in the section. Choose the place again.")
        return AT_THE_END if found.at is None else Placement(Draft.Place.RANGE, found.at, found.at, section.version)
    if value not in {place.value for place in places_in(section)}:
        raise _refused("This place is not in the section, or its text was changed. Choose the place again.")
    version, _, start = value.partition("-")
    return Placement(Draft.Place.RANGE, int(start), int(start), int(version))


def _refused(words: str) -> Refused:
    return Refused(words, field="place", code="stale", status=409)


def cursor_in(sent: str) -> tuple[str, Anchor] | None:
    """Return the section (its slug) and the paragraph of the cursor as the open editor sends them; None if it did not.

    `sent` is JSON: {"section", "quote", "before", "after", "start"}.
    """
    try:
        read: Any = json.loads(sent) if 0 < len(sent) <= _MOST_ANCHOR else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(read, dict):
        return None
    words: list[Any] = [read.get(name) for name in ("section", "quote", "before", "after")]
    start = read.get("start")
    if not all(isinstance(one, str) and "\0" not in one for one in words) or not isinstance(start, int):
        return None
    slug, quote, before, after = words
    return (slug, Anchor(quote, before, after, max(0, start))) if quote.strip() else None


def cursor_place(latex: str, cursor: Anchor) -> CursorPlace | None:
    """Return the end of the paragraph or float of the cursor, and where that is in words; None if it is gone."""
    found = find_place(latex, cursor)
    if found is None:
        return None
    gaps = list(_GAP.finditer(latex))
    inside = nested(shown(latex), [gap.start() for gap in gaps])
    free = [gap for gap in gaps if gap.start() not in inside and gap.start() > 0]
    start, end = found[0], max(found[0] + 1, found[1])
    before = max((gap.end() for gap in free if gap.end() <= start), default=0)
    after = next((gap for gap in free if gap.start() >= end), None)
    block = latex[before : after.start() if after else len(latex)].strip()
    at = None if after is None or not latex[after.end() :].strip() else after.end()
    return CursorPlace(at, f"after {_in_words(block)}")


def _in_words(block: str) -> str:
    """Return a block in words: the paragraph that begins “Of 212 patients…”, the table “Deaths by arm”."""
    block = block[-_MOST_BLOCK:] if _HEADING.match(block[-_MOST_BLOCK:]) else block[:_MOST_BLOCK]
    title = ""
    while heading := _HEADING.match(block):
        title, block = plain(heading["title"]), block[heading.end() :]
    if not block.strip():
        return f"the heading “{title}”" if title else "the text before it"
    if found := _FLOAT.match(block):
        caption = _CAPTION.search(block)
        kind = "figure" if found[1] == "figure" else "table"
        return f"the {kind} “{_first_words(caption[1])}”" if caption else f"the {kind}"
    if _FORMULA.match(block):
        return "the formula"
    words = _first_words(block)
    kind = "list" if _LIST.match(block) else "paragraph"
    return f"the {kind} that begins “{words}”" if words else f"the {kind}"


def _first_words(latex: str) -> str:
    words = plain(re.sub(r"(?<!\\)%[^\n]*|\\(?:begin|end)\{[^{}]*\}(?:\[[^\]]*\])?|\\item\b", " ", latex)).split()
    return " ".join(words[:_MOST_WORDS]).rstrip(".,;:") + ("…" if len(words) > _MOST_WORDS else "")
