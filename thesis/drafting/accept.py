"""Accepting a proposal in whole or in part, or discarding it (SPEC T3).

On the server only this module puts a draft into the text. In the editor static/src/drafting/proposal.ts does, and
`record_accepted` records it.
"""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from projects.access import check_drafting
from projects.models import Project, User
from sections.diffs import differences
from sections.models import Section
from thesis.drafting.blocks import Block, places_of, split_paragraphs, verdicts
from thesis.models import Draft


def accept_blocks(
    draft: Draft, user: User, numbers: Iterable[int] | None = None, *, insist: Iterable[str] = ()
) -> Section:
    """Put the blocks `numbers` (None: all) of `draft` into its section and return the section as saved.

    Bad keys (thesis.drafting.blocks) are left out, except those in `insist`. If the section was edited meanwhile, each
    block is placed where the text it replaces is now. The history gets a version before and one after. A block that
    was already accepted and is still in the text is not inserted again.

    Raises Refused, and writes nothing: 403 drafting_off for an AI draft while drafting is switched off, 409 stale if
    the text that a block replaces is gone, 409 nothing if there is no proposal, and 422 for an unknown block number.
    """
    if draft.kind in Draft.ASKED:
        check_drafting(draft.project)
    chosen = _chosen(draft, numbers)
    kept = set(insist)
    told = [verdict for verdict in verdicts(draft) if verdict.key not in kept]
    texts = {block.number: block.without_bad(told) for block in chosen}
    with Project.objects.held(draft.project_id):
        section: Section = Section.everything.select_for_update().get(pk=draft.section_id)
        taken = _accepted_numbers(draft)
        wanted = [
            block for block in chosen if block.number not in taken or texts[block.number].strip() not in section.latex
        ]
        latex = _apply_changes(
            section.latex,
            [
                (*span, texts[one.number])
                for span, one in zip(_places(draft, section.latex, wanted), wanted, strict=True)
            ],
        )
        if latex != section.latex:
            section = section.take_in(latex, by=user)
        _note(draft, user, chosen)
    return section


def record_accepted(draft: Draft, user: User, numbers: Iterable[int]) -> Draft:
    """Record that the page itself has put the blocks `numbers` into the text for `user` and saved it. Return the draft.

    Also works if drafting was switched off meanwhile, because the text has changed already. Raises Refused for unknown
    numbers, as `accept_blocks` does.
    """
    chosen = _chosen(draft, numbers)
    with Project.objects.held(draft.project_id):
        _note(draft, user, chosen)
    return draft


def discard_draft(draft: Draft) -> Draft:
    """Discard `draft`, or the rest of it, and return it. If it is being written, stop it. It stays in the list."""
    if draft.job and not draft.job.has_ended:
        draft.job.ask("cancel")
    with transaction.atomic():
        Draft.objects.select_for_update().get(pk=draft.pk)
        draft.refresh_from_db(fields=["taken", "outcome"])
        draft.outcome = draft.outcome or Draft.Outcome.DISCARDED
        draft.settled_at = timezone.now()
        draft.save(update_fields=["outcome", "settled_at"])
    return draft


def stop_draft(draft: Draft) -> Draft:
    """Stop writing `draft` and return it. The text so far becomes an incomplete proposal."""
    if draft.job:
        draft.job.ask("cancel")
        draft.refresh_from_db()
    return draft


def _chosen(draft: Draft, numbers: Iterable[int] | None) -> list[Block]:
    blocks = [Block(**row) for row in draft.blocks]
    if not blocks:
        raise Refused("There is nothing to accept: this draft proposes no change.", code="nothing", status=409)
    if numbers is None:
        return blocks
    wanted = set(numbers)
    if unknown := sorted(wanted - {block.number for block in blocks}):
        raise Refused(f"This draft has no block {unknown[0]}. Its blocks are 1 to {len(blocks)}.", field="numbers")
    if not wanted:
        raise Refused("Choose the blocks to accept.", field="numbers")
    return [block for block in blocks if block.number in wanted]


def _accepted_numbers(draft: Draft) -> set[int]:
    """Return the numbers of the blocks accepted so far, by anyone."""
    return set(Draft.objects.values_list("taken", flat=True).get(pk=draft.pk))


def _note(draft: Draft, user: User, blocks: Iterable[Block]) -> None:
    """Record which blocks were accepted, and by whom. The caller holds the lock on the project row."""
    draft.taken = sorted(_accepted_numbers(draft).union(block.number for block in blocks))
    draft.outcome = Draft.Outcome.TAKEN if len(draft.taken) == len(draft.blocks) else Draft.Outcome.PARTLY
    draft.settled_at = draft.taken_at = timezone.now()
    draft.taken_by = user
    draft.save(update_fields=["taken", "outcome", "settled_at", "taken_at", "taken_by"])


def _places(draft: Draft, latex: str, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return the start and end of each of `blocks` in the present `latex`. Raises Refused if a block has no place."""
    if latex == draft.base_latex:
        return [(block.start, block.end) for block in blocks]
    old, new = split_paragraphs(draft.base_latex), split_paragraphs(latex)
    then, now = places_of(old), places_of(new)
    # The new offset of each unchanged piece of the old text, by its old offset
    stays = {then[op.i1 + n]: now[op.j1 + n] for op in differences(old, new) if op.same for n in range(op.i2 - op.i1)}
    ends = {
        start + len(piece): stays[start] + len(piece) for start, piece in zip(then, old, strict=False) if start in stays
    }
    found: list[tuple[int, int]] = []
    for block in blocks:
        if block.start < block.end:
            start, end = stays.get(block.start), ends.get(block.end)
        else:
            start = ends.get(block.start, stays.get(block.start))
            if start is None and draft.place == Draft.Place.END:
                start = len(latex.rstrip())
            end = start
        if start is None or end is None or latex[start:end] != block.was:
            raise _stale()
        found.append((start, end))
    return found


def _apply_changes(latex: str, changes: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, text in sorted(changes, key=lambda change: change[:2]):  # blocks at one place keep their order
        if start < done:
            raise _stale()
        if start == end and start and not text[:1].isspace() and latex[start - 1] not in "\r\n" and not parts:
            text = f"\n\n{text}"
        parts += [latex[done:start], text]
        done = end
    return "".join([*parts, latex[done:]])


def _stale() -> Refused:
    return Refused(
        "The text that this proposal changes was edited in the meantime, so nothing was changed. Choose the blocks "
        "whose text is unchanged, or ask for the draft again.",
        code="stale",
        status=409,
    )
