r"""The columns of a printed table, so that it is never wider than the text (SPEC N2, T7).

A tabular is as wide as its longest cells: a table of characteristics by three groups would leave the page. LaTeX is not
there to measure, so widths are estimated by the letters of Times at 12 pt.
"""

import re

from analysis.presentation.result_view import Table

LONG_WORD, BREAK_EVERY = 30, 10  # letters: a longer word may break after each ten
TEXT_MM = 160.0  # width of the text
SMALLER = r"\footnotesize\setlength{\tabcolsep}{3pt}"  # before a table that is too wide otherwise
_TEXT = TEXT_MM / 25.4 * 72.27  # in points, as all below
_INDENT = 12.0  # of a row below its variable
_NARROWEST_TEXT = 80.0  # of a column of words whose lines wrap
_SIZES = ((1.0, 6.0), (10 / 12, 3.0))  # scale of the letters, space on each side of a column: usual, SMALLER
_COLUMN = re.compile(r"(?:>\{([^{}]*)\})?([lcr]|p\{[^{}]*\})")
_SAFETY = 1.06  # other fonts are a little wider than Times
_LETTERS = {
    **dict.fromkeys(" .,:;'|/!", 3.2), **dict.fromkeys("()[]-“”\"*", 4.3), **dict.fromkeys("fijlrtI", 3.7),
    **dict.fromkeys("mwMW%&@—", 10.2), **dict.fromkeys("+<>=−×±≤≥", 7.4),
}  # fmt: skip


def _width(text: str) -> float:
    return _SAFETY * sum(_LETTERS.get(letter, 8.3 if letter.isupper() else 6.0) for letter in text)


def fit_columns(table: Table, *, has_array: bool, may_be_small: bool) -> tuple[str, bool]:
    r"""Return the column specification of a table that fits the text, and whether SMALLER must stand before it.

    Columns of words wrap first, then letters are smaller, then the columns of numbers wrap too. `may_be_small` is false
    where letters cannot be smaller; for a longtable `small_columns` makes them so. `has_array`: array is loaded.
    """
    columns = [[column.label, *(row.cells[place] for row in table.rows)] for place, column in enumerate(table.columns)]
    if not columns:
        return "l", False
    letters = [column.align[:1] or "l" for column in table.columns]
    indent = _INDENT if any(row.level > 0 for row in table.rows) else 0.0
    sizes = _SIZES[: 1 + may_be_small]
    for scale, gap in sizes:
        room = _TEXT - 2 * gap * len(columns)
        whole = [scale * max(map(_width, cells)) for cells in columns]
        words = [scale * max((_longest_word(cell) for cell in cells), default=0.0) for cells in columns]
        whole[0] += scale * indent
        words[0] += scale * indent
        if sum(whole) <= room:
            return "".join(letters), scale < 1
        least = [
            min(width, max(word, _NARROWEST_TEXT)) if letter == "l" else width
            for width, word, letter in zip(whole, words, letters, strict=True)
        ]
        if sum(least) <= room:
            given = _share(room, least, whole)
            break
    else:  # no words can be wrapped any more: what is left is for the numbers
        are_words = [letter == "l" for letter in letters]
        least = [one if is_text else word for one, word, is_text in zip(least, words, are_words, strict=True)]
        given = _share(room, least, [0.0 if is_text else one for one, is_text in zip(whole, are_words, strict=True)])
    return "".join(
        letter if width >= wanted else _wrapping(width, letter, has_array)
        for width, wanted, letter in zip(given, whole, letters, strict=True)
    ), scale < 1


def small_columns(spec: str) -> str:
    r"""Return the columns of a longtable with the letters and gaps of SMALLER, which needs the package array."""
    columns = [f">{{\\footnotesize{before}}}{column}" for before, column in _COLUMN.findall(spec)]
    return "@{}" + r"@{\hspace{6pt}}".join(columns) + "@{}"


def _longest_word(cell: str) -> float:
    """Return the width of the widest word, or of a part of it where `tex` lets it break."""
    return max((_width(word if len(word) <= LONG_WORD else word[:BREAK_EVERY]) for word in cell.split()), default=0.0)


def _share(room: float, least: list[float], wanted: list[float]) -> list[float]:
    """Return widths that fill `room`: `least` each and a share of the rest, or less if that is too much."""
    rest = room - sum(least)
    if rest < 0:
        return [width * room / sum(least) for width in least]
    lacking = [max(0.0, want - width) for want, width in zip(wanted, least, strict=True)]
    share = min(1.0, rest / sum(lacking)) if sum(lacking) else 0.0
    return [width + share * lack for width, lack in zip(least, lacking, strict=True)]


def _wrapping(width: float, letter: str, has_array: bool) -> str:
    side = {"r": "raggedleft", "c": "centering"}.get(letter, "raggedright")
    return (
        rf">{{\{side}\arraybackslash}}" if has_array else ""
    ) + rf"p{{{int(100 * width / _TEXT) / 100:.2f}\linewidth}}"
