"""A proposal as a page shows it: its changes, the works it cites with their verdicts, redacted details (SPEC T3)."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import QuerySet
from django.utils.safestring import SafeString

from citations.api.search import label_of
from citations.badges import Badge, badge_of
from citations.key_aliases import references_by_key
from citations.models import Citation
from jobs.models import State
from latex.cite_edits import is_own
from latex.cite_keys import cite_commands
from latex.numbering import Numbered
from sections.diffs import diff_words
from sections.models import Section
from sections.printed_numbers import compute_printed_numbers
from text.personal_data import counts_in_words
from thesis.drafting.blocks import Block, verdicts
from thesis.drafting.proposal import CUT_BEFORE, INCOMPLETE_NOTES, Redacted, redacted_details
from thesis.models import Draft
from thesis.pages.typeset_fragment import labels_of, pictures_by_path, refers_elsewhere, set_fragment

# The fields of a reference that are shown
WORK_COLUMNS = ("cite_key", "title", "authors", "year", "status", "tier", "evidence_type", "retracted", "check_due_at")
_FIRST, _LAST = 0xE000, 0xF8FF  # private use characters: one replaces each cite command while words are compared
# What words and chips do not show: environments, comments, headings, formulas, commands but those of citations
_HAS_COMMANDS = re.compile(r"\\(?:begin|\w*section|chapter|ref|cref|autoref|footnote|item)\b|(?<!\\)[%$]")
_SIGN = re.compile(f"([{chr(_FIRST)}-{chr(_LAST)}])")
_MISSING = Badge("d", "", "ask", "Not in your references")


class Chip(NamedTuple):
    """A cited work in the text, with its badge. If `out`, it is left out of the accepted text."""

    key: str
    label: str
    badge: Badge
    out: bool


class Piece(NamedTuple):
    """Neighbouring words of one kind ("same", "ins", "del"), `tex` if they are commands; or `chips` with a `note`."""

    kind: str
    tex: bool
    text: str
    chips: tuple[Chip, ...] = ()
    note: str = ""


def changes(was: str, latex: str, works: Mapping[str, Citation], out: frozenset[str]) -> list[list[Piece]] | None:
    """Return paragraphs that show how `was` became `latex`, or None if too much differs. Keys in `out` are left out."""
    cited: dict[str, str] = {}  # each cite command as written, and the character that replaces it
    old, new = was, latex
    if not _SIGN.search(was) and not _SIGN.search(latex):
        old, new = _signed(was, cited), _signed(latex, cited)
    compared = diff_words(old, new)
    if compared is None:
        return None
    by_sign = {sign: _chips(command, works, out) for command, sign in cited.items()}
    shown = []
    for block in compared:
        pieces: list[Piece] = []
        for run in block.runs:
            for part in _SIGN.split(run.text):
                if part in by_sign:
                    chips, note = by_sign[part]
                    kept = chips if run.kind == "ins" else tuple(chip._replace(out=False) for chip in chips)
                    pieces.append(Piece(run.kind, False, "", kept, note))
                elif part:
                    pieces.append(Piece(run.kind, run.tex and part != "~", "\u00a0" if part == "~" else part))
        if pieces:
            shown.append(pieces)
    return shown


def _signed(latex: str, cited: dict[str, str]) -> str:
    parts, done = [], 0
    for command in cite_commands(latex):
        if is_own(latex, command):  # a command of the thesis's own is compared as plain words
            continue
        source = latex[command.start : command.end]
        if source not in cited and len(cited) > _LAST - _FIRST:
            continue
        parts += [latex[done : command.start], cited.setdefault(source, chr(_FIRST + len(cited)))]
        done = command.end
    return "".join([*parts, latex[done:]])


def _chips(command: str, works: Mapping[str, Citation], out: frozenset[str]) -> tuple[tuple[Chip, ...], str]:
    keys = [key for one in cite_commands(command) for key in one.keys]
    note = ", ".join(one.replace("~", " ").strip() for one in re.findall(r"\[([^\[\]{}]*)\]", command) if one.strip())
    return tuple(chip_of(key, works.get(key), key in out) for key in keys), note


def chip_of(key: str, citation: Citation | None, out: bool = False) -> Chip:
    """Return the chip of a key. `citation` is None if the thesis has no such reference."""
    return Chip(key, label_of(citation) if citation else key, badge_of(citation) if citation else _MISSING, out)


MOST_EARLIER = 20  # proposals listed in the panel of a section
_LONGEST = 60_000  # characters compared word by word on one page


class ShownBlock(NamedTuple):
    """One block of the proposal, paragraph by paragraph. `bad` are the keys in it that are left out.

    New tables, figures, formulas and comments are `set_html`, as they will be printed.
    """

    number: int
    paragraphs: list[list[Piece]]
    bad: list[str]
    taken: bool
    set_html: SafeString


class Cited(NamedTuple):
    """A work that the proposal cites. `citation` is None if the thesis has no such key; `bad` works are left out."""

    key: str
    citation: Citation | None
    bad: bool
    chip: Chip


@dataclass
class Proposal:
    """A draft with everything that its page shows."""

    draft: Draft
    blocks: list[ShownBlock] = field(default_factory=list)
    cited: list[Cited] = field(default_factory=list)
    kept: list[Redacted] = field(default_factory=list)
    kept_told: str = ""

    @property
    def is_alive(self) -> bool:
        """Whether it is queued or being written."""
        return self.draft.state in (State.QUEUED, State.RUNNING)

    @property
    def is_open(self) -> bool:
        """Whether the proposal was neither accepted nor discarded yet."""
        return not self.is_alive and not self.draft.outcome and bool(self.blocks)

    @property
    def can_be_taken(self) -> bool:
        """Whether a block is left to accept. Also true after discarding, because people may change their mind."""
        return not self.is_off and any(not block.taken for block in self.blocks)

    @property
    def is_off(self) -> bool:
        """Whether an engine wrote it and drafting was switched off since, so that it can no longer be accepted."""
        return self.draft.kind in Draft.ASKED and bool(self.draft.project.why_not_drafting)

    @property
    def incomplete(self) -> str:
        """Why the draft is incomplete, such as stopped by a person or at a limit. Empty if it is complete."""
        if not self.blocks:
            return ""
        stopped = self.draft.state in (State.FAILED, State.CANCELLED)
        return INCOMPLETE_NOTES.get(self.draft.stop_reason) or ("This draft is incomplete." if stopped else "")

    @property
    def notes(self) -> list[str]:
        """The notes of the draft, without the one that says why it is incomplete."""
        return [note for note in self.draft.notes if note not in (self.incomplete, *CUT_BEFORE)]

    @property
    def proven(self) -> list[Cited]:
        """The cited works that are kept when the proposal is accepted."""
        return [work for work in self.cited if not work.bad]

    @property
    def bad(self) -> list[Cited]:
        """The cited works that are left out unless a person insists."""
        return [work for work in self.cited if work.bad]


def drafts_of(section: Section) -> "QuerySet[Draft]":
    """Return the proposals of a section, newest first. Their long text fields are deferred."""
    rows: QuerySet[Draft] = Draft.objects.filter(section=section).select_related("job", "created_by")
    return rows.defer("base_latex", "answer", "bibtex", "latex")


def proposal(draft: Draft) -> Proposal:
    """Return everything of `draft` that a page shows, in two queries. A draft still being written has no blocks."""
    shown = Proposal(draft)
    if shown.is_alive:
        return shown
    judged = verdicts(draft)
    rows = Citation.objects.filter(project=draft.project_id).only("project", *WORK_COLUMNS)
    works = references_by_key(rows, draft.project, [one.key for one in judged]) if judged else {}
    left = _LONGEST
    pictures = pictures_by_path(draft.project) if draft.kind == Draft.Kind.RESULT else {}
    labels: Mapping[str, Numbered] = {}
    for block in (Block(**row) for row in draft.blocks):
        out = block.bad_keys(judged)
        left -= len(block.was) + len(block.latex)
        compared = changes(block.was, block.latex, works, frozenset(out)) if left >= 0 else None
        is_set = not block.was.strip() and left >= 0 and _HAS_COMMANDS.search(block.latex)
        if is_set and not labels and refers_elsewhere(block.latex):
            own = labels_of("\n\n".join(row["latex"] for row in draft.blocks))
            labels = {**compute_printed_numbers(draft.project).labels, **own}
        set_html = set_fragment(block.latex, works, pictures, labels) if is_set else SafeString("")
        paragraphs = [] if set_html else compared or _whole(block)
        shown.blocks.append(ShownBlock(block.number, paragraphs, out, block.number in draft.taken, set_html))
    shown.cited = [Cited(one.key, works.get(one.key), one.bad, chip_of(one.key, works.get(one.key))) for one in judged]
    shown.kept = redacted_details(draft)
    shown.kept_told = counts_in_words(Counter(one["kind"] for one in draft.redacted))
    return shown


def _whole(block: Block) -> list[list[Piece]]:
    """Return a block that is too long to be compared by words: all that is removed, then all that is added."""
    return [[Piece(kind, False, text)] for kind, text in (("del", block.was), ("ins", block.latex)) if text]
