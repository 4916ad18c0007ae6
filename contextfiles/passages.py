"""Text cut into the passages that can be cited: "S1", "S2" ... with exact character offsets.

A reader finds paragraphs and headings; this module groups them. No Django here: the readers of untrusted
formats run in a process of their own (contextfiles.read).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from projects.unreadable import Unreadable as Unreadable

GROUPED = 1_200  # characters: short paragraphs are read together up to here
LONGEST = 2_000  # characters: a longer paragraph is cut
MAX_CHARACTERS = 5_000_000
MAX_SEGMENTS = 50_000
MAX_HEADING = 200  # characters: a longer "heading" is a paragraph in a heading's clothes

_SENTENCE_END = re.compile(r"[.!?…。][\"'”’)\]]*(?=\s)")

# Line ends of every kind become \n; other control characters mean nothing in a passage.
_PLAIN: dict[int, str | None] = dict.fromkeys([*range(0x20), 0x7F, *range(0x80, 0xA0), 0xFEFF, 0xFFFE, 0xFFFF])
_PLAIN.update(dict.fromkeys([0x0A, 0x0B, 0x0C, 0x0D, 0x85, 0x2028, 0x2029], "\n") | {0x09: "\t"})
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Segment:
    """A citable passage: `text[start:end]` of its reading. Pages count from 1; None where there are none."""

    id: str
    heading: str
    page: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Reading:
    """The whole text of a file and its passages, in order."""

    text: str
    segments: list[Segment]


class Paragraph(NamedTuple):
    """Where a paragraph stands in the text. `heading` holds its words when it is one."""

    start: int
    end: int
    heading: str = ""
    page: int | None = None


class Part(NamedTuple):
    """A paragraph as a reader of a format finds it. A `row` follows the row before it without a blank line."""

    text: str
    is_heading: bool = False
    page: int | None = None
    is_row: bool = False


class Chunk(NamedTuple):
    """A passage as a reader of rows, slides or entries makes it. `heading` says where it stands: no part of the text."""

    text: str
    heading: str = ""
    page: int | None = None


def plain(text: str) -> str:
    """`text` with line ends as \\n and without control characters and lone surrogates."""
    if text.isprintable():  # most table cells: nothing to change
        return text
    return _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").translate(_PLAIN))


def joined(parts: Iterable[Part]) -> Reading:
    """The reading of a document found part by part. Raises Unreadable when it is too long."""
    chunks: list[str] = []
    paragraphs: list[Paragraph] = []
    length, after_row = 0, False
    for part in parts:
        text = plain(part.text).strip()
        if not text:
            continue
        gap = "" if not chunks else "\n" if part.is_row and after_row else "\n\n"
        start = length + len(gap)
        length = start + len(text)
        refuse_if_too_long(length)
        chunks += [gap, text]
        heading = " ".join(text.split()) if part.is_heading else ""
        paragraphs.append(Paragraph(start, length, heading if len(heading) <= MAX_HEADING else "", part.page))
        after_row = part.is_row
    return cut("".join(chunks), paragraphs)


def titled(chunks: Iterable[Chunk]) -> Reading:
    """The reading of a document whose reader makes the passages itself; one longer than LONGEST is cut.

    Raises Unreadable above MAX_SEGMENTS. Of the length, the reader takes care.
    """
    texts: list[str] = []
    segments: list[Segment] = []
    length = 0
    for chunk in chunks:
        text = plain(chunk.text).strip()
        if not text:
            continue
        heading = shortened_heading(chunk.heading)
        for start, end in _pieces(text, 0, len(text)):
            segments.append(Segment(f"S{len(segments) + 1}", heading, chunk.page, length + start, length + end))
        refuse_if_too_many(len(segments))
        texts.append(text)
        length += len(text) + 2
    return Reading("\n\n".join(texts), segments)


def shortened_heading(heading: str) -> str:
    """`heading` on one line of at most MAX_HEADING characters."""
    words = " ".join(plain(heading).split())
    return words if len(words) <= MAX_HEADING else f"{words[: MAX_HEADING - 1].rstrip()}…"


def cut(text: str, paragraphs: Iterable[Paragraph]) -> Reading:
    """`text` with its passages.

    Consecutive paragraphs are grouped up to about GROUPED characters, never across a heading or a page. A
    heading is no passage: it is the `heading` of those below it, unless nothing stands below it. So every
    character that is not white space is in exactly one passage, or in the heading line of one.
    Raises Unreadable above MAX_SEGMENTS.
    """
    segments: list[Segment] = []
    for heading, group in _groups(paragraphs):
        for start, end in _pieces(text, group[0].start, group[-1].end):
            segments.append(Segment(f"S{len(segments) + 1}", heading, group[0].page, start, end))
            refuse_if_too_many(len(segments))
    return Reading(text, segments)


def refuse_if_too_many(segments: int) -> None:
    """Raises Unreadable above MAX_SEGMENTS."""
    if segments > MAX_SEGMENTS:
        raise Unreadable(
            f"This file falls into more than {MAX_SEGMENTS:,} separate passages. "
            "Split it and upload the parts you need."
        )


def refuse_if_too_long(characters: int) -> None:
    """Raises Unreadable above MAX_CHARACTERS."""
    if characters > MAX_CHARACTERS:
        raise too_long()


def too_long() -> Unreadable:
    """What is said of a file above MAX_CHARACTERS."""
    return Unreadable(
        f"This file holds more than {MAX_CHARACTERS // 1_000_000} million characters of text. "
        "Split it and upload the parts you need."
    )


def _groups(paragraphs: Iterable[Paragraph]) -> Iterator[tuple[str, list[Paragraph]]]:
    heading = ""
    bare: list[Paragraph] = []  # a heading that nothing stands below yet
    group: list[Paragraph] = []
    for paragraph in paragraphs:
        if paragraph.heading:
            if group or bare:
                yield heading, group or bare
            heading, group, bare = paragraph.heading, [], [paragraph]
            continue
        if group and (paragraph.page != group[0].page or paragraph.end - group[0].start > GROUPED):
            yield heading, group
            group = []
        group.append(paragraph)
        bare = []
    if group or bare:
        yield heading, group or bare


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    while end - start > LONGEST:
        at = _break(text, start)
        stop = at
        while text[stop - 1].isspace():
            stop -= 1
        yield start, stop
        start = at
        while text[start].isspace():
            start += 1
    yield start, end


def _break(text: str, start: int) -> int:
    """Where a long paragraph is cut: after a sentence, else between words, else anywhere."""
    ends = [match.end() for match in _SENTENCE_END.finditer(text, start, start + LONGEST)]
    if ends:
        return max((end for end in ends if end - start <= GROUPED), default=ends[0])
    for at in range(start + LONGEST, start + 1, -1):
        if text[at - 1].isspace():
            return at
    return start + LONGEST
