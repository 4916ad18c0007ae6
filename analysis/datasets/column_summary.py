"""Summary statistics of a column, for its row on the page of the data and for the API (SPEC N1).

    numeric   {n, missing, distinct, min, q1, median, mean, q3, max, sd, bins: [{low, high, count}]}
    date      {n, missing, distinct, first, last, bins}
    factor, ordered, logical   {n, missing, distinct, counts: [{label, count}], others}
    text      {n, missing, distinct, examples, longest}

`said` is the summary in one line, `as_id` counts the values as if they were ids of people
(analysis.datasets.repeated_people).
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np

from analysis.datasets.export import cell_meaning
from analysis.datasets.parse_cells import PLAIN
from analysis.datasets.repeated_people import as_id
from analysis.datasets.value_labels import FALSE, TRUE, label_of_code

BINS = 20
COUNTED = 20  # labels that are listed with their counts
EXAMPLES = 3


def summary_of(column: Mapping[str, Any], cells: "Sequence[str] | Counter[str]") -> dict[str, Any]:
    """Return the summary of a column with `cells`, its texts or their counts.

    Texts that are not of the column's type are left out of its statistics.
    """
    counts = Counter(cells)
    for text in {*(column.get("missing") or ()), *(column.get("merge") or ())} & counts.keys():
        counts[cell_meaning(column, text)] += counts.pop(text)
    missing = counts.pop("", 0)
    told: dict[str, Any] = {"n": sum(counts.values()), "missing": missing, "distinct": len(counts)}
    kind = column["type"]
    if kind not in ("date", "logical"):
        told["as_id"] = as_id(counts)
    if kind == "numeric":
        told |= _numbers(counts)
    elif kind == "date":
        told |= _dates(counts)
    elif kind == "text":
        told |= {
            "examples": [text[:80] for text in list(counts)[:EXAMPLES]],
            "longest": max(map(len, counts), default=0),
        }
    else:
        told |= _labels(column, counts)
    return with_summary_line(column, told)


def with_summary_line(column: Mapping[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Return the summary `told` with its line written in the current labels of `column`."""
    return {**told, "said": _id_summary(column, told)}


def _numbers(counts: Counter[str]) -> dict[str, Any]:
    pairs = [(float(text), count) for text, count in counts.items() if PLAIN.fullmatch(text)]
    if not pairs:
        return {"min": None, "q1": None, "median": None, "mean": None, "q3": None, "max": None, "sd": None, "bins": []}
    with np.errstate(all="ignore"):
        values = np.repeat(*map(np.array, zip(*pairs, strict=True)))
        q1, median, q3 = np.quantile(values, [0.25, 0.5, 0.75])
        told = {
            "min": values.min(), "q1": q1, "median": median, "mean": values.mean(), "q3": q3, "max": values.max(),
            "sd": values.std(ddof=1) if len(values) > 1 else math.nan,
        }  # fmt: skip
    return {
        **{name: float(value) if math.isfinite(value) else None for name, value in told.items()},
        "bins": _bins(values),
    }


def _bins(values: "np.ndarray[Any, Any]") -> list[dict[str, Any]]:
    """Return a histogram of at most BINS bars; a few different whole numbers get a bar each."""
    low, high = float(values.min()), float(values.max())
    if not math.isfinite(high - low) or low == high:
        return [{"low": low, "high": high, "count": len(values)}]
    distinct = np.unique(values)
    if len(distinct) <= BINS and high - low < BINS and np.all(distinct == np.round(distinct)):
        edges = np.arange(low - 0.5, high + 1.5)
    else:
        edges = np.linspace(low, high, min(BINS, max(5, math.ceil(math.log2(len(values)) + 1))) + 1)
    found, edges = np.histogram(values, edges)
    return [
        {"low": float(edges[at]), "high": float(edges[at + 1]), "count": int(count)} for at, count in enumerate(found)
    ]


def _dates(counts: Counter[str]) -> dict[str, Any]:
    days: list[int] = []
    for text, count in counts.items():
        try:
            days += [date.fromisoformat(text[:10]).toordinal()] * count
        except ValueError:
            continue
    if not days:
        return {"first": None, "last": None, "bins": []}
    return {
        "first": _day(min(days)),
        "last": _day(max(days)),
        "bins": [
            {**one, "low": _day(one["low"]), "high": _day(one["high"])} for one in _bins(np.array(days, dtype=float))
        ],
    }


def _day(ordinal: float) -> str:
    return date.fromordinal(min(max(1, round(ordinal)), date.max.toordinal())).isoformat()


def _labels(column: Mapping[str, Any], counts: Counter[str]) -> dict[str, Any]:
    if column["type"] == "logical":
        both = Counter[str]()
        for text, count in counts.items():
            low = text.lower()
            both["true" if low in TRUE else "false" if low in FALSE else text] += count
        order, counts = ["false", "true"], both
    else:
        order = list(column.get("levels") or [])
    known = [label for label in order if label in counts] + [label for label in counts if label not in order]
    return {
        "counts": [{"label": label, "count": counts[label]} for label in known[:COUNTED]],
        "others": max(0, len(known) - COUNTED),
        "distinct": len(known),
    }


def _id_summary(column: Mapping[str, Any], told: Mapping[str, Any]) -> str:
    kind = column["type"]
    if not told["n"]:
        return "no values"
    if kind == "numeric" and told["min"] is not None:
        return f"{_short(told['min'])} to {_short(told['max'])}, median {_short(told['median'])}"
    if kind == "date" and told["first"]:
        return told["first"] if told["first"] == told["last"] else f"{told['first']} to {told['last']}"
    if told.get("counts"):
        parts = [f"{label_of_code(column, one['label'])[:30]} {one['count']:,}" for one in told["counts"][:4]]
        more = told["distinct"] - len(parts)
        return ", ".join(parts) + (f" and {more} more" if more > 0 else "")
    return f"{told['distinct']:,} different {'text' if told['distinct'] == 1 else 'texts'}"


def _short(value: float) -> str:
    """Return a number as text with about six significant digits: 1,234,567 and 0.0125."""
    if value and not 1e-4 <= abs(value) < 1e12:
        return f"{value:.6g}"
    text = f"{value:,.{max(0, 5 - math.floor(math.log10(abs(value))))}f}" if value else "0"
    return text.rstrip("0").rstrip(".") if "." in text else text
