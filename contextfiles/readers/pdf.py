"""PDF, page by page. Lines and hyphens stay as they are printed."""

import re
from collections.abc import Iterator

import pypdfium2
from pypdfium2.raw import FPDF_ERR_PASSWORD

from contextfiles.passages import Part, Reading, Unreadable, joined, plain

_HYPHENS = {0x02: "-", 0xFFFE: "-"}  # what PDFium writes for a hyphen at the end of a line
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_BY_PROGRAM = re.compile(r"^(?:Microsoft Word|Microsoft PowerPoint|PowerPoint Presentation)\b[\s–-]*", re.IGNORECASE)
_NO_TITLE = re.compile(r"^(?:doi|pii|untitled)\b|\.[a-z]\w{1,4}$", re.IGNORECASE)


def read_pdf(data: bytes) -> Reading:
    """Raises Unreadable for a locked, damaged or scanned PDF."""
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if error.err_code == FPDF_ERR_PASSWORD:
            raise Unreadable("This PDF is locked with a password. Save a copy without one and upload that.") from error
        raise Unreadable(
            "This PDF is damaged. Open it in a PDF reader, print it to a new PDF and upload that."
        ) from error
    with document:
        reading = joined(_parts(document))
        pages = len(document)
    if not any(character.isalnum() for character in reading.text):
        number = "1 page" if pages == 1 else f"{pages:,} pages"
        raise Unreadable(
            f"No text was found in this PDF ({number}). It is probably a scan: run text recognition (OCR) over it "
            "and upload the result."
        )
    return reading


def title_of(data: bytes) -> str:
    """The title in the metadata; "" where it is missing, a number, a file's name or a single word."""
    with pypdfium2.PdfDocument(data) as document:
        try:
            said = document.get_metadata_value("Title")
        except UnicodeError:
            return ""
    title = _BY_PROGRAM.sub("", " ".join(plain(said).split()))
    is_word = title.isascii() and " " not in title
    return "" if is_word or _NO_TITLE.search(title) else title


def _parts(document: pypdfium2.PdfDocument) -> Iterator[Part]:
    for number in range(len(document)):
        try:
            page = document[number]
            text = page.get_textpage().get_text_range()
        except pypdfium2.PdfiumError:  # one broken page does not cost the others
            continue
        text = text.replace("\r\n", "\n").translate(_HYPHENS)
        for paragraph in _BLANK_LINE.split(text):
            yield Part(paragraph, page=number + 1)
        page.close()
