"""The styles of the Word file, by the template of the thesis (SPEC T5, T6): the reference document for pandoc."""

import io
import subprocess
from functools import lru_cache
from typing import Any, NamedTuple

from docx import Document as open_docx
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from docx.shared import Inches, Mm, Pt, RGBColor

from thesis.word.openxml import put_before
from untrusted.pandoc import pandoc_path
from untrusted.process_environment import child_environment

_BLACK = RGBColor(0, 0, 0)
_SIZES = {
    "Title": 20,
    "Heading 1": 16,
    "Heading 2": 14,
    "Heading 3": 12,
    "Heading 4": 12,
    "Heading 5": 12,
    "Heading 6": 12,
}
_SINGLE = (
    "Compact", "Caption", "Table Caption", "Image Caption", "Captioned Figure", "Figure", "Footnote Text",
    "Source Code", "Block Text", "toc 1", "toc 2", "toc 3", "table of figures", "Centred", "Right", "Title",
    "List Mark", "Table Note",
)  # fmt: skip

# Paragraph settings by style
_PARAGRAPHS: dict[str, dict[str, Any]] = {
    "Body Text": {"space_before": Pt(0), "space_after": Pt(8)},
    "First Paragraph": {"space_before": Pt(0), "space_after": Pt(8)},
    "Title": {"alignment": WD_ALIGN_PARAGRAPH.CENTER},
    "Heading 1": {"page_break_before": True},  # T05: each chapter starts on a new page
    "Centred": {"alignment": WD_ALIGN_PARAGRAPH.CENTER, "space_after": Pt(10)},
    "Right": {"alignment": WD_ALIGN_PARAGRAPH.RIGHT},
    "List Mark": {"left_indent": Mm(12), "first_line_indent": Mm(-7), "space_after": Pt(4)},
    "Table Note": {"space_after": Pt(10)},
    "Captioned Figure": {"alignment": WD_ALIGN_PARAGRAPH.CENTER, "keep_with_next": True},
    "Caption": {"space_after": Pt(10)},
    "Image Caption": {"alignment": WD_ALIGN_PARAGRAPH.CENTER, "space_after": Pt(10)},
    "Table Caption": {"alignment": WD_ALIGN_PARAGRAPH.CENTER, "space_after": Pt(10), "keep_with_next": True},
    "Bibliography": {
        "space_before": Pt(0),
        "space_after": Pt(8),
        "left_indent": Mm(10),
        "first_line_indent": Mm(-10),
    },
    "toc 1": {"left_indent": Mm(0)},
    "toc 2": {"left_indent": Mm(7)},
    "toc 3": {"left_indent": Mm(14)},
}


class Page(NamedTuple):
    """A page: its size and the margin on all sides in inches, the font and its size in points, the line spacing."""

    margin: float = 2.5 / 2.54
    font: str = "Times New Roman"
    size: float = 12
    spacing: float = 1.5
    width: float = 210 / 25.4
    height: float = 297 / 25.4

    @property
    def text_width(self) -> float:
        """Return the width between the margins, in inches."""
        return self.width - 2 * self.margin

    @property
    def text_height(self) -> float:
        """Return the height between the margins, in inches."""
        return self.height - 2 * self.margin


# NBEMS: 1-inch margins (T04), Times New Roman of 12 points, 1.5 spacing (T03)
PAGES = {"report": Page(), "nbems": Page(margin=1.0)}


def page_of(template: str) -> Page:
    """Return the page of a template; that of a report for an unknown one."""
    return PAGES.get(template, PAGES["report"])


@lru_cache(maxsize=8)
def reference(page: Page) -> bytes:
    """Return the reference document that gives pandoc its styles, margins and language."""
    command = [pandoc_path(), "--print-default-data-file=reference.docx"]
    data = subprocess.run(command, capture_output=True, check=True, timeout=30, env=child_environment()).stdout
    made = open_docx(io.BytesIO(data))
    _add_styles(made.styles)
    styles = {style.name: style for style in made.styles}  # python-docx itself would look up "Caption" as "caption"
    for style in made.styles:
        if style.type in (WD_STYLE_TYPE.PARAGRAPH, WD_STYLE_TYPE.CHARACTER):
            _set_font(style, "Courier New" if style.name in {"Verbatim Char", "Source Code"} else page.font)
    for name in ("Normal", "Body Text", "First Paragraph", "Bibliography", "Definition", "Definition Term"):
        if name in styles:
            styles[name].paragraph_format.line_spacing = page.spacing
            styles[name].font.size = Pt(page.size)
    for name in _SINGLE:
        if name in styles:
            styles[name].paragraph_format.line_spacing = 1.0
    _set_headings(styles)
    _set_details(styles, page)
    for language in made.styles.element.iter(qn("w:lang")):
        language.set(qn("w:val"), "en-GB")
    _set_tables(styles["Table"])
    section = made.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    for side in ("left_margin", "right_margin", "top_margin", "bottom_margin"):
        setattr(section, side, Inches(page.margin))
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def _add_styles(styles: Any) -> None:
    """Add the styles that pandoc's file lacks, with Word's own names and ids for them."""
    for name, base, identifier in (
        ("Centred", "Body Text", "Centred"),
        ("Right", "Body Text", "Right"),
        ("List Mark", "Body Text", "List Mark"),
        ("Table Note", "Body Text", "Table Note"),
        ("Source Code", "Normal", "SourceCode"),
        ("toc 1", "Normal", "TOC1"),
        ("toc 2", "Normal", "TOC2"),
        ("toc 3", "Normal", "TOC3"),
        ("table of figures", "Normal", "TableofFigures"),
    ):
        style = styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH, builtin=name[:3] in {"toc", "tab"})
        style.base_style = styles[base]
        style.element.set(qn("w:styleId"), identifier)


def _set_font(style: Any, name: str) -> None:
    """Set the font of `style` to `name`, and its colour, if it has one, to black."""
    style.font.name = name
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    fonts.set(qn("w:cs"), name)
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)  # a theme font would override the name
    if style.element.rPr.find(qn("w:color")) is not None:
        style.font.color.rgb = _BLACK


def _set_headings(styles: Any) -> None:
    for name, size in _SIZES.items():
        if name not in styles:
            continue
        style = styles[name]
        style.font.size, style.font.bold, style.font.italic = Pt(size), True, False
        style.font.color.rgb = _BLACK
        style.paragraph_format.keep_with_next = True
        style.paragraph_format.line_spacing = 1.0
        style.paragraph_format.space_before, style.paragraph_format.space_after = Pt(14), Pt(8)
    styles["TOC Heading"].font.bold, styles["TOC Heading"].font.size = True, Pt(_SIZES["Heading 1"])


def _set_details(styles: Any, page: Page) -> None:
    for name, settings in _PARAGRAPHS.items():
        for setting, value in settings.items():
            setattr(styles[name].paragraph_format, setting, value)
    for name in ("Caption", "Image Caption", "Table Caption"):
        styles[name].font.size, styles[name].font.italic = Pt(11), False
    styles["Source Code"].font.size, styles["Footnote Text"].font.size = Pt(9.5), Pt(10)
    styles["Table Note"].font.size = Pt(10)
    for depth in (1, 2, 3):
        styles[f"toc {depth}"].font.bold = depth == 1
    for name in ("toc 1", "toc 2", "toc 3", "table of figures"):
        styles[name].font.size = Pt(page.size)
        styles[name].paragraph_format.space_before, styles[name].paragraph_format.space_after = Pt(0), Pt(4)
        _set_tab(styles[name], round(page.text_width * 1440))


def _set_tab(style: Any, twips: int) -> None:
    tab = f'<w:tab w:val="right" w:leader="dot" w:pos="{twips}"/>'
    properties = style.element.get_or_add_pPr()
    put_before(properties.find(qn("w:spacing")), parse_xml(f"<w:tabs {nsdecls('w')}>{tab}</w:tabs>"), properties)


def _set_tables(style: Any) -> None:
    """Give tables a line at the top and the bottom, as booktabs does."""
    properties = style.element.find(qn("w:tblPr"))
    if properties is None:
        properties = OxmlElement("w:tblPr")
        style.element.append(properties)
    for old in properties.findall(qn("w:tblBorders")):
        properties.remove(old)
    rules = "".join(f'<w:{side} w:val="single" w:sz="8" w:space="0" w:color="000000"/>' for side in ("top", "bottom"))
    borders = parse_xml(f"<w:tblBorders {nsdecls('w')}>{rules}</w:tblBorders>")
    put_before(properties.find(qn("w:tblCellMar")), borders, properties)
