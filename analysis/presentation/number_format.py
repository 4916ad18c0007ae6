"""Formatting of the numbers of a result, in the same style as the sentences of the R service (R/number_format.R)."""

import math
from collections.abc import Callable
from typing import Any

MINUS = "−"
ONE_SIDED = {"less": "below", "greater": "above", "least": "at least"}  # words for the sides of a one-sided interval


def format_number(value: Any, digits: int = 2) -> str:
    """Return a number as text: 7.24, with a minus sign and not a hyphen; 1,234,567 from a million on.

    Very large and very small numbers have three significant digits. A missing value is "".
    """
    found = as_number(value)
    if found is None:
        return value if isinstance(value, str) else ""
    if math.isinf(found):
        return "∞" if found > 0 else f"{MINUS}∞"
    if 1e6 <= abs(found) < 1e12:
        return f"{found:,.0f}".replace("-", MINUS)
    if abs(found) >= 1e12 or (found and abs(found) < 10**-digits / 2):
        return f"{found:.3g}".replace("-", MINUS)
    text = f"{round(found, digits):.{digits}f}"
    return text.replace("-", MINUS if float(text) else "")


def format_fixed(value: Any, digits: int = 2) -> str:
    """Return a number as `format_number` does, but always with `digits` decimals: 0.0 and not 0.0123 beside 2.3."""
    found = as_number(value)
    return format_number(0.0 if found is not None and abs(found) < 10**-digits / 2 else value, digits)


def format_integer(value: Any) -> str:
    """Return a whole number without decimals, any other number with one."""
    found = as_number(value)
    if found is None or math.isinf(found):
        return format_number(value, 0)
    return f"{round(found)}".replace("-", MINUS) if found == round(found) else format_number(found, 1)


def format_percent(value: Any, digits: int = 1) -> str:
    """Return a number from 0 to 100 with a percent sign."""
    return f"{format_number(value, digits)}%" if as_number(value) is not None else format_number(value)


def format_p(value: Any) -> str:
    """Return a p value with three decimals: "0.031", "< 0.001", "> 0.999" (docs/decisions/analyses.md)."""
    found = as_number(value)
    if found is None or math.isinf(found):
        return format_number(value, 3)
    if found < 0.001:
        return "< 0.001"
    return "> 0.999" if 0.9995 <= found < 1 else f"{found:.3f}"


def format_p_with_letter(value: Any) -> str:
    """Return a p value with the letter p: "p = 0.031", "p < 0.001"."""
    said = format_p(value)
    return f"p {said}" if said.startswith(("<", ">")) else f"p = {said}" if said else ""


def format_interval(
    low: Any,
    high: Any,
    digits: int = 2,
    *,
    side: str = "",
    open_end: str = "",
    write: Callable[[Any, int], str] = format_number,
) -> str:
    """Return an interval as text: "0.53 to 0.82", or "above 0.53" if `side` says that it is one-sided.

    `open_end` (low or high) names an end that is not part of the interval: "above 0.00 to 0.82". `write` formats each
    end. The text is "" if an end is missing.
    """
    ends = write(low, digits), write(high, digits)
    if side in ONE_SIDED:
        end = ends[1] if side == "less" else ends[0]
        return f"{ONE_SIDED[side]} {end}" if end else ""
    if not all(ends):
        return ""
    return f"{'above ' if open_end == 'low' else ''}{ends[0]} to {'below ' if open_end == 'high' else ''}{ends[1]}"


def as_number(value: Any) -> float | None:
    """Return a JSON value as a float, None if it is not a number. The strings "Inf" and "-Inf" are infinities."""
    if isinstance(value, str):
        return {"Inf": math.inf, "-Inf": -math.inf}.get(value)
    is_one = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
    return float(value) if is_one else None


def format_cell(value: Any, format: str, digits: int = 2) -> str:
    """Return the text of a table cell in the format of its column: text, integer, number, p or percent."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if format == "text":
        return value if isinstance(value, str) else format_number(value, digits)
    if format == "percent":
        return format_percent(value, digits)
    return {"integer": format_integer, "p": format_p}.get(format, lambda one: format_number(one, digits))(value)
