"""What a model is told in place of a private detail: "PRIVATE-NAME-K3F9QAWXYZ" (docs/decisions/redaction.md).

The letters at the end are a keyed hash of what it stands for: the same detail of a thesis has the same placeholder in every
call, which tells nothing to those without the key of this installation. The last three prove that it was made here, so
what only looks like one is text like any other.
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
TOLD, PROOF = 7, 3  # letters that tell details apart, and that prove
NOTE = (
    "Words such as PRIVATE-NAME-… stand for private details that you are not shown. Where you mean one of them, write its "
    "placeholder letter by letter as it stands. Do not guess what it hides, and make up no others."
)

# As a model may write one: in small letters, with escaped or long hyphens, over the end of a line.
_HYPHEN = r"(?:\\?[-\u2010-\u2014_]|\{-\}|\\-){1,3}\s?"
_WRITTEN = re.compile(
    rf"PRIVATE{_HYPHEN}({'|'.join(SAYS.values())}){_HYPHEN}((?:(?!PRIVATE)[A-Z2-7]){{{TOLD + PROOF}}})", re.IGNORECASE
)
_SOME = r"[-\u2010-\u2014_\\{}]{1,9}\s?"
_UNFINISHED = re.compile(
    rf"PRIVATE(?:{_SOME}(?:[A-Z]{{1,9}}(?:{_SOME}[A-Z2-7]{{0,{TOLD + PROOF - 1}}})?)?)?", re.IGNORECASE
)
_FIRST_LETTER = re.compile("p", re.IGNORECASE)
LONGEST = 60  # characters of one, however it is written
_BEGINNING = "PRIVATE"


@lru_cache(maxsize=20_000)
def placeholder(salt: str, kind: str, value: str) -> str:
    """Return what stands for `value`, exactly as it is written, in the thesis of `salt`."""
    told = f"{SAYS.get(kind, 'DETAIL')}-{_letters(f'{salt}|{kind}|{value}', TOLD)}"
    return f"{_BEGINNING}-{told}{_letters(f'{salt}|proof|{told}', PROOF)}"


def made_here(salt: str, text: str) -> list[tuple[int, int]]:
    """Return where in `text` placeholders of this thesis stand, in their own spelling."""
    if _BEGINNING not in text:
        return []
    return [found.span() for found in _WRITTEN.finditer(text) if _is_proven(salt, found[0])]


def restore(text: str, values: Mapping[str, str]) -> str:
    """`text` with what `values` says in place of its placeholders, however they are written; of others nothing changes."""
    if not values:
        return text

    def value(found: "re.Match[str]") -> str:
        return values.get(f"{_BEGINNING}-{found[1]}-{found[2]}".upper(), found[0])

    return _WRITTEN.sub(value, text)


def restored(value: Any, values: Mapping[str, str]) -> Any:
    """JSON `value` with the placeholders in all of its strings restored; names of fields stay."""
    if isinstance(value, str):
        return restore(value, values)
    if isinstance(value, list):
        return [restored(part, values) for part in value]
    if isinstance(value, dict):
        return {key: restored(part, values) for key, part in value.items()}
    return value


def without(text: str) -> str:
    """`text` without anything that looks like a placeholder: nobody but a model knows what to do with one."""
    return " ".join(_WRITTEN.sub(" ", text).split()) if _BEGINNING in text.upper() else text


class Restoring:
    """Text that comes in pieces. What may be the beginning of a placeholder is held back until that is clear."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self.held = ""

    def feed(self, piece: str) -> str:
        """Return what can be shown once `piece` has come."""
        if not self.values:
            return piece
        text = self.held + piece
        cut = _beginning_of_one(text)
        self.held = text[cut:]
        return restore(text[:cut], self.values)

    def end(self) -> str:
        """Return what was held back, when nothing more comes."""
        rest, self.held = self.held, ""
        return restore(rest, self.values)


def _beginning_of_one(text: str) -> int:
    """Return where a placeholder begins that more text may make whole; the length of `text` if there is none."""
    at = max(0, len(text) - 2 * LONGEST)
    while found := _FIRST_LETTER.search(text, at):
        at = found.start()
        if whole := _WRITTEN.match(text, at):
            at = whole.end()  # its last letters begin no other
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
