"""Differences between two texts of a section: by words in paragraphs, and by lines of the source (SPEC T2).

Both compare in steps: what is equal at the start and the end, then items that occur exactly once in both texts and in
the same order (a patience diff), then the short stretches in between, item by item. A stretch that is too long counts
as replaced as a whole, so that two chapters of five million characters are compared within a second.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, pairwise, zip_longest
from typing import NamedTuple, TypeVar

from latex.line_endings import alike, normalised

Shown = TypeVar("Shown")

MOST_SHOWN = 300_000  # characters of changed text on one page
_STRETCH = 40_000  # pairs of items compared in one stretch
_ALL = 3_000_000  # pairs of items compared for one page
_NEAR = 1  # unchanged paragraphs shown on either side of a change
_NEAR_LINES = 3  # unchanged lines shown on either side of a change

_BLANK = re.compile(r"\n(?:[ \t]*\n)+")
_TOKEN = re.compile(
    r"\\[a-zA-Z@]+\*?|\\.|%[^\n]*|[^\W_]+(?:['’-][^\W_]+)*[ \t]*|\s+|.",
    re.DOTALL,
)
_TEX = re.compile(r"\\|[{}\[\]$&~^_#%]")


class Op(NamedTuple):
    """One stretch: `old[i1:i2]` equals `new[j1:j2]` if `same`, else it is replaced by it. Either may be empty."""

    same: bool
    i1: int
    i2: int
    j1: int
    j2: int


class Run(NamedTuple):
    """Neighbouring words of one kind: "same", "ins" or "del". `tex` if they are commands and not prose."""

    kind: str
    tex: bool
    text: str


class Block(NamedTuple):
    """A paragraph with its edits, or the number of `hidden` unchanged paragraphs."""

    runs: Sequence[Run] = ()
    hidden: int = 0


class Line(NamedTuple):
    """A line of the source: number and runs before and after (None if there is none), or `hidden` unchanged lines."""

    was: int | None = None
    then: list[Run] | None = None
    number: int | None = None
    now: list[Run] | None = None
    changed: bool = False
    hidden: int = 0


def diff_words(old: str, new: str) -> list[Block] | None:
    """Return the paragraphs of `new` with insertions and deletions. Unchanged ones are included next to a change only.

    Returns None if more changed than a page can show.
    """
    return _compared(
        _BLANK.split(normalised(old).strip("\n")),
        _BLANK.split(normalised(new).strip("\n")),
        Block,
        _same_paragraph,
        _paragraphs,
        _NEAR,
    )


def diff_lines(old: str, new: str) -> list[Line] | None:
    """Return the lines of both texts side by side, or None if more changed than a page can show."""
    return _compared(
        normalised(old).split("\n"), normalised(new).split("\n"), Line, _same_line, _changed_lines, _NEAR_LINES
    )


def _compared(
    before: list[str],
    after: list[str],
    kind: Callable[..., Shown],
    same: Callable[[Op, int, Sequence[str]], Shown],
    changed: Callable[[Sequence[str], Sequence[str], Op, "ComparisonBudget"], Iterator[Shown]],
    near: int,
) -> list[Shown] | None:
    """Return what a page shows: the changes, rendered by `changed`, and up to `near` unchanged items on either side."""
    purse = ComparisonBudget()
    ops = differences(before, after, purse)
    if _changed(ops, before, after) > MOST_SHOWN:
        return None
    shown: list[Shown] = []
    for n, op in enumerate(ops):
        if not op.same:
            shown += changed(before, after, op, purse)
            continue
        head, hidden, tail = _near(range(op.j2 - op.j1), near, first=n == 0, last=n == len(ops) - 1)
        shown += [same(op, at, after) for at in head]
        shown += [kind(hidden=hidden)] if hidden else []
        shown += [same(op, at, after) for at in tail]
    return shown


class ComparisonBudget:
    """The number of pairs of items that one page may still compare."""

    def __init__(self) -> None:
        self.left = _ALL

    def pays(self, pairs: int) -> bool:
        """Return whether so many pairs may be compared, and if so subtract them."""
        if pairs > min(_STRETCH, self.left):
            return False
        self.left -= pairs
        return True


def differences(old: Sequence[str], new: Sequence[str], purse: ComparisonBudget | None = None) -> list[Op]:
    """Return the steps that turn `old` into `new`, in order. They are not always the fewest.

    Stretches that `purse` no longer allows to compare count as replaced.
    """
    ops: list[Op] = []
    i = j = 0
    for at, to, size in [*_matches(old, new, purse or ComparisonBudget()), (len(old), len(new), 0)]:
        if at > i or to > j:
            ops.append(Op(False, i, at, j, to))
        if size:
            if ops and ops[-1].same:
                ops[-1] = ops[-1]._replace(i2=at + size, j2=to + size)
            else:
                ops.append(Op(True, at, at + size, to, to + size))
        i, j = at + size, to + size
    return ops


def _matches(old: Sequence[str], new: Sequence[str], purse: ComparisonBudget) -> list[tuple[int, int, int]]:
    """Return the equal stretches, in order: start in `old`, start in `new`, length."""
    found: list[tuple[int, int, int]] = []
    waiting = [(0, len(old), 0, len(new))]
    while waiting:
        i1, i2, j1, j2 = waiting.pop()
        head, tail = alike(old[i1:i2], new[j1:j2])
        found += [(i1, j1, head)] if head else []
        found += [(i2 - tail, j2 - tail, tail)] if tail else []
        i1, i2, j1, j2 = i1 + head, i2 - tail, j1 + head, j2 - tail
        if i1 == i2 or j1 == j2:
            continue
        ends = [(i1 - 1, j1 - 1), *_once_in_both(old, new, i1, i2, j1, j2), (i2, j2)]
        if len(ends) > 2:
            found += [(i, j, 1) for i, j in ends[1:-1]]
            waiting += [(a + 1, c, b + 1, d) for (a, b), (c, d) in pairwise(ends)]
        elif purse.pays((i2 - i1) * (j2 - j1)):
            found += [
                (i1 + a, j1 + b, size)
                for a, b, size in SequenceMatcher(None, old[i1:i2], new[j1:j2], autojunk=False).get_matching_blocks()
                if size
            ]
    return sorted(found)


def _once_in_both(
    old: Sequence[str], new: Sequence[str], i1: int, i2: int, j1: int, j2: int
) -> Iterator[tuple[int, int]]:
    """Yield the places of items that occur once in each stretch, as many as are in the same order in both."""
    here, there = Counter(old[i1:i2]), Counter(new[j1:j2])
    place = {new[j]: j for j in range(j1, j2) if there[new[j]] == 1}
    return _rising([(i, place[old[i]]) for i in range(i1, i2) if here[old[i]] == 1 and old[i] in place])


def _rising(pairs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the longest subsequence of `pairs` in which the second members increase. The first ones already do."""
    tops: list[int] = []
    ends: list[int] = []
    back: list[int] = []
    for n, (_, j) in enumerate(pairs):
        pile = bisect_left(tops, j)
        back.append(ends[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(j)
            ends.append(n)
        else:
            tops[pile], ends[pile] = j, n
    chain: list[tuple[int, int]] = []
    at = ends[-1] if ends else -1
    while at >= 0:
        chain.append(pairs[at])
        at = back[at]
    return reversed(chain)


def _changed(ops: Sequence[Op], old: Sequence[str], new: Sequence[str]) -> int:
    """Return the number of changed characters. Each item counts as at least thirty, the room it takes on the page."""
    return sum(max(30, len(item)) for op in ops if not op.same for item in (*old[op.i1 : op.i2], *new[op.j1 : op.j2]))


def _near(items: range, most: int, *, first: bool, last: bool) -> tuple[range, int, range]:
    """Split unchanged items into those shown at the start, the number of hidden ones, and those shown at the end."""
    head, tail = (0 if is_end else most for is_end in (first, last))
    hidden = len(items) - head - tail
    return (items[:head], hidden, items[head + hidden :]) if hidden > 1 else (items, 0, range(0))


def _same_paragraph(op: Op, at: int, after: Sequence[str]) -> Block:
    return Block(_runs("same", after[op.j1 + at]))


def _paragraphs(before: Sequence[str], after: Sequence[str], op: Op, purse: ComparisonBudget) -> Iterator[Block]:
    """Yield changed paragraphs. Old and new ones are paired in order and compared by words."""
    for was, now in zip_longest(before[op.i1 : op.i2], after[op.j1 : op.j2], fillvalue=""):
        yield Block(list(_edited(was, now, purse, loosely=True)))


def _edited(old: str, new: str, purse: ComparisonBudget, *, loosely: bool = False) -> Iterator[Run]:
    """Yield the words of both texts as runs. With `loosely`, differences in white space are ignored."""
    was, now = _TOKEN.findall(old), _TOKEN.findall(new)
    before, after = ([token.rstrip() or " " for token in tokens] if loosely else tokens for tokens in (was, now))
    for op in differences(before, after, purse):
        if not op.same:
            yield from _merged("del", was[op.i1 : op.i2])
        yield from _merged("same" if op.same else "ins", now[op.j1 : op.j2])


def _runs(kind: str, text: str) -> list[Run]:
    return list(_merged(kind, _TOKEN.findall(text)))


def _merged(kind: str, tokens: Sequence[str]) -> Iterator[Run]:
    for is_tex, run in groupby(tokens, lambda token: bool(_TEX.match(token))):
        yield Run(kind, is_tex, "".join(run))


def _same_line(op: Op, at: int, after: Sequence[str]) -> Line:
    runs = [Run("same", False, after[op.j1 + at])]
    return Line(op.i1 + at + 1, runs, op.j1 + at + 1, runs)


def _changed_lines(before: Sequence[str], after: Sequence[str], op: Op, purse: ComparisonBudget) -> Iterator[Line]:
    for i, j in zip_longest(range(op.i1, op.i2), range(op.j1, op.j2)):
        if i is None:
            yield Line(number=j + 1, now=_runs("ins", after[j]), changed=True)
        elif j is None:
            yield Line(i + 1, _runs("del", before[i]), changed=True)
        else:
            runs = list(_edited(before[i], after[j], purse))
            then, now = ([run for run in runs if run.kind != gone] for gone in ("ins", "del"))
            yield Line(i + 1, then, j + 1, now, changed=True)
