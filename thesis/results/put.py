"""A result of an analysis into a section, as a proposal that R made and no engine wrote (SPEC N2, T7)."""

from collections.abc import Iterable

from django.db import transaction

from analysis.models import Analysis, Figure
from core.errors import Refused
from projects.models import User
from sections.models import Section
from sections.thesis_files import add_picture
from thesis.drafting.placing import spot_in, unsaved_draft
from thesis.drafting.proposal import settle_proposal
from thesis.models import Draft
from thesis.results.coming import FROM, Coming, figure_name, result_coming

ENGINE = "R, as it was computed"  # shown with the proposal in the place of an engine's label


def put_result(
    section: Section,
    user: User,
    analysis: Analysis,
    parts: Iterable[str] = ("sentence",),
    *,
    place: str = Draft.Place.END,
    start: int = 0,
    end: int | None = None,
    based_on: int | None = None,
) -> Draft:
    """A proposal that puts `parts` of a result into `section`: "sentence", "table:main", "figure:box".

    Figures become files of the thesis, as PDF. `place`, `start` and `end` are as in Draft; `based_on` is the version that
    `start` counts in. `user` has the right to write. Raises Refused for an analysis without a result or of another
    thesis, a part there is not, and (409, stale) a text that has moved on. The text itself changes only when a person
    takes the proposal.
    """
    coming = result_coming(section, analysis, parts)
    spot = spot_in(section, place=place, start=start, end=end, based_on=based_on)
    with transaction.atomic():
        paths = _kept(coming, user, analysis)
        latex = coming.write(paths)
        draft = unsaved_draft(
            spot,
            kind=Draft.Kind.RESULT,
            instructions=f"Analysis {analysis.number}: {analysis.title}",
            findings=[{"analysis": str(analysis.pk)}],
            engine=ENGINE,
            created_by=user,
        )
        draft.save(force_insert=True)
        settled: Draft = settle_proposal(
            draft, latex, notes=[*coming.notes, *_twice(spot.section, latex)], markdown=False
        )
    return settled


def _kept(coming: Coming, user: User, analysis: Analysis) -> dict[str, str]:
    """The figures as files of the thesis: their paths by kind."""
    return {
        one.kind: add_picture(analysis.project, user, _bytes_of(one), figure_name(analysis, one)).path
        for one in coming.figures
    }


def _bytes_of(figure: Figure) -> bytes:
    file = figure.pdf or figure.png
    try:
        with file.open("rb") as opened:
            data: bytes = opened.read()
    except OSError:
        said = "The disk has lost this figure. Run the analysis again and put that in."
        raise Refused(said, field="parts", code="lost", status=409) from None
    return data


def _twice(section: Section, latex: str) -> list[str]:
    """Whether the same analysis stands in the text already, as its comments say."""
    here = set(section.latex.splitlines())
    again = [line for line in dict.fromkeys(latex.splitlines()) if line.startswith(FROM) and line in here]
    return [f"Already in this section: {line.removeprefix('% From ')}." for line in again]
