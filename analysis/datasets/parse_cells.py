"""Parsing of text cells as numbers and dates in many notations.

The functions work on the distinct texts of a column, of which even 50,000 cells have few. They return the stored form
of each text: numbers with a point and without thousands separators, with at most 15 significant digits (as in Excel
and R), and dates as ISO 8601.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import NamedTuple

DIGITS = 15  # significant ones
PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
CODE = re.compile(r"[+-]?0[0-9]+")  # "007" is a code: as a number it would lose its zeros
_AS_KEPT = re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{0,6}[1-9])?")
_SPACES = "\u00a0\u2007\u2009\u202f "
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\uff0d": "-"})
# A number with the sign of a unit before or after it.
_UNIT = re.compile(r"(?P<before>[₹$€£]|(?:Rs|INR|USD|EUR)\.?)?\s*(?P<number>[^%₹$€£]*?)\s*(?P<after>[%₹$€£])?(?:/-)?")
_MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "jan january",
            "feb february",
            "mar march",
            "apr april",
            "may may",
            "jun june",
            "jul july",
            "aug august",
            "sep sept september",
            "oct october",
            "nov november",
            "dec december",
        ],
        start=1,
    )
    for name in names.split()
}
_TIME = (
    r"(?:[T ]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)?"
    r" ?(?P<half>[AaPp]\.?[Mm]\.?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_ISO = re.compile(rf"(?P<year>[0-9]{{4}})(?P<sign>[-/.])(?P<month>[0-9]{{1,2}})(?P=sign)(?P<day>[0-9]{{1,2}}){_TIME}")
_PARTS = re.compile(
    rf"(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second_>[0-9]{{1,2}})(?P=sign)(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_NAMED = re.compile(
    rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[-/. ]*(?P<name>[A-Za-z]{{3,9}})\.?"
    rf"[-/., ]*(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_NAMED_FIRST = re.compile(
    rf"(?P<name>[A-Za-z]{{3,9}})\.? +(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? +(?P<year>[0-9]{{4}}){_TIME}"
)


class Style(NamedTuple):
    """How numbers are written: the decimal separator, and the one of thousands (and lakhs)."""

    decimal: str = "."
    thousands: str = ","


def number_text(value: float) -> str:
    """Return a number in its stored form: 1 not 1.0, 100000 not 1e+05, with at most 15 significant digits."""
    text = f"{value:.{DIGITS}g}"
    if "e" not in text:
        return "0" if text == "-0" else text
    if not 1e-15 < abs(value) < 1:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{'-' if value < 0 else ''}0.{'0' * (-int(exponent) - 1)}{mantissa.lstrip('-').replace('.', '')}"


def numbers_of(texts: Iterable[str], style: Style) -> dict[str, str]:
    """Return the `texts` that are finite numbers, each with its stored form."""
    return {text: number for text in texts if (number := number_of(text, style)) is not None}


def number_of(text: str, style: Style) -> str | None:
    """Return the stored form of a number in `style`, also with the sign of a unit; None for other texts."""
    if style.decimal == "." and _AS_KEPT.fullmatch(text):
        return text
    bare = text
    if not PLAIN.fullmatch(bare) or (style.decimal == "," and "." in bare):
        match = _UNIT.fullmatch(bare.translate(_SIGNS))
        if match is None or not _grouped(style).fullmatch(match["number"].strip()):
            return None
        bare = re.sub(rf"['’{_SPACES}]", "", match["number"])
        bare = bare.replace(style.thousands, "") if style.thousands else bare
        bare = bare.replace(style.decimal, ".")
    if CODE.fullmatch(bare):
        return None
    if len(bare) > DIGITS and len(bare.lstrip("+-0.")) > DIGITS and bare.lstrip("+-").isdigit():
        return None  # a longer integer is an id: as a number it would lose its last digits
    value = float(bare)
    return number_text(value) if abs(value) < 1e308 else None


def unit_of(text: str) -> str:
    """Return the sign of a unit before or after a number: "%", "₹"; "" for none."""
    match = _UNIT.fullmatch(text)
    return (match["before"] or match["after"] or "") if match else ""


@lru_cache(maxsize=32)
def _grouped(style: Style) -> "re.Pattern[str]":
    """Return a pattern for a number with thousands (1,234,567), lakhs (12,34,567) or neither."""
    decimal = re.escape(style.decimal)
    parting = f"['’{_SPACES}{re.escape(style.thousands)}]"
    return re.compile(
        rf"(?=[^eE]*[0-9])[+-]?(?:[0-9]{{1,3}}(?:{parting}[0-9]{{2,3}})*{parting}[0-9]{{3}}|[0-9]+)?"
        rf"(?:{decimal}[0-9]*)?(?<=[0-9{decimal}])(?<![+-])(?:[eE][+-]?[0-9]{{1,3}})?"
    )


class Dates(NamedTuple):
    """The dates of a column: the ISO text of each, and whether day and month could be exchanged."""

    found: dict[str, str]
    day_first: bool
    is_open: bool  # nothing shows which of two numbers is the day
    short_years: bool


def dates_of(texts: Iterable[str], day_first: bool | None = None) -> Dates:
    """Return the `texts` that are dates. With `day_first` None the order is inferred, with the day first if unclear."""
    texts = list(texts)
    parts = list(filter(None, map(_PARTS.fullmatch, texts)))
    is_open = False
    if day_first is None:
        days_first = sum(int(match["first"]) > 12 for match in parts)
        months_first = sum(int(match["second_"]) > 12 for match in parts)
        day_first = days_first >= months_first
        is_open = bool(parts) and not days_first and not months_first
    day, month = ("first", "second_") if day_first else ("second_", "first")
    found = {
        match[0]: iso for match in parts if (iso := _written(match, int(match[month]), int(match[day]))) is not None
    }
    if len(parts) < len(texts):
        found.update({text: iso for text in texts if text not in found and (iso := date_of(text)) is not None})
    return Dates(found, day_first, is_open, any(len(match["year"]) == 2 for match in parts))


def date_of(text: str) -> str | None:
    """Return the ISO form of a date with the year first or the month in letters; None for others and 2024-02-31."""
    if not 6 <= len(text) <= 40:
        return None
    if match := _ISO.fullmatch(text):
        return _written(match, int(match["month"]), int(match["day"]))
    if match := _NAMED.fullmatch(text) or _NAMED_FIRST.fullmatch(text):
        return _written(match, _MONTHS.get(match["name"].lower(), 0), int(match["day"]))
    return None


def _written(match: "re.Match[str]", month: int, day: int) -> str | None:
    try:
        found = date(_full(match["year"]), month, day).isoformat()
    except ValueError:
        return None
    if not match["hour"]:
        return found
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    half = (match["half"] or "").lower()
    hour = hour % 12 + 12 * half.startswith("p") if half else hour
    if hour > 23 or minute > 59 or second > 59:
        return None
    return found if not hour + minute + second else f"{found} {hour:02}:{minute:02}:{second:02}"


def _full(year: str) -> int:
    """Return the year as a number; one of two digits is within the hundred years up to next year."""
    if len(year) == 4:
        return int(year)
    latest = datetime.now(UTC).year + 1
    return latest - (latest - int(year)) % 100
