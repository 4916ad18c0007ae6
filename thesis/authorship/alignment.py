"""Alignment of drafts with a thesis: how many drafted words are still in it, wherever they were moved (SPEC T9).

Runs of words that a draft and the text share are matched, longest first, and each word of the text at most once. So a
sentence in two drafts counts for one of them, and text that was removed again counts for none. Pure: no database.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from itertools import groupby
from typing import Any, NamedTuple

from core.grouping import grouped
from thesis.authorship.words import Words, words_of

RUN = 4  # words: the shortest run that is matched
KEPT_RUN = 5  # words: a run that was in the text before the draft, and that the draft left unchanged
SURE = 8  # words: a run that counts whatever is left of its sentence
SHARE = 0.4  # of a sentence that must be left for shorter runs to count
AROUND = 3  # words on either side that show whether a run was in the text before the draft
UNTAKEN_RUN = 15  # words: the shortest run that counts for a draft without a recorded acceptance
_PLACES = 32  # of the same words in the text that are tried; more frequent ones are found by the words around them


@dataclass
class Piece:
    """A block of a draft: `latex` replaced the text `was`. `key` identifies the draft, `home` its section.

    `base` returns the text of the section before the draft. `is_taken` False: no acceptance is recorded.
    """

    key: str
    home: str
    latex: str
    was: str = ""
    base: Callable[[], str] = str
    is_taken: bool = True
    words: Words = field(default_factory=lambda: Words([], []))
    own: list[bool] = field(default_factory=list)  # for each word, whether it was there before the draft
    places: list[int] = field(default_factory=list)  # of each word in the text; -1: it is no longer there

    @property
    def drafted(self) -> int:
        """Return the number of words that the draft added."""
        return len(self.own) - sum(self.own)


class Alignment(NamedTuple):
    """The number of words that a draft added, and how many of them are still in the text, by section.

    Of blocks without a recorded acceptance only the words that are in the text count.
    """

    words: int
    stands: dict[str, int]


class _Run(NamedTuple):
    """A run of `length` words that the piece `piece`, from word `start`, shares with the text, from word `place`.

    Runs are matched in ascending `order`.
    """

    order: tuple[bool, int, bool]  # not accepted, minus the length, not in the section that the draft was made for
    piece: int
    start: int
    place: int

    @property
    def length(self) -> int:
        return -self.order[1]


@dataclass
class _Text:
    """The words of all sections in a row, with a separator between sections."""

    words: list[str]
    sections: list[str]  # of each word
    begins: dict[str, tuple[int, int]]

    @classmethod
    def of(cls, texts: Mapping[str, str]) -> "_Text":
        made = cls([], [], {})
        for name, latex in texts.items():
            words = words_of(latex).words
            made.begins[name] = (len(made.words), len(made.words) + len(words))
            made.words += [*words, "\0"]
            made.sections += [name] * (len(words) + 1)
        return made


def align_drafts(pieces: Sequence[Piece], texts: Mapping[str, str]) -> dict[str, Alignment]:
    """Return how much of each draft is still in `texts` (LaTeX of the sections by their ids), by the key of the draft.

    `pieces` are in the order of acceptance: the earlier draft gets the first of several equal runs.
    """
    text = _Text.of(texts)
    for piece in pieces:
        piece.words = words_of(piece.latex)
        piece.places = [-1] * len(piece.words.words)
    by_key = grouped((piece.key, piece) for piece in pieces)
    for group in by_key.values():
        before = [words_of(piece.was).words for piece in group if piece.was.strip()]
        for piece in group:
            piece.own = _own(piece.words.words, before)
    taken = [False] * len(text.words)
    _match_runs(pieces, text, taken)
    for piece in pieces:
        _drop_chance(piece, text)
        if piece.is_taken and len(piece.words.words) < RUN:
            _look_for_few(piece, text, taken)
    return {key: _counted(group, text) for key, group in by_key.items()}


def _counted(pieces: Sequence[Piece], text: _Text) -> Alignment:
    stands: Counter[str] = Counter()
    words = 0
    for piece in pieces:
        found = [place for place, own in zip(piece.places, piece.own, strict=True) if place >= 0 and not own]
        stands.update(text.sections[place] for place in found)
        words += piece.drafted if piece.is_taken else len(found)
    return Alignment(words, dict(stands))


def _own(words: list[str], before: Sequence[list[str]]) -> list[bool]:
    """Return for each of `words` whether it was there before the draft.

    That is, whether it is in a run of KEPT_RUN words or more that one of `before` has; fewer words must all be there.
    """
    if len(words) < KEPT_RUN:
        return [any(_contains(other, words) for other in before)] * len(words)
    own = [False] * len(words)
    grams = {gram for other in before for gram in _grams(other, KEPT_RUN)}
    for start, gram in enumerate(_grams(words, KEPT_RUN) if grams else ()):
        if gram in grams:
            own[start : start + KEPT_RUN] = [True] * KEPT_RUN
    return own


def _grams(words: Sequence[str], size: int = RUN) -> Iterator[tuple[str, ...]]:
    return zip(*(words[n:] for n in range(size)), strict=False)


def _contains(words: Sequence[str], few: Sequence[str]) -> bool:
    return f" {' '.join(few)} " in f" {' '.join(words)} "


def _match_runs(pieces: Sequence[Piece], text: _Text, taken: list[bool]) -> None:
    """Match the runs of `pieces` with the text: first those of accepted drafts, longest first."""
    heap = list(_runs(pieces, text))
    heapify(heap)
    while heap:
        run = heappop(heap)
        piece = pieces[run.piece]
        parts = _free(run, piece, taken)
        if parts != [(0, run.length)]:  # other runs have taken a part of it: the rest goes back into the queue
            for start, length in parts:
                if length >= RUN:
                    heappush(
                        heap,
                        _Run((run.order[0], -length, run.order[2]), run.piece, run.start + start, run.place + start),
                    )
        elif piece.is_taken or run.length >= UNTAKEN_RUN:
            for n in range(run.length):
                piece.places[run.start + n] = run.place + n
                if not piece.own[run.start + n]:  # words from before the draft may still be matched by an earlier draft
                    taken[run.place + n] = True


def _runs(pieces: Sequence[Piece], text: _Text) -> Iterator[_Run]:
    """Yield every longest run of words that a piece shares with the text."""
    wanted = {gram for piece in pieces for gram in _grams(piece.words.words)}
    index: dict[tuple[str, ...], list[int]] = {}
    for place, gram in enumerate(_grams(text.words)):
        if gram in wanted:
            places = index.setdefault(gram, [])
            if len(places) < _PLACES:
                places.append(place)
    for number, piece in enumerate(pieces):
        for start, place, length in _seeds(piece.words.words, text.words, index):
            yield _Run((not piece.is_taken, -length, text.sections[place] != piece.home), number, start, place)


def _seeds(
    words: Sequence[str], text: Sequence[str], index: Mapping[tuple[str, ...], Sequence[int]]
) -> Iterator[tuple[int, int, int]]:
    """Yield the runs that `words` share with `text`: the start of each in both, and its length.

    Frequent words start a run only when no rarer words are near, so that a repetitive text takes no longer than others.
    """
    ends: dict[int, int] = {}  # where the run on each diagonal ends
    reached = [False] * len(words)
    for often in (False, True):
        for start, gram in enumerate(_grams(words)):
            places = index.get(gram, ())
            if (len(places) >= _PLACES) != often or (often and reached[start]):
                continue
            for place in places:
                if ends.get(place - start, 0) <= start:
                    first, length = _extended(words, text, start, place)
                    ends[place - start] = first + length
                    reached[first : first + length] = [True] * length
                    yield first, place - (start - first), length


def _extended(words: Sequence[str], text: Sequence[str], start: int, place: int) -> tuple[int, int]:
    """Return the longest shared run around a shared gram: its start in `words`, and its length."""
    first, last = start, start + RUN
    while first and place - (start - first) and words[first - 1] == text[place - (start - first) - 1]:
        first -= 1
    while last < len(words) and place + last - start < len(text) and words[last] == text[place + last - start]:
        last += 1
    return first, last - first


def _free(run: _Run, piece: Piece, taken: list[bool]) -> list[tuple[int, int]]:
    """Return the parts of `run` that no other run has taken, as their starts in it and their lengths."""

    def is_free(n: int) -> bool:
        at = run.start + n
        return piece.places[at] < 0 and (piece.own[at] or not taken[run.place + n])

    return [(start, end - start) for free, start, end in _stretches(range(run.length), is_free) if free]


def _stretches(places: range, key: Callable[[int], Any]) -> Iterator[tuple[Any, int, int]]:
    """Yield each stretch of neighbouring `places` with the same `key`: the key, the first place, and the end."""
    for value, group in groupby(places, key):
        stretch = list(group)
        yield value, stretch[0], stretch[-1] + 1


def _drop_chance(piece: Piece, text: _Text) -> None:
    """Remove matches that are probably chance, and those with text that was there before the draft."""
    if not piece.places or _contiguous_runs(piece.places, 0, len(piece.places)) == [(0, len(piece.places))]:
        return  # the whole piece is in the text, in one run
    sentences = piece.words.sentences
    for _, start, end in _stretches(range(len(sentences)), sentences.__getitem__):
        runs = _contiguous_runs(piece.places, start, end)
        if not runs or not _holds(piece, runs, start, end):
            _take_off(piece, start, end)
        elif piece.is_taken:
            for first, last in runs:
                if _stood_before(piece, text, first, last):
                    _take_off(piece, first, last)
            if not _holds(piece, _contiguous_runs(piece.places, start, end), start, end):
                _take_off(piece, start, end)


def _contiguous_runs(places: Sequence[int], start: int, end: int) -> list[tuple[int, int]]:
    """Return the runs among the words `start` to `end` of a piece that are contiguous in the text."""
    runs = _stretches(range(start, end), lambda n: places[n] - n if places[n] >= 0 else None)
    return [(first, last) for diagonal, first, last in runs if diagonal is not None]


def _holds(piece: Piece, runs: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether the matches of a sentence are more than chance."""
    left = sum(not piece.own[n] for first, last in runs for n in range(first, last))
    drafted = sum(not own for own in piece.own[start:end])
    return any(last - first >= SURE for first, last in runs) or left >= SHARE * max(drafted, 1)


def _take_off(piece: Piece, start: int, end: int) -> None:
    piece.places[start:end] = [-1] * (end - start)


def _stood_before(piece: Piece, text: _Text, first: int, last: int) -> bool:
    """Return whether a run was in the text before the draft, next to the same words as now."""
    run = piece.words.words[first:last]
    near_it = _where_it_may_stand(piece.base(), run)
    if not any(_contains(words, run) for words in near_it):
        return False
    place = piece.places[first]
    begin, stop = text.begins[text.sections[place]]
    left = text.words[max(begin, place - AROUND) : place]
    right = text.words[place + len(run) : min(stop, place + len(run) + AROUND)]
    beside = [near for near in ([*left, *run] if left else [], [*run, *right] if right else []) if near]
    return len(run) < SURE or not beside or any(_contains(words, near) for near in beside for words in near_it)


def _where_it_may_stand(latex: str, run: Sequence[str]) -> list[list[str]]:
    """Return the words of `latex` around each occurrence of the longest word of `run`; reading all would be slow."""
    plain = latex.casefold()
    sought = [word for word in run if word.isascii()]
    if not sought or any(word not in plain for word in sought):
        return [] if sought else [words_of(latex).words]
    found = [one.start() for one in re.finditer(re.escape(max(sought, key=len)), plain)]
    if len(found) > _PLACES:
        return [words_of(latex).words]
    reach = 30 * (len(run) + AROUND) + 300  # characters, LaTeX's commands among them
    return [words_of(plain[max(0, place - reach) : place + reach]).words for place in found]


def _look_for_few(piece: Piece, text: _Text, taken: list[bool]) -> None:
    """Match a block of fewer than RUN words if its section has these words more often than before the draft."""
    words = piece.words.words
    if not piece.drafted or piece.home not in text.begins:
        return
    begin, end = text.begins[piece.home]
    size = len(words)
    found = [
        place
        for place in range(begin, end - size + 1)
        if text.words[place : place + size] == words and not any(taken[place : place + size])
    ]
    before = words_of(piece.base()).words
    had = sum(before[place : place + size] == words for place in range(len(before) - size + 1))
    if len(found) > had:
        piece.places = list(range(found[-1], found[-1] + size))
        taken[found[-1] : found[-1] + size] = [True] * size
