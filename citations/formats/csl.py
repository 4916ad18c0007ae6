"""The reader of CSL-JSON, and values made from a CSL item: author lists, cite keys, database columns."""

import json
import logging
import math
import re
import unicodedata
from collections.abc import Container
from itertools import chain, count, islice
from typing import Any

from anyascii import anyascii

from citations.formats.bibtex_fields import CSL_TYPE, bare_doi
from citations.formats.names_and_dates import read_day, year_in
from citations.formats.reading import (
    Csl,
    Entry,
    Problem,
    ProgressCallback,
    Reading,
    custom_of,
    dict_in,
    dicts_of,
    is_work,
    no_progress,
    text_in,
    text_of,
)

log = logging.getLogger(__name__)

_MAX_TEXT = 200_000  # characters of one value
_MAX_DEPTH = 8  # nested lists and objects; CSL needs four
_LONGEST_WORD = 24  # characters of each word of a key; Chinese and Thai titles have no spaces

_USABLE_KEY = re.compile(r"[^\s,{}()\\%#~\"'=/:]+(?::[^\s,{}()\\%#~\"'=/:]+)*")
_SMALL_NUMBER = re.compile(r"-?[0-9]{1,4}")
_STROKES = str.maketrans({"ø": "o", "Ø": "O", "ß": "ss", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "Ae", "œ": "oe", "đ": "d"})
# All name and date variables of CSL 1.0.2: a text in one of them would make citeproc fail.
_NAMES = (
    *("author", "editor", "translator", "container-author", "collection-editor", "director", "illustrator"),
    *("chair", "compiler", "composer", "contributor", "curator", "editor-translator", "editorial-director"),
    *("executive-producer", "guest", "host", "interviewer", "narrator", "organizer", "original-author", "performer"),
    *("producer", "recipient", "reviewed-author", "script-writer", "series-creator"),
)
_DATES = ("issued", "accessed", "available-date", "original-date", "event-date", "submitted")
_NAME_PARTS = ("family", "given", "literal", "suffix", "dropping-particle", "non-dropping-particle")
# Field names of a list of works in Scholium's format, and their CSL variables.
_WORK_FIELDS = {
    "title": "title",
    "container": "container-title",
    "volume": "volume",
    "issue": "issue",
    "pages": "page",
    "publisher": "publisher",
    "doi": "DOI",
    "pmid": "PMID",
    "isbn": "ISBN",
    "url": "URL",
}
_TYPES = {"preprint": "article", "journal-article": "article-journal"}


class _Unreadable(Exception):
    """A work that cannot be read; the message is for people."""


def read_csl(text: str, tick: ProgressCallback = no_progress) -> Reading:
    """Read a CSL-JSON list, or a list of works in Scholium's format; return entries, and a problem for each bad item.

    A file that is no JSON, or no list, is one problem and no entries. `tick` is called with the number of items read
    and the total; an exception from it ends the reading.
    """
    try:
        found = json.loads(text.removeprefix("\ufeff"), parse_int=_int)
    except RecursionError:
        return Reading([], [Problem(1, "", "The lists and objects in this file are nested too deeply.", text)])
    except ValueError as error:
        return Reading([], [Problem(getattr(error, "lineno", 1), "", "This file is not valid JSON.", text)])
    items = found.get("items", [found]) if isinstance(found, dict) else found
    if not isinstance(items, list):
        return Reading([], [Problem(1, "", "This file does not contain a list of works.", text)])
    reading = Reading()
    seen: set[str] = set()
    for number, item in enumerate(items, 1):
        tick(number, len(items))
        entry, wrong = _try_item(item, number)
        if entry and entry.key and entry.key in seen:
            wrong = "This key was already used. The first work was kept."
        if wrong or entry is None:
            reading.problems.append(
                Problem(number, entry.key if entry else _key_in(item)[:200], wrong, f"Work {number}")
            )
        else:
            seen.add(entry.key)
            reading.entries.append(entry)
    return reading


def short_authors(csl: Csl) -> str:
    """Return "Sterne", "Sterne and Murthy" or "Sterne, Murthy and others"; the editors where there are no authors."""
    names = list(islice(filter(None, map(_last_name, _people(csl))), 3))
    if len(names) > 2 or is_marked(csl, "others"):
        return f"{', '.join(names[:2])} and others" if names else ""
    return " and ".join(names)


def is_marked(csl: Csl, mark: str) -> bool:
    """Return whether one of our own marks ("others", "retracted") is set on an item."""
    return bool(custom_of(csl).get(mark))


def year_of(csl: Csl) -> int | None:
    """Return the year of publication; None when there is none."""
    return year_in(csl.get("issued"))


def usable_key(key: str) -> str:
    """Return `key` if a text can cite it; empty for a bare number, a web address, or a key that breaks LaTeX."""
    return key if _USABLE_KEY.fullmatch(key) and not key.isdecimal() else ""


KEY_PATTERNS = ("surname-year", "surname-year-word", "surname_word_year", "Surname:year")  # the first is the default


def make_key(csl: Csl, taken: Container[str], pattern: str = KEY_PATTERNS[0]) -> str:
    """Return a new cite key: surname and year, with b, c, d ... from the second such work on (SPEC C5).

    `pattern` is one of KEY_PATTERNS; the word is the first of the title that is no article. `taken` are the keys in
    use; add the new one to it before the next call.
    """
    surname, year = key_word(surname_of(csl)) or "ref", str(year_of(csl) or "nd")
    word = key_word(_first_word(text_of(csl.get("title"))))
    stems = {
        "surname-year-word": f"{surname}{year}{word}",
        "surname_word_year": "_".join(filter(None, (surname, word, year))),
        "Surname:year": f"{surname.capitalize()}:{year}",
    }
    return unused_key(stems.get(pattern, f"{surname}{year}"), taken)


def unused_key(stem: str, taken: Container[str]) -> str:
    """Return `stem`, or `stem` with the first of b, c ... z, ba, bb ... that is not taken."""
    return next(key for key in chain([stem], (f"{stem}{_letters(number)}" for number in count(1))) if key not in taken)


def _letters(number: int) -> str:
    return (_letters(number // 26) if number > 25 else "") + chr(97 + number % 26)


def surname_of(csl: Csl) -> str:
    """Return the first author's family name; for a group or a title its first word that is no article."""
    person = next(iter(_people(csl)), None)
    if person is None:
        return _first_word(str(csl.get("title", "")))
    return str(person.get("family") or "") or _first_word(str(person.get("literal", "")))


def key_word(text: str) -> str:
    """Return a word of a cite key, other scripts in Latin letters: "Щербаков" becomes "shcherbakov"."""
    return ascii_word(anyascii(text))[:_LONGEST_WORD]


def ascii_word(text: str) -> str:
    """Reduce `text` to lower-case ASCII letters and digits: "Møller-Larsen" becomes "mollerlarsen"."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", text.translate(_STROKES)).casefold())


def _first_word(text: str) -> str:
    return next(
        (word for word in re.findall(r"\w+", text) if word.casefold() not in {"the", "a", "an"} and key_word(word)),
        "",
    )


def _people(csl: Csl) -> list[Csl]:
    return dicts_of(csl.get("author") or csl.get("editor"))


def _last_name(person: Csl) -> str:
    particle, family = text_of(person.get("non-dropping-particle")), text_of(person.get("family"))
    return f"{particle} {family}".strip() if family else text_of(person.get("literal"))


def _key_in(item: Any) -> str:
    """Return the key of an item, also of one that cannot be read; empty for none."""
    names = ("citation-key", "key", "id") if isinstance(item, dict) else ()
    return next(filter(None, (text_in(item, name) for name in names)), "")


def _int(digits: str) -> int | str:
    """Convert a number of a JSON file; a very long one stays text, since Python refuses to convert it."""
    return int(digits) if len(digits) < 16 else digits


def _try_item(item: Any, number: int) -> tuple[Entry | None, str]:
    """Return the result of `_read_item`; any error affects only this work (SPEC C10)."""
    try:
        return _read_item(item, number)
    except _Unreadable as unreadable:
        return None, str(unreadable)
    except Exception:
        log.warning("A CSL item could not be read", exc_info=True)
        return None, "This work cannot be read. It was left out."


def _read_item(item: Any, number: int) -> tuple[Entry | None, str]:
    """Return one item as an entry, and a sentence about what is wrong with it, or ""."""
    if not isinstance(item, dict):
        return None, "This item is not a work."
    item = _cleaned(item)
    csl = _csl_of_work(item) if "authors" in item or "container" in item or "key" in item else _csl_of_item(item)
    if not is_work(csl):
        return Entry(_key_in(item), "", csl), "This work has neither a title nor authors."
    return Entry(usable_key(_key_in(item)), "", csl, _note_of(item), number), ""


def _csl_of_item(item: Csl) -> Csl:
    known = {"citation-key", "id", "note", "abstract", "annote", "retracted", *_NAMES, *_DATES}
    return _finished(
        {
            **{name: text for name, one in item.items() if name not in known and (text := text_of(one))},
            **{name: people for name in _NAMES if (people := _read_people(item.get(name)))},
            **{name: date for name in _DATES if (date := _read_date(item.get(name)))},
            "custom": _read_custom(custom_of(item)),
        }
    )


def _read_custom(custom: dict[str, Any]) -> Csl:
    """Return only those values of `custom` that Scholium uses (see `Csl`); other programs store their own there."""
    kept: Csl = {name: True for name in ("others", "retracted") if custom.get(name) is True}
    for name in ("bibtex", "written"):
        if texts := {key: text for key, one in dict_in(custom, name).items() if (text := text_of(one))}:
            kept[name] = texts
    return kept


def _csl_of_work(item: Csl) -> Csl:
    marks = {"others": item.get("authors_complete") is False, "retracted": item.get("retracted") is True}
    return _finished(
        {
            "type": item.get("type"),
            **{variable: text_in(item, name) for name, variable in _WORK_FIELDS.items()},
            **{name: people for name in ("author", "editor") if (people := _read_people(item.get(f"{name}s")))},
            "issued": read_day(text_in(item, "year")),
            "custom": {name: True for name, holds in marks.items() if holds},
        }
    )


def _finished(csl: Csl) -> Csl:
    named = _TYPES.get(text_in(csl, "type"), text_in(csl, "type"))
    csl["type"] = named if CSL_TYPE.fullmatch(named) else "document"
    if isinstance(csl.get("DOI"), str):
        csl["DOI"] = bare_doi(csl["DOI"])
    return {name: value for name, value in csl.items() if value not in (None, "", [], {})}


def _read_people(value: Any) -> list[dict[str, str]]:
    named = ({part: text for part in _NAME_PARTS if (text := text_in(one, part))} for one in dicts_of(value))
    return [person for person in named if person.get("family") or person.get("literal")]


def _read_date(value: Any) -> Csl | None:
    """Return a CSL date; a date given only as text is parsed, so that its year can be printed."""
    if not isinstance(value, dict):
        return None
    if isinstance(value.get("raw"), str):
        return read_day(value["raw"])
    date: Csl = {name: text for name in ("literal", "season") if (text := text_of(value.get(name)))}
    if halves := _date_parts(value.get("date-parts")):
        date["date-parts"] = halves
    if date and value.get("circa"):
        date["circa"] = True
    return date or None


def _date_parts(value: Any) -> list[list[int]]:
    """Return one date or the two of a range, each as year, month, day as far as known; nothing for invalid parts."""
    halves = value if isinstance(value, list) else []
    read = [_numbers(half) for half in halves[:2]]
    return read if all(read) else []


def _numbers(half: Any) -> list[int]:
    """Return the numbers of a date up to the first missing one; nothing if a part is not a number."""
    numbers: list[int] = []
    for part in half[:3] if isinstance(half, list) else []:
        if part in (None, ""):
            break
        text = text_of(part)
        if not _SMALL_NUMBER.fullmatch(text):
            return []
        numbers.append(int(text))
    return numbers


def _note_of(item: Csl) -> str:
    """Return abstract, notes and numeric facts of a work, each as a paragraph."""
    parts = [item.get(name) for name in ("abstract", "note", "annote")]
    for fact in dicts_of(item.get("facts")):
        claim, numbers = (text_in(fact, name) for name in ("claim", "numbers"))
        if claim and numbers:
            parts.append(f"{claim[0].upper()}{claim[1:]}: {numbers}.")
    return "\n\n".join(part.strip() for part in parts if isinstance(part, str) and part.strip())


def _cleaned(value: Any, depth: int = 0) -> Any:
    """Return JSON without NUL characters, lone surrogates and too deeply nested values, which a database rejects.

    Raises _Unreadable for an infinite or invalid number and for a text that is too long.
    """
    if isinstance(value, str):
        if len(value) > _MAX_TEXT:
            raise _Unreadable(f"A value of this work is longer than {_MAX_TEXT:,} characters. It was left out.")
        return value.replace("\0", "").encode("utf-8", "ignore").decode()
    if isinstance(value, float) and not math.isfinite(value):
        raise _Unreadable("This work has an infinite or invalid number. It was left out.")
    if isinstance(value, list):
        return [_cleaned(part, depth + 1) for part in value] if depth < _MAX_DEPTH else None
    if isinstance(value, dict):
        return (
            {_cleaned(name): _cleaned(part, depth + 1) for name, part in value.items()} if depth < _MAX_DEPTH else None
        )
    return value


_LIMITS = {"cite_key": 200, "doi": 500, "pmid": 50, "title": 2_000, "authors": 1_000, "url": 2_000, "note": 200_000}
_COLUMN_NAMES = {"cite_key": "key", "doi": "DOI", "pmid": "PMID", "authors": "list of authors", "url": "web address"}


def columns_of(entry: Entry) -> dict[str, Any]:
    """Return the values of the database columns of an entry."""
    csl = entry.csl
    texts = (("title", "title"), ("doi", "DOI"), ("pmid", "PMID"), ("url", "URL"))
    return {
        "cite_key": entry.key,
        "bibtex": entry.bibtex,
        "csl": csl,
        "authors": short_authors(csl),
        "year": year_of(csl),
        "note": entry.note,
        "retracted": is_marked(csl, "retracted"),
        **{name: str(csl.get(variable) or "") for name, variable in texts},
    }


def length_error(columns: dict[str, Any]) -> str:
    """Return a sentence about the first column that is too long; empty when none is."""
    longer = ((name, limit) for name, limit in _LIMITS.items() if len(columns[name]) > limit)
    return next(
        (f"The {_COLUMN_NAMES.get(name, name)} is longer than {limit:,} characters." for name, limit in longer), ""
    )
