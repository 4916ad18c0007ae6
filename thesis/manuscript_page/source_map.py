"""Where the words on the page stand in the LaTeX of their section.

Pandoc's tree has no positions, so the words of the page are aligned with the words of the source. Each paragraph, cell
or heading ("leaf") gets the places where the distance between the two changes; between them it is constant. So a click
leads to a character of the source, and a place in the source to words on the page.
"""

import re
from bisect import bisect
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from thesis.authorship.words import without_commands

_WORD = re.compile(r"[^\W_]+")
_WINDOW = 4_000  # words that are aligned at a time
_SLACK = 1_500  # words of the source that a window looks further ahead
_SURE = 3  # words in a row that both have before a window ends
_STRAY = 12  # words that a word on its own may be displaced from its neighbours


class Word(NamedTuple):
    """A word in lower case, and where it begins, in code points."""

    word: str
    start: int


def words_in(text: str) -> list[Word]:
    """Return the words of a plain text with their places."""
    return [Word(found[0].lower(), found.start()) for found in _WORD.finditer(text)]


def source_maps(leaves: Sequence[str], latex: str) -> list[str]:
    """Return the map of each of `leaves`, the texts on the page in order, to the section's `latex`.

    A map is "0:120 57:190": from the character 57 of the leaf on, the source begins at its character 190. It is "" for
    a leaf without a word in the source. Linear in the length of both.
    """
    shown = [(leaf, word) for leaf, text in enumerate(leaves) for word in words_in(text)]
    source = words_in(without_commands(latex))
    places = _align([word.word for _, word in shown], [word.word for word in source])
    maps: list[list[str]] = [[] for _ in leaves]
    distance: dict[int, int] = {}
    for (leaf, word), place in zip(shown, places, strict=True):
        if place >= 0 and distance.get(leaf) != source[place].start - word.start:
            distance[leaf] = source[place].start - word.start
            maps[leaf].append(f"{word.start}:{source[place].start}")
    return [" ".join(one) for one in maps]


def _align(shown: Sequence[str], source: Sequence[str]) -> list[int]:
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
