"""Values that lie implausibly far from all others of their column (SPEC N1): pointed out, never taken away.

A value counts as extreme only where it does so however the column is looked at: as it stands, by its logarithm and by a
measure between both. What is skewed, as costs and laboratory values are, has far values on one of them only.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.datasets.parse_cells import PLAIN, number_text
from analysis.datasets.table_layout import in_words, remark

LEAST = 10  # values that a column has
DISTINCT = 6  # of them that differ
MOST = 3  # that are pointed out: more are no exception
_FENCE = 4.5  # robust SDs from the median
# Of the way from the median to the next value: as far again does it lie from that; by so many divided by n more.
_GAP, _FEW = 0.5, 18
Floats = npt.NDArray[np.float64]


def extremes_of(values: Floats) -> list[float]:
    """Return the extreme ones of `values`, the farthest first; none of a column with few values."""
    values = values[np.isfinite(values)]
    if len(values) < LEAST or len(np.unique(values)) < DISTINCT:
        return []
    found: list[float] = []
    rest = np.sort(values)
    most = min(MOST, max(1, len(values) // 10))
    while len(found) <= most and len(rest) >= LEAST - MOST - 1:
        ends = sorted(((abs(rest[at] - np.median(rest)), at) for at in (0, len(rest) - 1)), reverse=True)
        at = next((at for _, at in ends if _is_far(rest, at, most + 1)), None)
        if at is None:
            break
        # Two equal far values are one find: 503 in two rows.
        alike = rest == rest[at]
        found += [float(rest[at])] * int(alike.sum())
        rest = rest[~alike]
    return found if len(found) <= most else []


def _is_far(ordered: Floats, at: int, most: int) -> bool:
    """Return whether the first or last of `ordered` lies far out, and on every scale with a wide gap to those that are not with it."""
    middle, spread = _robust(ordered)
    if spread <= 0 or abs(ordered[at] - middle) <= _FENCE * spread:
        return False
    scales = [ordered, np.arcsinh((ordered - middle) / spread)]
    if ordered[0] > 0:
        scales.append(np.log(ordered))
    elif ordered[0] == 0 and at:
        scales.append(np.log(ordered + spread))
    return all(_has_gap(scale, at, most) for scale in scales)


def _has_gap(scale: Floats, at: int, most: int) -> bool:
    """Whether, among the outermost values, the widest step is long beside the way from there to the median."""
    outer = scale[: most + 1] if at == 0 else scale[::-1][: most + 1]
    steps = np.abs(np.diff(outer))
    widest = int(np.argmax(steps))
    return bool(steps[widest] > (_GAP + _FEW / len(scale)) * abs(outer[widest + 1] - float(np.median(scale))))


def _robust(values: Floats) -> tuple[float, float]:
    """Median, and a robust SD: of the median deviation, or of the quartiles where that is wider."""
    middle = float(np.median(values))
    low, high = np.quantile(values, [0.25, 0.75])
    return middle, max(1.4826 * float(np.median(np.abs(values - middle))), float(high - low) / 1.349)


def tell_extremes(column: dict[str, Any], cells: "pd.Series[Any]", remarks: list[dict[str, Any]]) -> None:
    """Set column["extremes"] to {rows, texts} of the extreme cells of a column of numbers, and remark on them."""
    column.pop("extremes", None)
    if column["type"] != "numeric":
        return
    missing = {"", *column["missing"], *column.get("codes", ())}
    texts = cells.tolist()
    number = {text: float(text) for text in set(texts) if text not in missing and PLAIN.fullmatch(text)}
    values = np.array([number[text] for text in texts if text in number])
    far = set(extremes_of(values))
    if not far:
        return
    at = [
        (int(row), text) for row, text in zip(cells.index, texts, strict=True) if text in number and number[text] in far
    ]
    rows, found = [row for row, _ in at], list(dict.fromkeys(text for _, text in at))
    others = [value for value in values if value not in far]
    column["extremes"] = {"rows": rows, "texts": found}
    one = len(rows) == 1
    said = (
        f"{_listed(found)} in {in_words(rows)} lie{'s' if one else ''} far from all other values, which are {number_text(min(others))} to "
        f"{number_text(max(others))}. If {'it is a mistake' if one else 'they are mistakes'}, correct the file, mark the cell{'' if one else 's'} as missing or leave the row{'' if one else 's'} out."
    )
    remarks.append(remark("warning", "extreme", said, rows, column["id"]))


def _listed(texts: list[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
