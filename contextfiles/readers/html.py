"""Web pages: what a reader sees, without scripts, styles and navigation."""

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contextfiles.decode import decoded
from contextfiles.passages import Part, Reading, joined, plain
from projects.decoding import declared_in_html

_DROPPED = {
    "script", "style", "nav", "template", "noscript", "svg", "iframe", "object", "embed", "canvas", "audio",
    "video", "button", "select", "textarea", "head",
}  # fmt: skip
_HEADINGS = {"h1", "h2", "h3", "h4", "h5", "h6"}
_INLINE = {
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "math", "q", "rp", "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "tt",
    "u", "var", "wbr", "img", "input",
}  # fmt: skip
_CELLS = {"td", "th"}


def read_html(data: bytes) -> Reading:
    """Raises Unreadable for bytes that are not text, or too much of it."""
    tree = LexborHTMLParser(decoded(data, declared_in_html(data)))
    return joined(_parts(tree.root)) if tree.root is not None else Reading("", [])


def title_of(data: bytes) -> str:
    """The words of <title>, or ""."""
    head = LexborHTMLParser(decoded(data, declared_in_html(data))).head
    titles = (node.text() for node in head.iter() if node.tag == "title") if head is not None else iter([])
    return " ".join(plain(next(titles, "")).split())


def _parts(root: LexborNode) -> Iterator[Part]:
    words: list[str] = []
    heading = preformatted = row = 0

    def flush() -> Iterator[Part]:
        text = "".join(words)
        lines = text.split("\n") if preformatted else (" ".join(line.split()) for line in text.split("\v"))
        words.clear()
        text = "\n".join(lines).removesuffix(" |")
        if text.strip():
            yield Part(text, is_heading=heading > 0, is_row=row > 0)

    for node, step in _walk(root):
        tag = node.tag or ""
        if tag == "-text":
            words.append(node.text_content or "")
        elif tag == "br":
            words.append("\n" if preformatted else "\v")
        elif row and tag != "tr":  # a row is one line, whatever stands in its cells
            words.append(" | " if tag in _CELLS and step < 0 else "" if tag in _INLINE else " ")
        elif tag not in _INLINE:
            if step < 0 or tag != "tr":
                yield from flush()
            heading += step * (tag in _HEADINGS)
            preformatted += step * (tag == "pre")
            row += step * (tag == "tr")
    yield from flush()


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, int]]:
    """Each node on entering (1) and, if it is an element, on leaving (-1), without recursion."""
    open_nodes: list[LexborNode] = []
    node: LexborNode | None = root
    while node is not None or open_nodes:
        if node is None:
            node = open_nodes.pop()
            yield node, -1
            node = node.next
        elif node.tag in _DROPPED:
            node = node.next
        else:
            yield node, 1
            if node.child is not None:
                open_nodes.append(node)
                node = node.child
            else:
                if node.tag not in ("-text", "br"):
                    yield node, -1
                node = node.next
