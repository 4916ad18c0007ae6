"""Nodes of pandoc's document tree: functions that create, walk and change them."""

import re
from collections.abc import Callable, Iterator
from typing import Any

Node = dict[str, Any]

LEAVES = frozenset({"Str", "Space", "SoftBreak", "LineBreak"})  # nearly all nodes are of these types
VERSION = [1, 23, 1]  # of pandoc's JSON format


def words(text: str) -> list[Node]:
    """Return `text` as inlines."""
    return [{"t": "Space"} if part == " " else {"t": "Str", "c": part} for part in re.split("( )", text) if part]


def para(inlines: list[Node]) -> Node:
    """Return a paragraph."""
    return {"t": "Para", "c": inlines}


def header(level: int, inlines: list[Node]) -> Node:
    """Return a heading."""
    return {"t": "Header", "c": [level, ["", [], []], inlines]}


def text_of_nodes(tree: Any) -> str:
    """Return the text of `tree`, without its footnotes, citations, raw code and pictures."""
    # A removed citation leaves a space before the punctuation after it
    return re.sub(r" +(?=[.,;:])", "", " ".join("".join(_texts(tree)).split()))


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, list):
        for one in tree:
            yield from _texts(one)
    elif isinstance(tree, dict):
        content: Any = tree.get("c")
        match tree.get("t"):
            case "Str":
                yield content
            case "Space" | "SoftBreak" | "LineBreak":
                yield " "
            case "Math" | "Code" | "CodeBlock":
                yield content[1]
            case kind if kind not in {"Cite", "Note", "RawInline", "RawBlock", "Image"}:
                yield from _texts(content)


def changed(tree: Any, change: Callable[[Node], list[Node] | None]) -> Any:
    """Return `tree` with each node except LEAVES replaced by the result of `change`.

    When that is None, the node stays, and the nodes inside it are changed.
    """
    if isinstance(tree, list):
        made: list[Any] = []
        for one in tree:
            is_node = isinstance(one, dict) and "t" in one
            new = [one] if is_node and one["t"] in LEAVES else change(one) if is_node else None
            made += [changed(one, change)] if new is None else new
        return made
    if isinstance(tree, dict):
        return {name: changed(value, change) for name, value in tree.items()}
    return tree


def captioned(caption: list[Any]) -> list[Node]:
    """Return the inlines of a figure's or table's caption, with a space between its paragraphs."""
    paragraphs = (block["c"] for block in caption[1] if block["t"] in ("Para", "Plain"))
    return [inline for paragraph in paragraphs for inline in [*paragraph, {"t": "Space"}]][:-1]


def is_displayed(node: Node) -> bool:
    """Return whether a node is a displayed formula, on a line of its own."""
    return node["t"] == "Math" and bool(node["c"][0]["t"] == "DisplayMath")


def split_at_formulas(inlines: list[Node]) -> list[list[Node]]:
    """Split a paragraph at its displayed formulas, each of which becomes a part of its own."""
    parts: list[list[Node]] = [[]]
    for one in inlines:
        if is_displayed(one):
            parts += [[one], []]
        else:
            parts[-1].append(one)
    return parts
