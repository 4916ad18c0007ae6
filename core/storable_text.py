"""Checking and cleaning text for characters that databases cannot store."""

import json
import re
from typing import Any

from core.errors import Refused

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(value: Any) -> Any:
    """Return the JSON `value` without characters that cannot be stored, for data from services that no user can fix."""
    return value if isinstance(value, dict | list) and _is_storable(value) else _without_unstorable(value)


def _is_storable(value: Any) -> bool:
    """Return whether all of `value` can be stored, by checking its JSON text once."""
    try:
        return b"\\u0000" not in json.dumps(value, ensure_ascii=False).encode()
    except (ValueError, TypeError):
        return False


def _without_unstorable(value: Any) -> Any:
    if isinstance(value, str):
        return _UNSTORABLE.sub("", value)
    if isinstance(value, list):
        return [_without_unstorable(part) for part in value]
    if isinstance(value, dict):
        return {_without_unstorable(key): _without_unstorable(part) for key, part in value.items()}
    return value


def check_storable(text: str, field: str) -> None:
    """Raise Refused for `field` if `text` contains a NUL character or a lone surrogate.

    PostgreSQL cannot store the first, and UTF-8 cannot encode the second.
    """
    if found := _UNSTORABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        what = "a NUL character" if found.group() == "\x00" else "half of a character (a lone surrogate)"
        raise Refused(f"Line {line} contains {what}, which cannot be stored. Remove it and save again.", field=field)
