"""Names of uploaded files: cleaned for display and made unique."""

import re
import unicodedata
from collections.abc import Collection
from itertools import chain, count
from pathlib import PurePosixPath

MAX_NAME = 255  # characters


def cleaned(name: str) -> str:
    """Return a file name for display: no folders, no control or direction characters, at most MAX_NAME characters.

    Letters of every script and the extension are kept.
    """
    name = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    name = "".join(character for character in name if unicodedata.category(character)[0] != "C")
    return fitted(re.sub(r"\s+", " ", name).strip() or "file")


def fitted(name: str, addition: str = "") -> str:
    """Return `name` with `addition` before its extension, shortened to MAX_NAME characters."""
    path = PurePosixPath(name)
    ending = path.suffix if len(path.suffix) <= 20 else ""
    return f"{name.removesuffix(ending)[: MAX_NAME - len(ending) - len(addition)].rstrip()}{addition}{ending}"


def free_name(name: str, taken: Collection[str]) -> str:
    """Return `name`, or if it is `taken`, the first free one of "name (2)", "name (3)" ..."""
    numbered = (fitted(name, f" ({number})") for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)


def shortened(name: str) -> str:
    """Return a file name short enough for a sentence: its beginning and its end."""
    return name if len(name) <= 60 else f"{name[:40]}…{name[-15:]}"
