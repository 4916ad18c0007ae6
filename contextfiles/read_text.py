"""The text of an untrusted file or web page, for each format (SPEC X2, X11, R18).

`read_safely` and `read_bytes_safely` read in a separate process with limits (untrusted.sandbox), `read` in this one.
Nothing here imports Django, so that the separate process starts quickly.
"""

from collections.abc import Callable
from dataclasses import astuple
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, NamedTuple

from contextfiles.passages import MAX_CHARACTERS, Reading, Segment, Unreadable, too_long
from untrusted.sandbox import NoAnswer, read_in_sandbox

__all__ = ["READER_VERSION", "Document", "Reading", "Segment", "Unreadable", "read", "read_bytes_safely", "read_safely"]

READER_VERSION = 3  # raise it when the same bytes are read differently: it is part of the key of texts and digests

WALL_SECONDS = 90

_READERS = {  # module and function; imported only when needed
    "txt": ("text", "read_text"),
    "md": ("text", "read_markdown"),
    "csv": ("csv", "read_csv"),
    "html": ("html", "read_html"),
    "bib": ("bib", "read_bib"),
    "ris": ("ris", "read_ris"),
    "pdf": ("pdf", "read_pdf"),
    "docx": ("docx", "read_docx"),
    "xlsx": ("xlsx", "read_xlsx"),
    "pptx": ("pptx", "read_pptx"),
}
_TEXTS = {"txt", "md", "csv", "bib", "ris"}
_TITLED = {"pdf", "html"}
_MOST_BYTES = 4  # of one character, in every text encoding

_TOO_SLOW = "Reading this file took longer than {}. Split it and upload the parts you need."
_TOO_BIG = "This file needs more memory than is allowed. Split it and upload the parts you need."
_BROKE = "This file could not be read: it is damaged or has an unusual structure. Save it again and upload that."
_NOT_STARTED = "The server could not start reading this file. Try again later, or tell whoever runs this server."

# On the web, each label on the left means the encoding on the right (WHATWG, Encoding Standard, "Names and labels").
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
_RIGHT = 4  # a label is believed when at least so many non-ASCII letters decode for each that does not


class Document(NamedTuple):
    """The text of a document, and the title in its metadata ("" when it has none)."""

    title: str
    reading: Reading


def reader_of(format: str) -> Callable[[bytes], Reading]:
    """Return the function that reads `format`, a key of contextfiles.formats.FORMATS."""
    module, name = _READERS[format]
    reader: Callable[[bytes], Reading] = getattr(import_module(f"contextfiles.readers.{module}"), name)
    return reader


def read(format: str, data: bytes) -> Reading:
    """Return the text and passages of `data` in `format`, a key of contextfiles.formats.FORMATS.

    Raises Unreadable with a sentence for the user, also when there is no text in it.
    """
    reading = reader_of(format)(data)
    if not reading.segments:
        raise Unreadable("No text was found in this file.")
    return reading


def read_safely(format: str, path: Path) -> Reading:
    """Read the file at `path` as `read` does, in a separate process with limits.

    Raises OSError when there is no such file.
    """
    with path.open("rb") as file:
        if format in _TEXTS and path.stat().st_size > _MOST_BYTES * (MAX_CHARACTERS + 1):
            raise too_long()  # in any encoding, so it need not be read
        return _read_apart(format, file).reading


def read_bytes_safely(format: str, data: bytes, charset: str | None = None, seconds: int = WALL_SECONDS) -> Document:
    """Read bytes from another source as `read` does, in a separate process with limits.

    `charset` is the encoding declared by their source, used unless the bytes clearly contradict it; `seconds` is the
    time limit.
    """
    with TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        return _read_apart(format, file, charset or "", seconds)


def _read_apart(format: str, file: IO[bytes], charset: str = "", seconds: int = WALL_SECONDS) -> Document:
    try:
        answer = read_in_sandbox(file, "contextfiles.read_text", [format, charset[:100]], seconds)
    except NoAnswer as silent:
        long = f"{seconds} second{'' if seconds == 1 else 's'}"
        raise Unreadable(_TOO_SLOW.format(long) if silent.was_late else _BROKE) from silent
    except OSError as error:
        raise Unreadable(_NOT_STARTED) from error
    try:
        if "unreadable" in answer:
            raise Unreadable(answer["unreadable"])
        return Document(answer["title"], Reading(answer["text"], [Segment(*row) for row in answer["segments"]]))
    except (TypeError, KeyError) as error:
        raise Unreadable(_BROKE) from error


def load(format: str, charset: str) -> None:
    """Import the reader of `format`."""
    reader_of(format)


def answered(file: IO[bytes], format: str, charset: str) -> dict[str, Any]:
    """Return the answer of the separate process for `file`: {"title", "text", "segments"} or {"unreadable"}."""
    try:
        data = _in_utf8(file.read(), charset)
        reading = read(format, data)
        return {
            "title": import_module(f"contextfiles.readers.{format}").title_of(data) if format in _TITLED else "",
            "text": reading.text,
            "segments": [astuple(one) for one in reading.segments],
        }
    except Unreadable as error:
        return {"unreadable": str(error)}
    except MemoryError:
        return {"unreadable": _TOO_BIG}


def _in_utf8(data: bytes, charset: str) -> bytes:
    """Return `data`, declared to be in `charset`, as UTF-8; unchanged when it clearly is in another encoding."""
    if not charset:
        return data
    try:
        text = data.decode(_MEANT.get(charset, charset), "replace")
        told = text.encode()
    except (LookupError, UnicodeError):
        return data
    wrong = text.count("\N{REPLACEMENT CHARACTER}")
    right = len(text) - wrong - len(text.encode("ascii", "ignore"))
    return told if wrong * _RIGHT <= right else data
