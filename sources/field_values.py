"""Reading values from catalogue responses, where any value may be null, missing or of an unexpected type.

Each function accepts anything and returns the promised type or None; none of them raises.
"""

import html
import re
from collections.abc import Iterator
from typing import Any

_TAG = re.compile(
    r"</?(?:(?:jats|mml|ali|xlink|ovid):[\w-]+|i|b|u|em|strong|sup|sub|inf|scp?|small|tt|span|p|br|div|title|italic|bold"
    r"|sec|list|list-item|h[1-6]|abstracttext|math|m(?:row|i|n|o|sup|sub|frac|text|subsup|over|under))(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_BLOCK = re.compile(r"</?(?:jats:)?(?:p|br|div|title|sec|list|list-item|h[1-6])\b[^<>]*>", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_YEAR = re.compile(r"(?<!\d)(1[4-9]\d\d|20\d\d|2100)(?!\d)")


def at(data: Any, *path: str | int) -> Any:
    """Return the value at `path` in nested dicts and lists, or None if a step is missing."""
    for step in path:
        if isinstance(step, str):
            data = data.get(step) if isinstance(data, dict) else None
        else:
            data = data[step] if isinstance(data, list) and -len(data) <= step < len(data) else None
    return data


def items(data: Any) -> list[Any]:
    """Return `data` if it is a list, else an empty list."""
    return data if isinstance(data, list) else []


def mappings(data: Any) -> Iterator[dict[str, Any]]:
    """Yield the objects of a list; a lone object counts as a list of one."""
    return (one for one in ([data] if isinstance(data, dict) else items(data)) if isinstance(one, dict))


def first(data: Any) -> Any:
    """Return the first non-empty entry of a list, or the value itself if it is not a list."""
    return next((one for one in data if one), None) if isinstance(data, list) else data


def text(value: Any) -> str | None:
    """Return plain text: known tags removed, entities decoded once, white space collapsed. Numbers become strings."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    plain = str(value)
    if "<" in plain or "&" in plain:
        # Entities are decoded only once: decoding twice would corrupt a title that contains a literal "&lt;".
        plain = _TAG.sub("", html.unescape(_TAG.sub("", _BLOCK.sub(" ", plain))))
    return " ".join(_CONTROL.sub("", plain).split()) or None


def raw(value: Any) -> str | None:
    """Return text with its line breaks and markup; only control characters and surrogates are removed."""
    return _CONTROL.sub("", value).strip() or None if isinstance(value, str) else None


def whole(value: Any) -> int | None:
    """Return an integer from a number or from text ("25,600,000"), else None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.replace(",", "").strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else None
    return int(value) if isinstance(value, int | float) and -1e15 < value < 1e15 else None


def number(value: Any) -> float | None:
    """Return a float from a number below 1e15, else None."""
    return (
        float(value) if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15 else None
    )


def year(value: Any) -> int | None:
    """Return the year in a number or a date as text ("2015 Jul", "2015/08/22"), between 1400 and 2100."""
    match = _YEAR.search(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
    return int(match[1]) if match else None


def link(value: Any) -> str | None:
    """Return an http or https address, else None."""
    address = value.strip() if isinstance(value, str) else ""
    fits = re.match(r"https?://[^\s/]", address, re.IGNORECASE) and not re.search(r"\s|[\x00-\x1f]", address)
    return _CONTROL.sub("", address)[:4000] if fits else None


def titled(title: str | None, subtitle: str | None) -> str:
    """Return the title with its subtitle, unless the title already contains it."""
    if not title or not subtitle or subtitle.casefold() in title.casefold():
        return title or subtitle or ""
    return f"{title}{'' if title[-1] in ':?!.' else ':'} {subtitle}"


def pages(first: str | None, last: str | None) -> str | None:
    """Return a page range such as "3-9", or the one page that is known."""
    return f"{first}-{last}" if first and last and first != last else first or last


def between(number: int, most: int) -> int:
    """Return `number` limited to the range 1 to `most`."""
    return max(1, min(number, most))
