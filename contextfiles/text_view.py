"""The part of a file's text shown on its page, with a marked passage, and possible personal data (SPEC X2)."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from contextfiles.models import ContextFile, FileText
from text.personal_data import counts_in_words

WINDOW = 60  # passages on one page, about 70,000 characters
LEAD = 5  # passages shown before the marked one
OUTLINE = 300  # headings


class Piece(NamedTuple):
    """A part of one line, marked or not. The first marked piece of a page is `first`: it has the anchor of the link."""

    text: str
    marked: bool = False
    first: bool = False


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage on the page: its `heading` where that changes, and its paragraphs, each a list of lines of pieces.

    It has no paragraphs when the passage is just its heading.
    """

    id: str
    heading: str
    page: int | None
    paragraphs: list[list[list[Piece]]]


@dataclass(frozen=True, slots=True)
class TextPage:
    """The passages of one page, `first` to `last` of `total`, counted from 1, and where the pages around it begin."""

    passages: list[ShownPassage]
    first: int
    last: int
    total: int
    before: int | None
    after: int | None


def text_page(text: FileText, at: int = 1, mark: tuple[int, int] | None = None) -> TextPage:
    """Return the page of passages that begins at number `at`, or around `mark`, the (start, end) to be marked."""
    rows: list[dict[str, Any]] = text.segments
    total = len(rows)
    if mark:
        begin = max(0, next((at for at, row in enumerate(rows) if row["end"] > mark[0]), total - 1) - LEAD)
    else:
        begin = min(max(at, 1), total) - 1
    chosen = rows[begin : begin + WINDOW]
    return TextPage(
        passages=list(_shown(text, chosen, mark or (0, 0))),
        first=begin + 1,
        last=begin + len(chosen),
        total=total,
        before=max(0, begin - WINDOW) + 1 if begin else None,
        after=begin + WINDOW + 1 if begin + WINDOW < total else None,
    )


def outline(text: FileText) -> list[tuple[int, str]]:
    """Return the headings of a file, each with the number of its first passage; at most OUTLINE."""
    headings = enumerate(pairwise(["", *(row["heading"] for row in text.segments)]), start=1)
    return [(number, heading) for number, (last, heading) in headings if heading and heading != last][:OUTLINE]


def marked_range(text: FileText, start: str, end: str) -> tuple[int, int] | None:
    """Return the range of characters to be marked, from the query of a URL; None when it is not valid for this text."""
    if not (start.isdecimal() and end.isdecimal()) or max(len(start), len(end)) > 9:
        return None
    first, last = int(start), min(int(end), len(text.text))
    return (first, last) if first < last else None


def passage_range(text: FileText, passage: str) -> tuple[int, int] | None:
    """Return the range of characters of the passage "S12"; None when this text has no such passage."""
    return next(((row["start"], row["end"]) for row in text.segments if row["id"] == passage), None)


def set_personal_data_notice(files: Collection[ContextFile]) -> None:
    """Set `holds` of each of `files` to its possible personal data: "2 e-mail addresses and 1 date of birth".

    It is "" when there are none, or the file was not read. One query, which fetches no text.
    """
    read = {file.sha256 for file in files if file.status == ContextFile.Status.READY}
    rows = FileText.objects.filter(sha256__in=read).order_by("reader_version")  # the newest version wins
    personal = {(sha256, format): counts for sha256, format, counts in rows.values_list("sha256", "format", "personal")}
    for file in files:
        file.holds = counts_in_words(personal.get((file.sha256, file.format)) or {})  # type: ignore[attr-defined]


def _shown(text: FileText, rows: list[dict[str, Any]], mark: tuple[int, int]) -> Iterator[ShownPassage]:
    heading, anchored = "", False
    for row in rows:
        paragraphs = _paragraphs(text.text[row["start"] : row["end"]], row["start"], mark)
        marked = [line for paragraph in paragraphs for line in paragraph if line[1].text]
        if marked and not anchored:
            marked[0][1] = marked[0][1]._replace(first=True)
            anchored = True
        is_bare = not marked and _is_bare(text.text[row["start"] : row["end"]], row["heading"])
        new = row["heading"] if is_bare or row["heading"] != heading else ""
        yield ShownPassage(row["id"], new, row["page"], [] if is_bare else paragraphs)
        heading = row["heading"]


def _is_bare(passage: str, heading: str) -> bool:
    """Return whether a passage is just its heading, with or without Markdown's marks."""
    return bool(heading) and len(passage) < 2 * len(heading) + 20 and passage.strip("#=-*_` \n\t") == heading


def _paragraphs(passage: str, at: int, mark: tuple[int, int]) -> list[list[list[Piece]]]:
    """Return the paragraphs of a passage at character `at` of the text: lists of lines of three pieces each."""
    paragraphs: list[list[list[Piece]]] = [[]]
    for line in passage.split("\n"):
        if line.strip():
            paragraphs[-1].append(_pieces(line, at, mark))
        elif paragraphs[-1]:
            paragraphs.append([])
        at += len(line) + 1
    return paragraphs


def _pieces(line: str, at: int, mark: tuple[int, int]) -> list[Piece]:
    """Return `line`, at character `at` of the text, split where the mark begins and ends."""
    first, last = (min(max(place - at, 0), len(line)) for place in mark)
    return [Piece(line[:first]), Piece(line[first:last], marked=True), Piece(line[last:])]
