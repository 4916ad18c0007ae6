"""Reader of PDF: text by page and column. Lines stay as printed; words hyphenated at line ends are joined again."""

import ctypes
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import median

import pypdfium2
from pypdfium2 import raw

from contextfiles.passages import Reading, Segment, Unreadable, clean_text, reading_of_parts, refuse_if_too_long
from contextfiles.readers.pdf_columns import HYPHEN, LEAST, Word, in_order, pieces_of, text_of
from contextfiles.readers.pdf_paragraphs import parts_of

MAX_LAID_OUT = 50_000  # characters: a page with more is not meant for reading, and is not sorted into columns

_NOT_OPENED = {
    raw.FPDF_ERR_PASSWORD: "This PDF is locked with a password. Save a copy without one and upload that.",
    raw.FPDF_ERR_SECURITY: "This PDF is protected in a way that only some programs can open. Save a copy without "
    "protection and upload that.",
}
_DAMAGED = "This PDF is damaged. Open it in a PDF reader, print it to a new PDF and upload that."
_HYPHENS = {0x02: HYPHEN, 0xAD: HYPHEN}  # other characters that PDFium writes for a hyphen at the end of a line
_ASKED = 9  # the longest lines, from which the direction of a page's text is found
_FROM_THE_RIGHT = ("R", "AL")  # Hebrew and Arabic
_HIGH = 1.3  # times as high as the others: such a line of PDFium may really be several lines
_PAGE_END = "\f"
_WORD = re.compile(r"\S+")
_LINE = re.compile(rf"[^\s{HYPHEN}](?:[^\r\n{HYPHEN}]*[^\s{HYPHEN}])?{HYPHEN}?")
_BY_PROGRAM = re.compile(r"^(?:Microsoft Word|Microsoft PowerPoint|PowerPoint Presentation)\b[\s–-]*", re.IGNORECASE)
_NO_TITLE = re.compile(r"^(?:doi|pii|untitled)\b|\.[a-z]\w{1,4}$", re.IGNORECASE)


def read_pdf(data: bytes) -> Reading:
    """Return the text of a PDF. Raises Unreadable for a protected, damaged or scanned PDF.

    When only some pages are scanned, the heading of the next readable passage says which.
    """
    with _opened(data) as document:
        pages = list(_pages(document))
    if not any(character.isalnum() for text, _ in pages for character in text):
        raise Unreadable(_no_text(pages))
    reading = reading_of_parts(parts_of([text for text, _ in pages]))
    scanned = [number for number, (text, is_drawn) in enumerate(pages, start=1) if is_drawn and not text.strip()]
    return Reading(reading.text, _with_scanned_notes(reading.segments, scanned))


def title_of(data: bytes) -> str:
    """Return the title in the metadata; "" when it is missing, a number, a file name or a single word."""
    with pypdfium2.PdfDocument(data) as document:
        try:
            said = document.get_metadata_value("Title")
        except UnicodeError:
            return ""
    title = _BY_PROGRAM.sub("", " ".join(clean_text(said).split()))
    is_word = title.isascii() and " " not in title
    return "" if is_word or _NO_TITLE.search(title) else title


def _opened(data: bytes) -> pypdfium2.PdfDocument:
    try:
        return pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise Unreadable(_NOT_OPENED.get(error.err_code, _DAMAGED)) from error


def _no_text(pages: list[tuple[str, bool]]) -> str:
    number = "1 page" if len(pages) == 1 else f"{len(pages):,} pages"
    if not any(is_drawn for _, is_drawn in pages):
        return f"No text was found in this PDF ({number}). It is blank."
    return (
        f"No text was found in this PDF ({number}). It looks like a scan. Make it searchable with text recognition "
        "(OCR), for example with OCRmyPDF or Adobe Acrobat, and upload it again."
    )


def _with_scanned_notes(segments: list[Segment], scanned: list[int]) -> list[Segment]:
    """Return `segments`, with headings that say which pages before them, or after the last, have no text."""
    left = list(scanned)
    told: list[Segment] = []
    for segment in segments:
        before = [number for number in left if number < (segment.page or 0)]
        left = left[len(before) :]
        told.append(replace(segment, heading=_without_text(before)) if before else segment)
    if left and told:
        said = "; ".join(filter(None, [told[-1].heading, _without_text(left)]))
        told[-1] = replace(told[-1], heading=said[:200])
    return told


def _without_text(pages: list[int]) -> str:
    if len(pages) == 1:
        return f"Page {pages[0]} holds no text: it looks like a scan"
    listed = ", ".join(map(str, pages[:10])) + (f" and {len(pages) - 10} more" if len(pages) > 10 else "")
    is_stretch = pages[-1] - pages[0] == len(pages) - 1
    return f"Pages {f'{pages[0]} to {pages[-1]}' if is_stretch else listed} hold no text: they look like scans"


def _pages(document: pypdfium2.PdfDocument) -> Iterator[tuple[str, bool]]:
    """Yield the text of each page, and whether the page is not blank."""
    length = 0
    for number in range(len(document)):
        try:
            page = document[number]
            text = _text(page)
        except pypdfium2.PdfiumError:  # the other pages are still read
            yield "", False
            continue
        length += len(text)
        refuse_if_too_long(length)
        yield text, raw.FPDFPage_CountObjects(page.raw) > 0
        page.close()


def _text(page: pypdfium2.PdfPage) -> str:
    textpage = page.get_textpage()
    text = _signs(textpage).translate(_HYPHENS)
    if len(text) > MAX_LAID_OUT:
        return _whole(text).replace("\r\n", "\n").replace(_PAGE_END, "\n")
    return text_of(in_order(pieces_of(_Places(textpage.raw, text).lines())))


def _signs(textpage: pypdfium2.PdfTextPage) -> str:
    """Return the text of a page with one character for each that PDFium counts: those beyond U+FFFF are two."""
    count = textpage.count_chars()
    text: str = textpage.get_text_range() if count else ""
    if len(text) == count:
        return text
    code, page = raw.FPDFText_GetUnicode, textpage.raw
    return "".join([chr(min(code(page, at), 0x10FFFF)) for at in range(count)])


def _whole(signs: str) -> str:
    """Return `signs` with the two halves of each character beyond U+FFFF combined."""
    return signs if signs.isascii() else signs.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


class _Places:
    """The positions of the characters of a page, turned so that most lines run from left to right."""

    def __init__(self, textpage: raw.FPDF_TEXTPAGE, text: str) -> None:
        self.textpage, self.text = textpage, text
        self.place = raw.FS_RECTF()
        self.reference = ctypes.byref(self.place)
        self.runs = ""

    def word(self, start: int, end: int) -> Word:
        """Return the characters from `start` to `end`, which are on one line, as a word."""
        place = self.place
        raw.FPDFText_GetLooseCharBox(self.textpage, start, self.reference)
        left, bottom, right, top = place.left, place.bottom, place.right, place.top
        raw.FPDFText_GetLooseCharBox(self.textpage, end - 1, self.reference)
        text = " ".join(_whole(self.text[start:end]).split())
        found = Word(
            text, min(left, place.left), min(bottom, place.bottom), max(right, place.right), max(top, place.top)
        )
        return _turned(found, self.runs) if self.runs else found

    def words(self, start: int, end: int) -> list[Word]:
        """Return the words from `start` to `end`."""
        return [self.word(match.start(), match.end()) for match in _WORD.finditer(self.text, start, end)]

    def lines(self) -> list[list[Word]]:
        """Return the lines of the page: split into words when lines may cross columns, else as one word each."""
        spans = [match.span() for match in _LINE.finditer(self.text)]
        self.runs = self._direction(sorted(spans, key=lambda span: span[0] - span[1])[:_ASKED])
        whole = [self.word(start, end) for start, end in spans]
        if not whole:
            return []
        width = max(line.right for line in whole) - min(line.left for line in whole)
        height = median(line.top - line.bottom for line in whole)
        wide = [span for span, line in zip(spans, whole, strict=True) if line.right - line.left > width / 2]
        high = [span for span, line in zip(spans, whole, strict=True) if line.top - line.bottom > _HIGH * height]
        if any(len(pieces_of([self.words(*span)])) > 1 for span in [*wide[::LEAST], *high]):
            return [self.words(*span) for span in spans]
        return [[line] for line in whole]

    def _direction(self, spans: list[tuple[int, int]]) -> str:
        """Return the direction of most lines: "up" or "down" on a sideways page, "back" on one upside down; else ""."""
        found = Counter[str]()
        for start, end in spans:
            first, last = self.word(start, start + 1), self.word(end - 1, end)
            across, along = last.left - first.left, last.bottom - first.bottom
            if abs(along) > abs(across):
                found["up" if along > 0 else "down"] += 1
            else:
                is_back = across < 0 and unicodedata.bidirectional(self.text[start]) not in _FROM_THE_RIGHT
                found["back" if is_back else ""] += 1
        return found.most_common(1)[0][0] if found else ""


def _turned(word: Word, runs: str) -> Word:
    """Return `word`, of a line that runs up, down or back, with its position after turning the page upright."""
    text, left, bottom, right, top = word
    if runs == "back":
        return Word(text, -right, -top, -left, -bottom)
    return Word(text, bottom, -right, top, -left) if runs == "up" else Word(text, -top, left, -bottom, right)
