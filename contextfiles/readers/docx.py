"""Word documents (DOCX): paragraphs, headings, tables row by row, footnotes at the end.

The XML is walked here rather than through python-docx's paragraphs, which leave out tracked insertions and
the content controls in which reference managers keep citations.
"""

import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn

from contextfiles.passages import Part, Reading, Unreadable, joined

MAX_UNPACKED = 200 * 1024 * 1024  # bytes
MAX_RATIO = 200  # unpacked to packed: documents stay below 50, a bomb reaches 1,000
MAX_ENTRIES = 10_000

_DAMAGED = "This Word document is damaged. Open it in Word or LibreOffice, save it again as .docx and upload that."
_P, _T, _TAB, _BR, _CR = (qn(f"w:{name}") for name in ("p", "t", "tab", "br", "cr"))
_HYPHEN, _TBL, _TR, _TC = (qn(f"w:{name}") for name in ("noBreakHyphen", "tbl", "tr", "tc"))
_SKIPPED = {  # what was struck out, and the second drawing of a text box for old versions of Word
    qn("w:del"),
    qn("w:moveFrom"),
    qn("w:instrText"),
    qn("w:pPr"),
    qn("w:rPr"),
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
}
_NOTES = {RELATIONSHIP_TYPE.FOOTNOTES: "Footnotes", RELATIONSHIP_TYPE.ENDNOTES: "Endnotes"}


def read_docx(data: bytes) -> Reading:
    """Raises Unreadable for a damaged, bomb-like or empty document."""
    refuse_bomb(data)
    try:
        document = docx.Document(BytesIO(data))
        return joined(_parts(document))
    except Unreadable:
        raise
    except ValueError as error:  # python-docx: another Office format in a .docx
        raise Unreadable("This is not a Word document, though its name ends in .docx.") from error
    except Exception as error:  # lxml, zipfile and python-docx raise many kinds over damaged input
        raise Unreadable(_DAMAGED) from error


def refuse_bomb(data: bytes) -> None:
    """Looks at the table of contents of a ZIP before anything is unpacked. Raises Unreadable."""
    try:
        entries = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise Unreadable(_DAMAGED) from error
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise Unreadable("This Word document is locked with a password. Save a copy without one and upload that.")
    unpacked = sum(entry.file_size for entry in entries)
    if (
        unpacked > MAX_UNPACKED
        or len(entries) > MAX_ENTRIES
        or any(entry.file_size > 1_000_000 and entry.file_size > MAX_RATIO * entry.compress_size for entry in entries)
    ):
        raise Unreadable("This Word document unpacks to far more than its size. It was not opened.")


def _parts(document: Any) -> Iterator[Part]:
    headings = {style.style_id for style in document.styles if _is_heading_style(style)}
    yield from _blocks(document.element.body, headings)
    for relation in document.part.rels.values():
        title = None if relation.is_external else _NOTES.get(relation.reltype)
        if title:
            notes = list(_blocks(parse_xml(relation.target_part.blob), set()))
            if any(note.text.strip() for note in notes):
                yield Part(title, is_heading=True)
                yield from notes


def _is_heading_style(style: Any) -> bool:
    name = (style.name or "").lower()
    return name == "title" or name.startswith("heading ") or bool(style.element.findall(f".//{qn('w:outlineLvl')}"))


def _blocks(root: Any, headings: set[str]) -> Iterator[Part]:
    """The paragraphs and table rows below `root`, in order. Walks without recursion: depth is the file's choice."""
    waiting = list(reversed(root))
    while waiting:
        node = waiting.pop()
        if node.tag == _P:
            yield Part(_text(node), is_heading=_is_heading(node, headings))
        elif node.tag == _TR:
            cells = (" ".join(_text(cell).split()) for cell in node.iter(_TC) if _row_of(cell) is node)
            row = " | ".join(cells)
            yield Part(row if row.strip(" |") else "", is_row=True)
        elif node.tag not in _SKIPPED:
            waiting.extend(reversed(node))


def _row_of(cell: Any) -> Any:
    return next(cell.iterancestors(_TR), None)


def _is_heading(paragraph: Any, headings: set[str]) -> bool:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    outline = paragraph.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
    if outline is not None:
        return bool(outline.get(qn("w:val")) != "9")  # 9 is Word's "body text"
    return style is not None and style.get(qn("w:val")) in headings


def _text(root: Any) -> str:
    """The words inside a paragraph or a cell."""
    words: list[str] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.tag == _T:
            words.append(node.text or "")
        elif node.tag in (_BR, _CR):
            words.append("\n")
        elif node.tag == _TAB:
            words.append("\t")
        elif node.tag == _HYPHEN:
            words.append("-")
        elif node.tag not in _SKIPPED:
            if node.tag == _P and words:
                words.append("\n")
            waiting.extend(reversed(node))
    return "".join(words)
