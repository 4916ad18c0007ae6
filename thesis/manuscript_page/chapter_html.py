"""A chapter's data (thesis/preview/chapter_data.py) written as HTML (SPEC G1). Pure: no database, no files.

Text of the author is counted for the map to the source (source_map.py). What Scholium adds (numbers, the words of
citations and references, formulas) is marked `data-set`, and is not counted, here or in the browser.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.utils.html import escape

from thesis.manuscript_page.source_map import Piece
from thesis.pandoc_ast.references import PAGE_WORDS
from thesis.preview.citations import Inline

Node = dict[str, Any]

_TAGS = {"e": "em", "b": "strong", "sup": "sup", "sub": "sub", "sc": "span", "u": "u", "s": "s"}
_ALIGNED = {
    (sign, is_ruled): f' class="{names.strip()}"' if names.strip() else ""
    for sign, name in (("l", ""), ("r", "num"), ("c", "mid"))
    for is_ruled in (False, True)
    for names in [f"{name}{' ruled' if is_ruled else ''}"]
}
_LINE = 576  # pixels of the measure, for pictures whose width is a part of the line
_UNSET = "Only LaTeX can set this formula; here is its source."


class CitedWork(NamedTuple):
    """A cited work on the page: the address of its page ("" for one that is not saved yet), and its badge."""

    address: str
    tier: str
    letter: str
    icon: str
    words: str


class Picture(NamedTuple):
    """A picture: its address ("" when the file is missing) and its name in the text."""

    address: str
    name: str


@dataclass
class HtmlWriter:
    """Writes the blocks of one chapter. `slug` makes its ids unique on the page.

    `works` has the cited works by their link ("w-3"); `ids` the id of each bookmark that a reference leads to;
    `pictures` the pictures by their path. After `blocks`, `pieces` has the counted text of the `leaves` (paragraphs,
    headings and cells) in the order of the source: a footnote comes between two pieces of its paragraph. In the HTML
    stands the number of each leaf between NUL characters, for the map.
    """

    slug: str
    works: Mapping[str, CitedWork] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, Picture] = field(default_factory=dict)
    pieces: list[Piece] = field(default_factory=list)
    leaves: int = 0
    notes: list[str] = field(default_factory=list)
    _leaf_now: int = -1  # whose text is being written; -1 for text that is not counted
    _length: int = 0  # of that leaf's text

    def chapter(self, part: Node) -> str:
        """Return a chapter with its footnotes at its end; one that cannot be read as its source, with the reason."""
        made = self.blocks(part["blocks"])
        if part["source"]:
            made += f'<p class="notice">{escape(part["said"])}</p><pre class="latex">{escape(part["source"])}</pre>'
        if self.notes:
            items = "".join(self.notes)
            made += f'<ol class="footnotes" aria-label="Footnotes">{items}</ol>'
        return made

    def blocks(self, nodes: list[Node]) -> str:
        """Return blocks as HTML."""
        return "".join(_BLOCKS[node["k"]](self, node) for node in nodes)

    def inlines(self, nodes: list[Inline]) -> str:
        """Return inlines as HTML, and count their text."""
        return "".join(self._inline(node) for node in nodes)

    def _leaf(self, tag: str, nodes: list[Inline], attributes: str = "", before: str = "") -> str:
        """Return an element with counted text. `before` is added by Scholium."""
        outer, number = (self._leaf_now, self._length), self.leaves
        self.leaves += 1
        self._leaf_now, self._length = number, 0
        inside = self.inlines(nodes)
        self._leaf_now, self._length = outer
        return f'<{tag}{attributes} data-map="\0{number}\0">{before}{inside}</{tag}>'

    def _id(self, bookmark: str) -> str:
        return f' id="{self._name(bookmark)}"' if bookmark else ""

    def _name(self, bookmark: str) -> str:
        return self.ids.get(bookmark) or f"{self.slug}-{bookmark}"

    # Blocks

    def _paragraph(self, node: Node) -> str:
        return self._leaf("p", node["c"])

    def _heading(self, node: Node) -> str:
        number = node["n"]
        if number and node["word"] in ("Appendix", "Part"):
            number = f"{node['word']} {number}"
        before = f'<span class="n" data-set>{escape(number)} </span>' if number else ""
        return self._leaf(f"h{min(node['l'] + 1, 6)}", node["c"], self._id(node["id"]), before)

    def _ordered(self, node: Node) -> str:
        if "marks" in node:
            return self._marked("ol", node)
        start = f' start="{node["n"]}"' if node["n"] != 1 else ""
        return f"<ol{start}>{self._items(node['c'])}</ol>"

    def _bullets(self, node: Node) -> str:
        if "marks" in node:
            return self._marked("ul", node)
        return f"<ul>{self._items(node['c'])}</ul>"

    def _marked(self, tag: str, node: Node) -> str:
        """Return a list with the marks that LaTeX prints, as text; in an unordered one, "" stands for a bullet."""
        made = "".join(
            self._contained("li", item, ' class="bare"' if mark else "", _mark(mark))
            for mark, item in zip(node["marks"], node["c"], strict=True)
        )
        return f'<{tag} class="marks" role="list">{made}</{tag}>'

    def _items(self, items: list[list[Node]]) -> str:
        return "".join(self._contained("li", item) for item in items)

    def _terms(self, node: Node) -> str:
        made = "".join(
            self._leaf("dt", one["t"]) + "".join(self._contained("dd", each) for each in one["c"]) for one in node["c"]
        )
        return f"<dl>{made}</dl>"

    def _contained(self, tag: str, blocks: list[Node], attributes: str = "", before: str = "") -> str:
        """Return an element with blocks in it, after `before`; a single paragraph is the element itself."""
        if len(blocks) == 1 and blocks[0]["k"] == "p":
            return self._leaf(tag, blocks[0]["c"], attributes, before)
        return f"<{tag}{attributes}>{before}{self.blocks(blocks)}</{tag}>"

    def _theorem(self, node: Node) -> str:
        return f'<div class="theorem"{self._id(node["id"])}>{self.blocks(node["c"])}</div>'

    def _quote(self, node: Node) -> str:
        return f"<blockquote>{self.blocks(node['c'])}</blockquote>"

    def _centred(self, node: Node) -> str:
        return f'<div class="mid">{self.blocks(node["c"])}</div>'

    def _code(self, node: Node) -> str:
        return f'<pre class="code" tabindex="0"><code>{escape(node["c"])}</code></pre>'

    def _rule(self, node: Node) -> str:
        return "<hr>"

    def _box(self, node: Node) -> str:
        return f'<p class="notice" data-set>{escape(node["c"])}</p>'

    def _figure(self, node: Node) -> str:
        if "other" in node:
            return f"<figure{self._id(node['id'])}>{self._caption('figcaption', node)}{self.blocks(node['c'])}</figure>"
        return f"<figure{self._id(node['id'])}>{self.blocks(node['c'])}{self._caption('figcaption', node)}</figure>"

    def _small(self, node: Node) -> str:
        return f'<div class="table-notes">{self.blocks(node["c"])}</div>'

    def _caption(self, tag: str, node: Node) -> str:
        if not node["cap"] and not node["lead"]:
            return ""
        return self._leaf(tag, node["cap"], "", f"<b data-set>{escape(node['lead'])} </b>" if node["lead"] else "")

    def _table(self, node: Node) -> str:
        columns = node["cols"]["a"]
        caption = self._caption("caption", node)
        rules: dict[int, list[tuple[int, int]]] = {}
        for row, first, last in node.get("rules", ()):
            rules.setdefault(row, []).append((first, last))
        count = len(node["head"])
        head, body = (
            self._rows(node["head"], columns, "th", rules, 0),
            self._rows(node["body"], columns, "td", rules, count),
        )
        table = f"{caption}{f'<thead>{head}</thead>' if head else ''}<tbody>{body}</tbody>"
        name = f' role="region" aria-label="{escape(node["lead"].rstrip(":") or "Table")}" tabindex="0"'
        below = " below" if "other" in node else ""
        return f'<div class="printed"{name}{self._id(node["id"])}><table class="booktabs{below}">{table}</table></div>'

    def _rows(
        self, rows: list[list[Node]], columns: list[str], tag: str, rules: dict[int, list[tuple[int, int]]], first: int
    ) -> str:
        covered: dict[int, int] = {}  # how many rows a cell from above still covers, by column
        return "".join(self._row(row, columns, tag, rules.get(at, []), covered) for at, row in enumerate(rows, first))

    def _row(
        self, cells: list[Node], columns: list[str], tag: str, rules: list[tuple[int, int]], covered: dict[int, int]
    ) -> str:
        made, column = "", 0
        here = {at for at, rows in covered.items() if rows > 0}
        for cell in cells:
            while column in here:
                column += 1
            aligned = cell.get("a") or (columns[column] if column < len(columns) else "l")
            across, down = int(cell.get("x", 1)), int(cell.get("y", 1))
            spans = (f' colspan="{across}"' if across > 1 else "") + (f' rowspan="{down}"' if down > 1 else "")
            is_ruled = any(first <= column + 1 and column + across <= last for first, last in rules)
            made += self._contained(tag, cell["c"], _ALIGNED[aligned, is_ruled] + spans)
            covered.update(dict.fromkeys(range(column, column + across), down))
            column += across
        for at in covered:
            covered[at] -= 1
        ruled = ' class="ruled"' if (0, 0) in rules else ""
        return f"<tr{ruled}>{made}</tr>"

    def _equation(self, node: Node) -> str:
        number = f'<span class="n">({escape(node["n"])})</span>' if node["n"] else ""
        remark = "" if node["m"] else f'<small class="remark">{_UNSET}</small>'
        inside = f"{_formula(node)}{number}{remark}"
        return f'<div class="equation"{self._id(node["id"])} tabindex="0" data-set>{inside}</div>'

    def _signature(self, node: Node) -> str:
        return self._leaf("p", [*node["c"], *node["more"]])

    def _gap(self, node: Node) -> str:
        return ""

    # Inlines

    def _inline(self, node: Inline) -> str:
        if isinstance(node, str):
            return self._counted(node)
        kind = node["k"]
        if tag := _TAGS.get(kind):
            class_ = ' class="smallcaps"' if kind == "sc" else ""
            return f"<{tag}{class_}>{self.inlines(node['c'])}</{tag}>"
        return _INLINES[kind](self, node)

    def _maths(self, node: Node) -> str:
        # One that may be wider than a phone scrolls in itself.
        long = ' class="long" tabindex="0"' if len(_TAG.sub("", node["m"])) > _FITS_A_PHONE else ""
        return f"<span{long} data-set>{_formula(node)}</span>"

    def _break(self, node: Node) -> str:
        return "<br>"

    def _inline_code(self, node: Node) -> str:
        return f"<code>{self._counted(node['c'])}</code>"

    def _counted(self, text: str) -> str:
        if self._leaf_now >= 0:
            self.pieces.append(Piece(self._leaf_now, self._length, text))
            self._length += len(text)
        return escape(text)

    def _anchor(self, node: Node) -> str:
        return f"<span{self._id(node['id'])} data-set></span>"

    def _link(self, node: Node) -> str:
        return f'<a href="{escape(node["to"])}" rel="noopener noreferrer">{self.inlines(node["c"])}</a>'

    def _note(self, node: Node) -> str:
        number, name = len(self.notes) + 1, f"{self.slug}-note-{len(self.notes) + 1}"
        self.notes.append("")  # its number is taken before the notes within it are written
        back = f'<a href="#{name}-ref" data-set aria-label="Back to the text">↩</a>'
        inside = self.blocks(node["c"])
        inside = f"{inside[:-4]} {back}</p>" if inside.endswith("</p>") else f"{inside}{back}"
        self.notes[number - 1] = f'<li id="{name}">{inside}</li>'
        link = f'<a id="{name}-ref" href="#{name}" aria-label="Footnote {number}">{number}</a>'
        return f'<sup class="note" data-set>{link}</sup>'

    def _reference(self, node: Node) -> str:
        shown = node["c"]
        if node.get("page"):
            shown = f"{node['word']}{PAGE_WORDS}"
        inside = escape(shown) if isinstance(shown, str) else self.inlines(shown)
        is_set = " data-set" if isinstance(shown, str) else ""
        if not node["to"]:
            return f'<span class="lost" title="Unknown label"{is_set}>{inside}</span>'
        return f'<a href="#{self._name(node["to"])}"{is_set}>{inside}</a>'

    def _citation(self, node: Node) -> str:
        outer, self._leaf_now = self._leaf_now, -1
        last = {part["to"]: place for place, part in enumerate(node["c"]) if _is_work(part)}
        inside = "".join(
            self._work(part, is_last=last[part["to"]] == place) if _is_work(part) else self._inline(part)
            for place, part in enumerate(node["c"])
        )
        self._leaf_now = outer
        return f"<span data-set>{inside}</span>"

    def _work(self, node: Node, *, is_last: bool = True) -> str:
        """Return a link to a work, with its badge after its last part: "Berg (2019)" is two links."""
        work = self.works.get(node["to"])
        if work is None:
            return escape(node["c"])
        if not is_last:
            work = work._replace(letter="", icon="")
        letter = f'<span class="vh">, tier </span><b>{work.letter}</b>' if work.letter else ""
        if work.tier not in "abc" and is_last:
            letter += f'<span class="vh">, {escape(work.words)}</span>{_icon(work.icon)}'
        if not work.address:
            return f'<span class="cite" data-tier="{work.tier}">{_marked(node["c"], letter)}</span>'
        return f'<a class="cite" data-tier="{work.tier}" href="{work.address}">{_marked(node["c"], letter)}</a>'

    def _unknown_work(self, node: Node) -> str:
        why = f'<span class="vh">, not in the references</span>{_icon("ask")}'
        return f'<span class="cite" data-tier="missing">{_marked(node["c"] or "?", why)}</span>'

    def _image(self, node: Node) -> str:
        picture = self.pictures[node["path"]]
        if not picture.address:
            return f'<span class="notice" data-set>The picture {escape(picture.name)} is missing.</span>'
        width = node["part"] * _LINE or node["points"] * 4 / 3
        size = f' width="{round(width)}"' if width else ""
        return f'<img src="{escape(picture.address)}" alt="{escape(picture.name)}" loading="lazy"{size}>'


def _marked(words: str, mark: str) -> str:
    """Return the words of a citation with its mark, which stays on the line of the last word and of what follows."""
    if not mark:
        return escape(words)
    before, space, last = words.rpartition(" ")
    return f'{escape(before + space)}<span class="held">{escape(last)}{mark}\u2060</span>'


def _is_work(part: Inline) -> bool:
    return not isinstance(part, str) and part["k"] == "to"


def _icon(name: str) -> str:
    return f'<svg class="i" aria-hidden="true"><use href="#i-{name}"/></svg>'


def _mark(mark: str) -> str:
    return f'<span class="mark" data-set>{escape(mark)} </span>' if mark else ""


_TAG = re.compile(r"<[^>]*>")
_FITS_A_PHONE = 20  # letters and signs of a formula in a line


def _formula(node: Node) -> str:
    return node["m"] or f'<code class="tex" title="{_UNSET}">{escape(node["src"])}</code>'


_BLOCKS: dict[str, Callable[[HtmlWriter, Node], str]] = {
    "p": HtmlWriter._paragraph,
    "h": HtmlWriter._heading,
    "ol": HtmlWriter._ordered,
    "ul": HtmlWriter._bullets,
    "dl": HtmlWriter._terms,
    "quote": HtmlWriter._quote,
    "centre": HtmlWriter._centred,
    "theorem": HtmlWriter._theorem,
    "small": HtmlWriter._small,
    "code": HtmlWriter._code,
    "rule": HtmlWriter._rule,
    "note-box": HtmlWriter._box,
    "fig": HtmlWriter._figure,
    "tab": HtmlWriter._table,
    "eq": HtmlWriter._equation,
    "sign": HtmlWriter._signature,
    "gap": HtmlWriter._gap,
    "large": HtmlWriter._paragraph,
}
_INLINES: dict[str, Callable[[HtmlWriter, Node], str]] = {
    "m": HtmlWriter._maths,
    "br": HtmlWriter._break,
    "code": HtmlWriter._inline_code,
    "at": HtmlWriter._anchor,
    "url": HtmlWriter._link,
    "note": HtmlWriter._note,
    "ref": HtmlWriter._reference,
    "cite": HtmlWriter._citation,
    "to": HtmlWriter._work,
    "lost": HtmlWriter._unknown_work,
    "img": HtmlWriter._image,
}
