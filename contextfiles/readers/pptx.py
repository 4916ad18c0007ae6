"""Reader of PowerPoint (PPTX): title, text, tables, diagrams, chart values and speaker notes of each slide."""

from collections.abc import Iterator
from io import BytesIO
from itertools import groupby
from operator import itemgetter
from typing import Any

import pptx
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

from contextfiles.passages import Chunk, Reading, reading_of_chunks, refuse_if_too_long
from contextfiles.readers.table_rows import Row, chunks_of, line_of, one_line
from untrusted.ooxml import POWERPOINT, opening

_PARAGRAPH, _RUN_TEXT, _BREAK, _FIELD = (qn(f"a:{name}") for name in ("p", "t", "br", "fld"))
_TABLE, _TR, _TC = (qn(f"a:{name}") for name in ("tbl", "tr", "tc"))
_SHAPE, _FRAME = qn("p:sp"), qn("p:graphicFrame")
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TITLES = {"title", "ctrTitle"}
_FOOTERS = {"ftr", "dt", "sldNum", "hdr", "sldImg"}  # repeated on every slide


def read_pptx(data: bytes) -> Reading:
    """Return the text of a presentation; `page` is the number of the slide.

    Raises Unreadable for a damaged file, a decompression bomb or empty slides.
    """
    with opening(data, POWERPOINT, other_format=ValueError):
        return reading_of_chunks(_chunks(pptx.Presentation(BytesIO(data))))


def _chunks(presentation: Any) -> Iterator[Chunk]:
    length = 0
    for number, slide in enumerate(presentation.slides, start=1):
        shapes = [shape for shape in _shapes(slide.element) if _placed_as(shape) not in _FOOTERS]
        titles = [" ".join(_paragraphs(shape)) for shape in shapes if _placed_as(shape) in _TITLES]
        heading = one_line(next(filter(None, titles), f"Slide {number}"))
        if slide.element.get("show") == "0":
            heading = f"{heading[:150]} (hidden slide)"
        parts = [part for shape in shapes for part in _parts(shape)]
        parts += [(part, False) for relation in slide.part.rels.values() for part in _drawn(relation)]
        if notes := _notes(slide):
            parts.append((f"Notes: {notes}", False))
        said = [part for part in parts if part[0] and one_line(part[0]) != heading]
        for is_lead, group in groupby(said or [(title, True) for title in titles[:1]], key=itemgetter(1)):
            text = "\n\n".join(part for part, _ in group)
            length += len(text)
            refuse_if_too_long(length)
            yield Chunk(text, heading, number, is_lead)


def _shapes(root: Any) -> Iterator[Any]:
    """Yield the shapes and table frames in order, also those inside groups. It does not use recursion."""
    waiting = list(reversed(root))
    while waiting:
        node = waiting.pop()
        if node.tag in (_SHAPE, _FRAME):
            yield node
        elif node.tag != _FALLBACK:
            waiting.extend(reversed(node))


def _placed_as(shape: Any) -> str:
    """Return the placeholder type of a shape: "title", "body", "ftr" ..., or ""."""
    placed = next(shape.iter(qn("p:ph")), None)
    return "" if placed is None else placed.get("type") or "body"


def _parts(shape: Any) -> Iterator[tuple[str, bool]]:
    """Yield the texts of a shape, each with whether it is a lead, as the slide's title is."""
    table = next(shape.iter(_TABLE), None)
    if table is None:
        yield "\n".join(_paragraphs(shape)), _placed_as(shape) in _TITLES
        return
    rows = [Row(at, list(map(_cell, row.findall(_TC)))) for at, row in enumerate(table.iter(_TR), start=1)]
    yield from ((chunk.text, chunk.is_lead) for chunk in chunks_of(rows))


def _cell(cell: Any) -> str:
    covered = cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true")
    return "" if covered else one_line(" ".join(_paragraphs(cell)))


def _paragraphs(root: Any) -> list[str]:
    """Return the paragraphs inside `root` that contain text."""
    found = (paragraph.iter(_RUN_TEXT, _BREAK) for paragraph in root.iter(_PARAGRAPH))
    said = ("".join(" " if node.tag == _BREAK else node.text or "" for node in nodes) for nodes in found)
    return [text.strip() for text in said if text.strip()]


def _notes(slide: Any) -> str:
    if not slide.has_notes_slide:
        return ""
    shapes = (shape for shape in _shapes(slide.notes_slide.element) if _placed_as(shape) not in _FOOTERS)
    return "\n".join(text for shape in shapes for text in _paragraphs(shape))


def _drawn(relation: Any) -> Iterator[str]:
    """Yield the text of a diagram, or the title and values of a chart, on a slide."""
    if relation.is_external:
        return
    if relation.reltype.endswith("/diagramData"):
        yield "\n".join(_paragraphs(parse_xml(relation.target_part.blob)))
    elif relation.reltype.endswith("/chart"):
        chart = parse_xml(relation.target_part.blob)
        yield "\n".join([" ".join(_paragraphs(title)) for title in chart.iter(qn("c:title"))])
        yield "\n".join(filter(None, map(_series, chart.iter(qn("c:ser")))))


def _series(series: Any) -> str:
    """Return a series of a chart as one line: its name, then each value with its category."""
    name, places, values = (_values(series, *tags) for tags in (("tx",), ("cat", "xVal"), ("val", "yVal")))
    named = [f"{place}: {value}" for place, value in zip(places, values, strict=False)] or values
    return line_of([*name, *named])


def _values(series: Any, *tags: str) -> list[str]:
    parts = [part for tag in tags for part in series.findall(qn(f"c:{tag}"))]
    return [one_line(value.text or "") for part in parts for value in part.iter(qn("c:v"))]
