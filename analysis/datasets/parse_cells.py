"""Cells of text as numbers and dates, however people write them.

Everything works on the distinct texts of a column: a column of 50,000 cells has few as a rule. Each function gives, by
text, the canonical one, which is what is kept: a point in numbers and no thousands, at most 15 significant digits (as
Excel and R keep them), dates as ISO 8601.
"""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from functools import lru_cache
from typing import NamedTuple

DIGITS = 15  # significant ones
PLAIN = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
CODE = re.compile(r"[+-]?0[0-9]+")  # "007" is no number: the zero would be lost
_AS_KEPT = re.compile(r"(?!-0$)-?(?:0|[1-9][0-9]{0,6})(?:\.[0-9]{0,6}[1-9])?")
_SPACES = "\u00a0\u2007\u2009\u202f "
_SIGNS = str.maketrans({"\u2212": "-", "\u2013": "-", "\uff0d": "-"})
# What may stand around a number, and says in what it is measured.
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
_TIME = r"(?:[T ]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:\.[0-9]+)?)? ?(?P<half>[AaPp]\.?[Mm]\.?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
_ISO = re.compile(rf"(?P<year>[0-9]{{4}})(?P<sign>[-/.])(?P<month>[0-9]{{1,2}})(?P=sign)(?P<day>[0-9]{{1,2}}){_TIME}")
_PARTS = re.compile(
    rf"(?P<first>[0-9]{{1,2}})(?P<sign>[-/.])(?P<second_>[0-9]{{1,2}})(?P=sign)(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_NAMED = re.compile(
    rf"(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?[-/. ]*(?P<name>[A-Za-z]{{3,9}})\.?[-/., ]*(?P<year>[0-9]{{4}}|[0-9]{{2}}){_TIME}"
)
_NAMED_FIRST = re.compile(
    rf"(?P<name>[A-Za-z]{{3,9}})\.? +(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)?,? +(?P<year>[0-9]{{4}}){_TIME}"
)


class Style(NamedTuple):
    """How numbers are written: the sign of decimals, and those that part thousands (and lakhs)."""

    decimal: str = "."
    thousands: str = ","


def number_text(value: float) -> str:
    """Return a number as it is kept and exported: 1 and not 1.0, 100000 and not 1e+05, with at most 15 significant digits."""
    text = f"{value:.{DIGITS}g}"
    if "e" not in text:
        return "0" if text == "-0" else text
    if not 1e-15 < abs(value) < 1:
        return text
    mantissa, _, exponent = text.partition("e")
    return f"{'-' if value < 0 else ''}0.{'0' * (-int(exponent) - 1)}{mantissa.lstrip('-').replace('.', '')}"


def numbers_of(texts: Iterable[str], style: Style) -> dict[str, str]:
    """Return those of `texts` that are finite numbers, each with the number as it is kept."""
    return {text: number for text in texts if (number := number_of(text, style)) is not None}


def number_of(text: str, style: Style) -> str | None:
    """Return a number in `style`, also with a unit around it, as it is kept; None for what is none."""
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
        return None  # a long number of digits only is the number of something: it would lose its last ones
    value = float(bare)
    return number_text(value) if abs(value) < 1e308 else None


def unit_of(text: str) -> str:
    """Return the sign of a unit that stands around a number: "%", "₹"."""
    match = _UNIT.fullmatch(text)
    return (match["before"] or match["after"] or "") if match else ""


@lru_cache(maxsize=32)
def _grouped(style: Style) -> "re.Pattern[str]":
    """Return a number with thousands (1,234,567), lakhs (12,34,567) or neither."""
    decimal = re.escape(style.decimal)
    parting = f"['’{_SPACES}{re.escape(style.thousands)}]"
    return re.compile(
        rf"(?=[^eE]*[0-9])[+-]?(?:[0-9]{{1,3}}(?:{parting}[0-9]{{2,3}})*{parting}[0-9]{{3}}|[0-9]+)?(?:{decimal}[0-9]*)?(?<=[0-9{decimal}])"
        rf"(?<![+-])(?:[eE][+-]?[0-9]{{1,3}})?"
    )


class Dates(NamedTuple):
    """What was found: the ISO text of each date, and whether some could be read day first and month first alike."""

    found: dict[str, str]
    day_first: bool
    is_open: bool  # nothing says which of two numbers is the day
    short_years: bool


def dates_of(texts: Iterable[str], day_first: bool | None = None) -> Dates:
    """Return those of `texts` that are dates. `day_first` None: told from numbers above 12, else the day stands first."""
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
    """Return a date with its year first or its month in letters, as ISO 8601; None for what is none: 2024-02-31."""
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
    """Return a year of two digits lies in the hundred years before next year."""
    if len(year) == 4:
        return int(year)
    latest = datetime.now(UTC).year + 1
    return latest - (latest - int(year)) % 100
