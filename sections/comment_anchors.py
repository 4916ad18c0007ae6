"""Finding the place of a comment in a text that has changed since (SPEC T2).

A place is stored as its quote, up to a hundred characters on either side, and its first character. It is found again by
the first of these rules that succeeds:

1. The unchanged quote with as much of the text around it as is still there: both sides in full, then the side after or
   before it in full, then twenty characters of them, then the quote alone. If it occurs more than once, the one nearest
   to the old beginning is meant.
2. The text between the old surroundings, if both are there and it is similar to the quote (rapidfuzz ratio of 50 of
   100): the quote itself was edited.
3. The text most similar to the quote within 20,000 characters of the old beginning, if three quarters of it agree
   (rapidfuzz partial ratio of 75 of 100).

Each rule reads the text a fixed number of times, so the time is linear in its length.
"""

from typing import TYPE_CHECKING, NamedTuple

from rapidfuzz import fuzz

if TYPE_CHECKING:
    from sections.models import Section

AROUND = 100  # characters stored from either side of the quote
MOST_QUOTED = 2_000  # characters of a quote
_CLOSE = 20  # characters next to the quote that identify a place if the rest was edited
_NEAR = 20_000  # characters on either side of the old beginning that are searched for similar text
_TELLING = 8  # characters that a quote or side needs for a meaningful similarity
_EDITED, _LIKE = 50.0, 75.0  # similarity, of 100
_COMPARED = 300  # characters of a quote that are compared


class Anchor(NamedTuple):
    """A place in a text: the `quote`, the text `before` and `after` it, and the offset of its first character."""

    quote: str
    before: str = ""
    after: str = ""
    start: int = 0


def anchor_at(text: str, start: int, end: int) -> Anchor:
    """Return the anchor of `text[start:end]`. A quote is cut to 2,000 characters."""
    start = max(0, min(start, len(text)))
    end = max(start, min(end, start + MOST_QUOTED, len(text)))
    return Anchor(text[start:end], text[max(0, start - AROUND) : start], text[end : end + AROUND], start)


def anchor_of_shown_words(section: "Section", shown: Anchor, end: int, version: int) -> Anchor:
    """Return the anchor in the LaTeX of `section` of words on a page that shows its text as `version`, set.

    `shown` has the words as the page shows them, and where the first begins in the source; the last ends at `end`. In
    a newer text the words are searched; when they are gone, the anchor keeps them.
    """
    if version == section.version and shown.start < end <= len(section.latex):
        anchor = anchor_at(section.latex, shown.start, end)
        if fuzz.partial_ratio(anchor.quote[:_COMPARED], shown.quote[:_COMPARED]) >= _EDITED:
            return anchor
    place = find_place(section.latex, shown)
    return anchor_at(section.latex, *place) if place else shown


def find_place(text: str, anchor: Anchor) -> tuple[int, int] | None:
    """Return start and end of the place of `anchor` in `text`, or None if it is gone.

    Offsets are code points. If the lines of the text end in CRLF, the quote is searched with such endings. Linear in
    the length of `text`.
    """
    if not anchor.quote:
        return None
    begin = anchor.start - len(anchor.before)
    if begin >= 0 and text.startswith(anchor.before + anchor.quote + anchor.after, begin):
        return anchor.start, anchor.start + len(anchor.quote)  # where it was: most are, and nothing is searched
    if "\r\n" in text and "\r" not in anchor.quote + anchor.before + anchor.after:
        quote, before, after = (part.replace("\n", "\r\n") for part in anchor[:3])
        anchor = Anchor(quote, before, after, anchor.start)
    return _unchanged(text, anchor) or _edited(text, anchor) or _like(text, anchor)


def _unchanged(text: str, anchor: Anchor) -> tuple[int, int] | None:
    quote, start = anchor.quote, anchor.start
    # The text on either side, from all of it down to nothing
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
    """Return the offset of the occurrence of `words` in `text` nearest to `start`, or None."""
    start = max(0, start)
    behind = text.find(words, start)
    if behind == start:
        return start
    ahead = text.rfind(words, 0, start + len(words) - 1)
    return min((place for place in (ahead, behind) if place >= 0), key=lambda place: abs(place - start), default=None)


def _edited(text: str, anchor: Anchor) -> tuple[int, int] | None:
    """Return start and end of the text between the old surroundings, for a quote that was edited itself."""
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
    # rapidfuzz slides the shorter text along the longer one, so the searched text must be the longer one
    if len(anchor.quote.strip()) < _TELLING or len(near) < len(anchor.quote):
        return None
    part = anchor.quote[:_COMPARED]  # comparing takes time by the length of both
    best = fuzz.partial_ratio_alignment(part, near, score_cutoff=_LIKE)
    if best is None or best.dest_end <= best.dest_start:
        return None
    start = first + best.dest_start
    return start, min(first + best.dest_end + len(anchor.quote) - len(part), len(text))
