"""Names of files that people bring: shown as they are, but for what could deceive."""

import re
import unicodedata
from collections.abc import Collection
from itertools import chain, count
from pathlib import PurePosixPath

MAX_NAME = 255  # characters


def cleaned(name: str) -> str:
    """Return a file name as it is shown: no folders, no control or direction characters, at most MAX_NAME.

    Letters of every script stay, and so does the ending, by which the format is told.
    """
    name = unicodedata.normalize("NFC", name.replace("\\", "/").rpartition("/")[2])
    name = "".join(character for character in name if unicodedata.category(character)[0] != "C")
    return fitted(re.sub(r"\s+", " ", name).strip() or "file")


def fitted(name: str, addition: str = "") -> str:
    """`name` with `addition` before its ending, cut to MAX_NAME characters."""
    path = PurePosixPath(name)
    ending = path.suffix if len(path.suffix) <= 20 else ""
    return f"{name.removesuffix(ending)[: MAX_NAME - len(ending) - len(addition)].rstrip()}{addition}{ending}"


def free_name(name: str, taken: Collection[str]) -> str:
    """`name`, or where that is `taken` the first of "name (2)", "name (3)" ... that is not."""
    numbered = (fitted(name, f" ({number})") for number in count(2))
    return next(candidate for candidate in chain([name], numbered) if candidate not in taken)


def shortened(name: str) -> str:
    """Return a file name short enough for a sentence: its beginning and its ending."""
    return name if len(name) <= 60 else f"{name[:40]}…{name[-15:]}"
