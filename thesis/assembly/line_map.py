"""Texts that were edited on their way out, and which line of the original each of their lines is."""

from collections.abc import Collection, Iterable, Sequence

from latex.cite_edits import steps_without
from latex.cite_macros import NONE, Macros
from latex.line_endings import line_count
from latex.text_edits import Edit, edited

Lines = Sequence[int]  # of each line of a written text, from the first, the line it comes from, from 1


def stripped(latex: str, keys: Collection[str], said: str, macros: Macros = NONE) -> tuple[str, Lines | None]:
    """`latex` as `cite_edits.without_keys` leaves it, and its lines; None where they are as they were."""
    lines: Lines | None = None
    for edits in steps_without(latex, keys, said, macros):
        lines = through(lines_after(latex, edits), lines)
        latex = edited(latex, edits)
    return latex, lines


def lines_after(text: str, edits: Iterable[Edit]) -> list[int]:
    """For each line of `text` with `edits` (as `edits.edited` makes it) the line of `text` it comes from."""
    lines, here, done = [1], 1, 0
    for edit in sorted(edits, key=lambda one: (one.start, -one.end)):
        if edit.start < done:
            continue
        here = _kept(lines, here, text[done : edit.start])
        lines += [here] * _endings(edit.text)
        here += _endings(text[edit.start : edit.end])
        done = edit.end
    _kept(lines, here, text[done:])
    return lines


def _kept(lines: list[int], here: int, text: str) -> int:
    count = _endings(text)
    lines += range(here + 1, here + count + 1)
    return here + count


def _endings(text: str) -> int:
    return line_count(text) - 1


def through(outer: Lines | None, inner: Lines | None) -> Lines | None:
    """Return which lines those of a text are that was edited twice: first `inner`, then `outer`. None: as they are."""
    if outer is None or inner is None:
        return inner if outer is None else outer
    return [inner[line - 1] for line in outer]


def line_at(text: str, place: int) -> int:
    """Return the line, from 1, on which the character `place` of `text` stands, as TeX and the editor count lines."""
    return line_count(text[:place])
