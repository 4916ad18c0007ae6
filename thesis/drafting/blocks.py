r"""A proposal split into blocks that can be accepted one by one, and the verdicts on the works it cites (SPEC C2, T3).

A block is about one paragraph. A LaTeX environment is never split, so that no block is half a table. Offsets count code
points of the section's text from before the proposal.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from os.path import commonprefix
from typing import NamedTuple

from citations.key_aliases import references_by_key
from citations.models import Citation
from latex.cite_edits import remove_keys
from latex.cite_keys import EVERYTHING, cite_commands, visible
from sections.diffs import Op, differences
from thesis.models import Draft

BAD = (Citation.Status.CONFLICT, Citation.Status.NOT_FOUND)


@dataclass(frozen=True)
class Verdict:
    """What is known about one cited key. `status` is that of the reference, or "missing" if there is none.

    A `bad` key is removed from the accepted text unless the person insists on it. `is_demo`: the status and tier are
    those of the demo catalogue; no registry was asked.
    """

    key: str
    status: str
    tier: str
    is_demo: bool
    title: str
    retracted: bool
    bad: bool


def verdicts(draft: Draft) -> list[Verdict]:
    """Return the verdict on each key that `draft` cites, in the order of the text. Takes one query.

    A key without a reference is as bad as one that was not found, unless the section already cited it.
    """
    if not draft.keys:
        return []
    rows = Citation.objects.filter(project=draft.project).order_by()
    rows = rows.only("cite_key", "status", "tier", "evidence_type", "title", "retracted")
    by_key = {
        key: Verdict(key, row.status, row.tier, row.is_of_demo_catalogue, row.title, row.retracted, row.status in BAD)
        for key, row in references_by_key(rows, draft.project, draft.keys).items()
    }
    own = set(keys_cited_in(draft.base_latex)) if len(by_key) < len(draft.keys) else set()
    return [by_key.get(key) or Verdict(key, "missing", "", False, "", False, key not in own) for key in draft.keys]


def keys_cited_in(latex: str) -> list[str]:
    r"""Return the keys that `latex` cites, each once, in order. The star of \nocite{*} is not a key."""
    named = dict.fromkeys(key for command in cite_commands(latex) for key in command.keys)
    return [key for key in named if key != EVERYTHING]


_ENDING = r"(?:\r\n|\r|\n)"
# The blank lines between two paragraphs, or the line ending at the end of the text
_GAP = re.compile(rf"{_ENDING}(?:[ \t]*+{_ENDING})++|{_ENDING}\Z")
# The document environment is not matched: it would make the whole text one block
_ENVIRONMENT = re.compile(r"\\(?:(begin)|end)[ \t]*\{(?!document\})([^{}\\\r\n]{1,60})\}")


class Block(NamedTuple):
    """One change: `was`, which is base[start:end], is replaced by `latex`. Either may be empty. Numbers begin at 1."""

    number: int
    start: int
    end: int
    was: str
    latex: str

    def bad_keys(self, told: Iterable[Verdict]) -> list[str]:
        """Return the keys in `latex` that the verdicts `told` call bad, in order.

        Keys that the replaced text already cited are the writer's own and never bad.
        """
        bad = {verdict.key for verdict in told if verdict.bad}
        bad = bad.difference(keys_cited_in(self.was)) if bad else bad
        return [key for key in keys_cited_in(self.latex) if key in bad] if bad else []

    def without_bad(self, told: Iterable[Verdict]) -> str:
        """Return `latex` without its bad keys."""
        bad = self.bad_keys(told)
        return remove_keys(self.latex, set(bad)) if bad else self.latex


def changed_blocks(base: str, proposed: str) -> list[Block]:
    """Return the blocks that turn `base` into `proposed`, in the order of the text."""
    old, new = split_paragraphs(base), split_paragraphs(proposed)
    places = places_of(old)
    found = (change for op in _stretches(old, new) for change in _changes(old, new, op, places))
    return [Block(n, start, end, base[start:end], latex) for n, (start, end, latex) in enumerate(found, 1)]


def split_paragraphs(text: str) -> list[str]:
    """Split `text` into paragraphs and the gaps between them. Joined, the pieces are `text`. Linear in its length."""
    closed = _environments(text)
    found: list[str] = []
    done = 0
    for gap in _GAP.finditer(text):
        while closed and closed[-1][1] <= gap.start():
            closed.pop()
        if not closed or closed[-1][0] >= gap.start():
            found += [text[done : gap.start()], gap[0]]
            done = gap.end()
    return [piece for piece in (*found, text[done:]) if piece]


def places_of(parts: Sequence[str]) -> list[int]:
    """Return the offset at which each of `parts` begins in their joined text, and last the length of that text."""
    return [0, *accumulate(map(len, parts))]


def is_gap(piece: str) -> bool:
    """Return whether a piece is the blank lines between two paragraphs."""
    return not piece.strip()


def _environments(text: str) -> list[tuple[int, int]]:
    """Return start and end of the outermost closed environments except `document`, the last one first."""
    if "\\begin" not in text:
        return []
    found: list[tuple[int, int]] = []
    opened: list[tuple[str, int]] = []
    depth: Counter[str] = Counter()
    for match in _ENVIRONMENT.finditer(visible(text)):
        name = match[2]
        if match[1]:
            opened.append((name, match.start()))
            depth[name] += 1
        elif depth[name]:
            last = ""
            while last != name:
                last, start = opened.pop()
                depth[last] -= 1
            while found and found[-1][0] >= start:
                found.pop()
            found.append((start, match.end()))
    return found[::-1]


def _stretches(old: Sequence[str], new: Sequence[str]) -> list[Op]:
    """Return the changed stretches. Two of them with only a gap in between are one, because all gaps look the same."""
    found: list[Op] = []
    for op in (one for one in differences(old, new) if not one.same):
        last = found[-1] if found else None
        if last and op.i1 > last.i2 and all(is_gap(piece) for piece in old[last.i2 : op.i1]):
            found[-1] = Op(False, last.i1, op.i2, last.j1, op.j2)
        else:
            found.append(op)
    return found


def _changes(old: Sequence[str], new: Sequence[str], op: Op, places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield the changes of one stretch, paragraph by paragraph: start, end and the new text."""
    at = places[op.i1]
    for was, now in _paired(_units(old[op.i1 : op.i2]), _units(new[op.j1 : op.j2])):
        after = at + sum(map(len, was))
        head = len(commonprefix([was, now]))
        at += sum(map(len, was[:head]))
        tail = len(commonprefix([was[head:][::-1], now[head:][::-1]]))
        left, made = was[head : len(was) - tail], "".join(now[head : len(now) - tail])
        if left or made:
            yield at, at + sum(map(len, left)), made
        at = after


def _units(stretch: Sequence[str]) -> list[list[str]]:
    """Group paragraphs with the gap before each, or after it if the stretch begins with a paragraph."""
    units: list[list[str]] = []
    leads = bool(stretch) and is_gap(stretch[0])
    for n, piece in enumerate(stretch):
        if not units or (is_gap(piece) == leads and not (leads and n == len(stretch) - 1)):
            units.append([piece])
        else:
            units[-1].append(piece)
    return units


def _paired(old: list[list[str]], new: list[list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield pairs of an old paragraph and the new one it became; one side is empty if it was removed or added."""
    i = j = 0
    anchors = _alike(old, new) if len(old) * len(new) <= 2_500 else []  # comparing more words would take too long
    for a, b in [*anchors, (len(old), len(new))]:
        for was, now in zip_longest(old[i:a], new[j:b]):
            yield was or [], now or []
        if a < len(old):
            yield old[a], new[b]
        i, j = a + 1, b + 1


def _alike(old: list[list[str]], new: list[list[str]]) -> list[tuple[int, int]]:
    """Return the pairs, in order, that share the most words in total: a weighted longest common subsequence."""
    then, now = ([Counter(re.findall(r"[^\W_]+", "".join(unit).casefold())) for unit in units] for units in (old, new))
    share = [[_share(one, other) for other in now] for one in then]
    best = [[0.0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + share[i][j])
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < len(old) and j < len(new):
        if share[i][j] and best[i][j] == best[i + 1][j + 1] + share[i][j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _share(one: "Counter[str]", other: "Counter[str]") -> float:
    total = one.total() + other.total()
    share = 2 * (one & other).total() / total if total else 0.0
    return share if share >= 0.3 else 0.0  # with fewer words in common, one is not an edited version of the other
