"""Comparing quoted words with a stored text, character by character, in code (SPEC R11).

Differences in notation are ignored: white space, quotation marks, dashes, soft hyphens and Markdown syntax; an ellipsis
or a bracketed insertion stands for left-out words. Every other difference counts.
"""

import re
from functools import lru_cache
from typing import NamedTuple

_MARKS = (("“", "”"), ("„", "“"), ("„", "”"), ("«", "»"), ("»", "«"), ("‹", "›"), ("「", "」"), ("『", "』"))
_QUOTED = re.compile(
    "|".join(f"{opens}([^{opens}{closes}]+){closes}" for opens, closes in _MARKS)
    # Single quotation marks only around four words or more: shorter ones are mostly names or scare quotes.
    + r"""|(?<!\w)‘(?=(?:[^‘’\s]+(?:’\w[^‘’\s]*)?\s+){3})([^‘’]+(?:’(?=\w)[^‘’]+)*)’(?!\w)"""
    + r"""|(?<!\w)"(?=\S)([^"]+?)(?<=\S)"(?!\w)|``([^`']+)''"""
)
_GAP = re.compile(r"\s*(?:\[[^\]]*\]|\((?:\.{3}|…)\)|\.\s?\.\s?\.|…)\s*")
_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff*_`\\")
_SAME = str.maketrans(
    {
        **dict.fromkeys("“”„‟«»‹›″「」『』", '"'),
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("‐‑‒–—―−﹣－", "-"),
        "…": "...",
        **{"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl"},
    }
)
_BROKEN = re.compile(r"(?<=[^\W\d_])[-\u00ad‐‑]\s*\n\s*(?=[^\W\d_])")  # a word hyphenated at the end of a line
_EDGES = " \t\n.,;:!?-"


class Span(NamedTuple):
    """The part of a text from `start` to `end`, in characters."""

    start: int
    end: int


class Plain(NamedTuple):
    """A text in normal form; `places[i]` is the position of its i-th character in the original text."""

    text: str
    places: tuple[int, ...]


def quotations_in(text: str) -> list[str]:
    """Return the words that `text` puts in quotation marks, in order; marks around mere punctuation are left out."""
    found = (next(group for group in one.groups() if group is not None) for one in _QUOTED.finditer(text))
    return [words for words in found if any(char.isalnum() for char in words)]


def without_quotation_marks(text: str, words: str) -> str:
    """Return `text` without the quotation marks around `words`, which `quotations_in` returned."""
    for one in _QUOTED.finditer(text):
        if words in one.groups():
            return text[: one.start()] + words + text[one.end() :]
    return text


def find_quotation(words: str, text: str) -> Span | None:
    """Return where `text` contains the quoted `words`, from the first of their parts to the last; None if it does not.

    The first letter may differ in case, and a final punctuation mark may be added.
    """
    for rejoined in (False, True):
        parts = [_plain(part, rejoined).text.strip(_EDGES) for part in _GAP.split(words)]
        parts = [part for part in parts if any(char.isalnum() for char in part)]
        if found := _in_order(parts, _plain(text, rejoined)):
            return found
    return None


def _in_order(parts: list[str], plain: Plain) -> Span | None:
    first, cursor = -1, 0
    for part in parts:
        at = _at(part, plain.text, cursor)
        if at < 0 and first < 0:
            at = _at(part[:1].swapcase() + part[1:], plain.text, cursor)
        if at < 0:
            return None
        first = at if first < 0 else first
        cursor = at + len(part)
    return Span(plain.places[first], plain.places[cursor - 1] + 1) if first >= 0 else None


def _at(part: str, text: str, cursor: int) -> int:
    """Return where `part` occurs in `text` as whole words and whole numbers, from `cursor` on; -1 if nowhere."""
    at = text.find(part, cursor)
    while at >= 0:
        before, after = text[:at][-2:], text[at + len(part) :][:2]
        cut = part[0].isalnum() and (before[-1:].isalnum() or _is_number(part[0], before, (1, 0)))
        cut = cut or (part[-1].isalnum() and (after[:1].isalnum() or _is_number(part[-1], after, (0, 1))))
        if not cut:
            return at
        at = text.find(part, at + 1)
    return -1


def _is_number(edge: str, beside: str, order: tuple[int, int]) -> bool:
    """Return whether the digit at an edge belongs to a longer number: the 3 of 3.5, the 1 of 1,500."""
    if not edge.isdigit() or len(beside) < 2:
        return False
    sign, digit = beside[order[0]], beside[order[1]]
    return sign in ".," and digit.isdigit()


@lru_cache(maxsize=512)
def _plain(text: str, rejoined: bool) -> Plain:
    """Return `text` in normal form; with `rejoined`, words hyphenated at the end of a line are joined."""
    skipped = {at for cut in _BROKEN.finditer(text) for at in range(cut.start(), cut.end())} if rejoined else set()
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if place in skipped or char in _UNSEEN:
            continue
        if char.isspace():
            # No space at the beginning, after a space or next to a dash: "five - ten" equals "five–ten".
            if chars and chars[-1] not in " -":
                chars.append(" ")
                places.append(place)
            continue
        for written in char.translate(_SAME):
            if written == "-" and chars and chars[-1] == " ":
                chars.pop()
                places.pop()
            chars.append(written)
            places.append(place)
    return Plain("".join(chars), tuple(places))
