"""The report as a tree of pandoc blocks, from which the Word file and the PDF are made (R14).

The Markdown is parsed by the same parser that renders it on the page. The tree contains text, emphasis, web links,
lists, quotations, code and tables, and nothing else: no raw markup of any format, no image, no file.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

Node = dict[str, Any]

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_NO_ATTRIBUTES: list[Any] = ["", [], []]
_DEEPEST = 6  # nesting of lists and quotations; deeper ones are flattened to this depth
_SAFE = re.compile(r"(?:https?://|mailto:)\S+", re.IGNORECASE)
_ADDRESS = re.compile(r"(https?://[^\s<>\"”’]*[^\s<>\"”’.,;:)])", re.IGNORECASE)
_MARKER = re.compile(r"\[(\d+)\]")
_LISTED = re.compile(r"\[(\d+)\] +")
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]")  # not allowed in XML
# Stands for an escaped bracket of the report, which begins no marker, while markers are searched for.
_ESCAPED = "\ue000"


@dataclass
class Document:
    """A report: `title` and `note` (how it was made) as inlines, the rest as blocks; references are Divs "ref-N"."""

    title: list[Node]
    note: list[Node]
    blocks: list[Node]


def read_report(markdown: str) -> Document:
    """Return the report of a run as a document: its title, the note below it, and the rest."""
    tokens = _MARKDOWN.parse(_UNPRINTABLE.sub("", markdown).replace("\\[", _ESCAPED))
    blocks = _blocks(SyntaxTreeNode(tokens).children)
    is_titled = bool(blocks) and blocks[0]["t"] == "Header" and blocks[0]["c"][0] == 1
    title = blocks.pop(0)["c"][2] if is_titled else []
    note = blocks.pop(0)["c"] if blocks and blocks[0]["t"] == "BlockQuote" else []
    return Document(_unmarked(title), _unmarked(note), _with_references(blocks))


def text_of(inlines: Iterable[Node]) -> str:
    """Return the text of inlines without formatting."""
    return "".join(map(_text, inlines))


def _text(inline: Node) -> str:
    kind: str = inline["t"]
    content: Any = inline.get("c")
    if kind in {"Str", "Code"}:
        return str(content if kind == "Str" else content[1])
    if kind in {"Emph", "Strong"}:
        return text_of(content)
    return text_of(content[1]) if kind == "Link" else " "


def plain(text: str) -> Node:
    """Return a Str inline."""
    return {"t": "Str", "c": text.replace(_ESCAPED, "[")}


def link(inlines: list[Node], address: str) -> Node:
    """Return a Link inline."""
    return {"t": "Link", "c": [_NO_ATTRIBUTES, inlines, [address, ""]]}


def _with_references(blocks: list[Node]) -> list[Node]:
    """Return the blocks with the entries of the reference list as Divs, and markers before it as links to them."""
    heads = [
        place
        for place, block in enumerate(blocks)
        if block["t"] == "Header" and block["c"][0] == 2 and text_of(block["c"][2]) in {"References", "Sources"}
    ]
    if not heads:
        return list(_unmarked(blocks))
    body, listed = blocks[: heads[-1]], blocks[heads[-1] :]
    entries = [_entry(block) for block in listed]
    numbers = {block["c"][0][0] for block in entries if block["t"] == "Div"}
    return [*_marked(body, numbers), *_unmarked(entries)]


def _entry(block: Node) -> Node:
    """Return a paragraph that begins with a number in brackets as an entry of the list; other blocks unchanged."""
    if block["t"] != "Para" or block["c"][0]["t"] != "Str":
        return block
    first, *rest = block["c"]
    found = _LISTED.match(first["c"])
    if found is None:
        return block
    said = {"t": "Str", "c": first["c"][found.end() :]}
    inlines = [plain(f"{found[0].rstrip()}\u2002"), *(piece for one in [said, *rest] for piece in _linked(one))]
    return {"t": "Div", "c": [[f"ref-{found[1]}", ["reference"], []], [{"t": "Para", "c": inlines}]]}


def _linked(inline: Node) -> list[Node]:
    """Return an inline of a reference with the addresses in its text as links, since styles print them as text."""
    if inline["t"] != "Str":
        return [inline]
    pieces = [(piece, place % 2 == 1) for place, piece in enumerate(_ADDRESS.split(inline["c"]))]
    return [link([plain(piece)], _literal(piece, "%5B")) if live else plain(piece) for piece, live in pieces if piece]


def _marked(value: Any, numbers: set[str]) -> Any:
    """Return the tree with each marker that has an entry in the list as a link to it."""
    if isinstance(value, dict):
        if value.get("t") == "Link":
            return _unmarked(value)
        return {name: _marked(one, numbers) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    each = (
        _pieces(one["c"], numbers) if isinstance(one, dict) and one.get("t") == "Str" else [_marked(one, numbers)]
        for one in value
    )
    return list(chain.from_iterable(each))


def _pieces(text: str, numbers: set[str]) -> list[Node]:
    pieces, end = [], 0
    for found in _MARKER.finditer(text):
        if f"ref-{found[1]}" in numbers:
            pieces += [plain(text[end : found.start()]), link([plain(found[0])], f"#ref-{found[1]}")]
            end = found.end()
    return [piece for piece in [*pieces, plain(text[end:])] if piece["t"] != "Str" or piece["c"]]


def _unmarked(value: Any) -> Any:
    return (
        _marked(value, set()) if not isinstance(value, dict) else {name: _unmarked(one) for name, one in value.items()}
    )


def _blocks(nodes: Sequence[SyntaxTreeNode], depth: int = 0) -> list[Node]:
    return [block for node in nodes for block in _block(node, depth)]


def _block(node: SyntaxTreeNode, depth: int) -> list[Node]:
    kind = node.type
    if kind == "heading":
        return [{"t": "Header", "c": [int(node.tag[1]), _NO_ATTRIBUTES, _inlines(node.children[0])]}]
    if kind == "paragraph":
        inlines = _inlines(node.children[0])
        return [{"t": "Plain" if node.hidden else "Para", "c": inlines}] if inlines else []
    if kind in {"fence", "code_block"}:
        return [{"t": "CodeBlock", "c": [_NO_ATTRIBUTES, _literal(node.content).rstrip("\n")]}]
    if kind == "hr":
        return [{"t": "HorizontalRule"}]
    if kind == "table":
        return [_table(node)]
    if kind not in {"blockquote", "bullet_list", "ordered_list"}:
        return _blocks(node.children or [], depth)
    if depth >= _DEEPEST:
        return _blocks(node.children, depth)
    if kind == "blockquote":
        return [{"t": "BlockQuote", "c": _blocks(node.children, depth + 1)}]
    items = [_blocks(item.children, depth + 1) for item in node.children]
    if kind == "bullet_list":
        return [{"t": "BulletList", "c": items}]
    numbering = [int(node.attrs.get("start", 1)), {"t": "Decimal"}, {"t": "Period"}]
    return [{"t": "OrderedList", "c": [numbering, items]}]


def _table(node: SyntaxTreeNode) -> Node:
    rows = [[_cell(cell) for cell in row.children] for part in node.children for row in part.children]
    head, *body = [[_NO_ATTRIBUTES, cells] for cells in rows]
    columns = [[{"t": "AlignDefault"}, {"t": "ColWidthDefault"}] for _ in rows[0]]
    parts = [[_NO_ATTRIBUTES, [head]], [[_NO_ATTRIBUTES, 0, [], body]], [_NO_ATTRIBUTES, []]]
    return {"t": "Table", "c": [_NO_ATTRIBUTES, [None, []], columns, *parts]}


def _cell(node: SyntaxTreeNode) -> list[Any]:
    return [_NO_ATTRIBUTES, {"t": "AlignDefault"}, 1, 1, [{"t": "Plain", "c": _inlines(node.children[0])}]]


def _inlines(node: SyntaxTreeNode) -> list[Node]:
    """Return the inlines below `node`; adjacent text is joined to one Str, since a marker may be split."""
    inlines: list[Node] = []
    for one in (inline for child in node.children or [] for inline in _inline(child)):
        if inlines and one["t"] == inlines[-1]["t"] == "Str":
            inlines[-1] = {"t": "Str", "c": inlines[-1]["c"] + one["c"]}
        else:
            inlines.append(one)
    return inlines


def _inline(node: SyntaxTreeNode) -> list[Node]:
    kind = node.type
    if kind == "text":
        return [{"t": "Str", "c": node.content}] if node.content else []
    if kind == "softbreak":
        return [{"t": "Str", "c": " "}]
    if kind == "hardbreak":
        return [{"t": "LineBreak"}]
    if kind == "code_inline":
        return [{"t": "Code", "c": [_NO_ATTRIBUTES, _literal(node.content)]}]
    if kind in {"em", "strong"}:
        return [{"t": "Emph" if kind == "em" else "Strong", "c": _inlines(node)}]
    address = str(node.attrs.get("href", ""))
    if kind == "link" and _SAFE.fullmatch(address):
        return [link(_inlines(node), _literal(address, "%5B"))]
    return _inlines(node)  # of an image, the description remains


def _literal(text: str, bracket: str = "\\[") -> str:
    """Return text in which backslashes are literal, as it was written."""
    return text.replace(_ESCAPED, bracket)
