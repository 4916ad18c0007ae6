r"""Tables for pandoc: plain columns, and the rules between rows in marks that come back in its tree.

pandoc knows no column types of packages (S, D, L{3cm}), takes only one row as the head, and drops \cmidrule. A mark is
a label at the end of a row.
"""

import re
from typing import Any, NamedTuple

from latex.arguments import braced, optional, with_line_breaks
from latex.cite_keys import visible
from latex.text_edits import Edit, apply_edits
from thesis.pandoc_ast.nodes import Node

RULES = "scholium-rules:"
_TABULAR = re.compile(
    r"\\(begin|end)\s*\{(tabular|tabular\*|tabularx|tabulary|longtable|xltabular|tabu|longtabu|NiceTabular|tblr|longtblr"
    r"|supertabular|xtabular|ltablex)\}"
)
_LONG = frozenset(["longtable", "xltabular", "longtabu", "longtblr", "supertabular", "xtabular"])
_WIDTH = frozenset(["tabular*", "tabularx", "tabulary", "xltabular"])  # their first argument is a width
_TOKEN = re.compile(
    r"\\\\\*?(?:[ \t]*\[[^\[\]]*\])?|\\tabularnewline(?![A-Za-z])|(?<!\\)&"
    r"|\\(?P<rule>toprule|midrule|bottomrule|hline|specialrule|cmidrule|cline|hdashline)(?![A-Za-z])"
    r"(?P<more>(?:[ \t]*\[[^\[\]]*\])?(?:[ \t]*\([^()]*\))?(?:[ \t]*\{(?P<span>[^{}]*)\})?)"
    r"|\\(?P<way>begin|end)\s*\{[^{}]*\}|\\.|[{}]",
    re.DOTALL,
)
_OWN = re.compile(r"\\newcolumntype\s*\{(\w)\}\s*(?:\[(\d)\])?\s*\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")
# pandoc takes the last label in a longtable for the label of the table, so this one comes again behind the marks
_LABEL, _NO_LABEL = re.compile(r"\\label\s*\{[^{}]*\}"), r"\label{scholium-no-label}"
_SPAN = re.compile(r"\s*(\d{1,3})\s*(?:-\s*(\d{1,3}))?\s*\Z")
_SIDES = {"\\raggedleft": "r", "\\centering": "c"}
# What changes no word. pandoc reads it again before each cell: 15 s instead of 1 s for a table of 200 rows
_QUIET = re.compile(
    r"\\(?:raggedright|raggedleft|centering|arraybackslash|footnotesize|small|scriptsize|tiny|normalsize|noindent"
    r"|hspace\s*\{0pt\})(?![A-Za-z])\s*"
)
_HEADS = 4  # rows that a head may have where only \hline tells where it ends
_MOST_COLUMNS = 200


class Rule(NamedTuple):
    """A rule below a row, from one column to another, counted from 1; (0, 0) over the whole width."""

    first: int
    last: int


def with_table_marks(latex: str, macros: str = "") -> str:
    """Return `latex` with plain columns, and marks for the rules of its tables."""
    if "\\begin" not in latex or not _TABULAR.search(latex):
        return latex
    seen = with_line_breaks(latex, visible(latex))
    own = {found[1]: found[3] for found in _OWN.finditer(macros + seen)}
    edits: list[Edit] = []
    opened: list[tuple[str, int]] = []
    for found in _TABULAR.finditer(seen):
        if found[1] == "begin":
            begin = _columns(seen, found, own, edits)
            opened.append((found[2], begin))
        elif opened:
            name, begin = opened.pop()
            if not opened:  # not in the cell of another table
                before = len(edits)
                _mark_rows(seen, begin, found.start(), edits)
                if name in _LONG and len(edits) > before:
                    own_label = _LABEL.search(seen, begin, found.start())
                    edits[-1] = edits[-1]._replace(text=edits[-1].text + (own_label[0] if own_label else _NO_LABEL))
            if new := _renamed(name):
                edits.append(Edit(*found.span(), f"\\end{{{new}}}"))
    return apply_edits(latex, edits)


def _renamed(name: str) -> str:
    usual = "longtable" if name in _LONG else "tabular"
    return "" if name == usual else usual


def _columns(seen: str, found: re.Match[str], own: dict[str, str], edits: list[Edit]) -> int:
    """Write the columns of a table plainly, and return where its rows begin."""
    name, at = found[2], found.end()
    if name in _WIDTH:
        at, _ = braced(seen, at)
    if name in ("tabu", "longtabu") and (to := re.compile(r"\s*(?:to|spread)\s*[^{]*").match(seen, at)):
        at = to.end()
    at, _ = optional(seen, at)
    end, spec = braced(seen, at)
    if spec is None:
        return found.end()
    if name in ("tblr", "longtblr"):
        inner = re.search(r"colspec\s*=\s*\{((?:[^{}]|\{[^{}]*\})*)\}", spec)
        spec = inner[1] if inner else spec if "=" not in spec else "l" * 2
    columns = plain_columns(spec, own)
    if _renamed(name) or columns != spec:
        start = found.start()
        new = f"\\begin{{{'longtable' if name in _LONG else 'tabular'}}}{{{columns}}}"
        edits.append(Edit(start, end, new + "%\n" * seen.count("\n", start, end)))
    return end


def plain_columns(spec: str, own: dict[str, str], deep: int = 3) -> str:
    """Return a column specification in the columns that pandoc knows: l, c, r, p{..}."""
    made: list[str] = []
    at = 0
    side = ""  # of the next column, as \\raggedleft says before a p{..}
    while at < len(spec) and len(made) < _MOST_COLUMNS:
        sign = spec[at]
        at += 1
        if sign == "*":
            at, times = braced(spec, at)
            at, inside = braced(spec, at)
            if times is None or inside is None or not times.strip().isdigit():
                break
            made += [plain_columns(inside, own, deep)] * min(int(times), _MOST_COLUMNS) if deep else []
        elif sign in "@!><":
            end, inside = braced(spec, at)
            kept = _QUIET.sub("", inside or "").strip() if sign in "><" else ""
            made.append(f"{sign}{{{kept}}}" if kept else "")
            if sign == ">":
                side = next((letter for name, letter in _SIDES.items() if name in (inside or "")), "")
            at = end
        elif sign.isalpha():
            at, _ = optional(spec, at)
            end, width = braced(spec, at)
            at = end
            second, _ = braced(spec, at) if sign in "wWDd" else (at, None)
            third, _ = braced(spec, second) if sign in "D" else (second, None)
            at = third
            column = _column(sign, width, own, deep)
            # pandoc reads no side before a p{..}, but a width behind r and c, which LaTeX does not know
            made.append(side + column[1:] if side and column.startswith("p{") else column)
            side = ""
    return "".join(made)


def _column(sign: str, width: str | None, own: dict[str, str], deep: int) -> str:
    if sign in own and deep:
        return plain_columns(own[sign].replace("#1", width or "2cm"), own, deep - 1)
    if sign in "pmb" and width is not None:
        return f"p{{{width}}}"
    if sign in "lcr":
        return sign
    if sign in "wW" and width:
        return width.strip()[:1] if width.strip()[:1] in ("l", "c", "r") else "l"
    usual = {"S": "r", "s": "l", "D": "r", "d": "r", "X": "X", "C": "c", "R": "r", "N": "r", "n": "r", "Q": "l"}
    return usual.get(sign, f"p{{{width}}}" if width else "l").replace("X", "l")


def _mark_rows(seen: str, begin: int, end: int, edits: list[Edit]) -> None:
    """Put a mark at the end of each row with a rule below it. The rule at the foot has none."""
    rows = _Rows(seen, begin, edits)
    depth = 0
    for found in _TOKEN.finditer(seen, begin, end):
        token = found[0]
        depth += (token == "{" or found["way"] == "begin") - (token == "}" or found["way"] == "end")
        if depth > 0:
            continue
        if token == "&":
            rows.cell = found.end()
        elif token.startswith(("\\\\", "\\tabularnewline")):
            rows.end_row(found)
        elif found["rule"]:
            rows.add_rule(found)
    rows.rules = [one for one in rows.rules if one not in ("all", "head")]
    rows.put()


class _Rows:
    """The rows of a table, read one after another."""

    def __init__(self, seen: str, begin: int, edits: list[Edit]) -> None:
        self.seen, self.edits = seen, edits
        self.cell = self.row = begin  # where the open cell and row began
        self.last: tuple[int, int] | None = None  # the last cell of the row before
        self.count = 0
        self.has_head = self.has_spans = False
        self.rules: list[str] = []

    def end_row(self, found: re.Match[str]) -> None:
        """End the row before a line break."""
        self.put()
        text = self.seen[self.row : found.start()]
        if "\\caption" in text:  # of a longtable: no row
            self.last = None
        else:
            self.last = self.cell, found.start()
            self.count += 1
            self.has_spans = self.has_spans or "\\multi" in text
        self.cell = self.row = found.end()

    def add_rule(self, found: re.Match[str]) -> None:
        """Add a rule below the last row."""
        if self.last is None or self.seen[self.row : found.start()].strip():
            self.cell = self.row = found.end() if self.last is None else self.row
            return
        name = found["rule"]
        if name in ("cmidrule", "cline"):
            self.rules.append(found["span"] or "")
            self.has_spans = True
        elif not self.has_head and self.count <= _HEADS and (name == "midrule" or self.count == 1 or self.has_spans):
            self.rules, self.has_head = ["head"], True
        elif name != "bottomrule":
            self.rules.append("all")
            self.has_head = True
        self.cell = self.row = found.end()

    def put(self) -> None:
        """Write the rules below the last row at its end."""
        if self.rules and self.last is not None:
            cell, end = self.last
            # Numbered, not by its place: an edit before the table changes no mark (pieces.py).
            mark = f"\\label{{{RULES}{'/'.join(self.rules)}:{len(self.edits)}}}"
            _put(self.seen, cell, end, mark, self.edits)
        self.rules = []


def _put(seen: str, cell: int, at: int, mark: str, edits: list[Edit]) -> None:
    r"""Write a mark at the end of the cell `seen[cell:at]`, inside the braces of \multicolumn and \multirow."""
    text = seen[cell:at]
    bare = text.rstrip()
    if re.match(r"\s*\\multi(?:column|row)", text) and bare.endswith("}"):
        place = cell + len(bare) - 1
        edits.append(Edit(place, place, mark))
    else:
        edits.append(Edit(at, at, mark))


def take_rules(table: Node) -> None:
    """Move the marks of a table from its cells into the entry "rules" (by row), and its first rows into the head."""
    _, _, _, head, bodies, foot = table["c"]
    rows = [*head[1], *(row for body in bodies for row in (*body[2], *body[3])), *foot[1]]
    heads = 0
    rules: dict[int, list[Rule]] = {}
    for place, row in enumerate(rows):
        for mark in _pop_marks(row[1]):
            for rule in mark.partition(":")[0].split("/"):
                span = _SPAN.match(rule)
                if rule == "head":
                    heads = place + 1
                elif rule == "all":
                    rules.setdefault(place, []).append(Rule(0, 0))
                elif span:
                    rules.setdefault(place, []).append(Rule(int(span[1]), int(span[2] or span[1])))
    if heads:
        head[1] = rows[:heads]
        bodies[:] = [[["", [], []], 0, [], rows[heads:]]]
        foot[1] = []
    table["rules"] = rules


def _pop_marks(tree: Any) -> list[str]:
    """Return the marks in `tree`, and remove them from it."""
    if isinstance(tree, dict):
        return _pop_marks(tree["c"]) if "c" in tree else []
    if not isinstance(tree, list):
        return []
    found = []
    for place in range(len(tree) - 1, -1, -1):
        one = tree[place]
        if isinstance(one, dict) and one.get("t") == "Span" and one["c"][0][0].startswith(RULES):
            found.append(one["c"][0][0].removeprefix(RULES))
            del tree[place]
        else:
            found += _pop_marks(one)
    return found
