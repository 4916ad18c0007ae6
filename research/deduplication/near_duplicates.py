"""Finding texts that are nearly the same, at a cost linear in their number (SPEC R8).

A text is the set of its shingles, five words in a row each (five characters in scripts without word breaks). The
similarity of two texts is the Jaccard index of their sets. All shingles lie on a ring by their hash; the shingles that
follow certain fixed points form a MinHash of the set: two texts agree at a point as often as they are similar (Broder
1997). Points are compared in bands (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", 3.4), and only texts
that agree in a whole band are compared in full. Among texts that agree in a band, the first one stands for all, so
adding a text costs at most a fixed number of comparisons, however many are similar.
"""

import re
import zlib
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from research.deduplication.work_keys import words_of

SAME = 0.8  # Jaccard index from which two texts are nearly the same
DUPLICATE, RELATED = 0.7, 0.3  # share of a text contained in another one from which it gets this label
LONGER_THAN = 100  # characters: shorter texts prove nothing
LONGEST = 100_000  # characters that are compared
SHINGLE = 5  # words, or characters
# A pair of similarity 0.8 is missed in 1 of 14,000 cases, one of 0.3 is compared in 1 of 18.
BANDS, ROWS = 24, 5
LONG, THIN = 1_000, 4  # words; of a long text, one shingle in THIN is used to find candidates
KEPT = 8  # texts that are remembered per point
ABSTRACT = 3_000  # characters: in texts up to this length, numbers are part of the finding

_RING = 2**64
_STARTS = tuple(point * _RING // (BANDS * ROWS) - _RING // 2 for point in range(BANDS * ROWS))
_UNPARTED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]")

# Placeholders that many works have in place of a text. Only texts as short as an abstract are checked.
_STANDING_IN = re.compile(
    r"\b(?:no|an) abstract (?:is )?(?:not )?(?:yet )?available|\bno abstract\b|\bclick to (?:increase|enlarge) image"
    r"|\b(?:article|content|document|chapter) is only available\b|\bpreview has been provided\b|\bget access\b"
    r"|\b(?:enable|turn on|requires?) (?:javascript|cookies)\b|\bjavascript (?:is|and cookies)\b|\buses? cookies\b"
    r"|\bchecking (?:your browser|if the site)|\b(?:not )?a (?:human|robot)\b|\baccess denied\b|\bcaptcha\b"
    r"|\b(?:log|sign) in to (?:read|access|view|continue)\b|\bsubscribe to (?:read|access|view|continue)\b",
    re.IGNORECASE,
)


class _Codes(dict[str, int]):
    """A number for each word, the same in every process; Python's own hash of a string is not."""

    def __missing__(self, word: str) -> int:
        self[word] = code = zlib.crc32(word.encode("utf-8", "surrogatepass"))
        return code


_CODES = _Codes()
_MOST_CODES = 300_000


class Sketch(NamedTuple):
    """The fingerprint of a text: MinHash values at some points, bands as keys, and its numbers where they count."""

    points: list[int]
    bands: tuple[int, ...]
    figures: Counter[str] | None


def similarity(one: str, other: str) -> float:
    """Return the exact Jaccard index of the shingles of two texts; 0 where one of them has none."""
    here, there = shingles(one), shingles(other)
    common = len(here & there)
    return common / (len(here) + len(there) - common) if common else 0.0


def share_in(one: str, other: str) -> float:
    """Return how much of the text `one` is contained in `other`, from 0 to 1, by its shingles."""
    here = shingles(one)
    return len(here & shingles(other)) / len(here) if here else 0.0


@lru_cache(maxsize=32)
def shingles(text: str) -> frozenset[int]:
    """Return the hashes of all runs of SHINGLE words of `text`, or of characters in scripts without word breaks."""
    return frozenset(map(hash, _runs(_codes(text))))


def _codes(text: str) -> Sequence[int]:
    """Return a number for each word of `text`, or for each character."""
    if len(_CODES) > _MOST_CODES:
        _CODES.clear()
    words = words_of(text[:LONGEST])
    if not text.isascii() and 3 * len(_UNPARTED.findall(text[:ABSTRACT])) > len(text[:ABSTRACT]):
        words = list("".join(words))
    return itemgetter(*words)(_CODES) if len(words) >= SHINGLE else ()


def _runs(codes: Sequence[int]) -> Iterator[tuple[int, ...]]:
    return zip(*(codes[start:] for start in range(SHINGLE)), strict=False)


@lru_cache(maxsize=1024)
def sketch(text: str) -> Sketch | None:
    """Return the fingerprint of `text`; None when it proves nothing because it is short or a placeholder."""
    if len(text) <= LONGER_THAN or (len(text) <= ABSTRACT and _STANDING_IN.search(text)):
        return None
    codes = _codes(text)
    if not codes:
        return None
    # For a long text, one shingle in four, chosen by its first word, is enough. A text near the limit gets bands of
    # both kinds, since it may be similar to shorter and longer ones.
    thinned = _points({hash(run) for run in _runs(codes) if not run[0] % THIN})
    bands: list[int] = []
    if len(codes) < LONG / SAME:
        bands += _bands(0, _points(shingles(text)))
    if len(codes) >= LONG and thinned:
        bands += _bands(1, thinned)
    figures = Counter(word for word in words_of(text) if word.isdecimal()) if len(text) <= ABSTRACT else None
    return Sketch(thinned[::2], tuple(bands), figures)


def _points(hashes: Collection[int]) -> list[int]:
    """Return the hash that follows each of the fixed points of the ring."""
    ring = sorted(hashes)
    return [ring[bisect_left(ring, start) % len(ring)] for start in _STARTS] if ring else []


def _bands(kind: int, points: Sequence[int]) -> Iterator[int]:
    return (hash((kind, start, *points[start : start + ROWS])) for start in range(0, len(points), ROWS))


def nearly_same(one: str, other: str) -> bool:
    """Return whether two texts are nearly the same, and, for abstracts, whether their numbers do not contradict.

    Extra text of only one of them, up to a line or so, does not matter.
    """
    here, there = sketch(one), sketch(other)
    if here is None or there is None:
        return False
    if (
        here.figures is not None
        and there.figures is not None
        and not (here.figures <= there.figures or there.figures <= here.figures)
    ):
        return False
    return similarity(one, other) >= SAME


class CandidateIndex:
    """An index that returns the texts a new text may be nearly the same as, by number."""

    def __init__(self) -> None:
        self._firsts: dict[int, int] = {}  # by band

    def add(self, number: int, text: str) -> list[int]:
        """Add the text `number`; return the numbers of possible duplicates, the earliest first.

        These are at most two for each of BANDS.
        """
        drawn = sketch(text)
        if drawn is None:
            return []
        return sorted({self._firsts.setdefault(band, number) for band in drawn.bands} - {number})


class TextsRead:
    """The texts that were read so far, to tell how much of a new text is known already."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self._having: dict[tuple[int, int], list[str]] = {}  # a point and what is there -> names of texts

    def add(self, name: str, text: str) -> str:
        """Add a text; return "duplicate of NAME" or "related to NAME" for the text that contains most of it, or ""."""
        drawn = sketch(text)
        if drawn is None or name in self._texts:
            return ""
        having = [self._having.setdefault(point, []) for point in enumerate(drawn.points)]
        nearest = Counter(known for names in having for known in names).most_common(3)
        shares = [(share_in(text, self._texts[known]), known) for known, _ in nearest]
        self._texts[name] = text
        for names in having:
            if len(names) < KEPT:
                names.append(name)
        share, known = max(shares, key=itemgetter(0), default=(0.0, ""))
        if share < RELATED:
            return ""
        return f"duplicate of {known}" if share >= DUPLICATE else f"related to {known}"
