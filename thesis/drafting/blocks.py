r"""A proposal as blocks, paragraph by paragraph, each of which can be taken alone, and what is known of the works that it
cites, before anything of it is taken (SPEC C2, T3).

An environment is one with its blank lines: half a table is no block. Offsets count code points of the text that the
proposal was made over.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, zip_longest
from os.path import commonprefix
from typing import NamedTuple

from citations.key_aliases import rows_cited
from citations.models import Citation
from latex.cite_edits import without_keys
from latex.cite_keys import EVERYTHING, cite_commands, visible
from sections.diffs import Op, differences
from thesis.models import Draft

BAD = (Citation.Status.CONFLICT, Citation.Status.NOT_FOUND)


@dataclass(frozen=True)
class Verdict:
    """`status` is that of the entry, or "missing". `bad`: its key is left out of what is taken unless a person insists."""

    key: str
    status: str
    tier: str
    title: str
    retracted: bool
    bad: bool


def verdicts(draft: Draft) -> list[Verdict]:
    """Return the verdict on each key that `draft` cites, in the order of the text; one query.

    A key without an entry is as bad as one that was not found, unless the section cited it before.
    """
    if not draft.keys:
        return []
    rows = Citation.objects.filter(project=draft.project).order_by()
    rows = rows.only("cite_key", "status", "tier", "title", "retracted")
    by_key = {
        key: Verdict(key, row.status, row.tier, row.title, row.retracted, row.status in BAD)
        for key, row in rows_cited(rows, draft.project, draft.keys).items()
    }
    own = set(keys_of(draft.base_latex)) if len(by_key) < len(draft.keys) else set()
    return [by_key.get(key) or Verdict(key, "missing", "", "", False, key not in own) for key in draft.keys]


def keys_of(latex: str) -> list[str]:
    r"""Return the keys that `latex` cites, each once, in order; \nocite{*} names none."""
    named = dict.fromkeys(key for command in cite_commands(latex) for key in command.keys)
    return [key for key in named if key != EVERYTHING]


_ENDING = r"(?:\r\n|\r|\n)"
# What stands between two paragraphs, and the line ending at the end of a text
_GAP = re.compile(rf"{_ENDING}(?:[ \t]*+{_ENDING})++|{_ENDING}\Z")
# A whole document is none
_ENVIRONMENT = re.compile(r"\\(?:(begin)|end)[ \t]*\{(?!document\})([^{}\\\r\n]{1,60})\}")


class Block(NamedTuple):
    """`was`, which is base[start:end], gives way to `latex`; either may be empty. Numbers begin at 1."""

    number: int
    start: int
    end: int
    was: str
    latex: str

    def bad_keys(self, told: Iterable[Verdict]) -> list[str]:
        """Return the keys in `latex` that `told` calls bad, in their order. What its place cited before is the writer's own."""
        bad = {verdict.key for verdict in told if verdict.bad}
        bad = bad.difference(keys_of(self.was)) if bad else bad
        return [key for key in keys_of(self.latex) if key in bad] if bad else []

    def without_bad(self, told: Iterable[Verdict]) -> str:
        """`latex` without its bad keys."""
        bad = self.bad_keys(told)
        return without_keys(self.latex, set(bad)) if bad else self.latex


def blocks_of(base: str, proposed: str) -> list[Block]:
    """Return what makes `proposed` of `base`, in the order of the text, so that all of them put in its places are `proposed`."""
    old, new = pieces(base), pieces(proposed)
    places = places_of(old)
    found = (change for op in _stretches(old, new) for change in _changes(old, new, op, places))
    return [Block(n, start, end, base[start:end], latex) for n, (start, end, latex) in enumerate(found, 1)]


def pieces(text: str) -> list[str]:
    """`text` in paragraphs and the gaps between them; joined they are `text` again. Linear in its length."""
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
    """Return where each of `parts` begins in their text; at last, its length."""
    return [0, *accumulate(map(len, parts))]


def is_gap(piece: str) -> bool:
    """Return whether a piece stands between paragraphs."""
    return not piece.strip()


def _environments(text: str) -> list[tuple[int, int]]:
    """Return the outermost environments that are closed, the last one first; a whole document is none."""
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
    """Return what gave way to something else. A gap alone holds nothing apart: every gap is like every other."""
    found: list[Op] = []
    for op in (one for one in differences(old, new) if not one.same):
        last = found[-1] if found else None
        if last and op.i1 > last.i2 and all(is_gap(piece) for piece in old[last.i2 : op.i1]):
            found[-1] = Op(False, last.i1, op.i2, last.j1, op.j2)
        else:
            found.append(op)
    return found


def _changes(old: Sequence[str], new: Sequence[str], op: Op, places: Sequence[int]) -> Iterator[tuple[int, int, str]]:
    """Yield a stretch that gave way to another, paragraph by paragraph."""
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
    """Paragraphs with the gap before each, or behind it where the stretch begins with a paragraph."""
    units: list[list[str]] = []
    leads = bool(stretch) and is_gap(stretch[0])
    for n, piece in enumerate(stretch):
        if not units or (is_gap(piece) == leads and not (leads and n == len(stretch) - 1)):
            units.append([piece])
        else:
            units[-1].append(piece)
    return units


def _paired(old: list[list[str]], new: list[list[str]]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield each paragraph with the one it became, nothing where it is gone or new."""
    i = j = 0
    anchors = _alike(old, new) if len(old) * len(new) <= 2_500 else []  # more are not compared by their words
    for a, b in [*anchors, (len(old), len(new))]:
        for was, now in zip_longest(old[i:a], new[j:b]):
            yield was or [], now or []
        if a < len(old):
            yield old[a], new[b]
        i, j = a + 1, b + 1


def _alike(old: list[list[str]], new: list[list[str]]) -> list[tuple[int, int]]:
    """Return the pairs, in order, that share most words in all: the longest common subsequence, weighted."""
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
    return share if share >= 0.3 else 0.0  # with fewer words in common none is the other one edited
