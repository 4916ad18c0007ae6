"""What kind of thing a body is: by its first bytes, and by its label where the bytes leave it open."""

import codecs
import re
from contextlib import suppress

from untrusted.decoding import marked

HTML, XHTML, PLAIN, PDF = "text/html", "application/xhtml+xml", "text/plain", "application/pdf"
_LABELS = {HTML, XHTML, PLAIN}
_UNTOLD = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_MARKUP = re.compile(
    rb"^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|article|div|p|h1)\b", re.I | re.S
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def kind_of(label: str, body: bytes) -> str | None:
    """One of HTML, XHTML, PLAIN and PDF; None for anything else, whatever its label says.

    A PDF is known by its first bytes under any label, and what a site sends in place of one, a page to sign in say, by
    its markup. Something labelled as a picture is not read even when it looks like a page, and something labelled as a
    page is not read when its bytes are none.
    """
    if b"%PDF-" in body[:1024]:
        return PDF
    named = label.partition(";")[0].strip().lower()
    if _is_binary(body, label):
        return None
    if named in _LABELS:
        return named
    if named in _UNTOLD | {PDF} and _MARKUP.match(body[:4096]):
        return HTML
    return PLAIN if named in _UNTOLD else None


def charset_of(label: str, body: bytes) -> str | None:
    """The charset of a text: its byte order mark's, its label's, or its own <meta>'s, where Python knows it."""
    if encoding := marked(body):
        return encoding.removesuffix("-sig")
    labelled = re.search(r"charset=[\"']?([\w.:-]+)", label, re.IGNORECASE)
    declared = _META.search(body[:4096])
    for name in filter(None, (labelled and labelled[1], declared and declared[1].decode("ascii", "ignore"))):
        with suppress(LookupError, UnicodeError):
            "a".encode(name)  # refuses what Python knows and is no charset, such as "hex" and "undefined"
            return codecs.lookup(name).name
    return None


def _is_binary(body: bytes, label: str) -> bool:
    """NULs and other signs no text has, unless it is text in two or four bytes a letter."""
    if marked(body) or re.search(r"utf-?(?:16|32)", label, re.IGNORECASE):
        return False
    start = body[:4096]
    strange = sum(byte < 9 or 13 < byte < 27 for byte in start)
    return b"\0" in start or strange * 50 > len(start)
