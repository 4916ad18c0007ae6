"""Password validators: refuse short and easily guessed passwords (docs/decisions/accounts-and-members.md).

Capitals, digits and symbols are not required. Predictable parts count less: a character that repeats or directly
follows the one before it counts 0, and a common word counts 1, however long. Two interleaved rows (a1b2c3) count as
little as each row alone. A passphrase of a few words always passes.
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
LEFT = 8  # characters that must count
JUDGED = 400  # characters that are checked
FIGURES_ALONE = 16  # a password of digits only needs at least so many: fewer may be a date or a telephone number
# Words that attackers try first at a site like this.
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
    """Validator: a password has at least LENGTH characters."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError if the password is too short."""
        if len(password) < LENGTH:
            raise ValidationError(
                f"This has {len(password)} characters. Use {LENGTH} or more: "
                "a few words together are easy to remember.",
                code="password_too_short",
            )

    def get_help_text(self) -> str:
        """Return the hint shown under the password field."""
        return f"{LENGTH} characters or more. A few words together are easy to remember and hard to guess."


class HardToGuess:
    """Validator: a password is not common, repetitive, a number, or built from the user's own name or address."""

    def validate(self, password: str, user: Any = None) -> None:
        """Raise ValidationError, with the reason, if the password is easy to guess."""
        text = unicodedata.normalize("NFKC", password[:JUDGED]).casefold()
        if wrong := _repeats(text) or _is_known(text) or _is_figures(text) or _is_little(text, personal_words(user)):
            raise ValidationError(wrong, code="password_too_common")

    def get_help_text(self) -> str:
        """Return the hint shown under the password field."""
        return "Not a common password, and not only repeated characters, your name, your address or this site's name."


def personal_words(user: Any) -> list[str]:
    """Return the words in the user's address and name and in the host names of this site."""
    written = [getattr(user, "email", "") or "", getattr(user, "name", "") or "", *settings.ALLOWED_HOSTS]
    return [word for text in written for word in re.findall(r"[^\W\d_]{3,}", text.casefold())]


def _repeats(text: str) -> str:
    """Return an error if the text repeats a few characters or one part: aaaaaaaaaa, abababab, hello hello hello."""
    if len(set(text)) < 5 or any(text.startswith(text[size:]) for size in range(1, len(text) // 2 + 1)):
        return "This has too few different characters, or repeats itself. Use several different words, or a longer mix."
    return ""


def _is_known(text: str) -> str:
    """Return an error if the text is a common password, also with digits and symbols around it."""
    together = re.sub(r"[\s_.-]", "", text)  # p a s s w o r d
    core = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", together)  # without the digits and symbols people put around a word
    if {text, together} & _common() or (core and core in _common() and len(together) < 20):
        return "This password is very common. Use several words together that only you would choose."
    return ""


def _is_figures(text: str) -> str:
    """Return an error if the text has only digits, fewer than FIGURES_ALONE."""
    figures = re.sub(r"[\W_]", "", text)
    if figures.isdigit() and len(figures) < FIGURES_ALONE:
        return "This is a date or a number. Use words as well: a few together are easy to remember."
    return ""


def _is_little(text: str, personal: Iterable[str]) -> str:
    """Return an error if little is left besides common words and rows: 12345678910a, Scholium2024!, asha.menon99."""
    pattern = "|".join(map(re.escape, sorted({*SITE_WORDS, *personal}, key=len, reverse=True)))
    plain = max(
        (re.sub(pattern, "\0", form) for form in (text, text.translate(_LOOKALIKES))), key=lambda form: form.count("\0")
    )
    in_turn = _counted(text[::2]) + _counted(text[1::2])  # a1b2c3d4e5, q w e r t y
    if len(re.findall(r"\0", plain)) + sum(map(_counted, plain.split("\0"))) >= LEFT and in_turn > LEFT // 2:
        return ""
    if "\0" in plain:
        return (
            "This is mostly words that are easy to guess, such as your name, your address or this site's name. "
            "Use other words."
        )
    return "This is mostly a sequence, as on the keyboard or in the alphabet. Use several words together."


def _counted(text: str) -> int:
    """Return the number of characters that do not simply follow from the one before."""
    return sum(not _follows(before, after) for before, after in zip(" " + text, text, strict=False))


def _follows(before: str, after: str) -> bool:
    """Return whether `after` repeats `before` or is next to it in the alphabet, in number or on the keyboard."""
    if before == after or (before.isalnum() and after.isalnum() and abs(ord(after) - ord(before)) == 1):
        return True
    return {before, after} == {"0", "9"} or any(before + after in row or after + before in row for row in _ROWS)


@lru_cache(maxsize=1)
def _common() -> frozenset[str]:
    """Return Django's list of the 20,000 most used passwords."""
    return frozenset(CommonPasswordValidator().passwords)
