"""The types shared by all readers of bibliography formats: entries, problems, decoding of files."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

Csl = dict[str, Any]
"""One work as CSL-JSON.

Scholium's values in `custom`: `others`: the author list ends in "and others"; `retracted`; `bibtex`: BibTeX fields
without a CSL variable, unchanged; `written`: the original entry type (`entrytype`) and fields of a BibTeX entry, where
they would be exported differently.
"""


_MOST_IDS = 50


@dataclass(frozen=True)
class Entry:
    """One entry of a file. `key` is empty when the file has no usable one; `bibtex` is empty for other formats."""

    key: str
    bibtex: str
    csl: Csl
    note: str = ""
    line: int = 1


def under_all_keys(entry: Entry) -> list[Entry]:
    """Return the entry under its key and under each further key in biblatex's field `ids`."""
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
    """Return Scholium's own values of an item (see `Csl`); empty if `custom` is missing or no dict."""
    return dict_in(csl, "custom")


def dict_in(item: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the dict that an item has under a name; empty for any other value."""
    found = item.get(name)
    return found if isinstance(found, dict) else {}


def dicts_of(value: Any) -> list[dict[str, Any]]:
    """Return the dicts of a list; empty if the value is no list."""
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def is_work(csl: Csl) -> bool:
    """Return whether an item can be a work: it has a title, authors or editors, or is a book with a series."""
    is_collection = csl.get("type") == "book" and (csl.get("container-title") or csl.get("collection-title"))
    return bool(csl.get("title") or csl.get("author") or csl.get("editor") or is_collection)


def without_original_form(csl: Csl) -> Csl:
    """Return an item without `written`, so that items are equal that differ only in how their BibTeX was written."""
    custom = custom_of(csl)
    if "written" not in custom:
        return csl
    rest = {name: value for name, value in custom.items() if name != "written"}
    kept = {name: value for name, value in csl.items() if name != "custom"}
    return {**kept, "custom": rest} if rest else kept


Outcome = Literal["refused", "repaired", "kept"]
"""The outcome for an entry with a problem: not imported, imported, or the existing reference stays unchanged."""


@dataclass(frozen=True)
class Problem:
    """A problem for a person to look at. `line` counts from 1; `key` is empty when the entry has none.

    `text` is the part of the file that could not be read; empty when the entry was read anyway.
    """

    line: int
    key: str
    message: str
    text: str = ""
    outcome: Outcome = "repaired"


ProgressCallback = Callable[[int, int], None]
"""A progress callback: called with the number of parts read and the total; it may raise to stop the reading."""


def no_progress(done: int, total: int) -> None:
    """Do nothing; the default progress callback."""


@dataclass(frozen=True)
class Reading:
    """The result of reading a file: its entries and problems."""

    entries: list[Entry] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)

    @property
    def unreadable(self) -> list[Problem]:
        """The problems of parts that could not be read."""
        return [problem for problem in self.problems if problem.text]

    @property
    def notes(self) -> list[Problem]:
        """The problems of entries that were read anyway."""
        return [problem for problem in self.problems if not problem.text]


def text_in(csl: Mapping[str, Any], variable: str) -> str:
    """Return the text of a variable of a CSL item, by the rules of `text_of`."""
    return text_of(csl.get(variable))


def text_of(value: Any) -> str:
    """Return a value of a CSL item as text: a string unchanged, a number in digits, empty for everything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    if isinstance(value, float):
        return format(value, ".15g") if math.isfinite(value) else ""
    return str(value) if abs(value) < 10**100 else ""


def decode(data: bytes) -> str:
    """Decode a file: UTF-8 or UTF-16 by its byte order mark, else UTF-8, else Windows-1252.

    UTF-16 without a mark is recognised by its zeros: every other byte of a text that is mostly ASCII.
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


def clean_text(text: str) -> str:
    """Return `text` without NUL characters and lone surrogates, which a database rejects."""
    return text.replace("\0", "").encode("utf-8", "ignore").decode().removeprefix("\ufeff")
