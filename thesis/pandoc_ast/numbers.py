r"""The numbers of headings, figures, tables and equations, as LaTeX counts them, and those of labels (SPEC T6)."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from latex.list_marks import ITEM
from latex.numbering import Counters, numbered_rows, subequations
from latex.numbering_events import ALIGNED, HEADINGS, split_rows
from thesis.pandoc_ast.float_marks import KINDS, OTHER_SIDE
from thesis.pandoc_ast.nodes import LEAVES, Node, text_of_nodes, words
from thesis.pandoc_ast.normalise import PLAIN, SUBEQUATIONS, UNCAPTIONED
from thesis.pandoc_ast.plain_maths import plain_maths
from thesis.pandoc_ast.references import (
    AUTO,
    BARE,
    NAME,
    PAGE,
    PAGES,
    RANGE,
    WORD,
    WORDS,
    Reference,
    Target,
    as_range,
    auto_word,
    cref_word,
    grouped,
    joined,
    shown_number,
)
from thesis.pandoc_ast.table_marks import take_rules

LISTED_TO = 3  # levels of headings in the contents
_ENVIRONMENT = re.compile(r"\s*\\begin\{(equation|displaymath|align|gather|multline|eqnarray|flalign|alignat)(\*?)\}")
_LABEL = re.compile(r"\\label\s*\{([^{}]*)\}")
_TAG = re.compile(r"\\tag\*?\s*\{([^{}]*)\}")
_AMPERSAND = re.compile(r"(?<!\\)&")
_ASKS = (NAME, PAGES, PAGE, AUTO, WORD, WORDS, RANGE, BARE)
OWN = "scholium-"  # begins the labels that the text given to pandoc has, and the thesis has not
_CREFS = ("ref+label", "ref+Label")
_KNOWN = {
    "equation": "",
    "displaymath": "",
    "gather": "gathered",
    "multline": "gathered",
}  # names for pandoc; others become "aligned"


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
    _here: Target | None = None  # the heading above, the target of a \label in the text
    _around: Target | None = None  # the theorem or item around, which is then the target
    _outer: tuple[str, int] | None = None  # format and value of the equation counter outside subequations

    def reference(self, label: str, how: str) -> Reference:
        """Return what a reference to `label` prints. `how` is pandoc's "reference-type"."""
        asks, label = _split_prefix(label)
        return self._one(asks, label.strip(), how)

    def references(self, labels: str, how: str) -> list[str | Reference]:
        """Return what a reference to several labels, with commas between them, prints; text between them as it is."""
        asks, labels = _split_prefix(labels)
        names = self.counters.cref
        each = [self._one(asks, label.strip(), how) for label in labels.split(",")]
        is_first = how == "ref+Label"
        if asks == PAGES:
            word = "Page" if is_first else "page"
            each[0] = each[0]._replace(word=word if len(each) == 1 else f"{word}s")
            return joined([[one] for one in each])
        if asks == RANGE and len(each) == 2:
            return as_range(each[0], each[1], names, is_first=is_first)
        if how in _CREFS and asks in ("", BARE):
            return grouped(each, names, is_first=is_first, words=not asks)
        made: list[str | Reference] = []
        for place, one in enumerate(each):
            made += [", ", one] if place else [one]
        return made

    def _one(self, asks: str, label: str, how: str) -> Reference:
        target = self.labels.get(label)
        if target is None or asks in (PAGE, PAGES):
            return Reference(label, PAGE if asks else "", target)
        if asks == NAME:
            return Reference(label, asks, target, shown=target.name or target.number)
        if asks in (WORD, WORDS):
            is_first = how == "ref+Label"
            word = cref_word(target, self.counters.cref, is_plural=asks == WORDS, is_first=is_first)
            return Reference(label, WORD, target, shown=word)
        word = auto_word(target) if asks == AUTO else ""
        return Reference(label, asks, target, word, shown_number(target, how))

    def formula(self, node: Node) -> tuple[str, str, str]:
        """Return the kind of a counted Math node, its TeX for pandoc, and the number beside it.

        Lines with numbers of their own have these in the TeX.
        """
        kind, tex = node["c"]
        number = ""
        if kind["t"] == "DisplayMath":
            tex, number = numbered_maths(tex, node.get("numbers", []))
        return kind["t"], plain_maths(tex, self._in_formula), number

    def _in_formula(self, label: str, how: str) -> str:
        found = self._one("", label, how)
        return "??" if found.is_lost else found.shown

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
            case "Div" if theorem := next((one for one in node["c"][0][1] if one in self.counters.theorems), ""):
                self._theorem(node, theorem, is_numbered)
                return {}
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
            case "CodeBlock" if caption := dict(node["c"][0][2]).get("caption"):
                number, bookmark = self.counters.step("lstlisting"), self._bookmark("Listing")
                self._name(node, number, bookmark)
                self._define(node["c"][0][0], Target("listing", number, caption, bookmark))
            case "OrderedList" | "BulletList":
                self._items(node, is_numbered)
                return {}
            case "Span" if node["c"][0][0]:
                self._mark(node)
        return {"c": node.get("c")}

    def _bookmark(self, stem: str) -> str:
        self._made += 1
        return f"{stem}{self._made:06d}"

    def _name(self, node: Node, number: str, bookmark: str) -> None:
        node["number"], node["bookmark"], node["place"] = number, bookmark, 100_000 + self._made

    def _define(self, label: str, target: Target) -> None:
        if label and not label.startswith(OWN):
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
        self._around = None
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
        mark = _pop_mark(long, KINDS)
        kind = node["kind"] = KINDS.get(mark, "figure")
        listed = {"figure": self.figures, "table": self.tables}.get(kind, [])
        number = self._captioned(node, kind, short, long, label, listed)
        for place, part in enumerate(_within(blocks, "Figure")):
            letter = chr(97 + place % 26)
            part["number"], part["part"] = f"({letter})", True
            name = text_of_nodes(part["c"][1][1])
            self._define(part["c"][0][0], Target(kind, f"{number}{letter}", name, node["bookmark"]))
        for formula in _within([long, blocks], "Math"):
            self._equation(formula)
        for span in _within([long, blocks], "Span"):
            self._define(span["c"][0][0], Target(kind, number, text_of_nodes(long), node["bookmark"]))

    def _table(self, node: Node, label: str) -> None:
        if "rules" not in node:
            take_rules(node)
        if "number" not in node and node["c"][1] is not None:
            short, long = node["c"][1]
            number = self._captioned(node, "table", short, long, label, self.tables)
            for span in _within(long, "Span"):
                name = text_of_nodes(long)
                self._define(span["c"][0][0], Target("table", number, name, node["bookmark"]))

    def _captioned(self, node: Node, kind: str, short: object, long: list[Node], label: str, listed: list[Line]) -> str:
        node["other_side"] = _pop_mark(long, OTHER_SIDE) == OTHER_SIDE
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
        if kind["t"] != "DisplayMath":
            return
        begun = _ENVIRONMENT.match(tex)
        inside = tex[begun.end() : tex.rfind(r"\end")] if begun else tex
        is_plain = begun is None or bool(begun[2]) or begun[1] == "displaymath"
        rows = numbered_rows(begun[1] if begun else "", inside, self.counters, only_tags=is_plain)
        if is_plain and not any(number for number, _ in rows):
            return
        bookmark = self._bookmark("Equation")
        for number, labels in rows:
            for label in labels:
                self._define(label, Target("equation", number, "", bookmark))
        self._name(node, "", bookmark)
        node["numbers"] = [number for number, _ in rows]

    def _theorem(self, node: Node, name: str, is_numbered: bool) -> None:
        """Give a theorem-like environment the number that LaTeX gives it, in place of pandoc's."""
        (label, _, _), blocks = node["c"]
        number, word = self.counters.theorem(name), self.counters.theorems[name].word
        bookmark = self._bookmark("Theorem")
        self._name(node, number, bookmark)
        first = blocks[0]["c"] if blocks and blocks[0]["t"] in ("Para", "Plain") else []
        if first and first[0]["t"] in ("Strong", "Emph"):
            first[0]["c"] = words(f"{_plain(word)} {number}".strip())
        title = ""
        if len(first) > 2 and first[2]["t"] == "Str" and first[2]["c"].startswith("("):
            title = text_of_nodes(first[2:]).partition(")")[0][1:]
        refers = Target("theorem", number or self.counters.current, title, bookmark, type=name, word=_plain(word))
        self._define(label, refers)
        self._inside(blocks, refers, is_numbered)

    def _inside(self, blocks: list[Node], target: Target | None, is_numbered: bool) -> None:
        """Count the blocks of a theorem or an item, in which a label names `target`."""
        outer, self._around = self._around, target
        self.count(blocks, is_numbered=is_numbered)
        self._around = outer

    def _items(self, node: Node, is_numbered: bool) -> None:
        """Take the marks of the items from the tree, into the entry "marks" of the list, "" for a usual one."""
        items = node["c"][1] if node["t"] == "OrderedList" else node["c"]
        marks = []
        for item in items:
            mark, refers = _mark_of(item)
            marks.append(mark)
            self._inside(item, Target("item", refers, "", "") if refers else self._around, is_numbered)
        if any(marks):
            node["marks"] = marks

    def _mark(self, node: Node) -> None:
        label, _, pairs = node["c"][0]
        if label.startswith(UNCAPTIONED):
            self.counters.step("table")
        elif label.startswith(SUBEQUATIONS):
            self._outer = subequations(self.counters, self._outer, begins=label.endswith("begin"))
            self._around = Target("equation", self.counters.parent, "", "") if self._outer else None
        elif (
            label not in self.labels
            and not label.startswith(OWN)
            and "bookmark" not in node
            and dict(pairs).get("label")
        ):
            target = self._around or self._here or Target("title", "", "", "")
            if not target.bookmark:
                node["bookmark"], node["place"] = self._bookmark("Label"), 100_000 + self._made
                target = target._replace(bookmark=node["bookmark"])
            self.labels[label] = target


def _pop_mark(caption: list[Node], marks: Iterable[str]) -> str:
    """Return the mark at the beginning of a caption, and remove it."""
    first = caption[0]["c"] if caption and caption[0]["t"] in ("Para", "Plain") else []
    for mark in marks:
        if first and first[0]["t"] == "Str" and first[0]["c"].startswith(mark):
            first[0]["c"] = first[0]["c"].removeprefix(mark)
            return mark
    return ""


def _split_prefix(label: str) -> tuple[str, str]:
    """Return the prefix of a label, which says what the reference asks for, and the label without it."""
    asks = next((prefix for prefix in _ASKS if label.startswith(prefix)), "")
    return asks, label.removeprefix(asks)


def _plain(word: str) -> str:
    r"""Return the word that a theorem prints; \theoremname, as LyX writes it, is "Theorem"."""
    named = re.fullmatch(r"\s*(?:\\protect\s*)?\\([a-z]+)name\s*", word)
    return named[1].capitalize() if named else re.sub(r"\\[A-Za-z]+\s*|[{}]", "", word.replace("~", " "))


def _mark_of(item: list[Node]) -> tuple[str, str]:
    """Return the mark at the beginning of an item, removed from it, and what a reference to the item prints."""
    first = item[0]["c"] if item and item[0]["t"] in ("Para", "Plain") else []
    if not first or first[0]["t"] != "Span" or not first[0]["c"][0][0].startswith(ITEM):
        return "", ""
    name = first.pop(0)["c"][0][0].removeprefix(ITEM)
    while first and first[0]["t"] in ("Space", "SoftBreak"):
        del first[0]
    if not first and len(item) > 1:
        del item[0]
    mark, refers = json.loads(bytes.fromhex(name))
    return mark, refers


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
        return plain, next(filter(None, numbers), "")
    inside = plain[begun.end() : plain.rfind(r"\end")]
    inside = re.sub(r"\A\s*\{\d+\}", "", inside) if begun[1] == "alignat" else inside
    single = next(filter(None, numbers), "") if begun[1] not in ALIGNED or len(numbers) == 1 else ""
    kind = _KNOWN.get(begun[1], "aligned")
    if not single and any(numbers):
        inside = _with_numbers(split_rows(inside), numbers, is_aligned=kind == "aligned")
    inside = inside.strip()
    return (f"\\begin{{{kind}}}\n{inside}\n\\end{{{kind}}}" if kind else inside), single


def _with_numbers(rows: list[str], numbers: list[str], *, is_aligned: bool) -> str:
    """Return the lines of a formula with their numbers, in a column of their own where the lines are aligned."""
    most = max(len(_AMPERSAND.findall(row)) for row in rows) | 1  # the last column is aligned to the left
    left = iter(numbers)
    made = []
    for row in rows:
        number = next(left, "") if row.strip() else ""
        before = "&" * (most + 2 - len(_AMPERSAND.findall(row))) if is_aligned else ""
        made.append(f"{row.rstrip()} {before}\\qquad \\text{{({number})}}" if number else row)
    return "\\\\".join(made)
