"""Where a comment's place is in a text that has changed since (SPEC T2).

A place is remembered as its quote, up to a hundred characters on either side, and where it began. It is found again by
the first of these rules that finds something:

1. The quote, unchanged, with as much of its surroundings as still stands there: both sides whole, then the side behind
   or before it whole, then twenty characters of them, then the quote alone. Where that stands more than once, the one
   nearest to the old beginning is meant.
2. What stands between the old surroundings, if both are there and it is more like the quote than not (rapidfuzz ratio
   of 50 of 100): the quote itself was edited.
3. What is most like the quote within 20,000 characters of the old beginning, if three quarters of it agree
   (rapidfuzz partial ratio of 75 of 100).

Each rule reads the text a fixed number of times, so the time grows with its length and no faster.
"""

from typing import NamedTuple

from rapidfuzz import fuzz

AROUND = 100  # characters kept of what stands on either side
MOST_QUOTED = 2_000  # characters of a quote
_CLOSE = 20  # characters of the surroundings that tell one place from another when the rest was edited
_NEAR = 20_000  # characters on either side of the old beginning where something like the quote is looked for
_TELLING = 8  # characters that a quote or side needs before likeness means anything
_EDITED, _LIKE = 50.0, 75.0  # of 100


class Anchor(NamedTuple):
    """A place as it was: `quote` with what stood `before` and `after` it, and its first character's number."""

    quote: str
    before: str = ""
    after: str = ""
    start: int = 0


def anchor_at(text: str, start: int, end: int) -> Anchor:
    """Return the anchor of `text[start:end]`. Of a longer quote its first 2,000 characters are kept."""
    start = max(0, min(start, len(text)))
    end = max(start, min(end, start + MOST_QUOTED, len(text)))
    return Anchor(text[start:end], text[max(0, start - AROUND) : start], text[end : end + AROUND], start)


def find_place(text: str, anchor: Anchor) -> tuple[int, int] | None:
    """Return where the place of `anchor` is in `text`, as the characters from start to end; None when it is not there.

    Offsets are code points. A text whose lines end in CRLF is searched for the quote with such endings too. Linear in
    the length of `text`.
    """
    if not anchor.quote:
        return None
    if "\r\n" in text and "\r" not in anchor.quote + anchor.before + anchor.after:
        quote, before, after = (part.replace("\n", "\r\n") for part in anchor[:3])
        anchor = Anchor(quote, before, after, anchor.start)
    return _unchanged(text, anchor) or _edited(text, anchor) or _like(text, anchor)


def _unchanged(text: str, anchor: Anchor) -> tuple[int, int] | None:
    quote, start = anchor.quote, anchor.start
    # What stood on either side, from all of it down to nothing
    close_before, close_after = anchor.before[-_CLOSE:], anchor.after[:_CLOSE]
    for before, after in (
        (anchor.before, anchor.after),
        ("", anchor.after),
        (anchor.before, ""),
        (close_before, close_after),
        ("", close_after),
        (close_before, ""),
        ("", ""),
    ):
        found = _nearest(text, before + quote + after, start - len(before))
        if found is not None:
            return found + len(before), found + len(before) + len(quote)
    return None


def _nearest(text: str, words: str, start: int) -> int | None:
    """Return where `words` stand in `text` nearest to `start`."""
    start = max(0, start)
    behind = text.find(words, start)
    if behind == start:
        return start
    ahead = text.rfind(words, 0, start + len(words) - 1)
    return min((place for place in (ahead, behind) if place >= 0), key=lambda place: abs(place - start), default=None)


def _edited(text: str, anchor: Anchor) -> tuple[int, int] | None:
    """Return what stands between the old surroundings, where the quote itself was edited."""
    before, after = anchor.before[-_CLOSE:], anchor.after[:_CLOSE]
    if min(len(before.strip()), len(after.strip()), len(anchor.quote.strip())) < _TELLING:
        return None
    found = _nearest(text, before, anchor.start - len(before))
    if found is None:
        return None
    start = found + len(before)
    end = text.find(after, start, start + 2 * len(anchor.quote) + 10 * _CLOSE)
    if end <= start or fuzz.ratio(anchor.quote, text[start:end]) < _EDITED:
        return None
    return start, end


def _like(text: str, anchor: Anchor) -> tuple[int, int] | None:
    first = max(0, anchor.start - _NEAR)
    near = text[first : anchor.start + len(anchor.quote) + _NEAR]
    # The shorter of two is slid along the longer: a cut text has no place for it
    if len(anchor.quote.strip()) < _TELLING or len(near) < len(anchor.quote):
        return None
    best = fuzz.partial_ratio_alignment(anchor.quote, near, score_cutoff=_LIKE)
    if best is None or best.dest_end <= best.dest_start:
        return None
    return first + best.dest_start, first + best.dest_end
