"""The decimal and thousands separators of a table, inferred from its numbers (SPEC N1)."""

import re
from collections import Counter
from collections.abc import Mapping
from itertools import islice
from typing import Any

from analysis.datasets.parse_cells import Style
from analysis.datasets.table_layout import remark

LOOKED_AT = 2_000  # texts of a column from which the decimal separator is inferred
_DECIMAL = re.compile(r"[+-]?[0-9]+([.,])[0-9]+%?")
_BEFORE_UNIT = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)+(?=\s*[^\W\d]|\s*[%°×*])")
_BOTH = re.compile(r"[+-]?[0-9]{1,3}(?:([.,])[0-9]{2,3})+([.,])[0-9]+%?")


def style_of(counts: Mapping[str, Counter[str]], reading: Mapping[str, Any]) -> tuple[Style, list[dict[str, Any]]]:
    """Return how numbers are written in the table (with a point when that is unclear), and remarks on it."""
    if "decimal" in reading:
        return Style(reading["decimal"], reading.get("thousands", "," if reading["decimal"] == "." else ".")), []
    sure: Counter[str] = Counter()
    open_: Counter[str] = Counter()
    for one in counts.values():
        for text in islice(one, LOOKED_AT):
            if unit := _BEFORE_UNIT.match(text):
                text = unit[0]
            if match := _BOTH.fullmatch(text):
                # When both separators are the same, they separate thousands: 1.234.567.
                sure[match[2] if match[1] != match[2] else "." if match[1] == "," else ","] += 1
            elif match := _DECIMAL.fullmatch(text):
                before, _, behind = text.strip("+-%").partition(match[1])
                # Three digits after it may be thousands, except in 0,123 and 1234,567.
                is_open = len(behind) == 3 and len(before) < 4 and not before.startswith("0")
                (open_ if is_open else sure)[match[1]] += 1
    decimal = (
        ","
        if sure[","] > sure["."] or (not sure and open_[","] and reading.get("separator") == ";" and not open_["."])
        else "."
    )
    other = "," if decimal == "." else "."
    thousands = reading.get("thousands", other)
    style = Style(decimal, thousands if thousands != decimal else "")
    if sure[","] and sure["."]:
        return style, [
            remark(
                "warning",
                "mixed_decimals",
                f"Most numbers have a decimal {'point' if decimal == '.' else 'comma'}, "
                f"but {sure[other]:,} have a decimal {'comma' if decimal == '.' else 'point'}.",
            )
        ]
    if open_[other] and not sure:
        example = next(
            text for one in counts.values() for text in one if (m := _DECIMAL.fullmatch(text)) and m[1] == other
        )
        return style, [
            remark(
                "warning",
                "thousands",
                f"“{example}” was read as a number with a thousands separator. "
                f"If that is a decimal {'comma' if other == ',' else 'point'}, choose it and read the file again.",
            )
        ]
    return style, []
