"""Pandoc's blocks changed for Word: captions and cross-references with fields for numbers, no raw code (SPEC T6)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.sax.saxutils import quoteattr

from thesis.pandoc_ast.float_marks import NOTES
from thesis.pandoc_ast.nodes import Node, captioned, changed, para, split_at_formulas, text_of_nodes, words
from thesis.pandoc_ast.normalise import PLAIN
from thesis.pandoc_ast.numbers import Numbers
from thesis.pandoc_ast.references import NAME, PAGE, WORD, Reference, Target
from thesis.pandoc_ast.unread import SAID
from thesis.word.list_styles import list_style
from thesis.word.openxml import bookmarked, raw, run, styled
from thesis.word.openxml import field as word_field
from thesis.word.pictures import Pictures

MARK = "x-scholium-"  # prefix of marks for post_processing.py, which removes them
_CENTRED = {"center", "centering", "titlepage"}


@dataclass
class Content:
    r"""Changes blocks for Word after `numbers` has counted them.

    `\citet` is printed as "Asha [2]" with the authors in `names`. Labels that are defined nowhere are added to `loose`.
    """

    numbers: Numbers
    pictures: Pictures
    names: Mapping[str, str] = field(default_factory=dict)  # authors by key, when the style cites by numbers alone
    same: Mapping[str, str] = field(default_factory=dict)  # the key of the same work in the table, by alias
    loose: dict[str, None] = field(default_factory=dict)
    drawn: int = 0  # figures drawn by LaTeX, without a picture file

    def made(self, blocks: list[Node]) -> list[Node]:
        """Return `blocks` changed for Word, without horizontal rules, raw code and unknown kinds of blocks."""
        return [new for block in blocks if (change := _BLOCKS.get(block["t"])) for new in change(self, block)]

    def forms(self, blocks: list[Node]) -> list[Node]:
        """Return the blocks of the title page and the forms with their headings changed; their raw code stays."""
        return [new for one in blocks for new in (self._heading(one) if one["t"] == "Header" else [one])]

    def _kept_lists(self, node: Node) -> list[Node]:
        if any(node.get("marks", ())):
            return self._with_marks(node["c"], node["marks"])
        return [{"t": node["t"], "c": [self.made(item) for item in node["c"]]}]

    def _kept(self, node: Node) -> list[Node]:
        return [{"t": node["t"], "c": self.made(node["c"])}]

    def _ordered(self, node: Node) -> list[Node]:
        attributes, items = node["c"]
        if "marks" in node:
            counted = list_style(node["marks"])
            if counted is None:
                return self._with_marks(items, node["marks"])
            attributes = counted
        return [{"t": "OrderedList", "c": [attributes, [self.made(item) for item in items]]}]

    def _with_marks(self, items: list[list[Node]], marks: list[str]) -> list[Node]:
        """Return a list whose marks Word cannot count as paragraphs that begin with them."""
        made = []
        for item, mark in zip(items, marks, strict=True):
            before = raw(run(f"{mark or '•'}\u2003"))
            first, rest = (item[0]["c"], item[1:]) if item and item[0]["t"] in ("Para", "Plain") else ([], item)
            made.append(styled("List Mark", [para([before, *self.inlines(first)]), *self.made(rest)]))
        return made

    def _definitions(self, node: Node) -> list[Node]:
        items = [[self.inlines(term), [self.made(one) for one in meanings]] for term, meanings in node["c"]]
        return [{"t": "DefinitionList", "c": items}]

    def _lines(self, node: Node) -> list[Node]:
        return [{"t": "LineBlock", "c": [self.inlines(line) for line in node["c"]]}]

    def _code(self, node: Node) -> list[Node]:
        (_, _, pairs), code = node["c"]
        caption = dict(pairs).get("caption")
        mark = [raw(bookmarked(node["bookmark"], node["place"], ""))] if "number" in node else []
        lead = f"Listing {node['number']}: " if "number" in node else ""
        above = [styled("Caption", [para([*mark, *words(f"{lead}{caption}")])])] if caption else []
        above += [para(words(said))] if (said := dict(pairs).get(SAID)) else []
        return [*above, {"t": "CodeBlock", "c": [_NONE, code]}]

    def _div(self, node: Node) -> list[Node]:
        (_, classes, _), blocks = node["c"]
        made = self.made(blocks)
        if made and {NOTES, "tablenotes"}.intersection(classes):
            return [styled("Table Note", made)]
        style = "Centred" if _CENTRED.intersection(classes) else "Right" if "flushright" in classes else ""
        return [styled(style, made)] if style else made

    def _heading(self, node: Node) -> list[Node]:
        level, (_, classes, _), inlines = node["c"]
        made = self.inlines(inlines)
        if node.get("bookmark"):
            start, _, end = bookmarked(node["bookmark"], node["place"], "\0").partition("\0")
            made = [raw(start), *made, raw(end)]
        if node.get("typed"):
            made = [raw(run(f"{'Part ' if 'part' in classes else ''}{node['number']}\u2003")), *made]
        if level <= self.numbers.depth and (node.get("typed") or not node.get("number")):
            made.append(_mark("plain"))
        elif node.get("lettered") and node.get("number"):
            made.append(_mark("lettered"))
        return [{"t": "Header", "c": [min(level, 9), _NONE, made]}]

    def _paragraphs(self, node: Node) -> list[Node]:
        """Return a paragraph split at its displayed equations, which Word puts on lines of their own."""
        parts = [self.inlines(_trimmed(part)) for part in split_at_formulas(node["c"])]
        empty = {"Space", "SoftBreak", "LineBreak"}
        return [{"t": node["t"], "c": part} for part in parts if any(one["t"] not in empty for one in part)]

    def _figure(self, node: Node) -> list[Node]:
        _, both, blocks = node["c"]
        caption = captioned(both)
        alt = text_of_nodes(both[1]).removeprefix(PLAIN) or "Figure"
        content = [
            new
            for block in blocks
            for new in (self._figure(block) if block["t"] == "Figure" else self.made([_with_alt(block, alt)]))
        ]
        if not content:
            self.drawn += 1
            content = [para(words("[This figure is drawn by LaTeX. Insert it as a picture to have it here.]"))]
        word = node.get("kind", "figure").capitalize()
        beside = [styled("Image Caption", [para(self._caption(node, word, caption))])] if caption else []
        shown = [styled("Captioned Figure", content)]
        return [*beside, *shown] if node.get("other_side") else [*shown, *beside]

    def _caption(self, node: Node, word: str, caption: list[Node]) -> list[Node]:
        inlines = self.inlines(caption)
        if node.get("part"):
            return [*words(f"{node['number']} "), *inlines]
        if not node.get("number"):
            return _without_plain(inlines)
        return [raw(run(f"{word} ")), raw(self._counted(node, word)), raw(run(": ")), *inlines]

    def _counted(self, node: Node, word: str) -> str:
        """Return the number of a caption as a field of Word, in a bookmark for cross-references."""
        chapter, dot, number = node["number"].rpartition(".")
        count = word_field(f"SEQ {word} \\* ARABIC" + (" \\s 1" if dot else ""), number)
        before = word_field("STYLEREF 1 \\s", chapter) + run(".") if dot else ""
        return bookmarked(node["bookmark"], node["place"], before + count)

    def _table(self, node: Node) -> list[Node]:
        _, both, columns, head, bodies, foot = node["c"]
        caption = captioned(both)
        new = self._caption(node, "Table", caption) if caption else []
        long = [{"t": "Plain", "c": new}] if new else []
        bodies = [[_NONE, body[1], self._rows(body[2]), self._rows(body[3])] for body in bodies]
        head, foot = [_NONE, self._rows(head[1])], [_NONE, self._rows(foot[1])]
        return [{"t": "Table", "c": [_NONE, [None, long], columns, head, bodies, foot]}]

    def _rows(self, rows: list[Any]) -> list[Any]:
        return [
            [_NONE, [[_NONE, align, down, across, self.made(blocks)] for _, align, down, across, blocks in cells]]
            for _, cells in rows
        ]

    def inlines(self, inlines: list[Node]) -> list[Node]:
        """Return `inlines` changed for Word."""
        made: list[Node] = changed(inlines, self._inline)
        return made

    def _inline(self, node: Node) -> list[Node] | None:
        change = _INLINES.get(node["t"])
        return change(self, node) if change else None

    def _nothing(self, node: Node) -> list[Node]:
        return []

    def _cite(self, node: Node) -> list[Node]:
        citations = self._cited(node["c"][0])
        if not citations:
            return words("[?]")  # \cite{}
        if citations[0]["citationMode"]["t"] != "AuthorInText" or citations[0]["citationId"] not in self.names:
            return [_citing(citations)]
        made: list[Node] = []
        for place, one in enumerate(citations):
            made += words("; ") if place else []
            made += words(f"{self.names.get(one['citationId'], one['citationId'])} ")
            made.append(_citing([{**one, "citationMode": {"t": "NormalCitation"}}]))
        return made

    def _image(self, node: Node) -> list[Node]:
        return self.pictures.shown(node)

    def _span(self, node: Node) -> list[Node]:
        inside = self.inlines(node["c"][1])
        return [raw(bookmarked(node["bookmark"], node["place"], "")), *inside] if "bookmark" in node else inside

    def _plain_code(self, node: Node) -> list[Node]:
        return [{"t": "Code", "c": [_NONE, node["c"][1]]}]

    def _cited(self, citations: list[Any]) -> list[Any]:
        return [
            {
                **one,
                "citationPrefix": self.inlines(one["citationPrefix"]),
                "citationSuffix": self.inlines(one["citationSuffix"]),
                "citationId": self.same.get(one["citationId"], one["citationId"]),
            }
            for one in citations
        ]

    def _maths(self, node: Node) -> list[Node]:
        kind, (_, tex, number) = node["c"][0], self.numbers.formula(node)
        if "numbers" not in node:
            return [{"t": "Math", "c": [kind, tex]}]
        # pandoc splits the paragraph here, so that the mark ends up alone in the paragraph before the formula
        return [_mark(f"equation {node['place']} {node['bookmark']} {number}"), {"t": "Math", "c": [kind, tex]}]

    def _link(self, node: Node) -> list[Node]:
        (_, _, pairs), inlines, (target, _) = node["c"]
        asked = dict(pairs)
        if "reference" in asked:
            how = asked.get("reference-type", "ref")
            return [
                new
                for part in self.numbers.references(asked["reference"], how)
                for new in ([raw(run(part))] if isinstance(part, str) else self._reference(part))
            ]
        inside = self.inlines(inlines)
        if target.startswith("#"):
            found = self.numbers.labels.get(target[1:])
            return [_link_to(found.bookmark, inside)] if found and found.bookmark else inside
        is_address = target.startswith(("https://", "http://", "mailto:"))
        return [{"t": "Link", "c": [_NONE, inside, [target, ""]]}] if is_address else inside

    def _reference(self, found: Reference) -> list[Node]:
        target = found.target
        if target is None or found.is_lost:
            self.loose.setdefault(found.label)
            return words("??")
        before = [raw(run(f"{found.word}\u00a0"))] if found.word else []
        if found.asks == PAGE:
            return [*before, raw(word_field(f"PAGEREF {target.bookmark} \\h", "", stale=True))]
        if found.asks in (NAME, WORD):
            return [_link_to(target.bookmark, words(found.shown))]
        return [*before, _cross(target, found.shown)]


_Change = Callable[[Content, Node], list[Node]]
_BLOCKS: dict[str, _Change] = {
    "Header": Content._heading,
    "Para": Content._paragraphs,
    "Plain": Content._paragraphs,
    "Figure": Content._figure,
    "Table": Content._table,
    "Div": Content._div,
    "CodeBlock": Content._code,
    "BlockQuote": Content._kept,
    "BulletList": Content._kept_lists,
    "OrderedList": Content._ordered,
    "DefinitionList": Content._definitions,
    "LineBlock": Content._lines,
}
_INLINES: dict[str, _Change] = {
    "RawInline": Content._nothing,
    "Note": Content._kept,
    "Cite": Content._cite,
    "Link": Content._link,
    "Image": Content._image,
    "Math": Content._maths,
    "Span": Content._span,
    "Code": Content._plain_code,
}
_NONE: list[Any] = ["", [], []]


def _citing(citations: list[Any]) -> Node:
    keys = ", ".join(one["citationId"] for one in citations)
    return {"t": "Cite", "c": [citations, [{"t": "Str", "c": f"[{keys}]"}]]}


def _cross(target: Target, number: str) -> Node:
    """Return a cross-reference to `target`: a field when Word counts its number, else a link or plain text."""
    if target.kind == "heading":
        return raw(word_field(f"REF {target.bookmark} \\r \\h", number))
    if target.kind in {"figure", "table"} and number[-1:].isdigit():
        return raw(word_field(f"REF {target.bookmark} \\h", number))
    return _link_to(target.bookmark, [{"t": "Str", "c": number}]) if target.bookmark else {"t": "Str", "c": number}


def _link_to(bookmark: str, inlines: list[Node]) -> Node:
    return {"t": "Link", "c": [_NONE, inlines, [f"#{bookmark}", ""]]}


def _mark(name: str) -> Node:
    return raw(f"<w:proofErr w:type={quoteattr(MARK + name)}/>")


def _with_alt(block: Node, alt: str) -> Node:
    """Return `block` with `alt` as the alternative text of pictures that have none."""

    def change(node: Node) -> list[Node] | None:
        if node["t"] != "Image":
            return None
        attributes, inlines, target = node["c"]
        own = text_of_nodes(inlines)
        return [{"t": "Image", "c": [attributes, words(alt if own in {"", "image"} else own), target]}]

    new: Node = changed([block], change)[0]
    return new


def _trimmed(inlines: list[Node]) -> list[Node]:
    spaces = {"Space", "SoftBreak"}
    while inlines and inlines[0]["t"] in spaces:
        inlines = inlines[1:]
    while inlines and inlines[-1]["t"] in spaces:
        inlines = inlines[:-1]
    return inlines


def _without_plain(inlines: list[Node]) -> list[Node]:
    return [{"t": "Str", "c": one["c"].removeprefix(PLAIN)} if one["t"] == "Str" else one for one in inlines]
