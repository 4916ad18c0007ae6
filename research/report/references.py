"""The reference list of a report, one entry for each number, made from metadata (SPEC R10, C12)."""

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import quote

from citations.formats.markdown import escaped
from citations.styles.formatting import format_references
from claims.markers import quiet
from research.models import Source

_COUNTED = {".xlsx": "sheet", ".pptx": "slide"}  # unit of the page number in files without pages
_ADDRESS = ":/?#@!$&'*+,;=%~"  # not escaped in an address; brackets and spaces would end the link


def style_for(query_type: str, style: str) -> str:
    """Return the citation style of a report: literature reviews use APA unless the profile names a style (R10)."""
    return "apa" if query_type == "literature_review" and style == "default" else style


def heading_for(style: str) -> str:
    """Return the heading of the reference list."""
    return "Sources" if style == "default" else "References"


def reference_list(sources: Sequence[Source], style: str) -> list[str]:
    """Return one Markdown line for each of `sources`, in order, without the number.

    `default` is a title linked to its address; other styles are CSL. A passage of an uploaded file is named by its file
    and place in every style, since no style has a form for it.
    """
    items = [{**one.csl, "id": one.source_id} for one in sources if style != "default" and one.kind != Source.Kind.FILE]
    lines = format_references(items, style) if items else []
    styled = dict(zip((item["id"] for item in items), lines, strict=True))
    return [styled.get(source.source_id) or _plain(source) for source in sources]


def place_of(source: Source) -> str:
    """Return the place of a passage: "page 3", in a workbook "sheet 3", in slides "slide 3"; "" without a number."""
    ending = PurePath(source.document).suffix.lower() if source.kind == Source.Kind.FILE else ""
    return f"{_COUNTED.get(ending, 'page')} {source.page}" if source.page else ""


def _plain(source: Source) -> str:
    if source.kind == Source.Kind.FILE:
        place = ", ".join(filter(None, [f"passage {source.source_id.rpartition('::')[2]}", place_of(source)]))
        heading = f" (“{source.heading}”)" if source.heading else ""
        return quiet(escaped(f"{source.title}. Uploaded file, {place}{heading}."))
    address = source.url or (f"https://doi.org/{source.csl['DOI']}" if source.csl.get("DOI") else "")
    if not address:
        return quiet(escaped(f"{source.title.removesuffix('.')}."))
    title = escaped(source.title).replace("[", "\\[").replace("]", "\\]")
    return f"[{title}]({quote(address, safe=_ADDRESS)})"
