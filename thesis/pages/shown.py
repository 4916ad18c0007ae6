"""A proposal as a page shows it: what it changes, which works it cites and how they are proven, what was not sent (SPEC T3)."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import QuerySet

from citations.models import Citation
from citations.other_keys import rows_cited
from jobs.models import State
from sections.models import Section
from text.personal import told
from thesis.drafting.blocks import Block
from thesis.drafting.proposal import CUT, Redacted, redacted_of
from thesis.drafting.verdicts import Verdict, keys_of, verdicts
from thesis.models import Draft
from thesis.pages.changes import Chip, Piece, changes, chip_of

MOST_EARLIER = 20  # proposals of a section that its panel lists
_LONGEST = 60_000  # characters that are compared word by word on one page
_STOPPED = {State.FAILED, State.CANCELLED}
# What of a reference is shown
_READ = (
    "project",
    "cite_key",
    "title",
    "authors",
    "year",
    "status",
    "tier",
    "evidence_type",
    "retracted",
    "check_due_at",
)


class ShownBlock(NamedTuple):
    """One place that the proposal changes, paragraph by paragraph; `bad` are keys in it that are left out."""

    number: int
    paragraphs: list[list[Piece]]
    bad: list[str]
    taken: bool


class Cited(NamedTuple):
    """A work that the proposal cites. `citation` is None where the thesis has no such key; `bad` ones are left out."""

    key: str
    citation: Citation | None
    bad: bool
    chip: Chip


@dataclass
class Proposal:
    """A draft for the page."""

    draft: Draft
    blocks: list[ShownBlock] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)
    kept: list[Redacted] = field(default_factory=list)
    kept_told: str = ""

    @property
    def is_alive(self) -> bool:
        return self.draft.state in (State.QUEUED, State.RUNNING)

    @property
    def is_open(self) -> bool:
        """Whether nobody has said yet what becomes of it."""
        return not self.is_alive and not self.draft.outcome and bool(self.blocks)

    @property
    def can_be_taken(self) -> bool:
        """Whether a block of it is not in the text yet. Who left it may still change their mind."""
        return not self.is_off and any(not block.taken for block in self.blocks)

    @property
    def is_off(self) -> bool:
        """Whether an engine wrote it for a thesis in which drafting is switched off since: nothing more is taken of it."""
        return self.draft.kind in Draft.ASKED and bool(self.draft.project.why_not_drafting)

    @property
    def incomplete(self) -> str:
        """Why it ended before its end: stopped by a person, or by a limit. Empty where it did not."""
        if not self.blocks:
            return ""
        return CUT.get(self.draft.stop_reason) or ("It is incomplete." if self.draft.state in _STOPPED else "")

    @property
    def notes(self) -> list[str]:
        """What else was left out or mended."""
        return [note for note in self.draft.notes if note != self.incomplete]

    @property
    def proven(self) -> list[Cited]:
        return [work for work in self.cited if not work.bad]

    @property
    def bad(self) -> list[Cited]:
        return [work for work in self.cited if work.bad]


def drafts_of(section: Section) -> "QuerySet[Draft]":
    """The proposals of a section, newest first, without the long texts they were made from."""
    rows: QuerySet[Draft] = Draft.objects.filter(section=section).select_related("job", "created_by")
    return rows.defer("base_latex", "answer", "bibtex", "latex")


def proposal(draft: Draft) -> Proposal:
    """Everything of `draft` that a page shows, in two queries. One that is still being written has no blocks yet."""
    shown = Proposal(draft)
    if shown.is_alive:
        return shown
    judged = verdicts(draft)
    rows = Citation.objects.filter(project=draft.project_id).only(*_READ)
    works = rows_cited(rows, draft.project, [one.key for one in judged]) if judged else {}
    shown.blocks = _blocks(draft, judged, works)
    shown.cited = [Cited(one.key, works.get(one.key), one.bad, chip_of(one.key, works.get(one.key))) for one in judged]
    shown.kept = redacted_of(draft)
    shown.kept_told = told(Counter(one["kind"] for one in draft.redacted))
    return shown


def _blocks(draft: Draft, judged: list[Verdict], works: Mapping[str, Citation]) -> list[ShownBlock]:
    bad = {verdict.key for verdict in judged if verdict.bad}
    left = _LONGEST
    blocks = []
    for block in (Block(**row) for row in draft.blocks):
        # What its place cited before is the writer's own.
        out = [key for key in keys_of(block.latex) if key in bad] if bad else []
        own = set(keys_of(block.was)) if out else set()
        out = [key for key in out if key not in own]
        left -= len(block.was) + len(block.latex)
        shown = changes(block.was, block.latex, works, frozenset(out)) if left >= 0 else None
        blocks.append(ShownBlock(block.number, shown or _whole(block), out, block.number in draft.taken))
    return blocks


def _whole(block: Block) -> list[list[Piece]]:
    """Too long to be compared by words: all that goes, then all that comes."""
    both = (Piece("del", False, block.was), Piece("ins", False, block.latex))
    return [[piece] for piece in both if piece.text]
