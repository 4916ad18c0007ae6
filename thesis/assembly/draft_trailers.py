r"""BibTeX trailers in a section: removed from its text, so that they are not printed, and read (SPEC T5)."""

import re
from typing import NamedTuple

from citations.formats.bibtex import read_bibtex, trailers_in
from citations.formats.reading import Entry
from latex.text_edits import Edit, apply_edits
from thesis.assembly.line_map import Lines, lines_after

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_NEXT = re.compile(r"\s*@[A-Za-z]{3,20}[ \t]*\{")


class Text(NamedTuple):
    """The text of a section without its trailers, the original line of each of its lines, and the trailers' entries."""

    latex: str
    lines: Lines | None
    entries: list[Entry]


def without_trailers(latex: str) -> Text:
    """Return `latex` without its trailers. Text after the last entry of a trailer stays."""
    if "@" not in latex:
        return Text(latex, None, [])
    edits, bibtex = [], []
    for start, end, inside in trailers_in(latex):
        if start == end - len(inside):  # unmarked, so it reaches to the end of the text: people may write on after it
            end = _end_of_entries(latex, start)
            inside = latex[start:end]
        edits.append(Edit(start, end, ""))
        bibtex.append(inside)
    entries = read_bibtex("\n".join(bibtex)).entries if edits else []
    if not entries:
        return Text(latex, None, [])
    return Text(apply_edits(latex, edits), lines_after(latex, edits), entries)


def _end_of_entries(latex: str, at: int) -> int:
    """Return the end of the run of entries that starts at `at`."""
    while begins := _NEXT.match(latex, at):
        depth, end = 1, begins.end()
        while depth and (brace := _BRACE.search(latex, end)):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            end = brace.end()
        if depth:
            return len(latex)
        at = end
    return at
