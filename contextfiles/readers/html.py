"""Reader of web pages (HTML): the visible text, without scripts, styles and navigation."""

from collections import Counter
from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode

from contextfiles.passages import Part, Reading, clean_text, decoded, reading_of_parts
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
LONG = 600  # characters: a table with a longer cell is layout, not data
MAX_SPAN = 100  # columns or rows that a cell spans


def read_html(data: bytes) -> Reading:
    """Return the text of a web page. Raises Unreadable for bytes that are not text, or for too long a text."""
    tree = LexborHTMLParser(decoded(data, declared_in_html(data)))
    return reading_of_parts(_parts(tree.root)) if tree.root is not None else Reading("", [])


def title_of(data: bytes) -> str:
    """Return the text of <title>, or ""."""
    head = LexborHTMLParser(decoded(data, declared_in_html(data))).head
    titles = (node.text() for node in head.iter() if node.tag == "title") if head is not None else iter([])
    return " ".join(clean_text(next(titles, "")).split())


def _parts(root: LexborNode) -> Iterator[Part]:
    page = _Page()
    for node, step in _walk(root):
        yield from page.step(node, step)
    yield from page.flush()
    yield from page.table.parts()


class _Table:
    """The rows of a table of the page; a nested table becomes one line of its cell."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.cells: list[str] = []
        self.down: dict[int, tuple[int, str]] = {}  # by column: the rows that a cell still spans, and its text

    def add_cell(self, node: LexborNode, text: str) -> None:
        """Add a cell, and an empty one for each further column that it spans."""
        self._fill()
        at, text = len(self.cells), one_line(text)
        if (rows := _span(node, "rowspan")) > 1:
            self.down[at] = (rows - 1, text)
        self.cells += [text, *[""] * (_span(node, "colspan") - 1)]

    def end_row(self) -> None:
        """Finish the current row and begin the next one."""
        self._fill()
        self.rows.append(Row(len(self.rows) + 1, self.cells))
        self.cells = []

    def _fill(self) -> None:
        """Repeat the cells of rows above that span this row too."""
        while (at := len(self.cells)) in self.down:
            left, text = self.down.pop(at)
            if left > 1:
                self.down[at] = (left - 1, text)
            self.cells.append(text)

    def parts(self) -> Iterator[Part]:
        """Yield a data table row by row; a layout table (of one column, or with long texts) cell by cell."""
        is_data = len(self.rows) > 1 and any(sum(map(bool, row.cells)) > 1 for row in self.rows)
        if is_data and all(len(cell) <= LONG for row in self.rows for cell in row.cells):
            yield from (Part(chunk.text, is_lead=chunk.is_lead) for chunk in chunks_of(self.rows))
        else:
            yield from (Part(cell) for row in self.rows for cell in row.cells)


class _Page:
    """The state while reading a page node by node: the text of the current paragraph, the rows of the current table."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.table = _Table()
        self.depth = Counter[str]()  # the number of open headings, preformatted texts, tables and rows

    def step(self, node: LexborNode, step: int) -> Iterator[Part]:
        """Process a node on entering (1) or leaving it (-1), and yield the parts that it completes."""
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
        """Process a node inside a row; its cells become one line each, with any nested table."""
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
        """Yield the current paragraph, if it has text."""
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
    """Yield each node on entering (1) and, if it is an element, on leaving (-1). It does not use recursion."""
    waiting = [(root, 1)]
    while waiting:
        node, step = waiting.pop()
        yield node, step
        if step > 0 and node.tag not in ("-text", "br"):
            inside = [(child, 1) for child in node.iter(include_text=True) if child.tag not in _DROPPED]
            waiting += [(node, -1), *reversed(inside)]
