"""Where the words on the page stand in the LaTeX of their section.

Pandoc's tree has no positions, so the words of the page are aligned with the words of the source. Each paragraph, cell
or heading ("leaf") gets the places where the distance between the two changes; between them it is constant. So a click
leads to a character of the source, and a place in the source to words on the page.
"""

import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise
from typing import NamedTuple

from rapidfuzz.distance import LCSseq

from thesis.authorship.words import without_commands

_WORD = re.compile(r"[^\W_]+")
_WINDOW = 4_000  # words that are aligned at a time
_SLACK = 1_500  # words of the source that a window looks further ahead
_SURE = 3  # words in a row that both have before a window ends
_STRAY = 12  # words that a word on its own may be displaced from its neighbours


class Piece(NamedTuple):
    """A part of the text of the leaf number `leaf`, from its character `start` on."""

    leaf: int
    start: int
    text: str


class Word(NamedTuple):
    """A word in lower case, and where it begins, in code points; on the page in the leaf number `leaf`."""

    word: str
    start: int
    leaf: int = 0


def words_in(text: str, start: int = 0, leaf: int = 0) -> list[Word]:
    """Return the words of a plain text with their places."""
    return [Word(found[0].lower(), start + found.start(), leaf) for found in _WORD.finditer(text)]


def source_maps(pieces: Sequence[Piece], leaves: int, latex: str) -> list[str]:
    """Return the map of each of the `leaves` of a page to the section's `latex`.

    `pieces` are the texts of the leaves in the order of the source. A map is "0:120 57:190": from the character 57 of
    the leaf on, the source begins at its character 190. It is "" for a leaf without a word in the source. Linear in the
    length of both.
    """
    shown = [word for piece in _joined(pieces) for word in words_in(piece.text, piece.start, piece.leaf)]
    source = words_in(without_commands(latex))
    places = _align([word.word for word in shown], [word.word for word in source])
    _find_moved(shown, source, places)
    maps: list[list[str]] = [[] for _ in range(leaves)]
    distance: dict[int, int] = {}
    for word, place in zip(shown, places, strict=True):
        if place >= 0 and distance.get(word.leaf) != source[place].start - word.start:
            distance[word.leaf] = source[place].start - word.start
            maps[word.leaf].append(f"{word.start}:{source[place].start}")
    return [" ".join(one) for one in maps]


def _joined(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Join pieces of a leaf that follow one another, since a word may go on in the next (an emphasised syllable)."""
    held: Piece | None = None
    for piece in pieces:
        if held and piece.leaf == held.leaf and piece.start == held.start + len(held.text):
            held = held._replace(text=held.text + piece.text)
        else:
            if held:
                yield held
            held = piece
    if held:
        yield held


def _find_moved(shown: Sequence[Word], source: Sequence[Word], places: list[int]) -> None:
    """Find leaves that stand elsewhere in the source than on the page, such as a caption below its table."""
    runs: dict[tuple[str, ...], list[int]] = {}
    near = 0
    for leaf, group in groupby(range(len(shown)), lambda at: shown[at].leaf):
        indexes = list(group)
        known = [places[at] for at in indexes if places[at] >= 0]
        if known:
            near = known[-1]
            continue
        if not runs:
            for at in range(len(source)):
                for size in (1, 2, 3):
                    runs.setdefault(tuple(word.word for word in source[at : at + size]), []).append(at)
        found = runs.get(tuple(shown[at].word for at in indexes[:3]), [])
        if leaf >= 0 and found and (len(indexes) > 2 or len(found) == 1):
            begin = min(found, key=lambda at: abs(at - near))
            for step, at in enumerate(indexes):
                if begin + step < len(source) and source[begin + step].word == shown[at].word:
                    places[at] = begin + step


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
