"""From a point on a page of a build to its place in the text, and from the text to the page (SPEC T6)."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from sections.models import Section, SectionQuerySet
from thesis.models import Build
from thesis.page_places.page_map import PageMap, SectionText, Spot
from thesis.page_places.printed_words import READ_AT_ONCE, digest, read_pages, stored_words

_MOST_MAPS = 4  # of builds in a process; that of 120 pages takes 20 MB
# Without stored words pages are read when they are asked for: all of a short build, else one with those before and
# after it.
_AROUND = 1


class TextPlace(NamedTuple):
    """A place in a section as it is now. `words` are the printed words at the point.

    `is_exact` is False where these words are not in the text themselves, so that the place is beside them; `is_changed`
    is True if the section was changed since the build.
    """

    section: Section
    offset: int
    words: str
    is_exact: bool
    is_changed: bool


class PagePlace(NamedTuple):
    """A line on a page of a build: its box in parts of the width and height of the page, and its words."""

    page: int
    left: float
    top: float
    width: float
    height: float
    words: str


@dataclass
class _Map:
    """The map of a build, for the sections as they were at `versions`, with the ids of those changed since."""

    versions: dict[UUID, int]
    map: PageMap
    changed: set[UUID]


_maps: OrderedDict[tuple[UUID, int], _Map] = OrderedDict()


def text_place(build: Build, page: int, x: float = 0.0, y: float = 0.0) -> TextPlace | None:
    """Return the place in the text of a point of a page (from 1), in parts of its width and height.

    None if the page cannot be read, or no words of the thesis are near it.
    """
    found = _map_of(build, page)
    printed = found.map.pages.get(page)
    if printed is None:
        return None
    place = found.map.place_at(page, x * printed.width, y * printed.height)
    section = _sections(build).filter(pk=place.section).first() if place else None
    if place is None or section is None:
        return None
    return TextPlace(section, place.offset, place.words, place.is_exact, section.pk in found.changed)


def page_place(build: Build, section: Section, offset: int) -> PagePlace | None:
    """Return where a place in the text is printed; None if the section is not, or without `is_known_whole`."""
    if not is_known_whole(build):
        return None
    found = _map_of(build).map
    spot = found.spot_of(str(section.pk), offset)
    return _in_parts(found, spot) if spot else None


def first_pages(build: Build) -> list[tuple[Section, int]]:
    """Return the sections in a build with the page where each begins, in the order of the pages."""
    if not is_known_whole(build):
        return []
    found = _map_of(build).map
    begins = [
        (spot.page, section) for section in _sections(build) if (spot := found.spot_of(str(section.pk), 0)) is not None
    ]
    return [(section, page) for page, section in sorted(begins, key=lambda one: (one[0], one[1].number))]


def changed_since(build: Build) -> list[Section]:
    """Return the sections whose text was changed since the build."""
    stored = stored_words(build)
    sections = _sections(build).order_by("number", "pk")
    if stored is None:
        return [section for section in sections.defer("latex") if section.updated_at > build.created_at]
    was = stored.digests
    return [section for section in sections if digest(section.latex) != was.get(str(section.pk), digest(""))]


def is_known_whole(build: Build) -> bool:
    """Return whether the words of all pages of a build are stored, or few enough to be read at once."""
    return 0 < build.pages <= READ_AT_ONCE or stored_words(build) is not None


def _map_of(build: Build, page: int = 0) -> _Map:
    """Return the map of a build for the present text, of all its pages, or of those around `page` if that is less."""
    is_whole = is_known_whole(build)
    key = build.pk, 0 if is_whole else page
    versions = dict(_sections(build).order_by().values_list("pk", "version"))
    found = _maps.get(key)
    if found is None or found.versions != versions:
        if found is not None:
            pages = found.map.pages
        elif (stored := stored_words(build)) is not None:
            pages = stored.pages()
        else:
            first, last = (1, build.pages) if is_whole else (page - _AROUND, page + _AROUND)
            pages = read_pages(build, first, last)
        sections = list(_sections(build).order_by("number", "pk"))
        texts = [SectionText(str(section.pk), section.latex) for section in sections]
        changed = {section.pk for section in changed_since(build)}
        found = _maps[key] = _Map({row.pk: row.version for row in sections}, PageMap(pages, texts), changed)
        while len(_maps) > _MOST_MAPS:
            _maps.popitem(last=False)
    return found


def _sections(build: Build) -> SectionQuerySet:
    """Return the sections that a build is of."""
    rows: SectionQuerySet = Section.objects.filter(project=build.project_id)
    return rows.filter(builds=build) if build.is_chapter else rows


def _in_parts(found: PageMap, spot: Spot) -> PagePlace:
    page = found.pages[spot.page]
    return PagePlace(
        spot.page,
        round(spot.left / page.width, 4),
        round(spot.top / page.height, 4),
        round((spot.right - spot.left) / page.width, 4),
        round((spot.bottom - spot.top) / page.height, 4),
        spot.words,
    )
