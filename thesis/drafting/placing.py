"""Where something that no engine wrote goes into a section: the place is checked before anything is made (SPEC T7)."""

from typing import NamedTuple

from core.errors import Refused
from sections.models import Section
from thesis.models import Draft


class Spot(NamedTuple):
    """A place in the text `section` as it stands now; `start` and `end` are 0 unless it is a range."""

    section: Section
    place: str
    start: int
    end: int


def spot_in(section: Section, *, place: str, start: int, end: int | None, based_on: int | None) -> Spot:
    """The place that was asked for, in the text as it is now. Raises Refused, 409 stale where the text has moved on."""
    present = Section.objects.get(pk=section.pk)
    if based_on is not None and based_on != present.version:
        said = "This section was saved in between. Look at its text and choose the place again."
        raise Refused(said, field="based_on", code="stale", status=409)
    if place not in Draft.Place.values:
        raise Refused("place is end, whole or range.", field="place")
    if place != Draft.Place.RANGE:
        return Spot(present, place, 0, 0)
    stop = start if end is None else end
    if not 0 <= start <= stop <= len(present.latex):
        raise Refused(
            "This place is not in the text any more. Choose it again.", field="start", code="stale", status=409
        )
    return Spot(present, place, start, stop)


def unsaved_draft(spot: Spot, **columns: object) -> Draft:
    """A proposal for `spot`, over the text as it is now, not yet saved."""
    return Draft(
        project=spot.section.project,
        section=spot.section,
        place=spot.place,
        start=spot.start,
        end=spot.end,
        base_version=spot.section.version,
        base_latex=spot.section.latex,
        **columns,
    )
