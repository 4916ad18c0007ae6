"""What a reader of any bibliography format takes and gives back: bytes and texts, the entries it could read and what it could not."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Csl = dict[str, Any]
"""One work as CSL-JSON. Of ours in `custom`: `others` when its author list ends in "and others"; `retracted`; `bibtex`,
the BibTeX fields that CSL has no place for, as they were written; `written`, the type (`entrytype`) and the fields of a BibTeX
entry that would come out otherwise than they were written."""


_MOST_IDS = 50


@dataclass(frozen=True)
class Entry:
    """One work. `key` is empty when the file gives none that can be cited; `bibtex` when it did not come as BibTeX."""

    key: str
    bibtex: str
    csl: Csl
    note: str = ""
    line: int = 1


def under_all_keys(entry: Entry) -> list[Entry]:
    """Return the entry under its key, and under each of those that biblatex's field `ids` gives it besides."""
    ids = text_of(dict_in(custom_of(entry.csl), "bibtex").get("ids"))
    return [
        entry,
        *(
            replace(entry, key=key)
            for key in dict.fromkeys(key.strip() for key in ids.split(",")[:_MOST_IDS])
            if key and key != entry.key
        ),
    ]


def custom_of(csl: Mapping[str, Any]) -> dict[str, Any]:
    """Return what Scholium keeps with an item beyond CSL's variables (see `Csl`), whatever stands in its place."""
    return dict_in(csl, "custom")


def dict_in(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the dict that an item has under a name; empty where anything else stands in its place."""
    found = item.get(name)
    return found if isinstance(found, dict) else {}


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """Return the dicts of a list; none where the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def is_work(csl: Csl) -> bool:
    """Return whether an item can be a work: it has a title, authors or editors, or is a collection that is known by its series."""
    is_collection = csl.get("type") == "book" and (csl.get("container-title") or csl.get("collection-title"))
    return bool(csl.get("title") or csl.get("author") or csl.get("editor") or is_collection)


def said_of(csl: Csl) -> Csl:
    """Return what an item says, however its BibTeX wrote it: two that say the same are equal."""
    custom = custom_of(csl)
    if "written" not in custom:
        return csl
    rest = {name: value for name, value in custom.items() if name != "written"}
    kept = {name: value for name, value in csl.items() if name != "custom"}
    return {**kept, "custom": rest} if rest else kept


Outcome = Literal["refused", "repaired", "kept"]
"""What became of an entry with which something was: it did not come in, it did, or what is here stays as it is."""


@dataclass(frozen=True)
class Problem:
    """Something a person should look at. `line` counts from 1; `key` is empty when the entry has none.

    `text` is what stands in the file where it could not be read; empty when the entry was read all the same.
    """

    line: int
    key: str
    message: str
    text: str = ""
    outcome: Outcome = "repaired"


Tick = Callable[[int, int], None]
"""Told how many of how many parts of a file are read; it may raise to stop the reading."""


def no_tick(done: int, total: int) -> None:
    """For readings that nobody watches."""


@dataclass(frozen=True)
class Reading:
    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def unreadable(self) -> list[Problem]:
        """The problems of what could not be read."""
        return [problem for problem in self.problems if problem.text]

    @property
    def notes(self) -> list[Problem]:
        """The problems of what was read all the same."""
        return [problem for problem in self.problems if not problem.text]


def text_in(csl: Mapping[str, Any], variable: str) -> str:
    """Return the text of a variable of a CSL item, as `text_of`."""
    return text_of(csl.get(variable))


def text_of(value: Any) -> str:
    """Return the text of a value of a CSL item: a string as it is, a number in digits, empty for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, float):
        return format(value, ".15g") if math.isfinite(value) else ""
    return str(value) if abs(value) < 10**100 else ""


def decode(data: bytes) -> str:
    """Return the text of a file: UTF-8 or UTF-16 by its mark, else UTF-8, else Western European as older programs write it.

    UTF-16 without a mark is told by its zeros: every other byte of what is mostly ASCII.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    head = data[:2_000]
    for zeros, encoding in ((head[1::2], "utf-16-le"), (head[::2], "utf-16-be")):
        if len(head) > 3 and zeros.count(0) > 0.9 * len(zeros) and head.count(0) < 0.6 * len(head):
            return data.decode(encoding, "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def cleaned(text: str) -> str:
    """`text` without what no database keeps."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode().removeprefix("\ufeff")
