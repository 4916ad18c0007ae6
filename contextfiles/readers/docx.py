"""Reader of Word documents (DOCX): paragraphs, headings, tables row by row, footnotes at the end.

It reads the XML itself, because python-docx's paragraphs leave out tracked insertions and the content controls in
which reference managers store citations.
"""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from contextfiles.passages import Part, Reading, reading_of_parts
from contextfiles.readers.table_rows import Row, chunks_of, one_line
from untrusted.ooxml import WORD, opening

MAX_SPAN = 100  # columns

_P, _T, _TBL, _TR, _TC = (qn(f"w:{name}") for name in ("p", "t", "tbl", "tr", "tc"))
_SIGNS = {qn("w:br"): "\n", qn("w:cr"): "\n", qn("w:tab"): "\t", qn("w:noBreakHyphen"): "-"}
_SKIPPED = {  # tracked deletions, and the copy of a text box for old versions of Word
    qn("w:del"),
    qn("w:moveFrom"),
    qn("w:instrText"),
    qn("w:pPr"),
    qn("w:rPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_NOTES = {RELATIONSHIP_TYPE.FOOTNOTES: "Footnotes", RELATIONSHIP_TYPE.ENDNOTES: "Endnotes"}


def read_docx(data: bytes) -> Reading:
    """Return the text of a document. Raises Unreadable for a damaged or empty one, or a decompression bomb."""
    with opening(data, WORD, other_format=ValueError):
        return reading_of_parts(_parts(docx.Document(BytesIO(data))))


def _parts(document: Any) -> Iterator[Part]:
    headings = {style.style_id for style in document.styles if _is_heading_style(style)}
    yield from _blocks(document.element.body, headings)
    for relation in document.part.rels.values():
        if relation.reltype in _NOTES and not relation.is_external:
            notes = list(_blocks(parse_xml(relation.target_part.blob), set()))
            if any(note.text.strip() for note in notes):
                yield from (Part(_NOTES[relation.reltype], is_heading=True), *notes)


def _is_heading_style(style: Any) -> bool:
    name = (style.name or "").lower()
    return name == "title" or name.startswith("heading ") or bool(style.element.findall(f".//{qn('w:outlineLvl')}"))


def _blocks(root: Any, headings: set[str]) -> Iterator[Part]:
    """Yield the paragraphs and table rows inside `root`. It uses no recursion, since a file may be nested deeply."""
    waiting = list(reversed(root))
    while waiting:
        node = waiting.pop()
        if node.tag == _P:
            yield Part(_text(node), is_heading=_is_heading(node, headings))
        elif node.tag == _TBL and (rows := _rows(node)):
            yield from (Part(chunk.text, is_lead=chunk.is_lead) for chunk in chunks_of(rows))
        elif node.tag not in _SKIPPED:
            waiting.extend(reversed(node))


def _rows(table: Any) -> list[Row]:
    """Return the rows of a table without deleted ones; none of a table with one column, which is only layout."""
    rows: list[Row] = []
    above: list[str] = []
    for number, row in enumerate(_own(table, _TR), start=1):
        if row.find(f"{qn('w:trPr')}/{qn('w:del')}") is None:
            cells = [cell for found in _own(row, _TC) for cell in _cells(found)]
            above = [above[at] if cell is None and at < len(above) else cell or "" for at, cell in enumerate(cells)]
            rows.append(Row(number, above))
    return rows if any(len(row.cells) > 1 for row in rows) else []


def _own(root: Any, tag: str) -> Iterator[Any]:
    """Yield the rows of a table, or the cells of a row, without those of nested tables."""
    return (found for found in root.iter(tag) if next(found.iterancestors(root.tag), None) is root)


def _cells(cell: Any) -> Iterator[str | None]:
    """Yield the text of a cell (None when merged with the one above), then "" for each further column it spans."""
    merged = cell.find(f"{qn('w:tcPr')}/{qn('w:vMerge')}")
    covered = merged is not None and merged.get(qn("w:val")) != "restart"
    yield None if covered else one_line(_text(cell))
    span = cell.find(f"{qn('w:tcPr')}/{qn('w:gridSpan')}")
    width = "" if span is None else span.get(qn("w:val")) or ""
    yield from [""] * min(int(width) - 1, MAX_SPAN) if width.isdecimal() else []


def _is_heading(paragraph: Any, headings: set[str]) -> bool:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    outline = paragraph.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    if outline is not None:
        return bool(outline.get(qn("w:val")) != "9")  # 9 is Word's "body text"
    return style is not None and style.get(qn("w:val")) in headings


def _text(root: Any) -> str:
    """Return the text of a paragraph or a cell."""
    words: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.tag == _T:
            words.append(node.text or "")
        elif node.tag in _SIGNS:
            words.append(_SIGNS[node.tag])
        elif node.tag not in _SKIPPED:
            if node.tag == _P and words:
                words.append("\n")
            waiting.extend(reversed(node))
    return "".join(words)
