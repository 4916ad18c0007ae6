"""The marks of a list as a numbering of Word."""

import re
from typing import Any

from latex.counter_styles import styled

_STYLES = {
    "Decimal": "arabic",
    "LowerAlpha": "alph",
    "LowerRoman": "roman",
    "UpperAlpha": "Alph",
    "UpperRoman": "Roman",
}
_MARK = re.compile(r"(\(?)(\w+)([.)])")


def list_style(marks: list[str]) -> list[Any] | None:
    """Return pandoc's attributes of a list with `marks`; None when they are not counted, or in another form."""
    found = _MARK.fullmatch(marks[0]) if marks else None
    if found is None or (found[1] and found[3] == "."):
        return None
    delimiter = "TwoParens" if found[1] else "Period" if found[3] == "." else "OneParen"
    for style, name in _STYLES.items():
        start = _value(found[2], name, len(marks))
        if start and marks == [f"{found[1]}{styled(name, start + place)}{found[3]}" for place in range(len(marks))]:
            return [start, {"t": style}, {"t": delimiter}]
    return None


def _value(number: str, style: str, most: int) -> int:
    """Return which value `style` prints as `number`; 0 for none."""
    if style == "arabic":
        return int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    if style.lower() == "alph":
        return ord(number.upper()) - 64 if len(number) == 1 and number.isascii() and number.isalpha() else 0
    return next((value for value in range(1, most + 100) if styled(style, value) == number), 0)
