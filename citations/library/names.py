"""The names that people give: of tags and of saved filters (SPEC C9)."""

import unicodedata

from core.errors import Refused

_LONGEST_SHOWN = 30  # characters of a name that a message repeats


def clean_name(text: str, longest: int, field: str = "name") -> str:
    """Return `text` as a name, with single spaces. Raises Refused for one that is too long, empty or cannot be shown.

    A name with a line break, a tab or another control character is refused, also one with only invisible characters.
    """
    if len(text) > 4 * longest:
        raise _too_long(longest, field)
    name = unicodedata.normalize("NFC", text.strip(" "))
    if any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in name):
        raise Refused("A name cannot contain line breaks, tabs or other control characters.", field=field)
    name = " ".join(name.split())
    if all(unicodedata.category(one) in ("Cf", "Cn", "Mn", "Zs") for one in name):
        raise Refused("Write a name.", field=field, code="empty")
    if len(name) > longest:
        raise _too_long(longest, field)
    return name


def shortened(name: str) -> str:
    """Return a name for a message."""
    return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN].rstrip()}…"


def _too_long(longest: int, field: str) -> Refused:
    return Refused(f"A name can have at most {longest} characters.", field=field, code="too_long")
