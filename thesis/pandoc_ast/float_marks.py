r"""Floats for pandoc: the places of their captions, and those that it does not know (algorithms, tables of pictures).

The caption begins with a mark, which Numbers takes away.
"""

import re

from latex.cite_keys import visible
from latex.text_edits import Edit, apply_edits

OTHER_SIDE = "\ue001"  # the caption of a figure above it, of a table below it
NOTES = "scholiumnotes"  # an environment around what stands below a table
TABLE = "scholium-table:"  # the label of a table without one
KINDS = {"\ue002": "table", "\ue003": "algorithm"}  # of floats that pandoc reads as figures
_MARKS = {kind: mark for mark, kind in KINDS.items()}
_FLOATS = {
    "figure": "figure", "figure*": "figure", "sidewaysfigure": "figure", "sidewaysfigure*": "figure",
    "wrapfigure": "figure", "table": "table", "table*": "table", "sidewaystable": "table", "sidewaystable*": "table",
    "wraptable": "table", "algorithm": "algorithm", "algorithm*": "algorithm", "algorithm2e": "algorithm",
}  # fmt: skip
_TOKEN = re.compile(
    r"\\(?P<way>begin|end)\s*\{(?P<name>[A-Za-z]+\*?)\}"
    r"|\\(?P<caption>caption)(?![A-Za-z])\*?\s*(?:\[(?:[^\[\]{}]|\{[^{}]*\})*\]\s*)?\{"
    r"|\\label\s*\{(?P<label>[^{}]*)\}"
    r"|\\(?P<content>includegraphics|input|includesvg|import|subfloat|subcaptionbox)(?![A-Za-z])"
)
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(?:\s*\[[^\[\]]*\])?(?:\s*\{[^{}]*\})?")
_TABULAR = frozenset(
    "tabular tabular* tabularx tabulary tabu tblr NiceTabular longtable xltabular longtabu".split()  # noqa: SIM905
)


def with_float_marks(latex: str) -> str:
    """Return `latex` with marks at the beginning of captions, and with every float in an environment of pandoc's."""
    seen = visible(latex)
    edits: list[Edit] = []
    opened: _Float | None = None
    for found in _TOKEN.finditer(seen):
        name = found["name"]
        if opened is None:
            if found["way"] == "begin" and name in _FLOATS:
                opened = _Float(found)
        elif found["way"] == "end" and name == opened.begin["name"]:
            edits += opened.edits(seen, found)
            opened = None
        elif found["way"] == "begin" and name in _FLOATS:
            opened = _Float(found)  # the one before was never closed
        else:
            opened.read(found)
    return apply_edits(latex, edits)


class _Float:
    """An open float."""

    def __init__(self, begin: re.Match[str]) -> None:
        self.begin, self.kind = begin, _FLOATS[begin["name"]]
        self.caption: int | None = None  # where its text begins
        self.is_above = False
        self.has_table = self.has_content = False
        self.label = ""
        self.table_end = begin.end()
        self.depth = 0  # of parts with captions of their own

    def read(self, found: re.Match[str]) -> None:
        """Read a part of the float."""
        name = found["name"] or ""
        if name.startswith(("sub", "minipage")):
            self.depth += 1 if found["way"] == "begin" else -1
        if found["label"] is not None and self.depth <= 0 and not self.label:
            self.label = found["label"]
        elif found["way"] == "end" and name in _TABULAR:
            self.table_end = found.end()
        elif found["caption"] and self.caption is None and self.depth <= 0:
            self.caption, self.is_above = found.end(), not self.has_content
        elif found["content"] or (found["way"] == "begin" and name not in ("center", "threeparttable", "adjustbox")):
            self.has_content = True
            self.has_table = self.has_table or name in _TABULAR

    def edits(self, seen: str, end: re.Match[str]) -> list[Edit]:
        """Return the edits of a float that ends here."""
        as_figure = self.kind == "algorithm" or (self.kind == "table" and not self.has_table)
        if self.caption is None and self.kind != "algorithm":
            return []
        if as_figure:
            is_other = self.is_above or self.kind == "algorithm"
        else:
            is_other = self.has_content and self.is_above == (self.kind == "figure")
        mark = (_MARKS[self.kind] if as_figure else "") + (OTHER_SIDE if is_other else "")
        made = [Edit(self.caption, self.caption, mark)] if mark and self.caption is not None else []
        if as_figure:
            made.append(Edit(*self.begin.span(), r"\begin{figure}"))
            made.append(Edit(*end.span(), r"\end{figure}"))
        elif self.kind == "table":
            made += self._notes(seen, end.start())
        return made

    def _notes(self, seen: str, end: int) -> list[Edit]:
        """Return the edits that put what stands below the table into an environment, and give the table its label.

        pandoc takes the last label for the table's, also one in a cell.
        """
        below = seen[self.table_end : end]
        words = _COMMAND.sub(" ", below)
        has_notes = re.search(r"\w", words) and "\\caption" not in below
        label = f"\\label{{{self.label or f'{TABLE}{self.caption}'}}}"
        if not has_notes or below.count("\\begin") != below.count("\\end"):
            return [Edit(end, end, label)]
        begins = Edit(self.table_end, self.table_end, f"{label}\\begin{{{NOTES}}}")
        return [begins, Edit(end, end, f"\\end{{{NOTES}}}")]
