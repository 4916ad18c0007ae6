r"""The numbers of headings, figures, tables and equations, as LaTeX counts them, and which label has which (SPEC T6)."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from thesis.word.tree import Node, said

NUMBERED_TO = 4  # levels of headings that have a number, as our preamble has it; the class book itself has three
LISTED_TO = 3  # levels in the contents
PLAIN = "\ue000"  # begins a caption that has no number: \caption*
_ENVIRONMENT = re.compile(r"\s*\\begin\{(equation|displaymath|align|gather|multline|eqnarray|flalign|alignat)(\*?)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_KNOWN = {
    "equation": "",
    "displaymath": "",
    "gather": "gathered",
    "multline": "gathered",
}  # to pandoc; all else is aligned
_LINES = frozenset(["align", "gather", "eqnarray", "flalign", "alignat"])
_TOKEN = re.compile(r"\\(?:begin|end)\s*\{[A-Za-z]+\*?\}|\\\\(?:\s*\[[^\[\]]*\])?|\\.|[{}]", re.DOTALL)


class Target(NamedTuple):
    """What a label names. `kind` is heading, figure, table, equation or item; `bookmark` where it stands in the file."""

    kind: str
    number: str
    name: str
    bookmark: str
    level: int = 0


class Line(NamedTuple):
    """One entry of the contents or of a list: what stands in it and where it leads."""

    level: int
    number: str
    text: str
    bookmark: str


@dataclass
class Numbers:
    """Counts as it is given the blocks of one chapter after another. `by_chapter`: "3.1" and not "7" for a figure."""

    by_chapter: bool = True
    depth: int = NUMBERED_TO
    labels: dict[str, Target] = field(default_factory=dict)
    headings: list[Line] = field(default_factory=list)
    figures: list[Line] = field(default_factory=list)
    tables: list[Line] = field(default_factory=list)
    is_lettered: bool = False  # behind \appendix
    _at: list[int] = field(default_factory=lambda: [0] * 7)
    _counts: dict[str, int] = field(default_factory=dict)
    _made: int = 0
    _here: Target | None = None  # what a \label in the text means

    def begin_appendices(self) -> None:
        self.is_lettered, self._at = True, [0] * 7
        self._counts.clear()

    def count(self, blocks: list[Node], *, is_numbered: bool = True) -> None:
        """Number what is in `blocks`, in place: a node that has one gets "number", "bookmark" and "place" entries."""
        self._go(blocks, is_numbered)

    def _go(self, tree: object, is_numbered: bool) -> None:
        if isinstance(tree, list):
            for one in tree:
                self._go(one, is_numbered)
        elif isinstance(tree, dict):
            inside = self._node(tree, is_numbered) if "t" in tree else tree
            for value in inside.values():
                if isinstance(value, list | dict):
                    self._go(value, is_numbered)

    def _node(self, node: Node, is_numbered: bool) -> Node:
        """Number `node`, and say in what numbers are to be looked for further on."""
        kind = node["t"]
        if kind == "Div" and len(node["c"][1]) == 1 and node["c"][1][0].get("t") == "Table":
            self._table(node["c"][1][0], node["c"][0][0])
        elif kind == "Header":
            self._heading(node, is_numbered)
        elif kind == "Figure":
            self._figure(node)
            return {}
        elif kind == "Table":
            self._table(node, node["c"][0][0])
        elif kind == "Math":
            self._equation(node)
        elif kind == "OrderedList":
            self._items(node)
        elif kind in {"Span", "Div", "CodeBlock"} and node["c"][0][0]:
            self._mark(node)
        return {"c": node.get("c")}

    def _bookmark(self, stem: str) -> str:
        self._made += 1
        return f"{stem}{self._made:06d}"

    def _name(self, node: Node, number: str, bookmark: str) -> None:
        node["number"], node["bookmark"], node["place"] = number, bookmark, 100_000 + self._made

    def _define(self, label: str, target: Target) -> None:
        if label:
            self.labels.setdefault(label, target)

    def _heading(self, node: Node, is_numbered: bool) -> None:
        level, (label, classes, _), inlines = node["c"]
        number = ""
        if is_numbered and "unnumbered" not in classes and level <= self.depth:
            self._at[level] += 1
            self._at[level + 1 :] = [0] * (6 - level)
            if level == 1 and self.by_chapter:
                self._counts.clear()
            number = ".".join(self._part(depth) for depth in range(1, level + 1))
        bookmark = self._bookmark("Heading")
        self._name(node, number, bookmark)
        node["lettered"] = self.is_lettered
        kind = "heading" if number else "title"
        self._here = Target(kind, number or self._current(), said(inlines), bookmark, level)
        self._define(label, self._here)
        if level <= LISTED_TO:
            self.headings.append(Line(level, number, said(inlines), bookmark))

    def _part(self, depth: int) -> str:
        value = self._at[depth]
        return chr(64 + value) if depth == 1 and self.is_lettered and 0 < value < 27 else str(value)

    def _current(self) -> str:
        depth = max((level for level in range(1, self.depth + 1) if self._at[level]), default=0)
        return ".".join(self._part(level) for level in range(1, depth + 1))

    def _next(self, kind: str) -> str:
        self._counts[kind] = self._counts.get(kind, 0) + 1
        within = self._part(1) if self.by_chapter and self._at[1] else ""
        return f"{within}.{self._counts[kind]}" if within else str(self._counts[kind])

    def _figure(self, node: Node) -> None:
        (label, _, _), (short, long), blocks = node["c"]
        own = _within(blocks, "Figure")
        number = self._captioned(node, "figure", short, long, label, self.figures)
        for place, part in enumerate(own):
            letter = chr(97 + place % 26)
            part["number"], part["part"] = f"({letter})", True
            name = said(part["c"][1][1])
            self._define(part["c"][0][0], Target("figure", f"{number}{letter}", name, str(node.get("bookmark", ""))))
        for inline in (long, blocks):
            for span in _within(inline, "Span"):
                self._define(span["c"][0][0], Target("figure", number, said(long), str(node.get("bookmark", ""))))

    def _table(self, node: Node, label: str) -> None:
        if "number" in node or node["c"][1] is None:
            return
        short, long = node["c"][1]
        self._captioned(node, "table", short, long, label, self.tables)

    def _captioned(self, node: Node, kind: str, short: object, long: list[Node], label: str, listed: list[Line]) -> str:
        text = said(long)
        is_plain = text.startswith(PLAIN)
        number = "" if is_plain or not long else self._next(kind)
        bookmark = self._bookmark(kind.capitalize())
        self._name(node, number, bookmark)
        self._define(label, Target(kind, number, text.removeprefix(PLAIN), bookmark))
        if number:
            listed.append(Line(1, number, said(short) if short else text, bookmark))
        return number

    def _equation(self, node: Node) -> None:
        kind, tex = node["c"]
        begun = _ENVIRONMENT.match(tex) if kind["t"] == "DisplayMath" else None
        if begun is None or begun[2] or begun[1] == "displaymath":
            node["c"][1] = numbered_maths(tex, [])[0] if kind["t"] == "DisplayMath" else tex
            return
        lines = split_lines(tex[begun.end() : tex.rfind(r"\end")]) if begun[1] in _LINES else [tex]
        numbers: list[str] = []
        bookmark = self._bookmark("Equation")
        for line in lines:
            if not line.strip():
                continue
            tag = _TAG.search(line)
            silent = re.search(r"\\(?:nonumber|notag)(?![A-Za-z])", line)
            number = tag[1] if tag else "" if silent else self._next("equation")
            numbers.append(number)
            for label in _LABEL.findall(line):
                self._define(label.strip(), Target("equation", number, "", bookmark))
        self._name(node, "", bookmark)
        node["numbers"] = numbers

    def _items(self, node: Node) -> None:
        (start, _, _), items = node["c"]
        for place, item in enumerate(items):
            for span in _within(item[:1], "Span"):
                label = span["c"][0][0]
                if label and label not in self.labels:
                    bookmark = self._bookmark("Item")
                    span["bookmark"], span["place"] = bookmark, 100_000 + self._made
                    self.labels[label] = Target("item", str(start + place), "", bookmark)

    def _mark(self, node: Node) -> None:
        label = node["c"][0][0]
        if label in self.labels or "bookmark" in node:
            return
        here = self._here or Target("title", "", "", "")
        if node["t"] == "Span" and dict(node["c"][0][2]).get("label"):
            self.labels[label] = here


def _within(tree: object, kind: str) -> list[Node]:
    """The nodes of `kind` in `tree`, not those within each other."""
    if isinstance(tree, dict):
        if tree.get("t") == kind:
            return [tree]
        return [found for value in tree.values() for found in _within(value, kind)]
    return [found for one in tree for found in _within(one, kind)] if isinstance(tree, list) else []


def split_lines(tex: str) -> list[str]:
    r"""The lines of an aligned equation: parted at each \\ that is in no braces and no environment of its own."""
    parts, depth, begun = [], 0, 0
    for found in _TOKEN.finditer(tex):
        token = found[0]
        if token == "{" or token.startswith(r"\begin"):
            depth += 1
        elif token == "}" or token.startswith(r"\end"):
            depth -= 1
        elif token.startswith("\\\\") and depth <= 0:
            parts.append(tex[begun : found.start()])
            begun = found.end()
    return [*parts, tex[begun:]]


def _without_labels(tex: str) -> str:
    return _TAG.sub("", _LABEL.sub("", tex))


def numbered_maths(tex: str, numbers: list[str]) -> tuple[str, str]:
    r"""The TeX of a displayed formula that pandoc can turn into Word's, and the one number that stands at its right ("" where
    its lines have their own, which are put behind them).
    """
    plain = re.sub(r"\\(?:nonumber|notag)(?![A-Za-z])", "", _without_labels(tex))
    begun = _ENVIRONMENT.match(plain)
    if begun is None:
        return plain, ""
    inside = plain[begun.end() : plain.rfind(r"\end")]
    inside = re.sub(r"\A\s*\{\d+\}", "", inside) if begun[1] == "alignat" else inside
    single = next(filter(None, numbers), "") if begun[1] not in _LINES or len(numbers) == 1 else ""
    if not single and any(numbers):
        left = iter(numbers)
        lines = [line if not line.strip() else _with_number(line, next(left, "")) for line in split_lines(inside)]
        inside = "\\\\".join(lines)
    kind = _KNOWN.get(begun[1], "aligned")
    inside = inside.strip()
    return (f"\\begin{{{kind}}}\n{inside}\n\\end{{{kind}}}" if kind else inside), single


def _with_number(line: str, number: str) -> str:
    return f"{line.rstrip()} \\qquad ({number})" if number else line
