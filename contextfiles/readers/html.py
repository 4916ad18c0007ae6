"""Web pages: what a reader sees, without scripts, styles and navigation."""

from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contextfiles.passages import Part, Reading, decoded, joined, plain
from contextfiles.readers.table_rows import Row, chunks_of, one_line
from untrusted.decoding import declared_in_html

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
LONG = 600  # characters: a longer cell is a text of its own, and its table a layout
MAX_SPAN = 100  # columns or rows that a cell covers


def read_html(data: bytes) -> Reading:
    """Raises Unreadable for bytes that are not text, or too much of it."""
    tree = LexborHTMLParser(decoded(data, declared_in_html(data)))
    return joined(_parts(tree.root)) if tree.root is not None else Reading("", [])


def title_of(data: bytes) -> str:
    """Return the words of <title>, or ""."""
    head = LexborHTMLParser(decoded(data, declared_in_html(data))).head
    titles = (node.text() for node in head.iter() if node.tag == "title") if head is not None else iter([])
    return " ".join(plain(next(titles, "")).split())


def _parts(root: LexborNode) -> Iterator[Part]:
    page = _Page()
    for node, step in _walk(root):
        yield from page.step(node, step)
    yield from page.flush()
    yield from page.table.parts()


class _Table:
    """The rows of a table of the page, those of tables inside it on one line of theirs."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.cells: list[str] = []
        self.down: dict[int, tuple[int, str]] = {}  # by column: for how many more rows a cell counts, and its text

    def add_cell(self, node: LexborNode, text: str) -> None:
        """A cell, and an empty one for each further column that it covers."""
        self._fill()
        at, text = len(self.cells), one_line(text)
        if (rows := _span(node, "rowspan")) > 1:
            self.down[at] = (rows - 1, text)
        self.cells += [text, *[""] * (_span(node, "colspan") - 1)]

    def end_row(self) -> None:
        self._fill()
        self.rows.append(Row(len(self.rows) + 1, self.cells))
        self.cells = []

    def _fill(self) -> None:
        """A cell that goes over several rows is said in each of them."""
        while (at := len(self.cells)) in self.down:
            left, text = self.down.pop(at)
            if left > 1:
                self.down[at] = (left - 1, text)
            self.cells.append(text)

    def parts(self) -> Iterator[Part]:
        """Data row by row. What only holds a page together, one cell or long texts, is read cell by cell."""
        is_data = len(self.rows) > 1 and any(sum(map(bool, row.cells)) > 1 for row in self.rows)
        if is_data and all(len(cell) <= LONG for row in self.rows for cell in row.cells):
            yield from (Part(chunk.text, is_lead=chunk.is_lead) for chunk in chunks_of(self.rows))
        else:
            yield from (Part(cell) for row in self.rows for cell in row.cells)


class _Page:
    """What was read of a page, node by node: the words of the paragraph and the rows of the table that are open."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.table = _Table()
        self.depth = Counter[str]()  # how many headings, preformatted texts, tables and rows are open

    def step(self, node: LexborNode, step: int) -> Iterator[Part]:
        """Yield what is whole with this node, which is entered (1) or left (-1)."""
        tag = node.tag or ""
        if tag == "-text":
            self.words.append(node.text_content or "")
        elif tag == "br":
            self.words.append("\n" if self.depth["pre"] else "\v")
        elif tag == "tr" or self.depth["tr"]:
            self._in_row(node, tag, step)
        elif tag not in _INLINE:
            yield from self.flush()
            self.depth["heading" if tag in _HEADINGS else tag] += step
            if tag == "table" and not self.depth["table"]:
                yield from self.table.parts()
                self.table = _Table()

    def _in_row(self, node: LexborNode, tag: str, step: int) -> None:
        """A row is one line, whatever stands in its cells; those of a table inside it are part of it."""
        if tag in _CELLS and step < 0 and self.depth["tr"] == 1:
            self.table.add_cell(node, "".join(self.words))
            self.words.clear()
        elif tag not in _INLINE:
            self.words.append(" ")
        if tag == "tr":
            self.depth["tr"] += step
            if not self.depth["tr"]:
                self.table.end_row()

    def flush(self) -> Iterator[Part]:
        """Yield the paragraph that is open."""
        text = "".join(self.words)
        lines = text.split("\n") if self.depth["pre"] else (" ".join(line.split()) for line in text.split("\v"))
        self.words.clear()
        text = "\n".join(lines)
        if text.strip():
            yield Part(text, is_heading=self.depth["heading"] > 0)


def _span(node: LexborNode, name: str) -> int:
    said = (node.attributes.get(name) or "").strip()
    return min(int(said), MAX_SPAN) if said.isascii() and said.isdecimal() and int(said) else 1


def _walk(root: LexborNode) -> Iterator[tuple[LexborNode, int]]:
    """Yield each node on entering (1) and, if it is an element, on leaving (-1), without recursion."""
    waiting = [(root, 1)]
    while waiting:
        node, step = waiting.pop()
        yield node, step
        if step > 0 and node.tag not in ("-text", "br"):
            inside = [(child, 1) for child in node.iter(include_text=True) if child.tag not in _DROPPED]
            waiting += [(node, -1), *reversed(inside)]
