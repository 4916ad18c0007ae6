"""What an engine said becomes a proposal: put right, its trailer taken in, cut into blocks (SPEC C6, T3)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from citations.arriving.adding import take_in
from citations.formats.entries import Problem
from citations.other_keys import rows_cited
from core.errors import Refused
from latex.cite_edits import without_doubles
from projects.models import Project
from text.personal import LABELS
from thesis.drafting.blocks import blocks_of
from thesis.drafting.mending import Cleaned, cleaned, mended
from thesis.drafting.verdicts import keys_of
from thesis.models import Draft

CUT = {
    "max_tokens": "It is incomplete: it was cut off at the most tokens it could have.",
    "cut": "It is incomplete: the connection broke off.",
    "cancelled": "It is incomplete: it was stopped by a person.",
}
NO_TRAILER = "It cites {keys}, which this thesis has not, and came without their references."
_PROBLEMS = 5  # of a trailer that are told one by one
_LAST_GAP = re.compile(r"\s*\Z")
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
    """What of `draft` was not sent to a model."""
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
    told = [*notes, *([CUT[stop_reason]] if stop_reason in CUT else [])]
    latex, bibtex, put_right = cleaned(answer) if markdown else Cleaned(answer, "", [])
    told += put_right
    if markdown:
        # With its trailer there, the text before it is whole, whatever became of the trailer.
        mend = mended(latex, is_cut=stop_reason in CUT and not bibtex)
        latex, told = mend.latex, told + mend.notes
    project = Project.objects.get(pk=draft.project_id)
    try:
        drafted = take_in(project, draft.created_by or project.owner, _with_trailer(latex, bibtex))
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
    """The section's text with `latex` where the draft is to stand: the blanks around its place stay as they are."""
    base = draft.base_latex
    newline = "\r\n" if "\r\n" in base else "\n"
    text = latex.strip().replace("\n", newline)
    if draft.place == Draft.Place.WHOLE:
        gap = _LAST_GAP.search(base)
        return f"{text}{gap[0] if base.strip() and gap else newline}"
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


def _with_trailer(latex: str, bibtex: str) -> str:
    return f"{latex}\n%%% BIBTEX %%%\n{bibtex}\n" if bibtex else latex


def _about(problems: list[Problem]) -> list[str]:
    """What was wrong with the trailer."""
    told = [f"In its references{f', {one.key}' if one.key else ''}: {one.message}" for one in problems[:_PROBLEMS]]
    if len(problems) > _PROBLEMS:
        told.append(f"In its references: {len(problems) - _PROBLEMS} more entries could not be read.")
    return told


def _missing(draft: Draft, project: Project) -> list[str]:
    there = rows_cited(project.citations.only("cite_key"), project, draft.keys).keys()
    own = set(keys_of(draft.base_latex))
    return [key for key in draft.keys if key not in there and key not in own]
