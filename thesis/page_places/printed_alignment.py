"""The words of printed pages aligned with those of the sections. Pure: no files, no database.

Pages have more than the sections (running heads, contents, references, numbers), and in another order (floats,
footnotes). So words are not aligned from the start to the end, as on the manuscript page (source_map.py), but by runs
that both have: first those that occur once, then the others beside these, then the words in the gaps between them.
"""

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from thesis.page_places.sequence_alignment import align

_SEED = 3  # words in a row by which runs are found
_MOST_PLACES = 24  # places of a seed in the source; one with more is as common as "of the patients in"
_LONG = 12  # words of a run that is no common phrase
_FAR, _WORTH = 160, 8  # a run counts as a word shorter for each 8 words that it is off its neighbours, up to 160
_WIDE = 40  # words beyond a gap's own number that are searched for its words


class _Run(NamedTuple):
    """`size` words that are the same from `printed` and from `source` on."""

    printed: int
    source: int
    size: int


def aligned(printed: Sequence[str], source: Sequence[str]) -> list[int]:
    """Return for each word `printed` the index of the same word in `source`, or -1.

    Several printed words may have one index: a heading stands in the contents and in running heads too. Of several
    places with the same words that is taken which goes on from the words around it on the pages.
    """
    runs = _runs(printed, source)
    places = [-1] * len(printed)
    known: list[int] = []  # ends of the assigned stretches of `printed`, ascending
    sure, others = _sure(runs, len(printed))
    for run in sure:
        _assign(run, places, known)
    # Of several the longest counts, and of those that are about as long that which is beside words known already.
    for _, same in groupby(others, lambda run: run.size if run.size >= _LONG else 0):
        for run in sorted(same, key=lambda run: min(_distance(run, places, known), _FAR) / _WORTH - run.size):
            _assign(run, places, known)
    _fill_gaps(printed, source, places)
    return places


def _runs(printed: Sequence[str], source: Sequence[str]) -> list[_Run]:
    """Return the longest runs of words that both have."""
    seeds: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    for at in range(len(source) - _SEED + 1):
        seeds[tuple(source[at : at + _SEED])].append(at)
    runs: list[_Run] = []
    ends: dict[int, int] = {}  # by the distance of the two: where its last run ends in `printed`
    for at in range(len(printed) - _SEED + 1):
        found = seeds.get(tuple(printed[at : at + _SEED]), ())
        if len(found) > _MOST_PLACES:
            continue
        for place in found:
            distance = place - at
            begin = ends.get(distance, 0)
            if begin > at:
                continue
            first = at
            while first > begin and first + distance > 0 and printed[first - 1] == source[first + distance - 1]:
                first -= 1
            last = at + _SEED
            most = min(len(printed), len(source) - distance)
            while last < most and printed[last] == source[last + distance]:
                last += 1
            ends[distance] = last
            runs.append(_Run(first, first + distance, last - first))
    return runs


def _sure(runs: list[_Run], length: int) -> tuple[list[_Run], list[_Run]]:
    """Return the runs that clearly exceed each other one of the same printed words, and the rest; longest first."""
    longest, second = [0] * length, [0] * length
    for run in runs:
        for at in range(run.printed, run.printed + run.size):
            if run.size > longest[at]:
                longest[at], second[at] = run.size, longest[at]
            elif run.size > second[at]:
                second[at] = run.size
    parts: tuple[list[_Run], list[_Run]] = [], []
    for run in sorted(runs, key=lambda run: -run.size):
        is_sure = any(
            longest[at] == run.size and 2 * second[at] <= run.size for at in range(run.printed, run.printed + run.size)
        )
        parts[not is_sure].append(run)
    return parts


def _distance(run: _Run, places: Sequence[int], known: Sequence[int]) -> int:
    """Return how far a run is from where the assigned words before and after it would go on."""
    at = bisect_left(known, run.printed)
    near = known[max(at - 1, 0) : at + 2]
    return min((abs((run.source - places[one]) - (run.printed - one)) for one in near), default=0)


def _assign(run: _Run, places: list[int], known: list[int]) -> None:
    """Give the words of a run their places, but for those that a better run has; a small rest is by chance."""
    free = [at for at in range(run.printed, run.printed + run.size) if places[at] < 0]
    if len(free) < 2 or 2 * len(free) < run.size:
        return
    for at in free:
        places[at] = run.source + at - run.printed
    insort(known, free[0])
    insort(known, free[-1])


def _fill_gaps(printed: Sequence[str], source: Sequence[str], places: list[int]) -> None:
    """Find words between runs, such as those around a citation, in the source between or beside the runs.

    A long gap has text that is repeated all over the thesis, so that no run of it was found; no single words are taken
    there, nor before the first run and after the last (a title page, references).
    """
    known = [-1, *(at for at, place in enumerate(places) if place >= 0), len(printed)]
    for left, right in pairwise(known):
        gap = right - left - 1
        if not gap:
            continue
        after = places[left] + 1 if left >= 0 else 0
        before = places[right] if right < len(printed) else len(source)
        if gap > 4 * _WIDE or (left < 0 and right == len(printed)):
            windows = [(after, before)] if after < before else []
        elif 0 <= before - after <= 2 * gap + 4 * _WIDE:
            windows = [(after, before)]
        else:
            windows = [(after, after + gap + _WIDE)] if left >= 0 else []
            windows += [(max(before - gap - _WIDE, 0), before)] if right < len(printed) else []
        is_loose = gap > 4 * _WIDE or left < 0 or right == len(printed)
        for begin, end in windows:
            free = [at for at in range(left + 1, right) if places[at] < 0]
            found = align([printed[at] for at in free], source[begin:end])
            for at, place in zip(free, _long_runs(found) if is_loose else found, strict=True):
                if place >= 0:
                    places[at] = begin + place


def _long_runs(places: list[int]) -> list[int]:
    """Return `places` without those in runs of fewer words than a seed has."""
    kept = [-1] * len(places)
    for _, run in groupby(enumerate(places), lambda one: one[1] - one[0]):
        found = [(at, place) for at, place in run if place >= 0]
        if len(found) >= _SEED:
            for at, place in found:
                kept[at] = place
    return kept
