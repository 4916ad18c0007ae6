r"""Keys as BibTeX takes them: two that differ in capitals only are one to it, and an error."""

import re
import unicodedata
from collections.abc import Iterable

_TAKEN = re.compile(r"[A-Za-z0-9!*+./:;<>?@|\[\]_-]+")  # by BibTeX, by biber, and by TeX within \cite


def renamed(keys: Iterable[str], defined: Iterable[str]) -> dict[str, str]:
    """Other names for those of `keys`, cited in this order, that cannot stand as they are: new key by old key.

    Those that are `defined` keep theirs before those that nothing defines.
    """
    cited = list(dict.fromkeys(keys))
    known = set(defined)
    names: dict[str, str] = {}
    taken: set[str] = set()
    for key in sorted(cited, key=lambda one: (one not in known, not _TAKEN.fullmatch(one))):
        plain = key if _TAKEN.fullmatch(key) else _plain(key)
        name, number = plain, 1
        while name.casefold() in taken:
            number += 1
            name = f"{plain}-{number}"
        taken.add(name.casefold())
        if name != key:
            names[key] = name
    return names


def _plain(key: str) -> str:
    letters = unicodedata.normalize("NFKD", key).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9.:_-]+", "-", letters).strip("-") or "key"
