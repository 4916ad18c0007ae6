"""Decoding the bytes of a text file, with a message for the user if that is not possible."""

import codecs
import re
from typing import NamedTuple

from untrusted.errors import Unreadable

_MARKS = [  # UTF-32 first, since its mark begins with that of UTF-16
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
]
_CONTROL = bytes([*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F])
_DECLARED = re.compile(rb"charset\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_RIGHT = 4  # UTF-8 is assumed if there are so many valid non-ASCII characters per invalid one
NOT_TEXT = "This file does not hold plain text. If it does, save it again as UTF-8."


class Decoded(NamedTuple):
    """A decoded text, and the Python name of its encoding."""

    text: str
    encoding: str


def marked(data: bytes) -> str:
    """Return the encoding given by a byte order mark, or ""."""
    return next((encoding for mark, encoding in _MARKS if data.startswith(mark)), "")


def looks_binary(data: bytes) -> bool:
    """Return whether bytes without a byte order mark are not text: a NUL, or more than 1 % control characters."""
    if unmarked_utf16(data):
        return False
    return b"\0" in data or len(data) - len(data.translate(None, _CONTROL)) > len(data) // 100


def unmarked_utf16(data: bytes) -> str:
    """Return the encoding of UTF-16 without a byte order mark, or "".

    In European scripts nearly every other byte is NUL, and the bytes between never are.
    """
    head = data[: min(4096, len(data)) // 2 * 2]
    for encoding, high, low in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if high and high.count(0) > 0.7 * len(high) and not low.count(0):
            return encoding if not looks_binary(head.decode(encoding, "replace").encode("utf-8", "replace")) else ""
    return ""


def declared_in_html(data: bytes) -> str:
    """Return the charset that a web page declares in its first 1,024 bytes, or ""."""
    match = _DECLARED.search(data[:1024])
    return match.group(1).decode("ascii") if match else ""


def decode(data: bytes, declared: str = "") -> Decoded:
    """Decode `data`.

    In this order: the byte order mark; UTF-8 if valid; the encoding `declared` in the file; UTF-8 with a few damaged
    characters; Windows-1252; Latin-1. Raises Unreadable for bytes that are not text.
    """
    if encoding := marked(data):
        try:
            return Decoded(data.decode(encoding), encoding)
        except UnicodeDecodeError as error:
            raise Unreadable(
                f"This file says it is {encoding.removesuffix('-sig').upper()}, but it is not. Save it again as UTF-8."
            ) from error
    if unmarked := unmarked_utf16(data):
        return Decoded(data.decode(unmarked, "replace"), unmarked)
    if looks_binary(data):
        raise Unreadable(NOT_TEXT)
    for encoding in ("utf-8", declared):
        try:
            return Decoded(data.decode(encoding), encoding)
        except (UnicodeError, LookupError):
            continue
    if damaged := _damaged_utf8(data):
        return Decoded(damaged, "utf-8")
    try:
        return Decoded(data.decode("cp1252"), "cp1252")
    except UnicodeDecodeError:
        return Decoded(data.decode("latin-1"), "latin-1")


def _damaged_utf8(data: bytes) -> str:
    """Return `data` as UTF-8 if only a few characters are damaged, as in a truncated file, else ""."""
    text = data.decode("utf-8", "replace")
    wrong = text.count("\N{REPLACEMENT CHARACTER}")
    right = len(text) - wrong - len(text.encode("ascii", "ignore"))
    return text if wrong * _RIGHT <= right else ""
