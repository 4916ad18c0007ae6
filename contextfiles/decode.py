"""Bytes of a text file become text of a bearable length, or a sentence that says why not."""

from contextfiles.passages import plain, refuse_if_too_long
from untrusted.decoding import decode


def decoded(data: bytes, declared: str = "") -> str:
    """The text of `data`, newlines as \\n, as untrusted.decoding reads it.

    Raises Unreadable for bytes that are not text, or for too much of it.
    """
    text = plain(decode(data, declared).text)
    refuse_if_too_long(len(text))
    return text
