"""Words, and the alignment of two texts whose words are in the same order: a page and the LaTeX it was made from."""

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

_WORD = re.compile(r"[^\W_]+")
_WINDOW = 4_000  # words that are aligned at a time
_SLACK = 1_500  # words of the source that a window looks further ahead
_SURE = 3  # words in a row that both have before a window ends
_STRAY = 12  # words that a word on its own may be displaced from its neighbours


class Word(NamedTuple):
    """A word in lower case, and where it begins, in code points; on the page in the leaf number `leaf`."""

    word: str
    start: int
    leaf: int = 0


def words_in(text: str, start: int = 0, leaf: int = 0) -> list[Word]:
    """Return the words of a plain text with their places."""
    return [Word(found[0].lower(), start + found.start(), leaf) for found in _WORD.finditer(text)]


def align(shown: Sequence[str], source: Sequence[str]) -> list[int]:
    """Return for each word `shown` the index of the same word in `source`, or -1; the indexes ascend."""
    places = [-1] * len(shown)
    at = begin = 0
    while at < len(shown) and begin < len(source):
        window = shown[at : at + _WINDOW]
        blocks = LCSseq.opcodes(window, source[begin : begin + _WINDOW + _SLACK]).as_matching_blocks()
        is_last = at + _WINDOW >= len(shown)
        sure = [one for one in blocks if one.size >= (1 if is_last else _SURE)]
        for block in sure:
            for step in range(block.size):
                places[at + block.a + step] = begin + block.b + step
        if is_last or not sure:
            at += _WINDOW
            continue
        at, begin = at + sure[-1].a + sure[-1].size, begin + sure[-1].b + sure[-1].size
    return _without_strays(places)


def _without_strays(places: list[int]) -> list[int]:
    """Return `places` without a word on its own that lies far from the words before and after it.

    The longest common subsequence also joins single frequent words across a gap, such as the "the" of a caption with
    one of a removed paragraph.
    """
    known = [index for index, place in enumerate(places) if place >= 0]
    lone = set(known)
    for left, right in pairwise(known):
        if places[right] - places[left] == right - left:
            lone -= {left, right}
    kept = [index for index in known if index not in lone]
    for index in lone:
        at = bisect(kept, index)
        near = [places[one] - one for one in kept[max(at - 1, 0) : at + 1]]
        if near and min(abs(one - (places[index] - index)) for one in near) > _STRAY:
            places[index] = -1
    return places
