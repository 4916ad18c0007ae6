"""The choice of a citation style for a thesis, with a preview of its own references (SPEC C12)."""

from dataclasses import dataclass
from typing import Any

from citations.formats.markdown import as_html
from citations.formats.reading import Csl
from citations.models import Citation
from citations.styles.formatting import StyleInfo, print_references, search_styles, style_exists, style_info
from core.errors import Refused
from core.grouping import first_values
from projects.citation_styles import STYLES
from projects.models import Project

OFFERED = 12  # styles that a search offers
SHOWN = 5  # references that a preview shows
_LOOKED_AT = 60  # references from the start of the list among which different kinds are searched
PLAIN = "default"
_NAMES = dict(STYLES)
# Shown where a thesis has no references yet.
SAMPLE: tuple[Csl, ...] = (
    {
        "type": "article-journal",
        "title": "Molecular structure of nucleic acids: a structure for deoxyribose nucleic acid",
        "author": [{"family": "Watson", "given": "James D."}, {"family": "Crick", "given": "Francis H. C."}],
        "container-title": "Nature",
        "volume": "171",
        "issue": "4356",
        "page": "737-738",
        "issued": {"date-parts": [[1953, 4, 25]]},
        "DOI": "10.1038/171737a0",
    },
    {
        "type": "book",
        "title": "On the origin of species",
        "author": [{"family": "Darwin", "given": "Charles"}],
        "publisher": "John Murray",
        "publisher-place": "London",
        "issued": {"date-parts": [[1859]]},
    },
    {
        "type": "webpage",
        "title": "Global health estimates",
        "author": [{"literal": "World Health Organization"}],
        "container-title": "World Health Organization",
        "URL": "https://www.who.int/data/global-health-estimates",
        "issued": {"date-parts": [[2024]]},
    },
)


@dataclass(frozen=True)
class Preview:
    """References formatted in a style, as HTML. `wrong` says why there are none; `is_sample`: not the thesis's own."""

    style: StyleInfo
    references: list[str]
    is_sample: bool = False
    wrong: str = ""


def name_of(style: str) -> str:
    """Return the name of a style for people."""
    return _NAMES.get(style) or style_info(style).name


def offered_styles(words: str, current: str) -> list[StyleInfo]:
    """Return the styles to choose from: those that match `words`; without words the current and the usual ones."""
    usual = [style for style in dict.fromkeys([current, *_NAMES]) if style != PLAIN]
    return [
        StyleInfo(style, name_of(style), style_info(style).cites)
        for style in (search_styles(words, OFFERED) if words.strip() else usual)
    ]


def style_preview(project: Project, style: str) -> Preview:
    """Return up to SHOWN of the thesis's references in `style`, of different kinds; a sample where it has none."""
    style = style[:120]
    what = StyleInfo(style, name_of(style), style_info(style).cites)
    items = _preview_items(project)
    try:
        lines = print_references(items or SAMPLE, style)
    except Refused as refused:
        return Preview(
            what,
            [],
            not items,
            "The plain style prints the number, title and link." if style == PLAIN else refused.message,
        )
    return Preview(what, [as_html(line) for line in lines], not items)


def save_style(project: Project, style: str) -> None:
    """Save `style` as the citation style of `project`. Raises Refused for an unknown style."""
    if style != PLAIN and not style_exists(style):
        raise Refused("Choose a citation style from the list.", field="style", code="unknown_style")
    project.citation_style = style
    project.save(update_fields=["citation_style", "updated_at"])


def _preview_items(project: Project) -> list[Csl]:
    """Return the references for the preview: the first of each kind, filled up from the start of the list."""
    rows: list[Any] = list(Citation.objects.filter(project=project).values_list("csl", flat=True)[:_LOOKED_AT])
    kinds = first_values((str(csl.get("type")), number) for number, csl in enumerate(rows))
    return [rows[number] for number in sorted(list(dict.fromkeys([*kinds.values(), *range(len(rows))]))[:SHOWN])]
