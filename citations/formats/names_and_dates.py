"""Conversion of names and dates between BibTeX and CSL, and of free text to CSL dates.

Names are split before LaTeX is decoded, since braces keep a name together: `{World Health Organization}`.
"""

import re
from collections.abc import Iterable
from typing import Any

from citations.formats.reading import text_of
from latex.bibtex_unicode import to_latex, to_unicode

Name = dict[str, str]

_BRACE = r"(?<!\\)[{}]"
_AND = re.compile(rf"{_BRACE}|\s+and(?=\s)", re.IGNORECASE)
_COMMA = re.compile(rf"{_BRACE}|,")
_SPACE = re.compile(rf"{_BRACE}|[\s~]+")


def read_names(value: str) -> tuple[list[Name], bool]:
    """Return the names in `value`, and whether it ends in "and others"."""
    parts = _split(" ".join(value.split()), _AND) if value else []
    names = [_read_name(part) for part in parts if part.casefold() != "others"]
    return [name for name in names if name], len(names) < len(parts)


def write_names(names: Iterable[Name], *, others: bool = False) -> str:
    """Return names as one BibTeX value, which `read_names` reads back unchanged."""
    return " and ".join(filter(None, [*map(_write_name, names), "others" if others else ""]))


def _split(value: str, separator: re.Pattern[str]) -> list[str]:
    """Split `value` at the matches of `separator` outside of braces."""
    parts, depth, start = [], 0, 0
    for found in separator.finditer(value):
        if found.group() in "{}":
            depth = max(0, depth + (1 if found.group() == "{" else -1))
        elif depth == 0:
            parts.append(value[start : found.start()].strip())
            start = found.end()
    return [*parts, value[start:].strip()]


def _read_name(part: str) -> Name:
    if _is_one_group(part):
        return _named(literal=part[1:-1])
    family, *rest = _split(part, _COMMA)
    words = [word for word in _split(family, _SPACE) if word]
    small = [place for place, word in enumerate(words[:-1]) if _is_small(word)]
    if rest:
        cut = small[-1] + 1 if small else 0
        suffix, given = (rest[0], ", ".join(rest[1:])) if len(rest) > 1 else ("", rest[0])
        return _named(words[cut:], words[:cut], given, suffix)
    if small:
        return _named(words[small[-1] + 1 :], words[small[0] : small[-1] + 1], " ".join(words[: small[0]]))
    return _named(words[-1:], (), " ".join(words[:-1]))


def _named(
    family: Iterable[str] = (), particle: Iterable[str] = (), given: str = "", suffix: str = "", literal: str = ""
) -> Name:
    fields = {
        "family": " ".join(family),
        "given": given,
        "non-dropping-particle": " ".join(particle),
        "suffix": suffix,
        "literal": literal,
    }
    return {name: text for name, value in fields.items() if (text := to_unicode(value))}


def _is_one_group(part: str) -> bool:
    """Return whether the first brace of `part` closes at its very end; `{\\"O}` is a letter, not a group."""
    if not part.startswith("{") or part.startswith("{\\"):
        return False
    depth = 0
    for found in re.finditer(_BRACE, part):
        depth += 1 if found.group() == "{" else -1
        if depth == 0:
            return found.end() == len(part)
    return False


def _is_small(word: str) -> bool:
    """Return whether BibTeX treats `word` as a particle ("van"): it begins with a lower-case letter outside braces."""
    is_group = word.startswith("{") and not word.startswith("{\\")
    return not is_group and (to_unicode(word) if word.startswith(("{", "\\")) else word)[:1].islower()


def _write_name(name: Name) -> str:
    if literal := name.get("literal"):
        return _grouped(to_latex(literal))
    family = " ".join(name.get("family", "").split())
    particle = name.get("non-dropping-particle") or name.get("dropping-particle") or ""
    if particle and not all(word[:1].islower() for word in particle.split()):
        family, particle = f"{particle} {family}", ""
    last = " ".join(filter(None, [to_latex(particle), _guarded(family, small=True)]))
    if last.isalpha() and last[:1].isupper() and not name.get("given") and not name.get("suffix"):
        return last  # a single word is a family name without a comma
    parts = [last, *([_guarded(name["suffix"])] if name.get("suffix") else []), _guarded(name.get("given", ""))]
    return ", ".join(parts).strip() if any(parts) else ""


def _guarded(text: str, *, small: bool = False) -> str:
    """Return a part of a name, in braces where BibTeX would split it or treat a word of it as a particle."""
    words = text.split()
    cut = "," in text or any(word.casefold() == "and" for word in words)
    taken = small and any(_is_small(to_latex(word)) for word in words)
    return _grouped(to_latex(text)) if cut or taken else to_latex(text)


def _grouped(latex: str) -> str:
    return f"{{{{}}{latex}}}" if latex.startswith("\\") else f"{{{latex}}}"


Date = dict[str, Any]

MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ISO = re.compile(r"(\d{4})(?:-(\d{1,2}))?(?:-(\d{1,2}))?")
_YEAR = re.compile(r"\d{4}")


def read_day(text: str) -> Date | None:
    """Return a CSL date for "2020", "2020-03", "2020-03-04" or a range of these with a slash; else a literal."""
    parts = [_date_part(half) for half in text.strip().split("/")]
    if 1 <= len(parts) <= 2 and all(parts):
        return {"date-parts": parts}
    return {"literal": text.strip()} if text.strip() else None


def _date_part(text: str) -> list[int]:
    found = _ISO.fullmatch(text.strip())
    return [int(number) for number in found.groups() if number] if found else []


def read_dates(values: dict[str, str]) -> dict[str, Date]:
    """Return {"issued": ...} from the BibTeX fields date, year, month and day; empty when there is no date."""
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
    return MONTHS.index(text[:3]) + 1 if text[:3] in MONTHS else 0


def year_in(date: Any) -> int | None:
    """Return the year of a CSL date of any form; None when there is none between 1 and 9999."""
    if not isinstance(date, dict):
        return None
    try:
        year = int(date["date-parts"][0][0])
    except (TypeError, ValueError, OverflowError, IndexError, KeyError):
        found = _YEAR.search(text_of(date.get("literal")) or text_of(date.get("raw")))
        year = int(found.group()) if found else 0
    return year if 1 <= year <= 9999 else None


def date_fields(date: Any, *, whole: bool = False) -> dict[str, str]:
    """Return the BibTeX fields of a CSL date: year, month and day, or one `date` for a range or with `whole`."""
    if not isinstance(date, dict):
        return {}
    halves = _numbers(date.get("date-parts"))
    if len(halves) > 1 or (whole and halves):
        return {"date": "/".join(f"{year:04d}{''.join(f'-{part:02d}' for part in rest)}" for year, *rest in halves)}
    if halves:
        return dict(
            zip(
                ("year", "month", "day"),
                (f"{number:04d}" if place == 0 else str(number) for place, number in enumerate(halves[0])),
                strict=False,
            )
        )
    written = "".join(
        letter for letter in (text_of(date.get("literal")) or text_of(date.get("raw"))) if letter not in "\\{}$&%#_~^"
    )
    return {"date" if whole else "year": written} if written.strip() else {}


def _numbers(parts: Any) -> list[list[int]]:
    try:
        halves = [[int(number) for number in half][:3] for half in parts or []][:2]
    except (TypeError, ValueError, OverflowError):
        return []
    return [half for half in halves if half and half[0] > 0]
