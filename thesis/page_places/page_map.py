"""The words of printed pages, each with its place in the LaTeX of a section. Pure: no files, no database."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count
from typing import NamedTuple

from thesis.authorship.words import without_commands
from thesis.page_places.printed_alignment import aligned
from thesis.page_places.sequence_alignment import words_in
from untrusted.pdf_words import PrintedPage, PrintedWord

_HYPHEN = "\u00ad"  # at the end of a line (untrusted/pdf_words.py)
_NOTE_MARK = re.compile(r"^\d+(?=[^\W\d])|(?<=[^\W\d])\d+$")  # the number of a footnote, set close to a word


_APART = 6  # words that may be missing between two of one stretch


class SectionText(NamedTuple):
    """The LaTeX of a section, by its id."""

    section: str
    latex: str


class Place(NamedTuple):
    """A place in the text: the character `offset` (code points) of the LaTeX of a section.

    `words` are the printed words there. `is_exact` is False where these words are not in the text themselves, so that
    the place is that of words beside them.
    """

    section: str
    offset: int
    words: str
    is_exact: bool


class Spot(NamedTuple):
    """A place on the pages: a page (from 1), and the box of a line on it in tenths of a point."""

    page: int
    left: int
    top: int
    right: int
    bottom: int
    words: str


class PageMap:
    """The printed `pages` by their numbers, and the sections in the order of print, aligned by their words."""

    def __init__(self, pages: Mapping[int, PrintedPage], texts: Sequence[SectionText]) -> None:
        self.pages = pages
        self._lines: list[tuple[int, list[PrintedWord]]] = []
        self._words: list[PrintedWord] = []  # of all pages, in their order
        self._line_of: list[int] = []
        self._first: dict[int, int] = {}  # the index of the first word of each page
        for number, page in sorted(pages.items()):
            self._first[number] = len(self._words)
            for line in page.lines:
                self._words += line
                self._line_of += [len(self._lines)] * len(line)
                self._lines.append((number, line))
        self._sections = [text.section for text in texts]
        source = [
            (number, word) for number, text in enumerate(texts) for word in words_in(without_commands(text.latex))
        ]
        self._source = [(number, word.start) for number, word in source]
        vocabulary = {word.word for _, word in source}
        printed = list(_parts(self._words, vocabulary))
        places = aligned([part for part, _ in printed], [word.word for _, word in source])
        self._place_of, self._printed_at = _both_ways(printed, places)
        self._known = sorted(self._printed_at)

    def place_at(self, page: int, x: float, y: float) -> Place | None:
        """Return the place of the words nearest to a point of a page, in tenths of a point; None without any words."""
        end = next((self._first[number] for number in sorted(self._first) if number > page), len(self._words))
        here = range(self._first.get(page, end), end)
        nearest = min(here, key=lambda index: _distance(self._words[index], x, y), default=None)
        at = end if nearest is None else nearest
        found = next((index for index in _outward(at, len(self._words)) if index in self._place_of), None)
        if found is None:
            return None
        number, start = self._source[self._place_of[found]]
        words = "" if nearest is None else self._words[nearest].text.replace(_HYPHEN, "-")
        return Place(self._sections[number], start, words, found == nearest)

    def spot_of(self, section: str, offset: int) -> Spot | None:
        """Return where the words at a place in the text are printed, or the nearest words of this section."""
        if section not in self._sections:
            return None
        number = self._sections.index(section)
        begin, end = bisect_left(self._source, (number, 0)), bisect_left(self._source, (number + 1, 0))
        at = max(bisect_right(self._source, (number, offset)) - 1, begin)
        near = bisect_left(self._known, at)
        found = [one for one in self._known[max(near - 1, 0) : near + 1] if begin <= one < end]
        if not found:
            return None
        word = self._printed_at[min(found, key=lambda one: (abs(one - at), one))]
        page, line = self._lines[self._line_of[word]]
        return Spot(
            page,
            min(one.left for one in line),
            min(one.top for one in line),
            max(one.right for one in line),
            max(one.bottom for one in line),
            " ".join(one.text for one in line).replace(_HYPHEN, "-"),
        )


def _parts(words: Sequence[PrintedWord], vocabulary: set[str]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the words as the source has them, with the indexes of the printed words of each.

    A printed word may have several ("0.83"), and one that is divided at the end of a line consists of two.
    """
    divided: tuple[str, int] | None = None
    for index, printed in enumerate(words):
        text = printed.text
        if divided is not None:
            begin, at = divided
            divided = None
            first, *others = _words(begin + text.rstrip(_HYPHEN), vocabulary) or [""]
            if first in vocabulary:
                yield first, (at, index)
                yield from ((word, (index,)) for word in others)
                continue
            yield from ((word, (at,)) for word in _words(begin, vocabulary))
        if text.endswith(_HYPHEN):
            divided = text.rstrip(_HYPHEN), index
        else:
            yield from ((word, (index,)) for word in _words(text, vocabulary))
    if divided is not None:
        yield from ((word, (divided[1],)) for word in _words(divided[0], vocabulary))


def _words(text: str, vocabulary: set[str]) -> list[str]:
    """Return the words of a printed one, without the number of a footnote if the source has them so."""
    words = [text.lower()] if text.isalpha() else [word.word for word in words_in(text)]
    return [
        bare if word not in vocabulary and (bare := _NOTE_MARK.sub("", word)) in vocabulary else word for word in words
    ]


def _both_ways(
    printed: Sequence[tuple[str, tuple[int, ...]]], places: Sequence[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """Return the source word of each printed word, and the printed word of each source word, by their indexes.

    Of several printed words that in the longest stretch counts: a heading where its text follows, not in the
    contents.
    """
    there: dict[int, int] = {}
    back: dict[int, tuple[int, int]] = {}
    known = [at for at, place in enumerate(places) if place >= 0]
    begin = 0
    while begin < len(known):
        end = begin + 1
        while end < len(known) and _goes_on(known[end - 1], known[end], places):
            end += 1
        for at in known[begin:end]:
            for index in printed[at][1]:
                there.setdefault(index, places[at])
            if end - begin > back.get(places[at], (0, 0))[0]:
                back[places[at]] = end - begin, printed[at][1][0]
        begin = end
    return there, {place: index for place, (_, index) in back.items()}


def _goes_on(at: int, after: int, places: Sequence[int]) -> bool:
    """Return whether a word goes on the stretch of the word before it, across a citation or a command at most."""
    return after - at <= _APART and 0 < places[after] - places[at] <= _APART


def _distance(word: PrintedWord, x: float, y: float) -> float:
    across = max(word.left - x, 0, x - word.right)
    down = max(word.top - y, 0, y - word.bottom)
    return across + 3 * down  # a word of the same line before one of the line above


def _outward(at: int, length: int) -> Iterator[int]:
    """Yield `at`, then the indexes beside it, ever farther away."""
    if at < length:
        yield at
    both = ((at - step, at + step) for step in count(1))
    for left, right in both:
        if left < 0 and right >= length:
            return
        yield from (one for one in chain((left, right)) if 0 <= one < length)
