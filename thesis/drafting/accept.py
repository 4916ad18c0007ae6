"""What a person makes of a proposal: taken, in part, or not (SPEC T3). Only here does a draft become text."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.utils import timezone

from core.errors import Refused
from projects.access import check_drafting
from projects.models import Project, User
from sections.diffs import differences
from sections.models import Section
from thesis.drafting.blocks import Block, pieces, places_of, verdicts
from thesis.models import Draft


def take(draft: Draft, user: User, numbers: Iterable[int] | None = None, *, insist: Iterable[str] = ()) -> Section:
    """Put the blocks `numbers` (None: all) of `draft` into its section; the section as it then stands.

    Bad keys (thesis.drafting.blocks) are left out, but those in `insist`. Where the section was edited meanwhile, a
    block goes where its text still stands. There is a version before and one after. What was taken and is there is not put
    in twice.

    Raises Refused: 403 drafting_off for what an engine wrote where drafting is switched off, 409 stale when a block's text is not there any more, 409 nothing while there is no proposal, and for a
    number that no block has. Nothing is written then.
    """
    if draft.kind in Draft.ASKED:
        check_drafting(draft.project)
    chosen = _chosen(draft, numbers)
    kept = set(insist)
    told = [verdict for verdict in verdicts(draft) if verdict.key not in kept]
    texts = {block.number: block.without_bad(told) for block in chosen}
    with Project.objects.held(draft.project_id):
        section: Section = Section.everything.select_for_update().get(pk=draft.section_id)
        taken = _taken(draft)
        wanted = [
            block for block in chosen if block.number not in taken or texts[block.number].strip() not in section.latex
        ]
        latex = _put_in(
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


def record(draft: Draft, user: User, numbers: Iterable[int]) -> Draft:
    """Return the page has put the blocks `numbers` into the text itself for `user`, and saved it.

    Where drafting was switched off meanwhile this is written down all the same: it has happened. Raises Refused as `take`
    for the numbers.
    """
    chosen = _chosen(draft, numbers)
    with Project.objects.held(draft.project_id):
        _note(draft, user, chosen)
    return draft


def discard(draft: Draft) -> Draft:
    """Take nothing, or nothing more, of `draft`; it stays in the conversation. One that is being written is stopped."""
    if draft.job and not draft.job.has_ended:
        draft.job.ask("cancel")
    with transaction.atomic():
        Draft.objects.select_for_update().get(pk=draft.pk)
        draft.refresh_from_db(fields=["taken", "outcome"])
        draft.outcome = draft.outcome or Draft.Outcome.DISCARDED
        draft.settled_at = timezone.now()
        draft.save(update_fields=["outcome", "settled_at"])
    return draft


def stop(draft: Draft) -> Draft:
    """Stop writing `draft`; what came of it stays as an incomplete proposal. One that has ended stays as it is."""
    if draft.job:
        draft.job.ask("cancel")
        draft.refresh_from_db()
    return draft


def _chosen(draft: Draft, numbers: Iterable[int] | None) -> list[Block]:
    blocks = [Block(**row) for row in draft.blocks]
    if not blocks:
        raise Refused("There is nothing to take: this draft proposes no change.", code="nothing", status=409)
    if numbers is None:
        return blocks
    wanted = set(numbers)
    if unknown := sorted(wanted - {block.number for block in blocks}):
        raise Refused(f"This draft has the blocks 1 to {len(blocks)}; there is no block {unknown[0]}.", field="numbers")
    if not wanted:
        raise Refused("Choose the blocks to take.", field="numbers")
    return [block for block in blocks if block.number in wanted]


def _taken(draft: Draft) -> set[int]:
    """Return those taken by now, whoever took them."""
    return set(Draft.objects.values_list("taken", flat=True).get(pk=draft.pk))


def _note(draft: Draft, user: User, blocks: Iterable[Block]) -> None:
    """Write down what was taken, and by whom; the thesis's row is locked."""
    draft.taken = sorted(_taken(draft).union(block.number for block in blocks))
    draft.outcome = Draft.Outcome.TAKEN if len(draft.taken) == len(draft.blocks) else Draft.Outcome.PARTLY
    draft.settled_at = draft.taken_at = timezone.now()
    draft.taken_by = user
    draft.save(update_fields=["taken", "outcome", "settled_at", "taken_at", "taken_by"])


def _places(draft: Draft, latex: str, blocks: Sequence[Block]) -> list[tuple[int, int]]:
    """Return where each of `blocks` stands in `latex` now. Raises Refused when one stands nowhere."""
    if latex == draft.base_latex:
        return [(block.start, block.end) for block in blocks]
    old, new = pieces(draft.base_latex), pieces(latex)
    then, now = places_of(old), places_of(new)
    # Where each piece of the old text that is there still begins
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


def _put_in(latex: str, changes: list[tuple[int, int, str]]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, text in sorted(changes, key=lambda change: change[:2]):  # in their order where places are the same
        if start < done:
            raise _stale()
        if start == end and start and not text[:1].isspace() and latex[start - 1] not in "\r\n" and not parts:
            text = f"\n\n{text}"
        parts += [latex[done:start], text]
        done = end
    return "".join([*parts, latex[done:]])


def _stale() -> Refused:
    return Refused(
        "The text that this changes was edited in the meantime, so nothing was taken. Choose the blocks whose text "
        "stands as it was, or ask for the draft again.",
        code="stale",
        status=409,
    )
