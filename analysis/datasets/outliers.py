"""Values implausibly far from all others of their column (SPEC N1): they are reported, never removed.

A value is extreme only when it is on every scale: as it is, as its logarithm, and on a scale between the two. A skewed
column, such as costs or laboratory values, has far values on one of these scales only.
"""

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.datasets.parse_cells import PLAIN, number_text
from analysis.datasets.table_layout import remark, rows_in_words

LEAST = 10  # values of a column, at least
DISTINCT = 6  # different values, at least
MOST = 3  # values reported: more are not exceptional
_FENCE = 4.5  # robust SDs from the median
# The gap before an extreme value, as a share of the distance from the median to the next value: _GAP + _FEW / n.
_GAP, _FEW = 0.5, 18
Floats = npt.NDArray[np.float64]


def extremes_of(values: Floats) -> list[float]:
    """Return the extreme values, the farthest first; [] for a column with few values."""
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
        # Equal far values are found together: 503 in two rows.
        alike = rest == rest[at]
        found += [float(rest[at])] * int(alike.sum())
        rest = rest[~alike]
    return found if len(found) <= most else []


def _is_far(ordered: Floats, at: int, most: int) -> bool:
    """Return whether the first or last of `ordered` is far out, with a wide gap to the others on every scale."""
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
    """Return whether the widest step among the outermost values is large compared with the distance to the median."""
    outer = scale[: most + 1] if at == 0 else scale[::-1][: most + 1]
    steps = np.abs(np.diff(outer))
    widest = int(np.argmax(steps))
    return bool(steps[widest] > (_GAP + _FEW / len(scale)) * abs(outer[widest + 1] - float(np.median(scale))))


def _robust(values: Floats) -> tuple[float, float]:
    """Return the median and a robust SD, from the median absolute deviation or the quartiles, whichever is larger."""
    middle = float(np.median(values))
    low, high = np.quantile(values, [0.25, 0.75])
    return middle, max(1.4826 * float(np.median(np.abs(values - middle))), float(high - low) / 1.349)


def mark_extremes(column: dict[str, Any], cells: "pd.Series[Any]", remarks: list[dict[str, Any]]) -> None:
    """Set column["extremes"] to {rows, texts} of the extreme cells of a numeric column, and add a remark on them."""
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
        f"{_listed(found)} in {rows_in_words(rows)} lie{'s' if one else ''} far from all other values, which are "
        f"{number_text(min(others))} to {number_text(max(others))}. "
        f"If {'it is a mistake' if one else 'they are mistakes'}, correct the file, "
        f"mark the cell{'' if one else 's'} as missing or leave out the row{'' if one else 's'}."
    )
    remarks.append(remark("warning", "extreme", said, rows, column["id"]))


def _listed(texts: list[str]) -> str:
    return " and ".join([", ".join(texts[:-1]), texts[-1]] if len(texts) > 1 else texts)
