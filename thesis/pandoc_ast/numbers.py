r"""The numbers of headings, figures, tables and equations, as LaTeX counts them, and those of labels (SPEC T6)."""

import re
from dataclasses import dataclass, field
from typing import NamedTuple

from latex.numbering import Counters, numbered_rows
from latex.numbering_events import ALIGNED, HEADINGS, split_rows
from thesis.pandoc_ast.nodes import LEAVES, Node, text_of_nodes
from thesis.pandoc_ast.normalise import AUTO, NAME, PAGE, PLAIN

LISTED_TO = 3  # levels of headings in the contents
_ENVIRONMENT = re.compile(r"\s*\\begin\{(equation|displaymath|align|gather|multline|eqnarray|flalign|alignat)(\*?)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_KNOWN = {
    "equation": "",
    "displaymath": "",
    "gather": "gathered",
    "multline": "gathered",
}  # names for pandoc; others become "aligned"


class Target(NamedTuple):
    """What a label points to. `kind`: heading, title, figure, table, equation or item; `bookmark`: its link target."""

    kind: str
    number: str
    name: str
    bookmark: str
    level: int = 0  # of a heading: 0 part, 1 chapter or appendix, 2 section ...
    is_lettered: bool = False


_AUTOREF = {"figure": "Figure", "table": "Table", "equation": "Equation", "item": "item"}
_CREF = {"figure": "fig.", "table": "table", "equation": "eq.", "item": "item"}


def lead(target: Target, how: str) -> str:
    r"""Return the word that a reference prints before its number.

    `how` is "autoref", "ref+label" (\cref) or "ref+Label" (\Cref). The words are the English ones of hyperref
    (\figureautorefname ...) and of cleveref without options.
    """
    if target.kind in ("heading", "title"):
        names = ["Part", "Appendix" if target.is_lettered else "chapter", "section", "subsection", "subsubsection"]
        word = names[min(target.level, len(names) - 1 if how == "autoref" else 2)]
        return word if how == "autoref" else word.capitalize() if how == "ref+Label" else word.lower()
    if how == "ref+Label":
        return _AUTOREF.get(target.kind, "").capitalize()
    return (_AUTOREF if how == "autoref" else _CREF).get(target.kind, "")


def shown_number(target: Target, how: str) -> str:
    r"""Return the number that a reference prints; for \eqref, \cref and \Cref an equation's number is in brackets."""
    in_brackets = how == "eqref" or (target.kind == "equation" and how.lower() == "ref+label")
    return f"({target.number})" if in_brackets else target.number


class Reference(NamedTuple):
    """What a reference prints: `word`, then `shown`, a number or a title. `asks` is PAGE, NAME, AUTO or ""."""

    label: str
    asks: str
    target: Target | None
    word: str = ""
    shown: str = ""

    @property
    def is_lost(self) -> bool:
        """Return whether the label is unknown, or has neither a number nor a name."""
        return self.target is None or not (self.target.number or self.target.name)


class Line(NamedTuple):
    """An entry of the contents or of a list of tables or figures, with the bookmark it links to."""

    level: int
    number: str
    text: str
    bookmark: str


@dataclass
class Numbers:
    """Counts the blocks of one chapter after another by LaTeX's `counters`.

    `depth` levels of headings are numbered by Word itself. A heading that Word would number differently is marked as
    "typed": its number is written before its title.
    """

    counters: Counters = field(default_factory=Counters)
    depth: int = 4
    has_chapters: bool = True
    labels: dict[str, Target] = field(default_factory=dict)
    headings: list[Line] = field(default_factory=list)
    figures: list[Line] = field(default_factory=list)
    tables: list[Line] = field(default_factory=list)
    formulas: list[Node] = field(default_factory=list)  # all formulas
    _words: dict[bool, list[int]] = field(
        default_factory=lambda: {False: [0] * 7, True: [0] * 7}
    )  # Word's own counts, for chapters and (True) for appendices
    _made: int = 0
    _here: Target | None = None  # the target of a \label in the text

    def reference(self, label: str, how: str) -> Reference:
        """Return what a reference to `label` prints. `how` is pandoc's "reference-type"."""
        asks = next((prefix for prefix in (NAME, PAGE, AUTO) if label.startswith(prefix)), "")
        label = label.removeprefix(asks)
        target = self.labels.get(label)
        if target is None or asks == PAGE:
            return Reference(label, asks, target)
        if asks == NAME:
            return Reference(label, asks, target, shown=target.name or target.number)
        how = "autoref" if asks == AUTO else how
        word = lead(target, how) if asks or how.startswith("ref+") else ""
        return Reference(label, asks, target, word, shown_number(target, how))

    def count(self, tree: object, *, is_numbered: bool = True) -> None:
        """Number the nodes of `tree` in place: each gets the entries "number", "bookmark" and "place"."""
        if isinstance(tree, list):
            for one in tree:
                if isinstance(one, list) or (isinstance(one, dict) and one.get("t") not in LEAVES):
                    self.count(one, is_numbered=is_numbered)
        elif isinstance(tree, dict):
            inside = self._node(tree, is_numbered) if "t" in tree else tree
            for value in inside.values():
                if isinstance(value, list | dict):
                    self.count(value, is_numbered=is_numbered)

    def _node(self, node: Node, is_numbered: bool) -> Node:
        """Number `node` itself, and return the part of it in which other nodes are still to be numbered."""
        match node["t"]:
            case "Div" if len(node["c"][1]) == 1 and node["c"][1][0].get("t") == "Table":
                self._table(node["c"][1][0], node["c"][0][0])
            case "Header":
                self._heading(node, is_numbered)
            case "Figure":
                self._figure(node)
                return {}
            case "Table":
                self._table(node, node["c"][0][0])
            case "Math":
                self._equation(node)
            case "OrderedList":
                self._items(node)
            case "Span" if node["c"][0][0]:
                self._mark(node)
        return {"c": node.get("c")}

    def _bookmark(self, stem: str) -> str:
        self._made += 1
        return f"{stem}{self._made:06d}"

    def _name(self, node: Node, number: str, bookmark: str) -> None:
        node["number"], node["bookmark"], node["place"] = number, bookmark, 100_000 + self._made

    def _define(self, label: str, target: Target) -> None:
        if label:
            self.labels[label] = target  # as in LaTeX, the last definition counts

    def _heading(self, node: Node, is_numbered: bool) -> None:
        level, (label, classes, _), inlines = node["c"]
        is_part = "part" in classes
        names = list(HEADINGS)[1 if self.has_chapters else 2 :]  # of headings from level 1 on
        name = "part" if is_part else names[min(level, len(names)) - 1]
        number = self.counters.heading(name, is_starred=not is_numbered or "unnumbered" in classes)
        node["typed"] = bool(number) and (is_part or not self._is_words(level, number))
        bookmark = self._bookmark("Heading")
        self._name(node, number, bookmark)
        node["lettered"] = self.counters.is_lettered
        kind = "heading" if number else "title"
        shown = number or self.counters.current
        self._here = Target(kind, shown, text_of_nodes(inlines), bookmark, HEADINGS[name] + 1, node["lettered"])
        self._define(label, self._here)
        if level <= LISTED_TO:
            self.headings.append(Line(level, number, text_of_nodes(inlines), bookmark))

    def _is_words(self, level: int, number: str) -> bool:
        """Return whether Word itself numbers the next heading of `level` as `number`; if so, count it."""
        at = self._words[self.counters.is_lettered]
        counted = [*at[:level], at[level] + 1, *[0] * (6 - level)]
        parts = [str(value) for value in counted[1 : level + 1]]
        if self.counters.is_lettered:
            parts[0] = chr(64 + counted[1])
        if level > self.depth or number != ".".join(parts):
            return False
        at[:] = counted
        return True

    def _figure(self, node: Node) -> None:
        (label, _, _), (short, long), blocks = node["c"]
        number = self._captioned(node, "figure", short, long, label, self.figures)
        for place, part in enumerate(_within(blocks, "Figure")):
            letter = chr(97 + place % 26)
            part["number"], part["part"] = f"({letter})", True
            name = text_of_nodes(part["c"][1][1])
            self._define(part["c"][0][0], Target("figure", f"{number}{letter}", name, node["bookmark"]))
        for formula in _within([long, blocks], "Math"):
            self._equation(formula)
        for span in _within([long, blocks], "Span"):
            self._define(span["c"][0][0], Target("figure", number, text_of_nodes(long), node["bookmark"]))

    def _table(self, node: Node, label: str) -> None:
        if "number" not in node and node["c"][1] is not None:
            short, long = node["c"][1]
            self._captioned(node, "table", short, long, label, self.tables)

    def _captioned(self, node: Node, kind: str, short: object, long: list[Node], label: str, listed: list[Line]) -> str:
        text = text_of_nodes(long)
        number = "" if text.startswith(PLAIN) or not long else self.counters.step(kind)
        bookmark = self._bookmark(kind.capitalize())
        self._name(node, number, bookmark)
        self._define(label, Target(kind, number, text.removeprefix(PLAIN), bookmark))
        if number:
            listed.append(Line(1, number, text_of_nodes(short) if short else text, bookmark))
        return number

    def _equation(self, node: Node) -> None:
        self.formulas.append(node)
        kind, tex = node["c"]
        begun = _ENVIRONMENT.match(tex) if kind["t"] == "DisplayMath" else None
        if begun is None or begun[2] or begun[1] == "displaymath":
            node["c"][1] = numbered_maths(tex, [])[0] if kind["t"] == "DisplayMath" else tex
            return
        bookmark = self._bookmark("Equation")
        rows = numbered_rows(begun[1], tex[begun.end() : tex.rfind(r"\end")], self.counters)
        for number, labels in rows:
            for label in labels:
                self._define(label, Target("equation", number, "", bookmark))
        self._name(node, "", bookmark)
        node["numbers"] = [number for number, _ in rows]

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
        label, _, pairs = node["c"][0]
        if label not in self.labels and "bookmark" not in node and dict(pairs).get("label"):
            self.labels[label] = self._here or Target("title", "", "", "")


def _within(tree: object, kind: str) -> list[Node]:
    """Return the outermost nodes of `kind` in `tree`."""
    if isinstance(tree, dict):
        if tree.get("t") == kind:
            return [tree]
        return [found for value in tree.values() for found in _within(value, kind)]
    return [found for one in tree for found in _within(one, kind)] if isinstance(tree, list) else []


def numbered_maths(tex: str, numbers: list[str]) -> tuple[str, str]:
    r"""Return the TeX of a displayed formula in a form that pandoc can convert, and its number.

    The number is "" when its lines have numbers of their own, which are added after each line.
    """
    plain = re.sub(r"\\(?:nonumber|notag)(?![A-Za-z])", "", _TAG.sub("", _LABEL.sub("", tex)))
    begun = _ENVIRONMENT.match(plain)
    if begun is None:
        return plain, ""
    inside = plain[begun.end() : plain.rfind(r"\end")]
    inside = re.sub(r"\A\s*\{\d+\}", "", inside) if begun[1] == "alignat" else inside
    single = next(filter(None, numbers), "") if begun[1] not in ALIGNED or len(numbers) == 1 else ""
    if not single and any(numbers):
        left = iter(numbers)
        inside = "\\\\".join(
            _with_number(line, next(left, "")) if line.strip() else line for line in split_rows(inside)
        )
    kind = _KNOWN.get(begun[1], "aligned")
    inside = inside.strip()
    return (f"\\begin{{{kind}}}\n{inside}\n\\end{{{kind}}}" if kind else inside), single


def _with_number(line: str, number: str) -> str:
    return f"{line.rstrip()} \\qquad ({number})" if number else line
