"""Text divided into the passages that can be cited: "S1", "S2" ... with exact character offsets.

A reader finds paragraphs and headings; this module groups them. It does not import Django: the readers of untrusted
formats run in a separate process (contextfiles.read_text).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from text.reference_lists import Leads, is_list, is_list_heading
from text.sentences import beginnings
from untrusted.decoding import decode
from untrusted.errors import Unreadable as Unreadable

GROUPED = 1_200  # characters: short paragraphs are combined up to this length
LONGEST = 2_000  # characters: a longer paragraph is split between two sentences
LONGEST_SENTENCE = 4_000  # characters: anything longer is not a sentence, and is split between two words
_AT_ONCE = 40_000  # characters of a paragraph that are split into sentences at a time
MAX_CHARACTERS = 5_000_000
MAX_SEGMENTS = 50_000
MAX_HEADING = 200  # characters: a longer "heading" is really a paragraph

# Line ends of every kind become \n; other control characters are removed.
_PLAIN: dict[int, str | None] = dict.fromkeys([*range(0x20), 0x7F, *range(0x80, 0xA0), 0xFEFF, 0xFFFE, 0xFFFF])
_PLAIN.update(dict.fromkeys([0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029], "\n") | {0x09: "\t"})
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A passage: `text[start:end]` of its reading. Pages are counted from 1; None where there are none.

    A lead names something to look up and states nothing itself: an entry of a list of references, a heading, the names
    of columns (docs/decisions/leads.md). No finding may rest on it.
    """

    id: str
    heading: str
    page: int | None
    start: int
    end: int
    is_lead: bool = False


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole text of a file and its passages, in order."""

    text: str
    segments: list[Segment]


class Paragraph(NamedTuple):
    """The range of a paragraph in the text. For a heading, `heading` is its text."""

    start: int
    end: int
    heading: str = ""
    page: int | None = None
    is_lead: bool = False


class Part(NamedTuple):
    """A paragraph found by a reader, before its place in the whole text is known."""

    text: str
    is_heading: bool = False
    page: int | None = None
    is_lead: bool = False


class Chunk(NamedTuple):
    """A passage made by a reader of rows, slides or entries. `heading` says where it is from and is not in the text."""

    text: str
    heading: str = ""
    page: int | None = None
    is_lead: bool = False


def clean_text(text: str) -> str:
    """Return `text` with line ends as \\n, and without control characters and lone surrogates."""
    if text.isprintable():  # most table cells: nothing to change
        return text
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").translate(_PLAIN))


def decoded(data: bytes, declared: str = "") -> str:
    """Return the text of `data`, decoded by untrusted.decoding, with line ends as \\n.

    Raises Unreadable for bytes that are not text, or for too long a text.
    """
    text = clean_text(decode(data, declared).text)
    refuse_if_too_long(len(text))
    return text


def reading_of_parts(parts: Iterable[Part]) -> Reading:
    """Return the text and passages of a document made of `parts`. Raises Unreadable when it is too long."""
    chunks: list[str] = []
    paragraphs: list[Paragraph] = []
    length = 0
    for part in parts:
        text = clean_text(part.text).strip()
        if not text:
            continue
        gap = "\n\n" if chunks else ""
        start = length + len(gap)
        length = start + len(text)
        refuse_if_too_long(length)
        chunks += [gap, text]
        heading = " ".join(text.split()) if part.is_heading else ""
        heading = heading if len(heading) <= MAX_HEADING else ""
        paragraphs.append(Paragraph(start, length, heading, part.page, part.is_lead))
    return reading_of_paragraphs("".join(chunks), paragraphs)


def reading_of_chunks(chunks: Iterable[Chunk]) -> Reading:
    """Return the text and passages of a document whose reader makes the passages; those above LONGEST are split.

    Raises Unreadable above MAX_SEGMENTS. The reader checks the length of the text itself.
    """
    texts: list[str] = []
    segments: list[Segment] = []
    length = 0
    for chunk in chunks:
        text = clean_text(chunk.text).strip()
        if not text:
            continue
        heading = shortened_heading(chunk.heading)
        is_list_of_works = chunk.is_lead or is_list_heading(chunk.heading) or is_list(text)
        for start, end, is_cut in pieces_of(text, 0, len(text)):
            id, is_lead = f"S{len(segments) + 1}", is_list_of_works or is_cut
            segments.append(Segment(id, heading, chunk.page, length + start, length + end, is_lead))
        refuse_if_too_many(len(segments))
        texts.append(text)
        length += len(text) + 2
    return Reading("\n\n".join(texts), segments)


def shortened_heading(heading: str) -> str:
    """Return `heading` as one line of at most MAX_HEADING characters."""
    words = " ".join(clean_text(heading).split())
    return words if len(words) <= MAX_HEADING else f"{words[: MAX_HEADING - 1].rstrip()}…"


def reading_of_paragraphs(text: str, paragraphs: Iterable[Paragraph]) -> Reading:
    """Return `text` with its passages.

    Consecutive paragraphs are combined up to about GROUPED characters, but never across a heading or a page, and leads
    only with leads. A heading is not a passage but the `heading` of the passages below it; without any, it is a lead.
    So every character that is not white space is in exactly one passage, or in the heading of one. Raises Unreadable
    above MAX_SEGMENTS.
    """
    segments: list[Segment] = []
    for heading, group in _groups(_split_at_leads(text, paragraphs)):
        for start, end, is_cut in pieces_of(text, group[0].start, group[-1].end):
            is_lead = bool(group[0].heading) or group[0].is_lead or is_cut
            segments.append(Segment(f"S{len(segments) + 1}", heading, group[0].page, start, end, is_lead))
            refuse_if_too_many(len(segments))
    return Reading(text, segments)


def _split_at_leads(text: str, paragraphs: Iterable[Paragraph]) -> Iterator[Paragraph]:
    """Yield `paragraphs`; one that contains leads among other text is split where the leads begin and end."""
    leads = Leads()
    for paragraph in paragraphs:
        if paragraph.heading:
            leads.heading(paragraph.heading)
        if paragraph.is_lead:
            leads.note(text[paragraph.start : paragraph.end])
        if paragraph.heading or paragraph.is_lead:
            yield paragraph
            continue
        for start, end, is_lead in leads.of(text[paragraph.start : paragraph.end]):
            yield Paragraph(paragraph.start + start, paragraph.start + end, "", paragraph.page, is_lead)


def refuse_if_too_many(segments: int) -> None:
    """Raise Unreadable above MAX_SEGMENTS."""
    if segments > MAX_SEGMENTS:
        raise Unreadable(
            f"This file has more than {MAX_SEGMENTS:,} separate passages. Split it and upload the parts you need."
        )


def refuse_if_too_long(characters: int) -> None:
    """Raise Unreadable above MAX_CHARACTERS."""
    if characters > MAX_CHARACTERS:
        raise too_long()


def too_long() -> Unreadable:
    """Return the error for a file above MAX_CHARACTERS."""
    return Unreadable(
        f"This file has more than {MAX_CHARACTERS // 1_000_000} million characters of text. "
        "Split it and upload the parts you need."
    )


def _groups(paragraphs: Iterable[Paragraph]) -> Iterator[tuple[str, list[Paragraph]]]:
    heading = ""
    held: list[Paragraph] = []  # the current group, or a heading without text below it so far
    for paragraph in paragraphs:
        if held and held[0].heading and not paragraph.heading:
            held = []  # there is text below the heading
        is_like = held and (paragraph.page, paragraph.is_lead) == (held[0].page, held[0].is_lead)
        if held and (paragraph.heading or not is_like or paragraph.end - held[0].start > GROUPED):
            yield heading, held
            held = []
        heading = paragraph.heading or heading
        held.append(paragraph)
    if held:
        yield heading, held


def pieces_of(
    text: str, start: int, end: int, longest: int = LONGEST, wanted: int = GROUPED
) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is_cut) of the pieces of `text[start:end]`: whole sentences of about `wanted` characters.

    A text of at most `longest` characters stays one piece, and a sentence of at most LONGEST_SENTENCE is never split.
    A longer one is split between two words: `is_cut` is True for such pieces, which begin or end within a sentence.
    """
    if end - start <= longest:
        yield start, end, False
        return
    first: int | None = None
    last = start
    for begin, stop in _sentences(text, start, end):
        if first is not None and stop - first > wanted:
            yield first, last, False
            first = None
        if stop - begin > LONGEST_SENTENCE:
            yield from ((*piece, True) for piece in _cut_anywhere(text, begin, stop, longest))
        else:
            first = begin if first is None else first
            last = stop
    if first is not None:
        yield first, last, False


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each sentence of `text[start:end]`, without the white space around it."""
    while start < end:
        stop = min(end, start + _AT_ONCE)
        places = [start + at for at in beginnings(text[start:stop])] or [start]
        places.append(stop)
        if stop < end and len(places) > 2:
            places.pop()  # the last sentence may continue beyond this window
        for begin, following in pairwise(places):
            yield begin, begin + len(text[begin:following].rstrip())
        start = places[-1]
        while start < end and text[start].isspace():
            start += 1


def _cut_anywhere(text: str, start: int, end: int, longest: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of `text[start:end]` split between words, or anywhere if it has no spaces."""
    while end - start > longest:
        at = next((at for at in range(start + longest, start + 1, -1) if text[at - 1].isspace()), start + longest)
        stop = at
        while text[stop - 1].isspace():
            stop -= 1
        yield start, stop
        start = at
        while text[start].isspace():
            start += 1
    yield start, end
