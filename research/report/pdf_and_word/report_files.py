"""A report as Word file and PDF (SPEC R14; docs/decisions/report-pdf-and-word.md).

Pandoc writes the Word file with our own styles; typst sets the PDF in a separate process.
"""

import io
import json
import logging
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from docx import Document as open_docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Mm, Pt, RGBColor

from core.errors import Refused
from research.models import Run
from research.query_type import called
from research.report.document import Document, Node, plain, read_report
from untrusted.pandoc import pandoc_path
from untrusted.process_environment import child_environment

log = logging.getLogger(__name__)

_TYPESET = Path(__file__).with_name("typeset.py")
_TIMEOUT_SECONDS = 25  # a report of 140,000 characters takes 0.3 s, as PDF 0.5 s
_SERIF, _MONO = "Cambria", "Consolas"
_INK, _SOFT, _GALL = RGBColor(0x17, 0x23, 0x27), RGBColor(0x44, 0x54, 0x5A), RGBColor(0x17, 0x50, 0x5B)
_SIZES = {"Title": 22, "Heading 1": 15, "Heading 2": 12, "Heading 3": 11, "Subtitle": 9.5}


@dataclass(frozen=True)
class Sheet:
    """A report to be set: `kind` is the line above the title, `engine` the footer, `at` the time of completion."""

    name: str
    kind: str
    engine: str
    at: datetime
    document: Document


def sheet_of(run: Run) -> Sheet:
    """Return the report of `run`, ready to be set."""
    at = run.completed_at or run.created_at
    kind = ", ".join(filter(None, [called(run.query_type), f"{at.day} {at:%B %Y}"]))
    return Sheet(run.title or run.question, kind, f"Scholium. {run.engine}", at, read_report(run.report))


@contextmanager
def _refused(log_as: str, what: str, other: str) -> Iterator[None]:
    """Raise Refused where a program fails or times out, naming the failed format and the `other` one."""
    try:
        yield
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        log.exception("A report could not be %s: %s", log_as, (error.stderr or b"")[-2000:].decode("utf-8", "replace"))
        raise Refused(
            f"The {what} could not be made. The {other} and the Markdown hold the same report.",
            field="format",
            code="not_set",
            status=503,
        ) from None


def pdf_of(sheet: Sheet) -> bytes:
    """Return the report as PDF, tagged for screen readers; the same report gives the same pages.

    Raises Refused when it cannot be made.
    """
    document = sheet.document
    report = {
        "name": sheet.name,
        "kind": sheet.kind,
        "engine": sheet.engine,
        "at": int(sheet.at.timestamp()),
        "title": document.title or [{"t": "Str", "c": sheet.name}],
        "note": document.note,
        "blocks": document.blocks,
    }
    with _refused("set", "PDF", "Word file"):
        return subprocess.run(
            [sys.executable, "-I", str(_TYPESET)],
            input=json.dumps(report).encode(),
            capture_output=True,
            check=True,
            timeout=_TIMEOUT_SECONDS,
            env=child_environment(),
        ).stdout


def docx_of(sheet: Sheet) -> bytes:
    """Return the report as a Word file. Raise Refused when it cannot be made."""
    document = sheet.document
    tree = {
        "pandoc-api-version": [1, 23, 1],
        "meta": {
            "title": {"t": "MetaInlines", "c": document.title or [plain(sheet.name)]},
            "subtitle": {"t": "MetaInlines", "c": [plain(sheet.kind)]},
        },
        "blocks": [
            *([_styled("Method", document.note)] if document.note else []),
            *(_block(block) for block in document.blocks),
        ],
    }
    with _refused("written", "Word file", "PDF"):
        return _written(json.dumps(tree).encode(), _styles(sheet.engine), str(int(sheet.at.timestamp())))


def _written(tree: bytes, styles: bytes, at: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="scholium-docx-") as folder:
        reference, made = Path(folder) / "styles.docx", Path(folder) / "report.docx"
        reference.write_bytes(styles)
        options = ["--sandbox", "--from=json", "--to=docx", f"--reference-doc={reference}", f"--output={made}"]
        subprocess.run(
            [pandoc_path(), *options],
            input=tree,
            capture_output=True,
            check=True,
            timeout=_TIMEOUT_SECONDS,
            env=child_environment(folder, SOURCE_DATE_EPOCH=at),  # the same report gives the same file
        )
        return made.read_bytes()


def _block(block: Node) -> Node:
    """Return a block for Word: headings one level up, since the title has its own style, and references styled."""
    if block["t"] == "Header":
        level, attributes, inlines = block["c"]
        return {"t": "Header", "c": [max(level - 1, 1), attributes, inlines]}
    if block["t"] == "Div":
        (identifier, classes, _), blocks = block["c"]
        return {"t": "Div", "c": [[identifier, classes, [["custom-style", "Reference"]]], blocks]}
    return block


def _styled(style: str, blocks: list[Node]) -> Node:
    return {"t": "Div", "c": [["", [], [["custom-style", style]]], blocks]}


@lru_cache(maxsize=16)
def _styles(engine: str) -> bytes:
    """Return a Word file with the styles, margins and footer of a report: `engine` and the page number."""
    command = [pandoc_path(), "--print-default-data-file=reference.docx"]
    done = subprocess.run(command, capture_output=True, check=True, timeout=30, env=child_environment())
    made = open_docx(io.BytesIO(done.stdout))
    for style in made.styles:
        if style.type in (WD_STYLE_TYPE.PARAGRAPH, WD_STYLE_TYPE.CHARACTER):
            _set_font(style, _MONO if style.name in {"Verbatim Char", "Source Code"} else _SERIF)
    for name, size in _SIZES.items():
        style = made.styles[name]
        style.font.size, style.font.italic = Pt(size), name == "Subtitle"
        style.font.bold = name not in {"Title", "Subtitle"}
        style.font.color.rgb = _SOFT if name == "Subtitle" else _INK
        style.paragraph_format.alignment = 0
    made.styles["Hyperlink"].font.color.rgb = _GALL
    listed = made.styles.add_style("Reference", WD_STYLE_TYPE.PARAGRAPH)
    listed.base_style = made.styles["Body Text"]
    listed.paragraph_format.left_indent, listed.paragraph_format.first_line_indent = Mm(8), Mm(-8)
    method = made.styles.add_style("Method", WD_STYLE_TYPE.PARAGRAPH)
    method.base_style = made.styles["Body Text"]
    method.font.size, method.font.color.rgb = Pt(9.5), _SOFT
    method.paragraph_format.left_indent = Mm(4)
    section = made.sections[0]
    section.page_width, section.page_height = Mm(210), Mm(297)
    section.left_margin = section.right_margin = Mm(30)
    foot = section.footer.paragraphs[0]
    foot.add_run(f"{engine}   ")
    _add_page_number(foot)
    for run in foot.runs:
        run.font.size, run.font.color.rgb = Pt(8.5), _SOFT
    kept = io.BytesIO()
    made.save(kept)
    return kept.getvalue()


def _set_font(style: Any, name: str) -> None:
    style.font.name = name
    fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
    for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
        fonts.attrib.pop(qn(f"w:{theme}"), None)  # a theme font would override the name


def _add_page_number(paragraph: Any) -> None:
    run = paragraph.add_run()
    for kind in ("begin", "instruction", "end"):
        if kind == "instruction":
            element = OxmlElement("w:instrText")
            element.text = "PAGE"
        else:
            element = OxmlElement("w:fldChar")
            element.set(qn("w:fldCharType"), kind)
        run._r.append(element)
