"""Which files are taken, told from a name and the first bytes alone (SPEC X1, X11)."""

from dataclasses import dataclass
from pathlib import PurePath

from contextfiles.decode import has_mark, looks_binary
from projects.errors import Refused

HEAD = 8192  # bytes of a file that are looked at on upload


@dataclass(frozen=True, slots=True)
class Format:
    label: str
    extensions: tuple[str, ...]
    is_text: bool


FORMATS = {
    "pdf": Format("PDF", (".pdf",), is_text=False),
    "docx": Format("Word (DOCX)", (".docx",), is_text=False),
    "txt": Format("plain text", (".txt", ".text"), is_text=True),
    "md": Format("Markdown", (".md", ".markdown"), is_text=True),
    "html": Format("HTML", (".html", ".htm"), is_text=True),
    "csv": Format("CSV", (".csv", ".tsv"), is_text=True),
}
ACCEPTED = "PDF, Word (DOCX), plain text, Markdown, HTML and CSV"
ACCEPT = ",".join(extension for known in FORMATS.values() for extension in known.extensions)  # for <input accept>

_BY_EXTENSION = {extension: key for key, known in FORMATS.items() for extension in known.extensions}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # old Office files, and new ones locked with a password
_KNOWN_TO_BE = [
    (b"%PDF-", "a PDF"),
    (b"PK\x03\x04", "a ZIP archive or an Office document"),
    (_OLE, "an old Office document"),
    (b"{\\rtf", "a rich text document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed archive"),
]
_SAVE_AS = {
    ".doc": "is an old Word document. Open it in Word or LibreOffice and save it as .docx.",
    ".docm": "may carry macros. Save it as .docx, which leaves them out.",
    ".rtf": "is rich text, which is not read. Open it in Word or LibreOffice and save it as .docx.",
    ".odt": "is OpenDocument text, which is not read. Save it as .docx or PDF.",
}


def format_of(name: str, head: bytes) -> str:
    """The key in FORMATS of a file called `name` that begins with `head` (its first HEAD bytes).

    Raises Refused when the format is not taken, or when name and content disagree.
    """
    extension = PurePath(name).suffix.lower()
    key = _BY_EXTENSION.get(extension)
    if key is None:
        unknown = (
            f"ends in {extension[:20]}, which is not read." if extension else "has no ending that tells its format."
        )
        what = _SAVE_AS.get(extension, unknown)
        raise Refused(f"{shortened(name)} {what} Scholium reads {ACCEPTED}.", field="files", code="format")
    wrong = _pdf(head) if key == "pdf" else _docx(head) if key == "docx" else _text(head)
    if wrong:
        raise Refused(f"{shortened(name)} {wrong}", field="files", code="content")
    return key


def shortened(name: str) -> str:
    """A file name short enough for a sentence: its beginning and its ending."""
    return name if len(name) <= 60 else f"{name[:40]}…{name[-15:]}"


def _pdf(head: bytes) -> str:
    # The standard lets up to 1,024 bytes stand before the mark, and some programs use them.
    return "" if b"%PDF-" in head[:1024] else "is named like a PDF, but does not hold one."


def _docx(head: bytes) -> str:
    if head.startswith(_OLE):
        return (
            "is locked with a password, or an old Word document under a new name. "
            "Open it in Word, save it as .docx without a password and upload that."
        )
    if not head.startswith(b"PK\x03\x04"):
        return "is named like a Word document, but does not hold one."
    if b"vbaProject.bin" in head:
        return _SAVE_AS[".docm"]
    first = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if not first.startswith((b"[Content_Types].xml", b"_rels/", b"word/", b"docProps/", b"customXml/")):
        return "is named like a Word document, but is another kind of ZIP archive."
    for folder, label in ((b"xl/", "an Excel workbook"), (b"ppt/", "PowerPoint slides")):
        if folder in head and b"word/" not in head:
            return f"is named like a Word document, but holds {label}."
    return ""


def _text(head: bytes) -> str:
    for magic, what in _KNOWN_TO_BE:
        if head.startswith(magic):
            return f"is named like a text file, but holds {what}."
    if not has_mark(head) and looks_binary(head):
        return "is named like a text file, but does not hold text."
    return ""
