"""Keys for exports: first author, year and the first words of the title (SPEC R14)."""

import re
from collections.abc import Iterable

from citations.csl import ascii_word, surname_of, unused, year_of
from citations.entries import Csl

_TITLE_WORDS = 2
_SMALL = {"a", "an", "and", "are", "as", "at", "by", "do", "does", "for", "from", "how", "in", "into", "is", "of", "on"}
_SMALL |= {"or", "the", "to", "versus", "vs", "what", "when", "with"}


def export_keys(items: Iterable[Csl]) -> dict[str, str]:
    """A key for each item by its `id`.

    Unique, and the same whatever the order of the items: where two would have the same key, their ids decide.
    """
    taken: set[str] = set()
    keys: dict[str, str] = {}
    for item in sorted(items, key=lambda item: str(item["id"])):
        key = unused(_stem(item), taken)
        taken.add(key)
        keys[item["id"]] = key
    return keys


def _stem(item: Csl) -> str:
    words = [ascii_word(word) for word in re.split(r"[\s\-–—/:]+", str(item.get("title", "")))]
    telling = [word for word in words if word and word not in _SMALL][:_TITLE_WORDS]
    return f"{ascii_word(surname_of(item)) or 'ref'}{year_of(item) or 'nd'}{''.join(telling)}"
