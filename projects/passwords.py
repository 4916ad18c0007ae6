"""Which passwords are refused: short ones, and those that are guessed first (docs/decisions/accounts-and-members.md).

Nothing is asked of capitals, figures or signs. A password is taken for what is left of it once the predictable is
counted as little: a character that repeats the one before it or goes one on from it counts nothing, and a common word
counts as one character, however long. Two such rows, one character of each in turn, count as little as they do alone.
A passphrase of a few words always has enough left.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError

LENGTH = 10
LEFT = 8  # characters that have to be left
JUDGED = 400  # characters that are looked at
FIGURES_ALONE = 16  # so many figures are no telephone number
# Tried first at a site like this one.
SITE_WORDS = (
    *("scholium", "thesis", "theses", "dissertation", "student", "professor", "doctor", "university", "college"),
    *("hospital", "clinic", "medicine", "medical", "research", "science", "library", "supervisor", "localhost"),
    *("password", "passwort", "passphrase", "welcome", "letmein", "iloveyou", "admin", "login", "secret", "changeme"),
)
_ROWS = (
    "!@#$%^&*()_+",
    '!"§$%&/()=',
    "qwertyuiop",
    "asdfghjkl",
    "zxcvbnm",
    "qwertzuiop",
    "yxcvbnm",
    "azertyuiop",
    "qsdfghjklm",
    "wxcvbn",
)
_LOOKALIKES = str.maketrans("013457@$!", "oieastasi")


class LongEnough:
    def validate(self, password: str, user: Any = None) -> None:
        if len(password) < LENGTH:
            raise ValidationError(
                f"This has {len(password)} characters. Use {LENGTH} or more: a few words together are easy to remember.",
                code="password_too_short",
            )

    def get_help_text(self) -> str:
        return f"{LENGTH} characters or more. A few words together are easy to remember and hard to guess."


class HardToGuess:
    def validate(self, password: str, user: Any = None) -> None:
        text = unicodedata.normalize("NFKC", password[:JUDGED]).casefold()
        if wrong := _repeats(text) or _is_known(text) or _is_figures(text) or _is_little(text, personal_words(user)):
            raise ValidationError(wrong, code="password_too_common")

    def get_help_text(self) -> str:
        return (
            "Not one that is often used, and none of only repeated characters, or of your name, address or this site."
        )


def personal_words(user: Any) -> list[str]:
    """Return the parts of the person's address and name, and the names of this site."""
    written = [getattr(user, "email", "") or "", getattr(user, "name", "") or "", *settings.ALLOWED_HOSTS]
    return [word for text in written for word in re.findall(r"[^\W\d_]{3,}", text.casefold())]


def _repeats(text: str) -> str:
    """Return a few characters in turn: aaaaaaaaaa, abababab, hello hello hello."""
    if len(set(text)) < 5 or any(text.startswith(text[size:]) for size in range(1, len(text) // 2 + 1)):
        return "This repeats the same few characters. Use several different words, or a longer mix."
    return ""


def _is_known(text: str) -> str:
    together = re.sub(r"[\s_.-]", "", text)  # p a s s w o r d
    core = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", together)  # without the figures and signs people put around a word
    if {text, together} & _common() or (core and core in _common() and len(together) < 20):
        return (
            "This is among the passwords that are tried first. Use several words together that only you would choose."
        )
    return ""


def _is_figures(text: str) -> str:
    figures = re.sub(r"[\W_]", "", text)
    if figures.isdigit() and len(figures) < FIGURES_ALONE:
        return "This is a date or a number. Use words as well: a few together are easy to remember."
    return ""


def _is_little(text: str, personal: Iterable[str]) -> str:
    """Common words and rows of neighbours, with little besides: 12345678910a, Scholium2024!, asha.menon99."""
    pattern = "|".join(map(re.escape, sorted({*SITE_WORDS, *personal}, key=len, reverse=True)))
    plain = max(
        (re.sub(pattern, "\0", form) for form in (text, text.translate(_LOOKALIKES))), key=lambda form: form.count("\0")
    )
    in_turn = _counted(text[::2]) + _counted(text[1::2])  # a1b2c3d4e5, q w e r t y
    if len(re.findall(r"\0", plain)) + sum(map(_counted, plain.split("\0"))) >= LEFT and in_turn > LEFT // 2:
        return ""
    if "\0" in plain:
        return "This is mostly words that are guessed first: of this site, or of your name or address. Use other words."
    return "This is mostly characters in a row, as on a keyboard or in the alphabet. Use several words together."


def _counted(text: str) -> int:
    """Return how many characters there are that do not just follow from the one before."""
    return sum(not _follows(before, after) for before, after in zip(" " + text, text, strict=False))


def _follows(before: str, after: str) -> bool:
    if before == after or (before.isalnum() and after.isalnum() and abs(ord(after) - ord(before)) == 1):
        return True
    return {before, after} == {"0", "9"} or any(before + after in row or after + before in row for row in _ROWS)


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    """Django's list of the 20,000 passwords used most."""
    return frozenset(CommonPasswordValidator().passwords)
