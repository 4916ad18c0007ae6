"""Proposals: made from an engine's answer (SPEC C6, T3), or from findings, reports and results (SPEC N2, T7).

An answer is cleaned, the references in its BibTeX trailer are added, and its text is split into blocks. Findings,
reports and results first become a `Insertion`, which the page shows as a preview. Inserting it adds its sources as
references and its pictures as files, and makes a proposal. The text changes only when a person accepts the proposal.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from uuid import UUID

from django.db import transaction

from citations.editing.edit import Description, describe_files
from citations.formats.reading import Problem
from citations.importing.add_references import import_draft
from citations.key_aliases import references_by_key
from core.errors import Refused
from latex.cite_edits import without_doubles
from latex.includes import FIGURES
from projects.models import Project, User
from research.models import Source
from sections.models import Section
from sections.thesis_files import add_picture
from text.personal_data import LABELS
from thesis.drafting.blocks import changed_blocks, keys_cited_in
from thesis.drafting.repair import CleanAnswer, clean_answer, repair_cut_end
from thesis.models import Draft
from thesis.run_references import ExpectedReference, expected_references, keys_for

INCOMPLETE_NOTES = {
    "max_tokens": "This draft is incomplete: it reached its token limit.",
    "cut": "This draft is incomplete: the connection was lost.",
    "cancelled": "This draft is incomplete: somebody stopped it.",
}
# As drafts that were written before 2026-11-27 have it among their notes.
CUT_BEFORE = (
    "It is incomplete: it was cut off at the most tokens it could have.",
    "It is incomplete: the connection broke off.",
    "It is incomplete: it was stopped by a person.",
)
NO_TRAILER = "It cites {keys}. This thesis has no such references, and the answer did not include them."
_PROBLEMS = 5  # problems of a trailer that are listed one by one
_ENDING = r"[ \t]*(?:\r\n|\n|\r)[ \t]*"
_GAP_BEFORE, _GAP_AFTER = re.compile(rf"{_ENDING}{_ENDING}\Z"), re.compile(rf"{_ENDING}{_ENDING}")
_CLOSE = ".,;:)!?~"  # characters that follow a word without a space


@dataclass(frozen=True)
class Redacted:
    """A private detail that was not sent to the model, and its kind."""

    kind: str
    label: str
    value: str


def redacted_details(draft: Draft) -> list[Redacted]:
    """Return the private details of `draft` that were not sent to a model."""
    return [Redacted(one["kind"], LABELS.get(one["kind"], one["kind"]), one["value"]) for one in draft.redacted]


def settle_proposal(
    draft: Draft, answer: str, *, stop_reason: str = "end_turn", notes: Iterable[str] = (), markdown: bool = True
) -> Draft:
    """Make `answer`, LaTeX with or without a BibTeX trailer, the proposal of `draft`. Save and return the draft.

    Text that is not LaTeX is converted and a cut off end is repaired; with `markdown` False the answer is our own LaTeX
    and is kept as it is. The `notes` of the draft say in sentences what was done, after those given here. The trailer's
    entries are added as references, a job looks the new ones up, and existing references that were verified do not
    change. A `stop_reason` of max_tokens, cut or cancelled marks the draft as incomplete.

    If the answer has no text, the `latex` of the draft is empty. A second call with the same answer changes nothing.
    """
    latex, bibtex, put_right = clean_answer(answer) if markdown else CleanAnswer(answer, "", [])
    told = [*notes, *([INCOMPLETE_NOTES[stop_reason]] if stop_reason in INCOMPLETE_NOTES else []), *put_right]
    if markdown:
        # A trailer follows the text, so the text before it is complete even if the trailer is cut off.
        latex, done = repair_cut_end(latex, is_cut=stop_reason in INCOMPLETE_NOTES and not bibtex)
        told += done
    project = Project.objects.get(pk=draft.project_id)
    try:
        whole = f"{latex}\n%%% BIBTEX %%%\n{bibtex}\n" if bibtex else latex
        drafted = import_draft(project, draft.created_by or project.owner, whole)
    except Refused as refused:  # the answer is too long
        draft.answer, draft.stop_reason, draft.notes = answer, stop_reason, [*told, refused.message]
        draft.save(update_fields=["answer", "stop_reason", "notes"])
        return draft
    told += _about(drafted.problems)
    text = without_doubles(drafted.latex) if markdown else drafted.latex
    draft.answer, draft.stop_reason, draft.latex, draft.bibtex = answer, stop_reason, text, bibtex
    proposed = changed_blocks(draft.base_latex, text_with_draft(draft, text)) if text.strip() else []
    draft.blocks = [block._asdict() for block in proposed]
    if text.strip() and not draft.blocks:
        told.append("The proposal is identical to the present text.")
    draft.keys = keys_cited_in(text)
    if missing := _missing(draft, project):
        told.append(NO_TRAILER.format(keys=", ".join(missing)))
    draft.notes = list(dict.fromkeys(told))
    draft.save(update_fields=["answer", "stop_reason", "latex", "bibtex", "blocks", "keys", "notes"])
    return draft


def text_with_draft(draft: Draft, latex: str) -> str:
    """Return the section's text with `latex` inserted at the place of the draft. White space around it is kept."""
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
    """Return `text` with the white space that it needs between `before` and `after`.

    It becomes a paragraph of its own where a paragraph could begin, else words within the line.
    """
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
    """Return sentences on the problems of the trailer."""
    told = [f"In its references{f', {one.key}' if one.key else ''}: {one.message}" for one in problems[:_PROBLEMS]]
    more = len(problems) - _PROBLEMS
    return told + ([f"In its references: {more} more entries could not be read."] if more > 0 else [])


def _missing(draft: Draft, project: Project) -> list[str]:
    there = references_by_key(project.citations.only("cite_key"), project, draft.keys).keys()
    own = set(keys_cited_in(draft.base_latex))
    return [key for key in draft.keys if key not in there and key not in own]


@dataclass(frozen=True)
class Placement:
    """Where to insert something: `place`, `start` and `end` as in Draft, counted in the text of version `based_on`."""

    place: str = Draft.Place.END
    start: int = 0
    end: int | None = None
    based_on: int | None = None

    def over(self, section: Section) -> dict[str, Any]:
        """Return the fields of a proposal at this place in the present text of `section`.

        Raises Refused (409, stale) if the text was changed since version `based_on`.
        """
        present = Section.objects.get(pk=section.pk)
        if self.based_on is not None and self.based_on != present.version:
            raise Refused(
                "This section was changed in the meantime. Check its text and choose the place again.",
                field="based_on",
                code="stale",
                status=409,
            )
        if self.place not in Draft.Place.values:
            raise Refused("`place` must be end, whole or range.", field="place")
        start = self.start if self.place == Draft.Place.RANGE else 0
        end = self.end if self.place == Draft.Place.RANGE and self.end is not None else start
        if not 0 <= start <= end <= len(present.latex):
            raise Refused(
                "This place is no longer in the text. Choose it again.", field="start", code="stale", status=409
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
class Insertion:
    """Content to insert into a section: a preview of it, and what is needed to make the proposal.

    `write` returns the LaTeX. Its argument maps the primary keys of `sources` to cite keys, and the names of
    `pictures` to paths. A comment line that begins with `origin` says where a part comes from; `again` turns such
    lines that are in the section already into notes.
    """

    kind: Draft.Kind
    engine: str  # shown with the proposal instead of an engine's label
    instructions: str  # what is inserted, in one line
    write: Callable[[Mapping[Any, str]], str]
    origin: str
    again: Callable[[list[str]], list[str]]
    findings: list[dict[str, str]] = field(default_factory=list)  # as they were requested
    notes: list[str] = field(default_factory=list)
    sources: list[Source] = field(default_factory=list)
    pictures: dict[str, Picture] = field(default_factory=dict)

    def preview(self, project: Project) -> tuple[str, list[ExpectedReference]]:
        """Return the LaTeX, with the likely names of its pictures, and the references it would cite, each once.

        Nothing is saved.
        """
        known = expected_references(project, self.sources) if self.sources else {}
        works = {one.citation.cite_key: one for one in (known[source.pk] for source in self.sources)}
        keys: dict[Any, str] = {pk: one.citation.cite_key for pk, one in known.items()}
        keys |= {name: f"{FIGURES}/{one.name}" for name, one in self.pictures.items()}
        return self.write(keys), list(works.values())

    def twice(self, section: Section, latex: str) -> list[str]:
        """Return notes on the parts of `latex` that, by their comments, are in the text of `section` already."""
        here = set(section.latex.splitlines())
        lines = [line for line in dict.fromkeys(latex.splitlines()) if line.startswith(self.origin) and line in here]
        return self.again(lines) if lines else []


def insert_as_proposal(
    section: Section,
    user: User,
    coming: Insertion,
    where: Placement = AT_THE_END,
    *,
    files: Mapping[UUID, Description] | None = None,
) -> Draft:
    """Make a proposal that inserts `coming` into `section`, and return it.

    `files` maps ids of uploaded files among the sources to their descriptions in the list of references. The caller
    has checked that `user` may write. Raises Refused for a bad description, as `describe_file` does, and (409, stale)
    if the text has changed.
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
