"""Reader of plain text and Markdown. The text is unchanged, except that table rows repeat their column names."""

import re
from collections.abc import Iterator
from itertools import groupby

from contextfiles.passages import MAX_HEADING, Paragraph, Reading, decoded, reading_of_paragraphs
from text.table_rows import row_text

_FENCES = ("```", "~~~")
_DIVIDER = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?")
_BAR = re.compile(r"(?<!\\)\|")


def read_text(data: bytes) -> Reading:
    """Return the text and passages of plain text, whose paragraphs are separated by blank lines."""
    text = with_rows(decoded(data))
    return reading_of_paragraphs(text, (Paragraph(start, end) for start, end in _stretches(_lines(text))))


def read_markdown(data: bytes) -> Reading:
    """Return the text and passages of Markdown, with headings in both styles (# and underlined)."""
    text = with_rows(decoded(data))
    return reading_of_paragraphs(text, _markdown_paragraphs(text))


def with_rows(text: str) -> str:
    """Return `text` with its Markdown tables row by row, each value with the name of its column."""
    if "|" not in text or "-" not in text:
        return text
    lines = text.split("\n")
    told: list[str] = []
    fence = ""
    at = 0
    while at < len(lines):
        bare = lines[at].strip()
        if bare.startswith(_FENCES):
            fence = "" if fence and bare.startswith(fence) else fence or bare[:3]
        elif not fence and "|" in bare and at + 1 < len(lines) and _DIVIDER.fullmatch(lines[at + 1].strip()):
            names = _cells(bare)
            if len(names) > 1 and len(names) == len(_cells(lines[at + 1])):
                told += ["", f"| {' | '.join(names)} |", ""]
                at += 2
                while at < len(lines) and "|" in lines[at]:
                    told.append(row_text(names, _cells(lines[at])) or lines[at])
                    at += 1
                told.append("")
                continue
        told.append(lines[at])
        at += 1
    return "\n".join(told)


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|")
    bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
    return [" ".join(cell.replace("\\|", "|").split()) for cell in _BAR.split(bare)]


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each line without its surrounding white space; (n, n) for a blank line."""
    at = 0
    for line in text.split("\n"):
        bare = line.strip()
        start = at + len(line) - len(line.lstrip()) if bare else at
        yield start, start + len(bare)
        at += len(line) + 1


def _stretches(lines: Iterator[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for is_blank, group in groupby(lines, key=lambda line: line[0] == line[1]):
        if not is_blank:
            filled = list(group)
            yield filled[0][0], filled[-1][1]


def _markdown_paragraphs(text: str) -> Iterator[Paragraph]:
    body: list[tuple[int, int]] = []
    fence = "---" if text.startswith("---\n") else ""  # front matter is between rules
    for number, (start, end) in enumerate(_lines(text)):
        line = text[start:end]
        if fence:
            fence = "" if number and line.startswith(fence) else fence
        elif line.startswith(_FENCES):
            fence = line[:3]
        elif heading := _hash_heading(line):
            yield from _flush(body)
            yield Paragraph(start, end, heading)
            continue
        elif len(body) == 1 and _underlines(line) and (heading := _words(text[slice(*body[0])])):
            yield Paragraph(body.pop()[0], end, heading)
            continue
        if start == end and not fence:
            yield from _flush(body)
        elif start < end:
            body.append((start, end))
    yield from _flush(body)


def _flush(body: list[tuple[int, int]]) -> Iterator[Paragraph]:
    if body:
        yield Paragraph(body[0][0], body[-1][1])
        body.clear()


def _hash_heading(line: str) -> str:
    return _words(line.lstrip("#")) if re.match(r"#{1,6}\s", line) else ""


def _underlines(line: str) -> bool:
    return len(line) > 1 and (line == "=" * len(line) or line == "-" * len(line))


def _words(heading: str) -> str:
    """Return the text of a heading without its marks, or "" when it is too long for a heading."""
    words = re.sub(r"[*_`]{1,3}", "", heading.strip().rstrip("#")).strip() if len(heading) <= MAX_HEADING else ""
    return " ".join(words.split())
