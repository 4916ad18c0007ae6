"""The supported file formats, recognised by the name and the first bytes of a file (SPEC X1, X11)."""

import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import NamedTuple

from core.errors import Refused
from untrusted.decoding import looks_binary, marked
from untrusted.file_names import shortened

HEAD = 8192  # bytes of a file that are examined on upload


@dataclass(frozen=True, slots=True)
class Format:
    """A supported format: its name for people, its file extensions, and whether it is plain text."""

    label: str
    extensions: tuple[str, ...]
    is_text: bool


FORMATS = {
    "pdf": Format("PDF", (".pdf",), is_text=False),
    "docx": Format("Word (DOCX)", (".docx",), is_text=False),
    "pptx": Format("PowerPoint (PPTX)", (".pptx",), is_text=False),
    "xlsx": Format("Excel (XLSX)", (".xlsx",), is_text=False),
    "csv": Format("CSV", (".csv", ".tsv"), is_text=True),
    "txt": Format("plain text", (".txt", ".text"), is_text=True),
    "md": Format("Markdown", (".md", ".markdown"), is_text=True),
    "html": Format("HTML", (".html", ".htm"), is_text=True),
    "bib": Format("BibTeX", (".bib", ".bibtex"), is_text=True),
    "ris": Format("RIS", (".ris",), is_text=True),
}
_LABELS = [known.label for known in FORMATS.values()]
FORMAT_NAMES = f"{', '.join(_LABELS[:-1])} and {_LABELS[-1]}"
ACCEPT_ATTRIBUTE = ",".join(
    extension for known in FORMATS.values() for extension in known.extensions
)  # for <input accept>

_BY_EXTENSION = {extension: key for key, known in FORMATS.items() for extension in known.extensions}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # old Office files, and new ones locked with a password
_ZIP = b"PK\x03\x04"
_KNOWN_TO_BE = [
    (b"%PDF-", "a PDF"),
    (_ZIP, "a ZIP archive or an Office document"),
    (_OLE, "an old Office document"),
    (b"{\\rtf", "a rich text document"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"\x1f\x8b", "a compressed archive"),
]
_MACROS = "may contain macros. Save it as {}, which removes them."
_OTHER = "is {}, which is not supported. Open it in {} and save it as {}."
_SAVE_AS = {
    **dict.fromkeys((".docm", ".dotm"), _MACROS.format(".docx")),
    **dict.fromkeys((".xlsm", ".xltm", ".xlam"), _MACROS.format(".xlsx")),
    **dict.fromkeys((".pptm", ".potm", ".ppsm"), _MACROS.format(".pptx")),
    **dict.fromkeys((".doc", ".dot"), _OTHER.format("an old Word document", "Word or LibreOffice", ".docx")),
    **dict.fromkeys((".xls", ".xlt"), _OTHER.format("an old Excel workbook", "Excel or LibreOffice", ".xlsx")),
    **dict.fromkeys(
        (".ppt", ".pps", ".pot"), _OTHER.format("an old PowerPoint file", "PowerPoint or LibreOffice", ".pptx")
    ),
    ".xlsb": _OTHER.format("a binary Excel workbook", "Excel", ".xlsx"),
    ".ppsx": _OTHER.format("a PowerPoint show", "PowerPoint", ".pptx"),
    ".rtf": _OTHER.format("rich text", "Word or LibreOffice", ".docx"),
    ".odt": _OTHER.format("OpenDocument text", "LibreOffice or Word", ".docx or PDF"),
    ".ods": _OTHER.format("an OpenDocument spreadsheet", "LibreOffice or Excel", ".xlsx"),
    ".odp": _OTHER.format("an OpenDocument presentation", "LibreOffice or PowerPoint", ".pptx or PDF"),
    ".pages": _OTHER.format("a Pages document", "Pages", ".docx or PDF"),
    ".numbers": _OTHER.format("a Numbers spreadsheet", "Numbers", ".xlsx"),
}


class _Office(NamedTuple):
    """What identifies the files of one Office program."""

    label: str
    program: str
    old: str
    folder: bytes


_OFFICE = {
    "docx": _Office("a Word document", "Word", "an old Word document", b"word/"),
    "xlsx": _Office("an Excel workbook", "Excel", "an old Excel workbook", b"xl/"),
    "pptx": _Office("a PowerPoint presentation", "PowerPoint", "an old PowerPoint file", b"ppt/"),
}
_COMMON = (b"[Content_Types].xml", b"_rels/", b"docProps/", b"customXml/")  # first entries of an Office file


def format_of(name: str, head: bytes) -> str:
    """Return the key in FORMATS of a file called `name` that begins with `head` (its first HEAD bytes).

    Raises Refused when the format is not supported, or when name and content disagree.
    """
    extension = PurePath(name).suffix.lower()
    key = _BY_EXTENSION.get(extension)
    if key is None:
        unknown = f"has the extension {extension[:20]}, which is not supported."
        what = _SAVE_AS.get(extension, unknown) if extension else "has no file extension, such as .pdf."
        raise Refused(f"{shortened(name)} {what} Scholium reads {FORMAT_NAMES}.", field="files", code="format")
    wrong = _text(head) if FORMATS[key].is_text else _pdf(head) if key == "pdf" else _office(head, key)
    if wrong:
        raise Refused(f"{shortened(name)} {wrong}", field="files", code="content")
    return key


def _pdf(head: bytes) -> str:
    # The standard allows up to 1,024 bytes before the mark, and some programs use them.
    return "" if b"%PDF-" in head[:1024] else "is named like a PDF, but is not one."


def _office(head: bytes, key: str) -> str:
    known = _OFFICE[key]
    if head.startswith(_OLE):
        return (
            f"is locked with a password, or is {known.old} with a new extension. "
            f"Open it in {known.program}, save it as .{key} without a password and upload that."
        )
    names = _zipped(head)
    if not names:
        return f"is named like {known.label}, but is not one."
    if any(name.lower().endswith(b"vbaproject.bin") for name in names):
        return _MACROS.format(f".{key}")
    if not names[0].startswith((*_COMMON, *(each.folder for each in _OFFICE.values()))):
        return f"is named like {known.label}, but is another kind of ZIP archive."
    held = [each for each in _OFFICE.values() if any(name.startswith(each.folder) for name in names)]
    return f"is named like {known.label}, but is {held[0].label}." if held and known not in held else ""


def _zipped(head: bytes) -> list[bytes]:
    """Return the names of the entries in the first bytes of a ZIP archive."""
    if not head.startswith(_ZIP):
        return []
    starts = (match.start() for match in re.finditer(re.escape(_ZIP), head))
    return [head[at + 30 : at + 30 + int.from_bytes(head[at + 26 : at + 28], "little")] for at in starts]


def _text(head: bytes) -> str:
    if what := next((what for magic, what in _KNOWN_TO_BE if head.startswith(magic)), ""):
        return f"is named like a text file, but is {what}."
    return "" if marked(head) or not looks_binary(head) else "is named like a text file, but does not contain text."
