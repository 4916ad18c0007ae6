"""Evidence that the numbers of a row are the sums, means or counts of rows above it.

`evidence` is minus the decimal logarithm of the probability that an ordinary row matches as well by chance. A column
gives much evidence when its sum is far beyond all its values, or its mean has decimals that no value has, and none when
all its values are the same.
"""

import math
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from analysis.datasets.numbers_with_units import measures_of
from analysis.datasets.parse_cells import Style, number_of, numbers_of

Floats = npt.NDArray[np.float64]
LEAST = 2  # rows of a sum: the sum of one row is just a repeated row
_KINDS = math.log10(3)  # a cell may be a sum, a mean or a count
_MORE_KINDS = math.log10(7)  # and with `spread` an SD, a median, the lowest or highest value
_MOST = 6.0  # evidence of one column, at most


class Printed(NamedTuple):
    """A number and how many decimals were written."""

    value: float
    decimals: int


class Numbers(NamedTuple):
    """The columns of numbers of a table: `values` by row and column, NaN where there is none; `decimals` as written.

    For each column, `given` is the smallest unit it is written in, `spread` about its SD and `most` about its largest
    absolute value.
    """

    columns: list[str]
    values: Floats
    decimals: npt.NDArray[np.int8]
    given: Floats
    spread: Floats
    most: Floats


class Match(NamedTuple):
    """How a row matches the rows above it: the statistic in each matching column ("sum", "mean", "count", ...)."""

    evidence: float
    kinds: dict[int, str]
    missed: int  # numbers in the row that match no statistic


def numbers_in(cells: Mapping[str, Sequence[str]], found: Mapping[str, Mapping[str, Printed]]) -> Numbers:
    """Return the columns of `cells` that are mostly numbers; `found` are the numbers of each column by text."""
    columns, values, decimals = [], [], []
    for id_, texts in cells.items():
        if not (known := found[id_]):
            continue
        columns.append(id_)
        values.append(np.array([known[text].value if text in known else math.nan for text in texts], dtype=np.float64))
        decimals.append(np.array([known[text].decimals if text in known else 0 for text in texts], dtype=np.int8))
    rows = len(next(iter(cells.values()), ()))
    table = np.array(values, dtype=float).T.reshape(rows, len(columns))
    places = np.array(decimals, dtype=np.int8).T.reshape(rows, len(columns))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of a column without values
        given = 10.0 ** -np.median(places, axis=0)
        low, high = (np.nanquantile(table, share, axis=0) for share in (0.16, 0.84))
        most = np.nanquantile(np.abs(table), 0.9, axis=0)
    return Numbers(columns, table, places, given, np.nan_to_num((high - low) / 2), np.nan_to_num(most))


def close_rows(numbers: Numbers, rows: slice, before: Floats, enough: float) -> npt.NDArray[np.bool_]:
    """Return, for each of `rows`, whether it may be sums or means of the rows before it in the slice.

    `before` (2 x columns: sums and counts) is added to these. It is a fast filter for all rows; those that may have
    `enough` evidence are then examined by `matched`.
    """
    values = numbers.values[rows]
    is_there = ~np.isnan(values)
    filled = np.where(is_there, values, 0.0)
    sums = np.cumsum(filled, axis=0) - filled + before[0]
    counts = np.maximum(np.cumsum(is_there, axis=0) - is_there + before[1], 1)
    unit = 10.0 ** -numbers.decimals[rows].astype(float)
    with np.errstate(all="ignore"):
        slack = numbers.given / np.sqrt(counts)
        inside = np.maximum(np.log10(2 * numbers.spread / (2 * unit + 2 * slack)) - _KINDS + 0.1, 0.0)
        far = np.log10(np.abs(sums) / unit + 1) + np.log10(counts + 1)
        is_sum = is_there & (
            np.abs(values - sums) <= 0.5 * unit + numbers.given * np.sqrt(counts) * (numbers.given < 1)
        )
        told = np.where(is_there & (np.abs(values - sums / counts) <= 0.5 * unit + slack), inside, 0.0)
        told = np.where(is_sum, np.where(np.abs(sums) > numbers.most, far, inside), told)
        told = np.where(counts >= LEAST, np.minimum(told, _MOST), 0.0)
    result: npt.NDArray[np.bool_] = told.sum(axis=1) >= enough
    return result


def matched(numbers: Numbers, row: int, above: npt.NDArray[np.intp], *, spread: bool = False) -> Match:
    """Return which statistics of the rows `above` are in `row`; with `spread` also SDs, medians and extremes."""
    told: dict[int, tuple[float, str]] = {}
    missed = blind = 0
    for place in range(len(numbers.columns)):
        x = numbers.values[row, place]
        if math.isnan(x):
            continue
        values = numbers.values[above, place]
        is_there = ~np.isnan(values)
        values, decimals = values[is_there], numbers.decimals[above, place][is_there]
        if len(values) < LEAST:
            continue
        found = _cell(x, int(numbers.decimals[row, place]), values, int(decimals.max()), len(above), spread=spread)
        if found is not None:
            told[place] = found
        elif _runs_on(values, x):
            blind += 1  # the next serial number is no evidence
        else:
            missed += 1
    kinds = _MORE_KINDS if spread else _KINDS
    evidence = sum(max(0.0, min(_MOST, one - kinds)) for one, _ in told.values())
    if len({kind for _, kind in told.values()}) == 1 and not missed:
        # Most total rows are all sums or all means: then the kind was chosen once for the row and not for each cell.
        evidence = max(evidence, sum(min(_MOST, one) for one, _ in told.values()) - kinds)
    # Which columns match was not known before, so the evidence is reduced by the number of choices.
    evidence -= math.log10(math.comb(len(told) + missed, missed)) + missed
    return Match(evidence, {place: kind for place, (_, kind) in told.items()}, missed)


def _cell(x: float, decimals: int, values: Floats, usual: int, rows: int, *, spread: bool) -> tuple[float, str] | None:
    """Return (evidence, kind) of the statistic of `values` that `x` most likely is; None when it matches none."""
    if _runs_on(values, x):
        return None
    m, low, high = len(values), float(values.min()), float(values.max())
    unit, given = 10.0**-decimals, 10.0**-usual
    total = float(values.sum())
    noise = 1e-9 * max(abs(total), abs(x), 1e-300)
    tried: list[tuple[float, str]] = []
    is_sorted = bool(np.all(np.diff(values) >= 0) or np.all(np.diff(values) <= 0))
    for tolerance in (0.5 * unit * (decimals < usual) + noise, 0.5 * unit + math.sqrt(m) * given * (usual > 0) + noise):
        if abs(x - total) <= tolerance:
            tried.append((_chance(total, tolerance, min(unit, given), values, is_sorted=is_sorted), "sum"))
            break
    stats = [("mean", total / m)]
    if spread:
        stats += [("median", float(np.median(values)))]
        stats += (
            [("min", low), ("max", high)] if not is_sorted else []
        )  # in sorted values the next may equal the extreme
        stats += [("sd", float(values.std(ddof=1))), ("sd", float(values.std()))]
    for kind, stat in stats:
        tolerance = 0.5 * unit * (1 + 1e-9) + (given / math.sqrt(m) if usual else 0.0) * (kind == "mean") + noise
        if abs(x - stat) <= tolerance:
            tried.append((_chance(stat, tolerance, min(unit, given), values, is_sorted=is_sorted), kind))
    if decimals == 0 and x in (m, rows):
        tried.append((_chance(x, 0.0, 1.0, values, is_sorted=is_sorted), "count"))
    if not tried:
        return None
    chance, kind = min(tried)
    return -math.log10(chance), kind


def _chance(target: float, tolerance: float, unit: float, values: Floats, *, is_sorted: bool) -> float:
    """Return the probability that another value like `values` lies within `tolerance` of `target`."""
    width = 2 * tolerance + unit
    low, high = float(values.min()), float(values.max())
    if low <= target <= high:
        middle = float(np.quantile(values, 0.84) - np.quantile(values, 0.16)) / 2 or (high - low) / 4
        as_often = float(np.mean(np.abs(values - target) <= tolerance))
        return min(1.0, max(as_often, 0.5 * width / middle if middle else 1.0))
    is_new = 1.0 if is_sorted else 1 / (len(values) + 1)  # chance of a new lowest or highest value
    return min(1.0, is_new * width / (max(abs(target), high - low) + unit))


def _runs_on(values: Floats, x: float) -> bool:
    """Return whether `x` continues values with equal steps, as serial numbers do."""
    steps = np.diff(values)
    return len(steps) > 0 and steps[0] != 0 and bool(np.all(steps == steps[0])) and x - values[-1] == steps[0]


MOSTLY = 0.5  # share of numbers from which a column counts as one of numbers
_MORE = re.compile(r"(?P<number>[^\s(\[±/%]+)\s*(?:%\s*)?(?:[(\[].*|(?:±|\+/?[-−–]).*|/\s*[0-9]+)")


def printed_numbers(counts: Mapping[str, int], style: Style) -> dict[str, Printed]:
    """Return the numbers of a column by text, {} when they are too few; `counts` are the texts of the column."""
    found = {
        text: Printed(float(kept), _decimals(text, style.decimal))
        for text, kept in numbers_of(filter(None, counts), style).items()
    }
    shares = [text for text in found if text.endswith("%")]
    rest = [text for text in counts if text and text not in found]
    found |= {
        text: Printed(float(one.number), _decimals(text, style.decimal))
        for text, one in (measures_of(rest, style) if rest else {}).items()
    }
    filled = sum(counts.values()) - counts.get("", 0)
    if not found or sum(map(counts.__getitem__, found)) < MOSTLY * filled:
        return {}
    if sum(map(counts.__getitem__, shares)) < 0.5 * filled:
        found |= {text: Printed(found[text].value / 100, found[text].decimals + 2) for text in shares}
    for text in rest:
        if text not in found and (match := _MORE.fullmatch(text)) and (number := number_of(match["number"], style)):
            found[text] = Printed(float(number), _decimals(match["number"], style.decimal))
    return found


def _decimals(text: str, decimal: str) -> int:
    tail = text.rpartition(decimal)[2] if decimal in text else ""
    return min(12, len(tail) - len(tail.lstrip("0123456789")))
