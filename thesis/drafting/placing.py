"""Putting in: what no engine wrote goes into a section as a proposal, whatever it is (SPEC N2, T7).

What would come is the same as what then comes: a `Coming` is made first, and shown; putting it in takes its sources up
as references and its pictures among the files, and makes the proposal. The text changes only when a person takes that.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from citations.changing.editing import Description, describe_files
from core.errors import Refused
from latex.includes import FIGURES
from projects.models import Project, User
from research.models import Source
from sections.models import Section
from sections.thesis_files import add_picture
from thesis.drafting.proposal import settle_proposal
from thesis.models import Draft
from thesis.run_references import Expected, expected, keys_for


@dataclass(frozen=True)
class Placement:
    """Where something is to go: `place`, `start` and `end` as in Draft; `based_on` is the version that `start` counts in."""

    place: str = Draft.Place.END
    start: int = 0
    end: int | None = None
    based_on: int | None = None

    def over(self, section: Section) -> dict[str, Any]:
        """The columns of a proposal that stands here, over the text as it is now.

        Raises Refused, 409 stale where the text has moved on.
        """
        present = Section.objects.get(pk=section.pk)
        if self.based_on is not None and self.based_on != present.version:
            raise Refused(
                "This section was saved in between. Look at its text and choose the place again.",
                field="based_on",
                code="stale",
                status=409,
            )
        if self.place not in Draft.Place.values:
            raise Refused("place is end, whole or range.", field="place")
        start = self.start if self.place == Draft.Place.RANGE else 0
        end = self.end if self.place == Draft.Place.RANGE and self.end is not None else start
        if not 0 <= start <= end <= len(present.latex):
            raise Refused(
                "This place is not in the text any more. Choose it again.", field="start", code="stale", status=409
            )
        text = {"base_version": present.version, "base_latex": present.latex}
        return {"project": present.project, "section": present, "place": self.place, "start": start, "end": end, **text}


AT_THE_END = Placement()


class Picture(NamedTuple):
    """A picture that becomes a file of the thesis under `name`."""

    name: str
    read: Callable[[], bytes]


@dataclass
class Coming:
    """What would go into a section.

    `write` makes its LaTeX with the keys of `sources`, by the source's key, and the paths of `pictures`, by their names here.
    A line of it that begins with `origin` says where something comes from; `again` makes notes of those that are in the
    text already.
    """

    kind: Draft.Kind
    engine: str  # shown with the proposal in the place of an engine's label
    instructions: str  # what was put in, in a line
    write: Callable[[Mapping[Any, str]], str]
    origin: str
    again: Callable[[list[str]], list[str]]
    findings: list[dict[str, str]] = field(default_factory=list)  # as they were asked for
    notes: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    pictures: dict[str, Picture] = field(default_factory=dict)

    def preview(self, project: Project) -> tuple[str, list[Expected]]:
        """Its LaTeX, with the names that pictures are likely to have, and the references it would cite, each once.

        Nothing is changed.
        """
        known = expected(project, self.sources) if self.sources else {}
        works = {one.citation.cite_key: one for one in (known[source.pk] for source in self.sources)}
        keys: dict[Any, str] = {pk: one.citation.cite_key for pk, one in known.items()}
        paths = {name: f"{FIGURES}/{one.name}" for name, one in self.pictures.items()}
        return self.write(keys | paths), list(works.values())

    def twice(self, section: Section, latex: str) -> list[str]:
        """What of `latex` is in the text already, as its comments say, in notes."""
        here = set(section.latex.splitlines())
        lines = [line for line in dict.fromkeys(latex.splitlines()) if line.startswith(self.origin) and line in here]
        return self.again(lines) if lines else []


def put_in(
    section: Section,
    user: User,
    coming: Coming,
    where: Placement = AT_THE_END,
    *,
    files: Mapping[UUID, Description] | None = None,
) -> Draft:
    """A proposal that puts what is `coming` into `section`.

    `files` says by their ids how uploaded files among the sources are printed. `user` has the right to write. Raises
    Refused for a description as `describe_file`, and (409, stale) a text that has moved on.
    """
    columns = where.over(section)
    project: Project = columns["project"]
    with transaction.atomic():
        keys: dict[Any, str] = keys_for(project, user, coming.sources) if coming.sources else {}
        cited = {source.file_id for source in coming.sources}
        describe_files(project, {pk: described for pk, described in (files or {}).items() if pk in cited})
        paths = {name: add_picture(project, user, one.read(), one.name).path for name, one in coming.pictures.items()}
        latex = coming.write(keys | paths)
        draft = Draft(
            **columns,
            kind=coming.kind,
            instructions=coming.instructions,
            findings=coming.findings,
            cite_keys=list(dict.fromkeys(keys[source.pk] for source in coming.sources)),
            engine=coming.engine,
            created_by=user,
        )
        draft.save(force_insert=True)
        notes = [*coming.notes, *coming.twice(draft.section, latex)]
        settled: Draft = settle_proposal(draft, latex, notes=notes, markdown=False)
    return settled
