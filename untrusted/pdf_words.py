"""The words of a PDF with their boxes on its pages, read in a process with limits (SPEC R18).

Usage: `python -I pdf_words.py FIRST LAST SECONDS`, with the PDF on standard input. It writes JSON: the sizes of all
pages, and for each page from FIRST to LAST its width and height, and its lines, each a list of words [text, left, top,
right, bottom]; in tenths of a point from the upper left corner of the page as it is shown. A PDF may contain anything,
since figures come from anywhere.
"""

import ctypes
import json
import re
import resource
import subprocess
import sys
import unicodedata
from contextlib import suppress
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

_BYTES = 1 << 30  # of address space
SECONDS = 20  # of processor time that a job has for all pages
_MOST_PAGES = 10_000  # whose sizes are read
_A4 = [5950, 8420]  # the size of a page that cannot be read
_MOST_WORDS = 20_000  # of a page; a page of a thesis has 500
_LARGEST = 40 << 20  # bytes of the answer
_HYPHENS = {0x0002: "\u00ad", 0xFFFE: "\u00ad"}  # at the end of a line, as PDFium marks it
_WORD_OR_BREAK = re.compile("[\r\n]|[^\\s\x00-\x1f\u00ad]+\u00ad*|\u00ad+")


class PrintedWord(NamedTuple):
    """A word on a page and its box, in tenths of a point from the upper left corner."""

    text: str
    left: int
    top: int
    right: int
    bottom: int


class PrintedPage(NamedTuple):
    """A page as it is shown: its size in tenths of a point, and its lines of words in the order of the file."""

    width: int
    height: int
    lines: list[list[PrintedWord]]


class OpenedPdf(NamedTuple):
    """A PDF that can be read: the sizes of all its pages, and the pages that were asked for."""

    sizes: list[tuple[int, int]]
    pages: list[PrintedPage]


def words_of_pages(pdf: bytes, first: int = 1, last: int = 0, *, seconds: int = SECONDS) -> list[PrintedPage] | None:
    """Return the pages `first` to `last` (from 1; 0 is the last one) of `pdf`, or None if it cannot be read.

    None also if that takes more than `seconds` of processor time.
    """
    opened = open_pdf(pdf, first, last, seconds=seconds)
    return opened.pages if opened else None


def open_pdf(pdf: bytes, first: int = 1, last: int = 0, *, seconds: int = SECONDS) -> OpenedPdf | None:
    """Return `pdf` with the words of the pages `first` to `last`, as `words_of_pages`; None if it cannot be read."""
    from untrusted.process_environment import child_environment  # the reading process cannot import it

    try:
        read = subprocess.run(
            [sys.executable, "-I", str(Path(__file__).resolve()), str(first), str(last), str(seconds)],
            input=pdf,
            capture_output=True,
            timeout=2 * seconds,
            env=child_environment(),
            check=False,
        )
        if read.returncode != 0 or len(read.stdout) > _LARGEST:
            return None
        sizes, pages = json.loads(read.stdout)
        return OpenedPdf(
            [(width, height) for width, height in sizes],
            [PrintedPage(width, height, lines_from_json(lines)) for width, height, lines in pages],
        )
    except (OSError, ValueError, TypeError, subprocess.TimeoutExpired):
        return None


def lines_from_json(lines: Any) -> list[list[PrintedWord]]:
    """Return the lines of a page from their JSON. Raises TypeError for other JSON."""
    return [[PrintedWord(*word) for word in line] for line in lines]


def main() -> None:
    """Read the words of the PDF on standard input."""
    import pypdfium2

    first, last, seconds = map(int, sys.argv[1:])
    for limit, most in (
        (resource.RLIMIT_AS, _BYTES),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):
            resource.setrlimit(limit, (most, most))
    document = pypdfium2.PdfDocument(sys.stdin.buffer.read())
    made = [_page(document, number) for number in range(first - 1, min(last or len(document), len(document)))]
    sizes = [_size(document, number) for number in range(min(len(document), _MOST_PAGES))]
    sys.stdout.write(json.dumps([sizes, made], separators=(",", ":")))


def _size(document: Any, number: int) -> list[int]:
    import pypdfium2

    try:
        width, height = document.get_page_size(number)
    except pypdfium2.PdfiumError:
        return _A4
    return [max(round(width * 10), 1), max(round(height * 10), 1)]


def _page(document: Any, number: int) -> list[Any]:
    """Return a page; one that cannot be read has no words."""
    import pypdfium2

    try:
        page = document[number]
        width, height = (max(round(side * 10), 1) for side in page.get_size())
        text = page.get_textpage()
    except pypdfium2.PdfiumError:
        return [*_A4, []]
    lines = _lines(page.raw, text.raw, width, height)
    text.close()
    page.close()
    return [width, height, lines]


def _lines(page: Any, text: Any, width: int, height: int) -> list[list[Any]]:
    """Return the lines of a page. A hyphen that divides a word stays at the end of its line as a soft hyphen."""
    axes = _axes(page, width, height)
    letters = _letters(text)
    lines: list[list[Any]] = [[]]
    for number, found in enumerate(_WORD_OR_BREAK.finditer(letters)):
        word = unicodedata.normalize("NFKC", found[0])
        if word not in "\r\n" and (box := _box(text, {found.start(), found.end() - 1}, axes)):
            left, right = (min(max(place, 0), width) for place in box[:2])
            top, bottom = (min(max(place, 0), height) for place in box[2:])
            lines[-1].append([word, left, top, right, bottom])
        if word in "\r\n" or word.endswith("\u00ad"):  # PDFium joins the two halves of a divided word
            lines.append([])
        if number > _MOST_WORDS:
            break
    return [line for line in lines if line]


def _box(text: Any, letters: set[int], axes: tuple[float, ...]) -> tuple[int, ...]:
    """Return left, right, top and bottom of the first and the last letter of a word; empty if it has no place."""
    from pypdfium2 import raw

    box = raw.FS_RECTF()
    across, down = [], []
    for index in letters:
        if raw.FPDFText_GetLooseCharBox(text, index, ctypes.byref(box)):
            for x, y in ((box.left, box.top), (box.right, box.bottom)):
                across.append(axes[0] + x * axes[1] + y * axes[2])
                down.append(axes[3] + x * axes[4] + y * axes[5])
    if not across or not all(map(isfinite, (*across, *down))):
        return ()
    return tuple(round(place) for place in (min(across), max(across), min(down), max(down)))


def _letters(text: Any) -> str:
    """Return the text of a page, a code point for each of its characters."""
    from pypdfium2 import raw

    count = raw.FPDFText_CountChars(text)
    units = (ctypes.c_ushort * (2 * count + 2))()
    written = raw.FPDFText_GetText(text, 0, count, units)
    letters = bytes(units)[: 2 * (written - 1)].decode("utf-16-le", "replace") if written > 0 else ""
    if len(letters) != count:  # characters that GetText leaves out
        codes = (raw.FPDFText_GetUnicode(text, index) for index in range(count))
        letters = "".join(chr(code) if 0 < code < 0xD800 or 0xDFFF < code < 0x110000 else " " for code in codes)
    return letters.translate(_HYPHENS)


def _axes(page: Any, width: int, height: int) -> tuple[float, ...]:
    """Return the affine map from the coordinates of a page to tenths of a point as it is shown, also when rotated."""
    from pypdfium2 import raw

    far = 1_000.0  # points
    x, y = ctypes.c_int(), ctypes.c_int()
    found = []
    for at in ((0.0, 0.0), (far, 0.0), (0.0, far)):
        raw.FPDF_PageToDevice(page, 0, 0, width, height, 0, *at, x, y)
        found.append((x.value, y.value))
    (x0, y0), (x1, y1), (x2, y2) = found
    return x0, (x1 - x0) / far, (x2 - x0) / far, y0, (y1 - y0) / far, (y2 - y0) / far


if __name__ == "__main__":
    main()
