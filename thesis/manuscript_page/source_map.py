"""Where the words on the page stand in the LaTeX of their section.

Pandoc's tree has no positions, so the words of the page are aligned with the words of the source. Each paragraph, cell
or heading ("leaf") gets the places where the distance between the two changes; between them it is constant. So a click
leads to a character of the source, and a place in the source to words on the page.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from thesis.authorship.words import without_commands
from thesis.page_places.sequence_alignment import Word, align, words_in


class Piece(NamedTuple):
    """A part of the text of the leaf number `leaf`, from its character `start` on."""

    leaf: int
    start: int
    text: str


def source_maps(pieces: Sequence[Piece], leaves: int, latex: str) -> list[str]:
    """Return the map of each of the `leaves` of a page to the section's `latex`.

    `pieces` are the texts of the leaves in the order of the source. A map is "0:120 57:190": from the character 57 of
    the leaf on, the source begins at its character 190. It is "" for a leaf without a word in the source. Linear in the
    length of both.
    """
    shown = [word for piece in _joined(pieces) for word in words_in(piece.text, piece.start, piece.leaf)]
    source = words_in(without_commands(latex))
    places = align([word.word for word in shown], [word.word for word in source])
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
    leaves = [list(group) for _, group in groupby(range(len(shown)), lambda at: shown[at].leaf)]
    runs: dict[tuple[str, ...], list[int]] = {
        tuple(shown[at].word for at in indexes[:3]): []
        for indexes in leaves
        if shown[indexes[0]].leaf >= 0 and all(places[at] < 0 for at in indexes)
    }
    if not runs:
        return
    sizes = sorted({len(run) for run in runs})
    words = [word.word for word in source]
    for at in range(len(words)):
        for size in sizes:
            if (found := runs.get(tuple(words[at : at + size]))) is not None and at + size <= len(words):
                found.append(at)
    near = 0
    for indexes in leaves:
        known = [places[at] for at in indexes if places[at] >= 0]
        if known:
            near = known[-1]
            continue
        starts = runs.get(tuple(shown[at].word for at in indexes[:3]), [])
        if shown[indexes[0]].leaf >= 0 and starts and (len(indexes) > 2 or len(starts) == 1):
            begin = min(starts, key=lambda at: abs(at - near))
            for step, at in enumerate(indexes):
                if begin + step < len(source) and words[begin + step] == shown[at].word:
                    places[at] = begin + step
