"""What an engine said becomes a proposal: put right, its trailer taken in, cut into blocks (SPEC C6, T3). What no engine
wrote goes into a section as a proposal too (SPEC N2, T7).

Of that, what would come is the same as what then comes: a `Coming` is made first, and shown; putting it in takes its
sources up as references and its pictures among the files, and makes the proposal. The text changes only when a person
takes that.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from citations.editing.edit import Description, describe_files
from citations.formats.reading import Problem
from citations.importing.add_references import take_in
from citations.key_aliases import rows_cited
from core.errors import Refused
from latex.cite_edits import without_doubles
from latex.includes import FIGURES
from projects.models import Project, User
from research.models import Source
from sections.models import Section
from sections.thesis_files import add_picture
from text.personal_data import LABELS
from thesis.drafting.blocks import blocks_of, keys_of
from thesis.drafting.repair import Cleaned, cleaned, mended
from thesis.models import Draft
from thesis.run_references import Expected, expected, keys_for

CUT = {
    "max_tokens": "It is incomplete: it was cut off at the most tokens it could have.",
    "cut": "It is incomplete: the connection broke off.",
    "cancelled": "It is incomplete: it was stopped by a person.",
}
NO_TRAILER = "It cites {keys}, which this thesis has not, and came without their references."
_PROBLEMS = 5  # of a trailer that are told one by one
_ENDING = r"[ \t]*(?:\r\n|\n|\r)[ \t]*"
_GAP_BEFORE, _GAP_AFTER = re.compile(rf"{_ENDING}{_ENDING}\Z"), re.compile(rf"{_ENDING}{_ENDING}")
_CLOSE = ".,;:)!?~"  # what stands behind a word without a blank


@dataclass(frozen=True)
class Redacted:
    """A detail that was not sent, and what kind it is."""

    kind: str
    label: str
    value: str


def redacted_of(draft: Draft) -> list[Redacted]:
    """Return what of `draft` was not sent to a model."""
    return [Redacted(one["kind"], LABELS.get(one["kind"], one["kind"]), one["value"]) for one in draft.redacted]


def settle_proposal(
    draft: Draft, answer: str, *, stop_reason: str = "end_turn", notes: Iterable[str] = (), markdown: bool = True
) -> Draft:
    """Make `answer`, LaTeX with or without a BibTeX trailer, the proposal of `draft`, and save it.

    What is no LaTeX is put right, and what is cut off mended; with `markdown` False it is LaTeX of our own and stays as it
    is. `notes` (sentences for people) say what was done, those given here first. The trailer's entries are taken in, never over what is proven, and
    a job looks the new ones up. A `stop_reason` of max_tokens, cut or cancelled labels it incomplete.

    Where nothing of a draft came, its `latex` is empty. Doing it again with the same answer changes nothing.
    """
    latex, bibtex, put_right = cleaned(answer) if markdown else Cleaned(answer, "", [])
    told = [*notes, *([CUT[stop_reason]] if stop_reason in CUT else []), *put_right]
    if markdown:
        # With its trailer there, the text before it is whole, whatever became of the trailer.
        latex, done = mended(latex, is_cut=stop_reason in CUT and not bibtex)
        told += done
    project = Project.objects.get(pk=draft.project_id)
    try:
        whole = f"{latex}\n%%% BIBTEX %%%\n{bibtex}\n" if bibtex else latex
        drafted = take_in(project, draft.created_by or project.owner, whole)
    except Refused as refused:  # it is longer than any draft
        draft.answer, draft.stop_reason, draft.notes = answer, stop_reason, [*told, refused.message]
        draft.save(update_fields=["answer", "stop_reason", "notes"])
        return draft
    told += _about(drafted.problems)
    text = without_doubles(drafted.latex) if markdown else drafted.latex
    draft.answer, draft.stop_reason, draft.latex, draft.bibtex = answer, stop_reason, text, bibtex
    proposed = blocks_of(draft.base_latex, placed(draft, text)) if text.strip() else []
    draft.blocks = [block._asdict() for block in proposed]
    if text.strip() and not draft.blocks:
        told.append("It is word for word what stands there already.")
    draft.keys = keys_of(text)
    if missing := _missing(draft, project):
        told.append(NO_TRAILER.format(keys=", ".join(missing)))
    draft.notes = list(dict.fromkeys(told))
    draft.save(update_fields=["answer", "stop_reason", "latex", "bibtex", "blocks", "keys", "notes"])
    return draft


def placed(draft: Draft, latex: str) -> str:
    """Return the section's text with `latex` where the draft is to stand: the blanks around its place stay as they are."""
    base = draft.base_latex
    newline = "\r\n" if "\r\n" in base else "\n"
    text = latex.strip().replace("\n", newline)
    if draft.place == Draft.Place.WHOLE:
        return f"{text}{base[len(base.rstrip()) :] if base.strip() else newline}"
    if draft.place == Draft.Place.END:
        written = base.rstrip()
        if not written:
            return f"{text}{newline}"
        return f"{written}{newline * 2}{text}{base[len(written) :] or newline}"
    before, was, after = base[: draft.start], base[draft.start : draft.end], base[draft.end :]
    if not was.strip():
        return f"{before}{was}{_parted(before + was, text, after, newline)}{after}"
    lead, tail = was[: len(was) - len(was.lstrip())], was[len(was.rstrip()) :]
    return f"{before}{lead}{text}{tail}{after}"


def _parted(before: str, text: str, after: str, newline: str) -> str:
    """`text` put in between two texts: as paragraphs of its own where a paragraph could begin, else as words of the line."""
    is_first, is_last = not before.strip(), not after.strip()
    gap_before, gap_after = _GAP_BEFORE.search(before), _GAP_AFTER.match(after)
    if "\n" not in text.strip() and not gap_before and not is_first:
        lead = "" if before[-1].isspace() or text[:1] in _CLOSE else " "
        tail = "" if is_last or after[0].isspace() or after[0] in _CLOSE else " "
        return f"{lead}{text}{tail}"
    lead = "" if is_first or gap_before else newline if before.endswith("\n") else newline * 2
    if is_last:
        return f"{lead}{text}{'' if after else newline}"
    return f"{lead}{text}{'' if gap_after else newline if after[0] in chr(10) + chr(13) else newline * 2}"


def _about(problems: list[Problem]) -> list[str]:
    """Return what was wrong with the trailer."""
    told = [f"In its references{f', {one.key}' if one.key else ''}: {one.message}" for one in problems[:_PROBLEMS]]
    more = len(problems) - _PROBLEMS
    return told + ([f"In its references: {more} more entries could not be read."] if more > 0 else [])


def _missing(draft: Draft, project: Project) -> list[str]:
    there = rows_cited(project.citations.only("cite_key"), project, draft.keys).keys()
    own = set(keys_of(draft.base_latex))
    return [key for key in draft.keys if key not in there and key not in own]


@dataclass(frozen=True)
class Placement:
    """Where something is to go: `place`, `start` and `end` as in Draft; `based_on` is the version that `start` counts in."""

    place: str = Draft.Place.END
    start: int = 0
    end: int | None = None
    based_on: int | None = None

    def over(self, section: Section) -> dict[str, Any]:
        """Return the columns of a proposal that stands here, over the text as it is now.

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
        return {
            "project": present.project,
            "section": present,
            "place": self.place,
            "start": start,
            "end": end,
            "base_version": present.version,
            "base_latex": present.latex,
        }


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
        """Return its LaTeX, with the names that pictures are likely to have, and the references it would cite, each once.

        Nothing is changed.
        """
        known = expected(project, self.sources) if self.sources else {}
        works = {one.citation.cite_key: one for one in (known[source.pk] for source in self.sources)}
        keys: dict[Any, str] = {pk: one.citation.cite_key for pk, one in known.items()}
        keys |= {name: f"{FIGURES}/{one.name}" for name, one in self.pictures.items()}
        return self.write(keys), list(works.values())

    def twice(self, section: Section, latex: str) -> list[str]:
        """Return what of `latex` is in the text already, as its comments say, in notes."""
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
    """Return a proposal that puts what is `coming` into `section`.

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
        draft = Draft.objects.create(
            **columns,
            kind=coming.kind,
            instructions=coming.instructions,
            findings=coming.findings,
            cite_keys=list(dict.fromkeys(keys[source.pk] for source in coming.sources)),
            engine=coming.engine,
            created_by=user,
        )
        notes = [*coming.notes, *coming.twice(draft.section, latex)]
        return settle_proposal(draft, latex, notes=notes, markdown=False)
