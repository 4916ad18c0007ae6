"""Dates of publication and access: BibTeX and loose text to CSL dates and back."""

import re
from typing import Any

from citations.formats.entries import text_of

Date = dict[str, Any]

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_YEAR = re.compile(r"\d{4}")


def read_day(text: str) -> Date | None:
    """A CSL date for "2020", "2020-03", "2020-03-04" or a range of them with a slash; words are kept as a literal."""
    parts = [_date_part(half) for half in text.strip().split("/")]
    if 1 <= len(parts) <= 2 and all(parts):
        return {"date-parts": parts}
    return {"literal": text.strip()} if text.strip() else None


def _date_part(text: str) -> list[int]:
    found = _ISO.fullmatch(text.strip())
    return [int(number) for number in found.groups() if number] if found else []


def read_dates(values: dict[str, str]) -> dict[str, Date]:
    """`issued` from the BibTeX fields date, year, month and day; empty when none is given."""
    date = read_day(values.get("date", "") or values.get("year", ""))
    if date is None:
        return {}
    parts = date.get("date-parts", [])
    month = _month(values.get("month", ""))
    if len(parts) == 1 and len(parts[0]) == 1 and month:
        day = values.get("day", "")
        parts[0] += [month, *([int(day)] if day.isdecimal() and 1 <= int(day) <= 31 else [])]
    return {"issued": date}


def _month(text: str) -> int:
    text = text.strip().lower()
    if text.isdecimal():
        return int(text) if 1 <= int(text) <= 12 else 0
    return _MONTHS.index(text[:3]) + 1 if text[:3] in _MONTHS else 0


def year_in(date: Any) -> int | None:
    """The year of a CSL date, whatever its form; None when there is none between 1 and 9999."""
    if not isinstance(date, dict):
        return None
    try:
        year = int(date["date-parts"][0][0])
    except (TypeError, ValueError, OverflowError, IndexError, KeyError):
        found = _YEAR.search(text_of(date.get("literal")) or text_of(date.get("raw")))
        year = int(found.group()) if found else 0
    return year if 1 <= year <= 9999 else None


def date_fields(date: Any, *, whole: bool = False) -> dict[str, str]:
    """BibTeX fields for a CSL date: year, month and day, or one `date` for a range or when `whole` is asked for."""
    if not isinstance(date, dict):
        return {}
    halves = _numbers(date.get("date-parts"))
    if len(halves) > 1 or (whole and halves):
        return {"date": "/".join(_iso(half) for half in halves)}
    if halves:
        return dict(
            zip(
                ("year", "month", "day"),
                (f"{number:04d}" if place == 0 else str(number) for place, number in enumerate(halves[0])),
                strict=False,
            )
        )
    literal = text_of(date.get("literal")) or text_of(date.get("raw"))
    written = "".join(letter for letter in literal if letter not in "\\{}$&%#_~^")
    return {"date" if whole else "year": written} if written.strip() else {}


def _iso(numbers: list[int]) -> str:
    return "-".join([f"{numbers[0]:04d}", *(f"{number:02d}" for number in numbers[1:])])


def _numbers(parts: Any) -> list[list[int]]:
    try:
        halves = [[int(number) for number in half][:3] for half in parts or []][:2]
    except (TypeError, ValueError, OverflowError):
        return []
    return [half for half in halves if half and half[0] > 0]
