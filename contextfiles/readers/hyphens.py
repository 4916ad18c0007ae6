"""Words that were parted at the end of a line, put together where the rest of the text shows that they are one."""

import re
from bisect import bisect_left
from collections import Counter

from contextfiles.readers.layout import HYPHEN

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_PARTED = re.compile(rf"([^\W\d_]*){HYPHEN}([^\W\d_]*)([^\s{HYPHEN}]*)( ?)")
_COMPOUND = {
    "self", "well", "half", "long", "short", "high", "low", "two", "three", "four", "five", "one", "cross", "follow",
    "evidence", "meta", "double", "single", "multi", "full", "part", "open", "peer", "health", "early", "late",
    "large", "small", "year", "month", "week", "day", "quasi", "all", "ex",
}  # fmt: skip
_SHORT = 3  # letters: so short a part is often a word by chance, as in "there-fore" or "in-vestigate"
_SHARED = 7  # letters at least that a related word begins with as well: "investiga-tion", "investigators"


def mended(text: str) -> str:
    """`text` with each HYPHEN either taken out or made a hyphen. The line ends after the word instead.

    A word that stands whole elsewhere is put together; one that has its hyphen elsewhere keeps it. Without either,
    it is put together unless its parts look like words of their own.
    """
    if HYPHEN not in text:
        return text
    words = Counter(word.lower() for word in _WORD.findall(_PARTED.sub(" ", text)))
    known = sorted(words)

    def put_together(match: re.Match[str]) -> str:
        first, second, rest, space = match.groups()
        hyphen = "" if first and second and _is_one(first, second, words, known) else "-"
        return f"{first}{hyphen}{second}{rest}" + ("\n" if space else "")

    return _PARTED.sub(put_together, text)


def _is_one(first: str, second: str, words: Counter[str], known: list[str]) -> bool:
    joined, hyphened = (first + second).lower(), f"{first}-{second}".lower()
    if words[joined] or words[hyphened]:
        return words[joined] >= words[hyphened]
    if not second[0].islower() or first.lower() in _COMPOUND:
        return False
    if _has_kin(joined[: max(len(first) + 1, _SHARED)], known):
        return True
    return not any(len(part) > _SHORT and words[part.lower()] for part in (first, second))


def _has_kin(beginning: str, known: list[str]) -> bool:
    at = bisect_left(known, beginning)
    return at < len(known) and known[at].startswith(beginning)
