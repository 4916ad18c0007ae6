"""Placeholders that replace private details in prompts: "PRIVATE-NAME-K3F9QAWXYZ" (docs/decisions/redaction.md).

The letters at the end are a keyed hash of the detail: within a thesis the same detail has the same placeholder in
every call, which reveals nothing without the secret key of this installation. The last three letters are a checksum
that proves that we created it, so text that only looks like a placeholder is treated as ordinary text.
"""

import base64
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.utils.crypto import salted_hmac

SAYS = {
    "patient_name": "NAME",
    "birth_date": "BIRTHDATE",
    "national_id": "ID",
    "patient_number": "NUMBER",
    "iban": "ACCOUNT",
    "address": "ADDRESS",
    "phone": "PHONE",
    "email": "EMAIL",
    "kept_private": "WORD",
}
TOLD, PROOF = 7, 3  # letters that identify the detail, and letters of the checksum
NOTE = (
    "Words such as PRIVATE-NAME-… stand for private details that you are not shown. Where you mean one of them, write "
    "its placeholder letter by letter as it stands. Do not guess what it hides, and make up no others."
)

# Placeholders as models may write them: in lower case, with escaped or long hyphens, across a line break.
_HYPHEN = r"(?:\\?[-\u2010-\u2014_]|\{-\}|\\-){1,3}\s?"
_WRITTEN = re.compile(
    rf"PRIVATE{_HYPHEN}({'|'.join(SAYS.values())}){_HYPHEN}((?:(?!PRIVATE)[A-Z2-7]){{{TOLD + PROOF}}})", re.IGNORECASE
)
_SOME = r"[-\u2010-\u2014_\\{}]{1,9}\s?"
_UNFINISHED = re.compile(
    rf"PRIVATE(?:{_SOME}(?:[A-Z]{{1,9}}(?:{_SOME}[A-Z2-7]{{0,{TOLD + PROOF - 1}}})?)?)?", re.IGNORECASE
)
_FIRST_LETTER = re.compile("p", re.IGNORECASE)
LONGEST = 60  # characters of a placeholder in any spelling
_BEGINNING = "PRIVATE"


@lru_cache(maxsize=20_000)
def placeholder(salt: str, kind: str, value: str) -> str:
    """Return the placeholder of `value` (exact spelling) in the thesis with `salt`."""
    told = f"{SAYS.get(kind, 'DETAIL')}-{_letters(f'{salt}|{kind}|{value}', TOLD)}"
    return f"{_BEGINNING}-{told}{_letters(f'{salt}|proof|{told}', PROOF)}"


def made_here(salt: str, text: str) -> list[tuple[int, int]]:
    """Return the positions of this thesis's placeholders in `text`, in their original spelling."""
    if _BEGINNING not in text:
        return []
    return [found.span() for found in _WRITTEN.finditer(text) if _is_proven(salt, found[0])]


def restore(text: str, values: Mapping[str, str]) -> str:
    """Return `text` with the placeholders in `values` replaced by their details, in any spelling."""
    if not values:
        return text

    def value(found: "re.Match[str]") -> str:
        return values.get(f"{_BEGINNING}-{found[1]}-{found[2]}".upper(), found[0])

    return _WRITTEN.sub(value, text)


def restore_in_json(value: Any, values: Mapping[str, str]) -> Any:
    """Return JSON `value` with placeholders restored in all strings except keys."""
    if isinstance(value, str):
        return restore(value, values)
    if isinstance(value, list):
        return [restore_in_json(part, values) for part in value]
    if isinstance(value, dict):
        return {key: restore_in_json(part, values) for key, part in value.items()}
    return value


def without(text: str) -> str:
    """Return `text` without anything that looks like a placeholder, for services other than models."""
    return " ".join(_WRITTEN.sub(" ", text).split()) if _BEGINNING in text.upper() else text


class StreamRestorer:
    """Restores placeholders in streamed text. A possible beginning of a placeholder is held back until it is clear."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.held = ""

    def feed(self, piece: str) -> str:
        """Return the text that can be shown after `piece`."""
        if not self.values:
            return piece
        text = self.held + piece
        cut = _beginning_of_one(text)
        self.held = text[cut:]
        return restore(text[:cut], self.values)

    def end(self) -> str:
        """Return the held-back text at the end of the stream."""
        rest, self.held = self.held, ""
        return restore(rest, self.values)


def _beginning_of_one(text: str) -> int:
    """Return the position of an incomplete placeholder at the end of `text`, or its length if there is none."""
    at = max(0, len(text) - 2 * LONGEST)
    while found := _FIRST_LETTER.search(text, at):
        at = found.start()
        if whole := _WRITTEN.match(text, at):
            at = whole.end()  # another placeholder cannot begin within it
        elif _may_become_one(text[at:]):
            return at
        else:
            at += 1
    return len(text)


def _may_become_one(text: str) -> bool:
    if len(text) < len(_BEGINNING):
        return _BEGINNING.startswith(text.upper())
    return bool(_UNFINISHED.fullmatch(text)) and not _WRITTEN.match(text)


def _is_proven(salt: str, written: str) -> bool:
    told, proof = written[len(_BEGINNING) + 1 : -PROOF], written[-PROOF:]
    return written.startswith(f"{_BEGINNING}-") and _letters(f"{salt}|proof|{told}", PROOF) == proof


@lru_cache(maxsize=40_000)
def _letters(text: str, number: int) -> str:
    hashed = salted_hmac("scholium.llm.placeholder", text.encode("utf-8", "surrogatepass"), algorithm="sha256").digest()
    return base64.b32encode(hashed)[:number].decode()
