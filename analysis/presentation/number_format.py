"""Numbers of a result as people read them, in the words of the service's own sentences (R/words.R)."""

import math
from collections.abc import Callable
from typing import Any

MINUS = "−"
ONE_SIDED = {"less": "below", "greater": "above", "least": "at least"}  # sides of a one-sided interval, in words


def number(value: Any, digits: int = 2) -> str:
    """7.24, a real minus, 1,234,567, three significant digits where it is very large or small; "" for nothing."""
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


def fixed(value: Any, digits: int = 2) -> str:
    """As `number`, with just so many decimals: 0.0 and not 0.0123 beside 2.3."""
    found = as_number(value)
    return number(0.0 if found is not None and abs(found) < 10**-digits / 2 else value, digits)


def integer(value: Any) -> str:
    found = as_number(value)
    if found is None or math.isinf(found):
        return number(value, 0)
    return f"{round(found)}".replace("-", MINUS) if found == round(found) else number(found, 1)


def percent(value: Any, digits: int = 1) -> str:
    """Of a number from 0 to 100."""
    return f"{number(value, digits)}%" if as_number(value) is not None else number(value)


def p_value(value: Any) -> str:
    """Three decimals, "< 0.001" below, "> 0.999" above unless it is 1 (docs/decisions/analyses.md)."""
    found = as_number(value)
    if found is None or math.isinf(found):
        return number(value, 3)
    if found < 0.001:
        return "< 0.001"
    return "> 0.999" if 0.9995 <= found < 1 else f"{found:.3f}"


def p_words(value: Any) -> str:
    """With its letter: "p = 0.031", "p < 0.001"."""
    said = p_value(value)
    return f"p {said}" if said.startswith(("<", ">")) else f"p = {said}" if said else ""


def interval(
    low: Any,
    high: Any,
    digits: int = 2,
    *,
    side: str = "",
    open_end: str = "",
    write: Callable[[Any, int], str] = number,
) -> str:
    """ "0.53 to 0.82"; "above 0.53" where `side` says that it is one-sided; "above 0.00 to 0.82" where the end that
    `open_end` names, low or high, is left out itself; "" where an end is missing. `write` makes a text of each end."""
    ends = write(low, digits), write(high, digits)
    if side in ONE_SIDED:
        end = ends[1] if side == "less" else ends[0]
        return f"{ONE_SIDED[side]} {end}" if end else ""
    if not all(ends):
        return ""
    return f"{'above ' if open_end == 'low' else ''}{ends[0]} to {'below ' if open_end == 'high' else ''}{ends[1]}"


def as_number(value: Any) -> float | None:
    """Return the number of a JSON value; infinities come as the strings "Inf" and "-Inf"."""
    if isinstance(value, str):
        return {"Inf": math.inf, "-Inf": -math.inf}.get(value)
    is_one = isinstance(value, int | float) and not isinstance(value, bool) and not math.isnan(value)
    return float(value) if is_one else None


def cell(value: Any, format: str, digits: int = 2) -> str:
    """Return a cell of a table by the format of its column: text, integer, number, p or percent."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if format == "text":
        return value if isinstance(value, str) else number(value, digits)
    if format == "percent":
        return percent(value, digits)
    return {"integer": integer, "p": p_value}.get(format, lambda one: number(one, digits))(value)
