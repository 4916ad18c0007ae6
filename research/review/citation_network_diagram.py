"""Layout of the citation network diagram: papers by year from left to right, by thread from top to bottom.

The layout is deterministic. templates/research/_network_picture.html draws it.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Any

WIDTH = 960
COLUMNS = 5  # spans of years, at most
ROW, LANE, HEAD = 26, 34, 40  # heights: of a paper, of the name of a thread, of the years at the top
LETTER = 7.2  # width of a letter of a label
_ALONE = ("", "")  # id and title of the lane for papers without a thread


@dataclass(frozen=True)
class Mark:
    """A paper. `x` and `y` are the centre of its symbol, `shape` is circle, square (foundational) or triangle
    (extending), `row` the number of its row in the table.
    """

    x: float
    y: float
    shape: str
    in_run: bool
    label: str
    title: str
    row: int

    @property
    def points(self) -> str:
        """Return the corners of a triangle."""
        return f"{self.x:g},{self.y - 6:g} {self.x + 6:g},{self.y + 5:g} {self.x - 6:g},{self.y + 5:g}"

    @property
    def square(self) -> tuple[float, float]:
        """Return the upper left corner of a square."""
        return self.x - 6, self.y - 6

    @property
    def text(self) -> tuple[float, float]:
        """Return where the label begins, on its baseline."""
        return self.x + 12, self.y + 4


@dataclass(frozen=True)
class Words:
    """A heading, and where it begins."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Picture:
    """The diagram. `lines` are paths from a paper to one it cites, `rules` the heights of lines between threads."""

    width: int
    height: int
    marks: list[Mark]
    lines: list[str]
    years: list[Words]
    threads: list[Words]
    rules: list[int]


def picture_of(network: dict[str, Any]) -> Picture:
    """Return the diagram of a stored network, which must have papers."""
    papers, threads = network["papers"], network["threads"]
    spans = _spans([paper["year"] for paper in papers])
    across = (WIDTH - 20) / len(spans)
    cells = [(paper["thread"], _column(paper, spans)) for paper in papers]
    deepest: Counter[str] = Counter()
    for (lane, _), number in Counter(cells).items():
        deepest[lane] = max(deepest[lane], number)
    rules: dict[str, int] = {}  # where each lane begins
    names, height = [], HEAD
    for lane, title in [*((thread["id"], thread["title"]) for thread in threads), _ALONE]:
        if deepest[lane]:
            rules[lane] = height
            name = _cut(f"{lane}  {title}", WIDTH - 20) if title else "Not in a thread"
            names.append(Words(10, height + 22, name))
            height += LANE + deepest[lane] * ROW + 8
    taken: Counter[tuple[str, int]] = Counter()
    marks: dict[str, Mark] = {}
    for row, (paper, (lane, column)) in enumerate(zip(papers, cells, strict=True), start=1):
        y = rules[lane] + LANE + ROW * taken[lane, column] + ROW / 2
        taken[lane, column] += 1
        marks[paper["id"]] = _mark(paper, row, 22 + column * across, y, across)
    return Picture(
        WIDTH,
        height,
        list(marks.values()),
        [_line(marks[link["from"]], marks[link["to"]]) for link in network["links"]],
        [Words(22 + place * across, 24, _years(span)) for place, span in enumerate(spans)],
        names,
        list(rules.values()),
    )


def _spans(years: list[int | None]) -> list[tuple[int, int] | None]:
    """Return at most COLUMNS spans of years with about equally many papers, oldest first; None first for no year."""
    known = sorted(year for year in years if year is not None)
    spans: list[tuple[int, int] | None] = [None] if len(known) < len(years) else []
    share = -(-len(known) // (COLUMNS - len(spans)))
    start = 0
    while start < len(known):
        end = min(len(known), start + share)
        while end < len(known) and known[end] == known[end - 1]:
            end += 1  # a year is not divided
        spans.append((known[start], known[end - 1]))
        start = end
    return spans


def _column(paper: dict[str, Any], spans: list[tuple[int, int] | None]) -> int:
    year = paper["year"]
    return next(
        place for place, span in enumerate(spans) if (span is None) == (year is None) and (not span or year <= span[1])
    )


def _years(span: tuple[int, int] | None) -> str:
    if span is None:
        return "no year"
    return str(span[0]) if span[0] == span[1] else f"{span[0]} to {span[1]}"


def _mark(paper: dict[str, Any], row: int, x: float, y: float, across: float) -> Mark:
    shape = {"foundational": "square", "extending": "triangle"}.get(next(iter(paper["roles"]), ""), "circle")
    name, _, year = paper["label"].rpartition(" ")
    label = f"{_cut(name, across - 30 - LETTER * len(year))} {year}"
    return Mark(x, y, shape, paper["in_run"], label, paper["title"], row)


def _cut(text: str, width: float) -> str:
    """Return `text`, shortened to fit into `width`."""
    most = max(4, int(width / LETTER))
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _line(one: Mark, other: Mark) -> str:
    """Return a curve from one symbol to the other; within a column it bends to the left, away from the labels."""
    if one.x == other.x:
        out = min(18.0, 6 + abs(one.y - other.y) / 12)
        return f"M{one.x:g} {one.y:g}C{one.x - out:g} {one.y:g} {other.x - out:g} {other.y:g} {other.x:g} {other.y:g}"
    middle = (one.x + other.x) / 2
    return f"M{one.x:g} {one.y:g}C{middle:g} {one.y:g} {middle:g} {other.y:g} {other.x:g} {other.y:g}"
