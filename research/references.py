"""The list at the end of a report, one entry for each number, made from metadata (SPEC R10, C12)."""

from collections.abc import Sequence

from citations.styles import format_references
from research.models import Source


def heading_for(style: str) -> str:
    return "Sources" if style == "default" else "References"


def reference_list(sources: Sequence[Source], style: str) -> list[str]:
    """One Markdown line for each of `sources`, in their order, without the number.

    `default` is a title linked to its address; any other style is set by CSL. A passage of an uploaded file is
    named by its file and place, in every style: no style knows such a thing.
    """
    styled: dict[str, str] = {}
    published = [source for source in sources if source.kind == Source.Kind.REFERENCE]
    if style != "default" and published:
        items = [{**source.csl, "id": source.source_id} for source in published]
        styled = dict(zip((s.source_id for s in published), format_references(items, style), strict=True))
    return [styled.get(source.source_id) or _plain(source) for source in sources]


def _plain(source: Source) -> str:
    if source.kind == Source.Kind.FILE:
        place = f"passage {source.source_id.rpartition('::')[2]}"
        if source.page:
            place += f", page {source.page}"
        if source.heading:
            place += f" (“{source.heading}”)"
        return f"{source.title}. Uploaded file, {place}."
    return f"[{source.title}]({source.url})" if source.url else f"{source.title}."
