"""Changes to pandoc's Word file: heading numbers, equation numbers, page numbers by section, properties (SPEC T6)."""

import io
import re
from datetime import UTC, datetime
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from docx import Document as open_docx
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Inches

from thesis.word.captions_and_text import MARK
from thesis.word.openxml import put_before
from thesis.word.styles import Page

_HEADINGS = {f"Heading{level}": level for level in range(1, 10)}
_NUMBERED, _LETTERED = 7001, 7002
_PAGE_NUMBER = (
    '<w:fldChar w:fldCharType="begin"/>',
    "<w:instrText> PAGE </w:instrText>",
    '<w:fldChar w:fldCharType="end"/>',
)
_MATHS = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def finished(data: bytes, *, title: str, author: str, page: Page, depth: int) -> bytes:
    """Return the file in `data` with headings numbered by Word down to `depth` levels, and with page numbers.

    Pages are numbered i, ii, ... up to the first chapter, and 1, 2, ... from there.
    """
    made = open_docx(io.BytesIO(data))
    body = made.element.body
    _add_numbering(made, depth)
    for paragraph in list(body.iter(qn("w:p"))):
        _settle(paragraph)
    for picture in body.iter("{http://schemas.openxmlformats.org/drawingml/2006/picture}cNvPr"):
        picture.set("descr", "")  # pandoc puts the address of the file here; the alternative text is in docPr
    _set_sections(made, page)
    _set_settings(made.settings.element)
    core, now = made.core_properties, datetime.now(UTC).replace(microsecond=0, tzinfo=None)
    core.title, core.author, core.language, core.last_modified_by = title[:255], author[:255], "en-GB", author[:255]
    core.comments, core.created, core.modified = "", now, now
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def _settle(paragraph: Any) -> None:
    """Apply the marks that captions_and_text.py left in `paragraph`, and remove them."""
    for mark in list(paragraph.iter(qn("w:proofErr"))):
        asked = mark.get(qn("w:type"), "")
        if not asked.startswith(MARK):
            continue
        mark.getparent().remove(mark)
        match asked.removeprefix(MARK).split(" ", 3):
            case ["plain"]:
                _number(paragraph, 0, 0)
                indent = paragraph.get_or_add_pPr().get_or_add_ind()
                indent.set(qn("w:left"), "0")
                indent.set(qn("w:firstLine"), "0")
            case ["lettered"]:
                _number(paragraph, _LETTERED, _HEADINGS.get(_style_of(paragraph), 1) - 1)
            case ["equation", place, bookmark, number]:
                _settle_equation(paragraph, place, bookmark, number)


def _style_of(paragraph: Any) -> str:
    style = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
    return style.get(qn("w:val")) if style is not None else ""


def _number(element: Any, number: int, level: int) -> None:
    """Set the numbering of a heading, or of a heading style; 0 for none."""
    numbering = element.get_or_add_pPr().get_or_add_numPr()
    numbering.get_or_add_ilvl().set(qn("w:val"), str(level))
    numbering.get_or_add_numId().set(qn("w:val"), str(number))


def _settle_equation(mark: Any, place: str, bookmark: str, number: str) -> None:
    """Give the formula after the paragraph `mark` a bookmark and its number at the right, and remove `mark`."""
    paragraph = mark.getnext()
    while paragraph is not None and paragraph.tag != qn("w:p"):
        paragraph = paragraph.getnext()
    if paragraph is None:
        return
    start = parse_xml(f'<w:bookmarkStart {nsdecls("w")} w:id="{place}" w:name={quoteattr(bookmark)}/>')
    first = paragraph.find(qn("w:pPr"))
    first.addnext(start) if first is not None else paragraph.insert(0, start)
    if number:
        _number_equation(paragraph, number)
    paragraph.append(parse_xml(f'<w:bookmarkEnd {nsdecls("w")} w:id="{place}"/>'))
    if not "".join(mark.itertext()).strip():
        mark.getparent().remove(mark)


def _number_equation(paragraph: Any, number: str) -> None:
    """Put the number at the right margin, in the same way as Word does for a formula typed as "E=mc^2#(3.1)"."""
    maths = paragraph.findall(f".//{{{_MATHS}}}oMath")
    if not maths:  # pandoc could not convert the formula
        paragraph.append(parse_xml(f"<w:r {nsdecls('w')}><w:tab/><w:t>({escape(number)})</w:t></w:r>"))
        return
    last = maths[-1]
    made = parse_xml(
        f'<m:eqArr xmlns:m="{_MATHS}"><m:eqArrPr><m:maxDist m:val="1"/></m:eqArrPr>'
        f"<m:e><m:r><m:t>#({escape(number)})</m:t></m:r></m:e></m:eqArr>"
    )
    made.find(f"{{{_MATHS}}}e")[:0] = list(last)
    last.append(made)


def _add_numbering(made: Any, depth: int) -> None:
    """Add two numberings: 1, 1.1, 1.1.1 by the heading styles, and A, A.1 for appendices."""
    if not depth:
        return
    numbering = made.part.numbering_part.element
    first = numbering.find(qn("w:num"))
    for identifier, kind, linked in ((_NUMBERED, "decimal", True), (_LETTERED, "upperLetter", False)):
        levels = "".join(_level(level, kind if not level else "decimal", linked) for level in range(depth))
        abstract = parse_xml(
            f'<w:abstractNum {nsdecls("w")} w:abstractNumId="{identifier}"><w:multiLevelType w:val="multilevel"/>'
            f"{levels}</w:abstractNum>"
        )
        put_before(first, abstract, numbering)
        numbering.append(
            parse_xml(f'<w:num {nsdecls("w")} w:numId="{identifier}"><w:abstractNumId w:val="{identifier}"/></w:num>')
        )
    # This style is based on a heading style and would be numbered, too
    _number(made.styles["TOC Heading"].element, 0, 0)
    for level in range(depth):
        _number(made.styles[f"Heading {level + 1}"].element, _NUMBERED, level)


def _level(level: int, kind: str, linked: bool) -> str:
    text = ".".join(f"%{depth + 1}" for depth in range(level + 1))
    style = f'<w:pStyle w:val="Heading{level + 1}"/>' if linked else ""
    return (
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/>{style}<w:suff w:val="tab"/>'
        f'<w:lvlText w:val="{text}"/><w:lvlJc w:val="left"/>'
        f'<w:pPr><w:tabs><w:tab w:val="num" w:pos="{720 + 144 * level}"/></w:tabs>'
        f'<w:ind w:left="{720 + 144 * level}" w:hanging="{720 + 144 * level}"/></w:pPr></w:lvl>'
    )


def _set_sections(made: Any, page: Page) -> None:
    sections = list(made.sections)
    for place, section in enumerate(sections):
        section.page_width, section.page_height = Inches(page.width), Inches(page.height)
        for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
            setattr(section, side, Inches(page.margin))
        is_front = place == 0 and len(sections) > 1
        kind = OxmlElement("w:pgNumType")
        kind.set(qn("w:fmt"), "lowerRoman" if is_front else "decimal")
        kind.set(qn("w:start"), "1")
        section._sectPr.find(qn("w:pgMar")).addnext(kind)
        section.different_first_page_header_footer = is_front  # no number on the title page
        section.footer.is_linked_to_previous = False
        foot = section.footer.paragraphs[0]
        foot.alignment = 1
        for part in _PAGE_NUMBER:
            foot._p.append(parse_xml(f"<w:r {nsdecls('w')}>{part}</w:r>"))


def _set_settings(settings: Any) -> None:
    """Make Word update the table of contents and the page numbers when it opens the file (it asks first)."""
    update = parse_xml(f'<w:updateFields {nsdecls("w")} w:val="true"/>')
    behind = (settings.find(qn(f"w:{name}")) for name in _BEHIND)
    put_before(next((one for one in behind if one is not None), None), update, settings)
    if settings.find(qn("w:compat")) is None:  # without it Word opens the file in compatibility mode
        update.addnext(
            parse_xml(
                f'<w:compat {nsdecls("w")}><w:compatSetting w:name="compatibilityMode" '
                'w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat>'
            )
        )
    for language in settings.iter(qn("w:themeFontLang")):
        language.set(qn("w:val"), "en-GB")


# Elements that the schema wants after updateFields, in its order
_BEHIND = re.findall(
    r"\w+",
    "hdrShapeDefaults footnotePr endnotePr compat docVars rsids mathPr attachedSchema themeFontLang clrSchemeMapping "
    "doNotIncludeSubdocsInStats doNotAutoCompressPictures forceUpgrade captions readModeInkLockDown smartTagType "
    "schemaLibrary shapeDefaults doNotEmbedSmartTags decimalSymbol listSeparator",
)
