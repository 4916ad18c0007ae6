"""Decoding TeX files so that encoding them again gives the same bytes (SPEC T2, T5)."""

import codecs
import re
from typing import NamedTuple

# Python's names of encodings, by those in \usepackage[...]{inputenc} and `% !TEX encoding = ...`
_CALLED = {
    "ascii": "ascii",
    "utf8": "utf-8",
    "utf8x": "utf-8",
    "utf-8": "utf-8",
    "utf-8 unicode": "utf-8",
    "latin1": "latin-1",
    "latin2": "iso8859-2",
    "latin3": "iso8859-3",
    "latin4": "iso8859-4",
    "latin5": "iso8859-9",
    "latin9": "iso8859-15",
    "latin10": "iso8859-16",
    "isolatin": "latin-1",
    "isolatin1": "latin-1",
    "isolatin2": "iso8859-2",
    "iso-8859-1": "latin-1",
    "iso-8859-15": "iso8859-15",
    "ansinew": "cp1252",
    "windowslatin1": "cp1252",
    "windows-1252": "cp1252",
    "applemac": "mac-roman",
    "macosroman": "mac-roman",
    "macroman": "mac-roman",
    "macce": "mac-latin2",
    "koi8-r": "koi8-r",
    **{f"cp{page}": f"cp{page}" for page in (437, 850, 852, 855, 858, 865, 866, 1250, 1251, 1252, 1257)},
}
_DECLARED = re.compile(
    rb"^[^%\r\n]*\\(?:usepackage|RequirePackage)\s*\[([^\]]{1,60})\]\s*\{(?:inputenc|inputenx|selinput)\}"
    rb"|^[^%\r\n]*\\inputencoding\s*\{([^{}]{1,30})\}"
    rb"|^%\s*!\s*T[eE]X\s+(?:file)?encoding\s*=\s*([^\r\n]{1,30})",
    re.MULTILINE | re.IGNORECASE,
)
_WIDE = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_CONTROL = re.compile("[\x01-\x08\x0e-\x1f\x7f]")

WIDE = "is encoded in UTF-16 or UTF-32, which LaTeX cannot read. Save it as UTF-8 and upload it again."


class Decoded(NamedTuple):
    """The text of a TeX file: `text.encode(encoding)` gives the file. `warnings` are sentences for the user."""

    text: str
    encoding: str
    warnings: list[str]


class NotText(Exception):
    """The bytes cannot be read as text; the message is the rest of a sentence that begins with the file's name."""


def declared_in(data: bytes) -> str:
    """Return the encoding that a TeX file declares, by Python's name; "" if it declares none that is known."""
    found = (found[1] or found[2] or found[3] for found in _DECLARED.finditer(data[:200_000]))
    names = (name.strip() for several in found for name in several.decode("ascii", "replace").lower().split(","))
    return next((_CALLED[name] for name in names if name in _CALLED), "")


def decode(data: bytes, declared: str = "") -> Decoded:
    """Return the text of `data` with its line endings.

    Tries UTF-8 (by its byte order mark, or if it fits), then the encoding that the file or else the project
    (`declared`) declares, then Windows-1252, then Latin-1. Raises NotText for UTF-16, NUL characters, and text that
    would not encode to the same bytes again.
    """
    if data.startswith(_WIDE) or _looks_wide(data):
        raise NotText(WIDE)
    if (at := data.find(b"\0")) >= 0:
        raise NotText(f"has a NUL character on line {data.count(bytes([10]), 0, at) + 1}, so it is not a text file.")
    encoding, warnings = _encoding_of(data, declared_in(data) or declared)
    text = data.decode(encoding)
    if text.encode(encoding) != data:
        raise NotText(f"could not be saved with the same bytes again when it is read as {encoding.upper()}.")
    lines = sorted({text.count("\n", 0, found.start()) + 1 for found in list(_CONTROL.finditer(text))[:1000]})
    if lines:
        some = ", ".join(str(line) for line in lines[:5]) + (" and more" if len(lines) > 5 else "")
        warnings.append(f"There are control characters on line {some}. They were kept, but LaTeX may reject them.")
    return Decoded(text, encoding, warnings)


def _encoding_of(data: bytes, declared: str) -> tuple[str, list[str]]:
    utf8 = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
    if _fits(data, utf8):
        return utf8, []
    if declared == "latin-1" and re.search(rb"[\x80-\x9f]", data) and _fits(data, "cp1252"):
        return "cp1252", []  # a file declared as Latin-1 with characters in this range was written on Windows
    if declared and not declared.startswith("utf") and _fits(data, declared):
        return declared, []
    guessed = "cp1252" if _fits(data, "cp1252") else "latin-1"
    said = "It is not UTF-8" + (f" and not {declared}, as it declares" if declared else " and declares no encoding")
    return guessed, [
        f"{said}. It was read as {'Windows-1252' if guessed == 'cp1252' else 'Latin-1'}: check its accents."
    ]


def _fits(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def _looks_wide(data: bytes) -> bool:
    """Return whether `data` looks like UTF-16 without a byte order mark: nearly every other byte is NUL."""
    head = data[:2000]
    return len(head) >= 4 and max(head[::2].count(0), head[1::2].count(0)) > 0.35 * len(head)
