"""Checks shared by Word, Excel and PowerPoint files, which are ZIP archives, before a library opens them."""

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BytesIO
from typing import NamedTuple

from untrusted.errors import Unreadable

MAX_UNPACKED = 200 * 1024 * 1024  # bytes, unless the caller sets a lower limit
MAX_RATIO = 200  # unpacked to packed size: documents stay below 50, a bomb reaches 1,000
MAX_ENTRIES = 10_000

_SMALL = 64 * 1024  # bytes; a file of this packed size cannot unpack to more than 64 MB
_BLOCK = 1024 * 1024
_LOCAL_HEADER = 30  # bytes of the local header before the name of an entry


class Kind(NamedTuple):
    """A kind of Office file: its name in messages, and its file extension."""

    label: str
    program: str
    extension: str


WORD = Kind("Word document", "Word", ".docx")
EXCEL = Kind("Excel workbook", "Excel", ".xlsx")
POWERPOINT = Kind("PowerPoint presentation", "PowerPoint", ".pptx")


def damaged(kind: Kind) -> Unreadable:
    """Return the error for a file that its library could not open."""
    return Unreadable(
        f"This {kind.label} is damaged. Open it in {kind.program} or LibreOffice, save it again as {kind.extension} "
        "and upload that."
    )


@contextmanager
def opening(data: bytes, kind: Kind, *, other_format: type[Exception] | tuple[()] = ()) -> Iterator[None]:
    """Open `data` with a library in this block; every error becomes Unreadable, also for a malicious file.

    `other_format` is the library's error for another Office format with this extension.
    """
    refuse_hostile(data, kind)
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except other_format as error:
        raise Unreadable(f"This is not a {kind.label}, although its name ends in {kind.extension}.") from error
    except Exception as error:  # lxml, zipfile and the Office libraries raise many exceptions for damaged input
        raise damaged(kind) from error


def refuse_hostile(data: bytes, kind: Kind, most: int = 0) -> None:
    """Check the central directory of a ZIP and its content before a library unpacks it.

    Raises Unreadable if it is not a ZIP, has a password, contains macros, or would unpack to far more than its size,
    whatever it declares, or to more than `most` bytes (0: MAX_UNPACKED). Nested archives are never unpacked.
    """
    try:
        entries = zipfile.ZipFile(BytesIO(data)).infolist()
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise damaged(kind) from error
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise Unreadable(f"This {kind.label} has a password. Save a copy without a password and upload that.")
    names = [entry.filename.lower() for entry in entries]
    if any(name.endswith("vbaproject.bin") or "/macrosheets/" in name for name in names):
        raise Unreadable(
            f"This {kind.label} contains macros, which are not allowed. In {kind.program}, save it as "
            f"{kind.extension}, which removes them, and upload that."
        )
    if any(entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) for entry in entries):
        raise damaged(kind)
    if _is_bomb(data, entries, most or MAX_UNPACKED):
        raise Unreadable(f"This {kind.label} unpacks to far more than its size. It was not opened.")


def _is_bomb(data: bytes, entries: list[zipfile.ZipInfo], most: int) -> bool:
    return (
        len(entries) > MAX_ENTRIES
        or sum(entry.file_size for entry in entries) > most
        or any(entry.file_size > 1_000_000 and entry.file_size > MAX_RATIO * entry.compress_size for entry in entries)
        or any(_grows_beyond_its_word(data, entry) for entry in entries)
    )


def _grows_beyond_its_word(data: bytes, entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry unpacks to more than declared, which libraries notice only after unpacking it."""
    if entry.compress_type == zipfile.ZIP_STORED or entry.compress_size < _SMALL:
        return False
    head = data[entry.header_offset : entry.header_offset + _LOCAL_HEADER]
    start = entry.header_offset + _LOCAL_HEADER
    start += int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little")
    machine, size = zlib.decompressobj(-zlib.MAX_WBITS), 0
    with suppress(zlib.error):  # the library will report that it is damaged
        for at in range(start, start + entry.compress_size, _SMALL):
            packed = data[at : min(at + _SMALL, start + entry.compress_size)]
            while packed and not machine.eof:
                size += len(machine.decompress(packed, _BLOCK))
                packed = machine.unconsumed_tail
                if size > entry.file_size:
                    return True
    return False
