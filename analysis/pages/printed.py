"""Parts of a result as templates set them: statistics in italics, cells beside the side they stand on (SPEC N2)."""

import re
from typing import NamedTuple

from analysis.showing.shown import Drawn, Table

# A statistic before its value: p < 0.001, t(18.3) = ..., I² = 15.6%. A word that only ends in such a letter is none.
_STATISTIC = re.compile(r"(?<![\w'’])(p|t|F|d|g|r|z|U|V|W|H|Q|I|R|df|n|k)(?=²?(?:\([^()]{1,40}\))? ?[=<>]\s?[\d<>=−-])")
_PIXELS = 96 / 25.4 * 1.2  # a figure is looked at a little larger than it is printed


class Piece(NamedTuple):
    text: str
    is_italic: bool


class PrintedTable(NamedTuple):
    """`lines` are rows of (cells with the side each stands on, level)."""

    id: str
    title: str
    columns: list[tuple[str, str]]
    lines: list[tuple[list[tuple[str, str]], int]]
    footnotes: list[str]


class ShownFigure(NamedTuple):
    drawn: Drawn
    width: int
    height: int


def pieces(sentence: str) -> list[Piece]:
    """`sentence` in pieces, the letters of statistics in italics as they are printed."""
    found = []
    for at, text in enumerate(_STATISTIC.split(sentence)):
        if text:
            found.append(Piece(text, at % 2 == 1 and text not in ("df", "n", "k")))
    return found


def printed(table: Table) -> PrintedTable:
    sides = [column.align for column in table.columns]
    columns = [(column.label, column.align) for column in table.columns]
    lines = [(list(zip(row.cells, sides, strict=False)), row.level) for row in table.rows]
    return PrintedTable(table.id, table.title, columns, lines, table.footnotes)


def on_page(figure: Drawn) -> ShownFigure:
    """A figure with its size in pixels, so that nothing moves when it comes; 0 where it is not known."""
    return ShownFigure(figure, round(figure.width_mm * _PIXELS), round(figure.height_mm * _PIXELS))
