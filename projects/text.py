"""What can be stored at all, whatever field it is for."""

import re

from projects.errors import Refused

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def check_storable(text: str, field: str) -> None:
    """Raise Refused for `field` when `text` holds a NUL character or half of a surrogate pair.

    No database keeps the first everywhere, and UTF-8 has no bytes for the second.
    """
    found = _UNSTORABLE.search(text)
    if found is None:
        return
    line = text.count("\n", 0, found.start()) + 1
    what = "a NUL character" if found.group() == "\x00" else "half of a character (a lone surrogate)"
    raise Refused(f"Line {line} holds {what}, which cannot be stored. Remove it and save again.", field=field)
