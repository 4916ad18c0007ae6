"""The words of a printed page in reading order: column by column.

A PDF draws words in any order. Most programs draw one column after the other, and that order is kept; some draw line
by line across the page, or the right column first. Such pages are recognised by the positions of their lines and are
sorted. Tables look similar, so the columns must contain running text.

Positions are in points, x to the right and y upwards, as in a PDF.
"""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import chain, groupby, pairwise, starmap
from operator import itemgetter
from statistics import median
from typing import NamedTuple

HYPHEN = "\ufffe"  # a hyphen at the end of a line, as PDFium marks it

LEAST = 3  # lines of a column, at least
DEEPEST = 3  # times that a page is divided: up to four columns
_WIDE = 0.7  # of the line height: a gap that may separate columns, wider than a typewriter's space
_SHIFTED = 0.3  # of the line height: a word so much higher or lower may be on another line
_BACK = 3  # times the line height: a word so far back is on another line in any case
_NARROWEST = 0.15  # of the page width: no column is narrower
_ALIGNED = 0.6  # of the lines of a column begin at the same x; the others are indented
_ALIGNED_WITHIN = 0.4  # of the line height
_LONG = 8  # lines: a column as long as this needs no other evidence
_APART = 0.6  # of the line height: the space below a running header is wider
_CELL = 6  # words in a cell of a table of figures, at most
_LIKE = 0.88  # of the line height: a smaller line belongs to another text
_FEW = 15  # words in a running header, at most
_ENDS = (".", "!", "?", ":", ";", ",", "-", HYPHEN)


class Word(NamedTuple):
    """A word and its box on the page."""

    text: str
    left: float
    bottom: float
    right: float
    top: float


class Piece(NamedTuple):
    """A part of a line without a wide gap in it; `at` is its place in the order of the file."""

    at: int
    line: int
    text: str
    left: float
    bottom: float
    right: float
    top: float

    @property
    def words(self) -> list[str]:
        """The words of the piece."""
        return self.text.split()


def pieces_of(lines: list[list[Word]]) -> list[Piece]:
    """Return the lines of a file split at each gap that is wide enough to separate columns.

    A line of PDFium may really be several lines, since PDFium judges by the distance between words alone.
    """
    placed: list[tuple[int, int, Word]] = []
    at = number = -1
    for line in lines:
        for word, gap in zip(line, [2, *starmap(_is_apart, pairwise(line))], strict=False):
            at += gap > 0
            number += gap > 1
            placed.append((at, number, word))
    groups = groupby(placed, key=itemgetter(0, 1))
    return _from_top([_piece(at, number, [word for _, _, word in words]) for (at, number), words in groups])


def _from_top(pieces: list[Piece]) -> list[Piece]:
    """Return `pieces`, reversed when the page is drawn from bottom to top."""
    rises = sum(1 for piece, following in pairwise(pieces) if following.bottom >= piece.top)
    if rises <= len(pieces) / 2:
        return pieces
    return [piece._replace(at=at) for at, piece in enumerate(sorted(pieces, key=lambda piece: -piece.top))]


def _is_apart(before: Word, word: Word) -> int:
    """Return 0 for neighbouring words, 1 for words with a wide gap between them, 2 for words on different lines."""
    height = word.top - word.bottom
    is_wide = word.left - before.right > _WIDE * height
    is_shifted = abs(word.bottom - before.bottom) > _SHIFTED * height
    back = before.left - word.right  # little in a line of Arabic
    return 2 if back > _BACK * height or (is_shifted and (is_wide or back > 0)) else int(is_wide)


def _piece(at: int, line: int, words: list[Word]) -> Piece:
    if len(words) == 1:
        return Piece(at, line, *words[0])
    text = " ".join(word.text for word in words)
    left, right = min(word.left for word in words), max(word.right for word in words)
    bottom, top = min(word.bottom for word in words), max(word.top for word in words)
    return Piece(at, line, text, left, bottom, right, top)


def in_order(pieces: list[Piece], depth: int = DEEPEST) -> list[Piece]:
    """Return `pieces` column by column when the page has columns of running text, else unchanged."""
    gutter = _gutter(pieces) if depth else None
    if gutter is None:
        return pieces
    bands = _bands(pieces, gutter)
    columns = [band for band in bands if len(band) == 2]
    jumps = any(_jumps_back(*band) for band in columns)
    sides = [[piece for band in columns for piece in band[side]] for side in (0, 1)]
    if jumps and not (_is_much_of(sides, pieces) and all(_is_prose(side) and _is_aligned(side) for side in sides)):
        return pieces
    ordered: list[Piece] = []
    moved = jumps
    for band in bands:
        if len(band) == 1 or (_jumps_back(*band) and not _is_columns(*band)):
            ordered += sorted(piece for side in band for piece in side)
            continue
        for side in band:
            inside = in_order(side, depth - 1)
            moved = moved or inside is not side
            ordered += inside
    return ordered if moved else pieces


def _gutter(pieces: list[Piece]) -> float | None:
    """Return the x of the vertical line with most pieces on both sides and fewest across it; None without columns."""
    lefts, rights = sorted(piece.left for piece in pieces), sorted(piece.right for piece in pieces)
    if len(pieces) < 2 * LEAST:
        return None
    margin = _NARROWEST * (rights[-1] - lefts[0])
    best, gutter = -len(pieces), None
    for ended, right in enumerate(rights, start=1):  # the number of pieces to the left
        begun = bisect_right(lefts, right)
        if margin < right - lefts[0] and begun < len(lefts) and margin < rights[-1] - lefts[begun]:
            least = min(ended, len(lefts) - begun)
            score = least - (begun - ended)  # minus the pieces that it crosses
            if score >= best and least >= LEAST:
                best, gutter = score, (right + lefts[begun]) / 2
    return gutter


def _bands(pieces: list[Piece], gutter: float) -> list[tuple[list[Piece], ...]]:
    """Return the page from top to bottom as bands: (left, right) of the gutter, or one list that crosses it."""
    from_top = sorted(pieces, key=lambda piece: -(piece.top + piece.bottom))
    across = {piece.line for piece in pieces if piece.left < gutter < piece.right}
    upside_down = [piece._replace(bottom=-piece.top, top=-piece.bottom) for piece in reversed(from_top)]
    across |= _at_edge(from_top) | _at_edge(upside_down)
    found: list[tuple[list[Piece], ...]] = []
    for is_across, group in groupby(from_top, key=lambda piece: piece.line in across):
        band = sorted(group)  # back in the order of the file
        left = [piece for piece in band if piece.right <= gutter]
        right = [piece for piece in band if piece.right > gutter]
        found.append((band,) if is_across or not left or not right else (left, right))
    return found


def _at_edge(from_top: list[Piece]) -> set[int]:
    """Return the lines of a running header: one row of few words with space below it."""
    below, row = from_top[0].bottom, list[Piece]()
    for piece in from_top:
        if row and piece.top <= below:
            is_apart = below - piece.top > _APART * (row[0].top - row[0].bottom)
            few = sum(len(each.words) for each in row) <= _FEW
            return {each.line for each in row} if is_apart and few else set()
        row.append(piece)
        below = min(below, piece.bottom)
    return set()


def _is_prose(column: list[Piece]) -> bool:
    """Return whether lines are running text and not table cells: of several words, in sentences across lines."""
    column = _lines(column)
    words = [word for piece in column for word in piece.words]
    letters = sum(word[0].isalpha() or word[0] in "(\"'“‘[" for word in words)
    goes_on = sum(piece.text[0].islower() or piece.text.endswith(_ENDS) for piece in column)
    return (
        len(column) >= LEAST
        and len(words) >= LEAST * len(column)
        and letters >= 0.6 * len(words)
        and goes_on >= 0.3 * len(column)
    )


def _is_much_of(sides: list[list[Piece]], pieces: list[Piece]) -> bool:
    """Return whether columns are long, or most of a page: in a few lines, gaps may line up by chance."""
    lines = {piece.line for side in sides for piece in side}
    return min(len(_lines(side)) for side in sides) >= _LONG or 2 * len(lines) >= len({piece.line for piece in pieces})


def _is_aligned(column: list[Piece], depth: int = DEEPEST) -> bool:
    """Return whether most lines begin at the same x, which text after a wide gap within a line does not do by chance.

    A column that itself has columns is aligned when each of those is.
    """
    lefts = sorted(line.left for line in _lines(column))
    near = _ALIGNED_WITHIN * median(piece.top - piece.bottom for piece in column)
    most = max(bisect_right(lefts, left + near) - at for at, left in enumerate(lefts))
    if most >= _ALIGNED * len(lefts):
        return True
    gutter = _gutter(column) if depth else None
    if gutter is None:
        return False
    left = [piece for piece in column if piece.right <= gutter]
    right = [piece for piece in column if piece.left >= gutter]
    return _is_aligned(left, depth - 1) and _is_aligned(right, depth - 1)


def _is_columns(left: list[Piece], right: list[Piece]) -> bool:
    """Return whether the two sides of a band are columns of text and not cells of a table."""
    may_be = min(len(left), len(right)) < LEAST or (_is_prose(left) and _is_prose(right))
    return may_be and not _is_row_by_row(left, right)


def _is_row_by_row(left: list[Piece], right: list[Piece]) -> bool:
    """Return whether a table of texts is drawn cell by cell: cells of several lines that begin side by side."""
    left, right = _lines(left), _lines(right)
    ours = {piece.at for piece in left}
    runs = [list(run) for _, run in groupby(sorted([*left, *right]), key=lambda piece: piece.at in ours)]
    pairs = [(run, following) for run, following in pairwise(runs) if run[0].at in ours]
    beside = [abs(a[0].top - b[0].top) < 0.5 * (a[0].top - a[0].bottom) for a, b in pairs]
    return len(pairs) >= 2 and len(left) + len(right) >= 3 * len(runs) / 2 and sum(beside) >= 0.8 * len(pairs)


def _jumps_back(left: list[Piece], right: list[Piece]) -> bool:
    """Return whether the file draws a piece of the left column after a piece of the right one."""
    return left[-1].at > right[0].at


def text_of(pieces: list[Piece]) -> str:
    """Return the text of a page: its lines, with a blank line where the space between two is wider than usual.

    A hyphen at the end of a line becomes HYPHEN between the two parts of the word.
    """
    lines = _lines(pieces)
    cells = _rows_of_cells(pieces)
    drops = ((above.bottom - below.bottom, below.top - below.bottom) for above, below in pairwise(lines))
    down = sorted(drop for drop, height in drops if drop > 0.6 * height)
    usual = down[(len(down) - 1) // 3] if down else 0.0  # most gaps are within paragraphs
    parts: list[str] = []
    for line, gap in zip(lines, chain([""], _gaps(lines, usual, cells)), strict=False):
        if gap == HYPHEN:
            parts[-1] = parts[-1][:-1]
        parts += [gap, line.text]
    return "".join(parts)


def _rows_of_cells(pieces: list[Piece]) -> set[int]:
    """Return the numbers of the lines that are table rows: few words between wide gaps, most of them with figures."""
    lines = groupby(pieces, key=lambda piece: piece.line)
    return {
        number
        for number, cells in ((number, [piece.text for piece in line]) for number, line in lines)
        if len(cells) > 2
        and 2 * sum(any(map(str.isdigit, cell)) for cell in cells) >= len(cells)
        and all(len(cell.split()) <= _CELL for cell in cells)
    }


def _gaps(lines: list[Piece], usual: float, cells: set[int]) -> Iterator[str]:
    """Yield the text between each two lines: a blank line also around larger print and around rows of `cells`."""
    for above, below in pairwise(lines):
        drop, height = above.bottom - below.bottom, above.top - above.bottom
        goes_on = below.text[0].islower()
        is_larger = not _LIKE < (below.top - below.bottom) / max(height, 0.1) < 1 / _LIKE
        is_row = (above.line in cells) != (below.line in cells)
        if (
            is_larger
            or is_row
            or drop > 1.3 * usual + 1
            or (drop < -height and not goes_on and above.text.endswith((".", "!", "?", ":")))
        ):
            yield "\n\n"
        elif above.text[-1] == HYPHEN or (above.text[-1] == "-" and above.text[-2:-1].isalpha() and goes_on):
            yield HYPHEN
        else:
            yield "\n"


def _lines(pieces: list[Piece]) -> list[Piece]:
    """Return `pieces` with consecutive pieces of one line joined."""
    groups = (list(group) for _, group in groupby(pieces, key=lambda piece: piece.line))
    return [
        group[0] if len(group) == 1 else _piece(*group[0][:2], [Word(*piece[2:]) for piece in group])
        for group in groups
    ]
