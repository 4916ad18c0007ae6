"""Line maps: for each line of an edited text, the line of the original that it comes from."""

from collections.abc import Collection, Iterable, Sequence

from latex.cite_edits import steps_without
from latex.cite_macros import NONE, Macros
from latex.line_endings import line_count
from latex.text_edits import Edit, apply_edits

Lines = Sequence[int]  # for each line of a written text, the original line, counted from 1


def stripped(latex: str, keys: Collection[str], said: str, macros: Macros = NONE) -> tuple[str, Lines | None]:
    """Return the result of `cite_edits.without_keys` with its line map; None when no line changed."""
    lines: Lines | None = None
    for edits in steps_without(latex, keys, said, macros):
        lines = through(lines_after(latex, edits), lines)
        latex = apply_edits(latex, edits)
    return latex, lines


def lines_after(text: str, edits: Iterable[Edit]) -> list[int]:
    """Return, for each line of `text` after `edits`, the line of `text` that it comes from."""
    lines, here, done = [1], 1, 0
    for edit in sorted(edits, key=lambda one: (one.start, -one.end)):
        if edit.start < done:
            continue
        here = _count_kept_lines(lines, here, text[done : edit.start])
        lines += [here] * _endings(edit.text)
        here += _endings(text[edit.start : edit.end])
        done = edit.end
    _count_kept_lines(lines, here, text[done:])
    return lines


def _count_kept_lines(lines: list[int], here: int, text: str) -> int:
    count = _endings(text)
    lines += range(here + 1, here + count + 1)
    return here + count


def _endings(text: str) -> int:
    return line_count(text) - 1


def through(outer: Lines | None, inner: Lines | None) -> Lines | None:
    """Return the line map of a text that was edited twice: first `inner`, then `outer`. None: no line changed."""
    if outer is None or inner is None:
        return inner if outer is None else outer
    return [inner[line - 1] for line in outer]


def line_at(text: str, place: int) -> int:
    """Return the line, from 1, of the character at index `place` of `text`, as TeX and the editor count lines."""
    return line_count(text[:place])
