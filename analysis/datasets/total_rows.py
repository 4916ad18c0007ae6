"""Rows of totals and averages in a table, found by their arithmetic and their labels (SPEC N1).

A row is suspected when its numbers are the sums, means or counts of the rows above it (all of them, or those since the
last total) and that is unlikely by chance, or when its first cell says "Total" in one of many languages. Suspected rows
are set aside until the user decides; data cannot be confirmed before that.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from analysis.datasets.number_style import style_of
from analysis.datasets.row_sums import LEAST, Match, Numbers, close_rows, matched, numbers_in, printed_numbers
from analysis.datasets.table_layout import rows_in_words
from analysis.datasets.total_row_labels import kind_of_label

CODE = "totals"
REASONS = {"sum": "total row", "mean": "average row", "spread": "row of statistics"}
ENOUGH = 2.3  # evidence (minus log10 of its chance) from which a row is suspected
FEW, MORE = 4, 1.5  # with fewer rows than FEW, MORE additional evidence is needed
NAMED = 3.0  # evidence from a label such as "Total"
# Evidence from a cell that is blank, or a word, where nearly all rows have a text or a code; in each further column.
BLANK, MORE_BLANK = 1.3, 0.7
_WINDOW = 64
_BELOW = 8  # rows at the end that may each summarise a part of the data
_CELLS = 12  # of a row that are shown
_LONGEST = 40
_FIGURE = re.compile(r"[0-9]")
Places = npt.NDArray[np.intp]  # of rows, counted from 0


@dataclass
class Total:
    """A row that looks like a total: its place, its kind, the places of the rows it summarises, and its label."""

    place: int
    kind: str  # sum, mean or spread
    match: Match | None
    above: Places
    label: str = ""
    group: str = ""  # the value shared by the rows it summarises, when they are a part of the table


@dataclass
class _Rows:
    """A table prepared for the search. `cells` are texts by column; `is_data` are places of rows kept as data."""

    cells: dict[str, list[str]]
    numbers: Numbers
    is_data: frozenset[int]
    texts: list[str]  # columns of words
    labels: list[str]  # the first cell of each row
    levels: dict[str, Counter[str]]
    coded: frozenset[str]  # the `texts` columns in which nearly every text has digits, such as codes of patients

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.labels)


def totals_in(frame: pd.DataFrame, reading: Mapping[str, Any], is_data: frozenset[int] = frozenset()) -> list[Total]:
    """Return the rows of `frame` (texts as in the file) that look like totals or averages.

    `is_data` are the row numbers that the user has kept as data.
    """
    return _by_arithmetic(_rows(frame, reading, is_data)) if len(frame) > LEAST else []


def _rows(frame: pd.DataFrame, reading: Mapping[str, Any], is_data: frozenset[int]) -> _Rows:
    cells = {id_: frame[id_].tolist() for id_ in frame.columns}
    counts = {id_: Counter(texts) for id_, texts in cells.items()}
    style, _ = style_of(counts, reading)
    numbers = numbers_in(cells, {id_: printed_numbers(one, style) for id_, one in counts.items()})
    texts = [id_ for id_ in cells if id_ not in numbers.columns and any(cells[id_])]
    return _Rows(
        cells,
        numbers,
        is_data=frozenset(place for place, number in enumerate(frame.index) if number in is_data),
        texts=texts,
        labels=[next(filter(None, row), "") for row in zip(*cells.values(), strict=True)],
        levels={id_: counts[id_] for id_ in texts},
        coded=frozenset(id_ for id_ in texts if _are_codes(counts[id_])),
    )


def _are_codes(counts: Counter[str]) -> bool:
    words = sum(count for text, count in counts.items() if text and not _FIGURE.search(text))
    return words < 0.2 * (counts.total() - counts[""])


def _by_arithmetic(rows: _Rows) -> list[Total]:
    named = _named(rows)
    found: list[Total] = []
    taken: set[int] = set()
    start, last = 0, rows.count
    data = np.arange(0)  # places of data before `start`
    before = np.zeros((2, len(rows.numbers.columns)))
    window = _WINDOW
    block = np.arange(0)
    while start < last:
        end = min(last, start + window)
        total = _first_in(rows, start, end, data, before, named)
        if total is None:
            if end == last:
                break
            window *= 4
            continue
        if total.place > start:
            block = np.arange(start, total.place)
            data = np.concatenate([data, block])
            part = rows.numbers.values[start : total.place]
            before += np.array([np.nansum(part, axis=0), np.sum(~np.isnan(part), axis=0)])
        found.append(total)
        taken.add(total.place)
        start, window = total.place + 1, _WINDOW
        while start < last and (next_ := _following(rows, start, data, block, named)):
            found.append(next_)
            taken.add(start)
            start += 1
    found += _at_the_end(rows, taken)
    return found + _on_top(rows, taken)


def _first_in(
    rows: _Rows, start: int, end: int, data: Places, before: npt.NDArray[np.float64], named: dict[int, str]
) -> Total | None:
    """Return the first total between `start` and `end`, of the rows since `start` or of all data; None without one."""
    enough = ENOUGH - 3 + np.log10(2 * rows.count)
    near = close_rows(rows.numbers, slice(start, end), np.zeros_like(before), enough)
    if len(data):
        near |= close_rows(rows.numbers, slice(start, end), before, enough)
    places = {*(start + np.flatnonzero(near)).tolist(), *(place for place in named if start <= place < end)}
    places |= {rows.count - 1} if end == rows.count else set()
    for place in sorted(places - rows.is_data):
        block = np.arange(start, place)
        scopes = [np.concatenate([data, block]), block] if len(data) else [block]
        if total := _suspected(rows, place, scopes, named.get(place, "")):
            return total
    return None


def _following(rows: _Rows, place: int, data: Places, block: Places, named: dict[int, str]) -> Total | None:
    """Return the row at `place`, just below a total, when it is a total too: averages below totals, a grand total."""
    if place in rows.is_data:
        return None
    label = named.get(place) or ("spread" if kind_of_label(rows.labels[place]) == "spread" else "")
    return _suspected(rows, place, [data, block], label, spread=True)


def _suspected(rows: _Rows, place: int, scopes: Sequence[Places], label: str, *, spread: bool = False) -> Total | None:
    found = [(matched(rows.numbers, place, above, spread=spread), above) for above in scopes if len(above) >= LEAST]
    if not found:
        return Total(place, label, None, np.arange(0), rows.labels[place]) if label and place > 1 else None
    match, above = max(found, key=lambda one: one[0].evidence)
    best = Total(place, _kind(match, label), match, above, rows.labels[place] if label else "")
    choices = 1 if spread else 2 if place == rows.count - 1 else 2 * rows.count
    if match.kinds and match.evidence + _signs(rows, place, best, label, choices=choices) >= ENOUGH:
        return best
    if label and (spread or label != "spread") and any(not np.isnan(one) for one in rows.numbers.values[place]):
        return Total(place, label, None, above, rows.labels[place])
    return None


def _signs(rows: _Rows, place: int, total: Total, label: str, *, choices: float, of: str = "") -> float:
    """Return the evidence from a row's texts (positive or negative), reduced for the number of `choices`.

    The column `of` is ignored: its text names the group that the row summarises.
    """
    worth = (NAMED if label else 0.0) - (MORE if len(total.above) < FEW else 0.0) - math.log10(choices)
    blank = repeats = 0
    for id_ in (one for one in rows.texts if one != of):
        text, counts = rows.cells[id_][place], rows.levels[id_]
        if not text or (id_ in rows.coded and not _FIGURE.search(text)):
            blank += counts[""] < 0.2 * rows.count
        elif counts[text] > 1 and len(counts) < 0.5 * rows.count:
            repeats += 1
    if repeats:
        return worth - (0.0 if label else 2.0)
    return worth + (BLANK + MORE_BLANK * (blank - 1) if blank else 0.0)


def _at_the_end(rows: _Rows, taken: set[int]) -> list[Total]:
    """Return rows at the end that summarise the data otherwise: lowest and highest values, totals of men and women."""
    found: list[Total] = []
    while True:
        left = np.array([place for place in range(rows.count) if place not in taken], dtype=np.intp)
        for many in range(1, min(_BELOW, len(left) - LEAST) + 1):
            last: list[Total] = []
            for place in left[-many:].tolist():
                total = _of_some(rows, place, left[:-many])
                if total is None:
                    break
                last.append(total)
            if len(last) == many:
                break
        else:
            return found
        found += last
        taken |= {one.place for one in last}


def _of_some(rows: _Rows, place: int, above: Places) -> Total | None:
    """Return the row at `place` if its numbers are extremes or medians of the rows `above`, or totals of one group."""
    if place in rows.is_data:
        return None
    label = kind_of_label(rows.labels[place])
    if label and sum(one == rows.labels[place] for one in rows.labels) > max(1, 0.2 * rows.count):
        label = ""
    groups = [
        id_
        for id_ in rows.texts
        if 1 < rows.levels[id_][rows.cells[id_][place]] < rows.count and rows.cells[id_][place]
    ]
    for id_ in ["", *groups]:
        group = rows.cells[id_][place] if id_ else ""
        of = np.array([at for at in above.tolist() if not id_ or rows.cells[id_][at] == group], dtype=np.intp)
        if len(of) < LEAST:
            continue
        match = matched(rows.numbers, place, of, spread=not id_)
        total = Total(place, _kind(match, label), match, of, rows.labels[place] if label else "", group)
        choices = 2 * _BELOW * (1 + len(groups))
        if match.kinds and match.evidence + _signs(rows, place, total, label, choices=choices, of=id_) >= ENOUGH:
            return total
    return None


def _named(rows: _Rows) -> dict[int, str]:
    """Return the places and kinds of rows labelled "Total" or "Mean" in their first cell, unless many rows are."""
    kinds = {place: kind_of_label(label) for place, label in enumerate(rows.labels)}
    found = {place: kind for place, kind in kinds.items() if kind in ("sum", "mean") and place not in rows.is_data}
    often = Counter(rows.labels[place] for place in found)
    return {place: kind for place, kind in found.items() if often[rows.labels[place]] <= max(1, 0.2 * rows.count)}


def _on_top(rows: _Rows, taken: set[int]) -> list[Total]:
    """Return the first row when it is the total of all rows below it."""
    if 0 in taken or 0 in rows.is_data:
        return []
    below = np.array([place for place in range(1, rows.count) if place not in taken], dtype=np.intp)
    label = kind_of_label(rows.labels[0])
    total = _suspected(rows, 0, [below], label if label in ("sum", "mean") else "")
    return [total] if total is not None and total.match is not None and total.match.kinds else []


def _kind(match: Match, label: str) -> str:
    kinds = Counter(match.kinds.values())
    if not kinds:
        return label
    if kinds["sum"] or kinds["count"] and not kinds["mean"]:
        return "sum"
    return "mean" if kinds["mean"] else label or "spread"


# --- the question --------------------------------------------------------------------------------------------------


def totals_question(totals: Sequence[Total], frame: pd.DataFrame) -> dict[str, Any]:
    """Return the remark that asks about `totals`, with their cells, since these rows are not in the table meanwhile."""
    totals = sorted(totals, key=lambda one: int(frame.index[one.place]))
    return {
        "level": "question",
        "code": CODE,
        "text": total_sentence(totals[0], frame) if len(totals) == 1 else _sentence_of_many(totals, frame),
        "rows": [int(frame.index[one.place]) for one in totals],
        "reasons": [REASONS[one.kind] for one in totals],
        "cells": [[text[:_LONGEST] for text in frame.iloc[one.place].tolist()[:_CELLS]] for one in totals],
        "count": len(totals),
        "choices": ["leave_out", "keep"],
    }


_STATISTICS = {
    "sum": "sum",
    "mean": "mean",
    "count": "number of values",
    "sd": "standard deviation",
    "median": "median",
}


def total_sentence(total: Total, frame: pd.DataFrame) -> str:
    """Return the question: "Row 116 looks like a total: its values are the sums of rows 2 to 115. Leave it out?"."""
    what = {"sum": "a total", "mean": "a row of averages", "spread": "a row of statistics"}[total.kind]
    why = [f"it is called “{total.label[:_LONGEST]}”"] if total.label else []
    if total.match and total.match.kinds:
        why.append(_arithmetic(total.match, _span(total, frame)))
    return f"Row {frame.index[total.place]} looks like {what}: {' and '.join(why)}. Leave it out?"


def _arithmetic(match: Match, of: str) -> str:
    """Return the reason from a row's numbers: "its values are the sums of rows 2 to 115", or "some of its values"."""
    kinds = set(match.kinds.values())
    if kinds == {"count"} and not match.missed:
        return f"it gives the number of values in {of}"
    known = [word for kind, word in _STATISTICS.items() if kind in kinds]
    if len(match.kinds) == 1:
        named = known or [f"{'lowest' if 'min' in kinds else 'highest'} value"]
        return f"{'one of its values' if match.missed else 'its value'} is the {named[0]} of {of}"
    named = [f"{word}s" for word in known]
    named += [f"{word} values" for kind, word in (("min", "lowest"), ("max", "highest")) if kind in kinds]
    stands = " and ".join([", ".join(named[:-1]), named[-1]] if len(named) > 1 else named)
    return f"{'some of its values' if match.missed else 'its values'} are the {stands} of {of}"


def _sentence_of_many(totals: Sequence[Total], frame: pd.DataFrame) -> str:
    rows = rows_in_words([int(frame.index[one.place]) for one in totals])
    words = {"sum": "totals", "mean": "averages", "spread": "rows of statistics"}
    what = " or ".join(word for kind, word in words.items() if any(one.kind == kind for one in totals))
    named = list(dict.fromkeys(f"“{one.label[:_LONGEST]}”" for one in totals if one.label))
    computed = [one for one in totals if one.match and one.match.kinds]
    why = []
    if computed:
        of = "their values are" if len(computed) == len(totals) else f"the values of {len(computed)} of them are"
        found = {kind for one in computed if one.match for kind in one.match.kinds.values()}
        stats = [f"{word}s" for word in ("sum", "mean") if word in found]
        stats = [*stats, "statistics"] if found - {"sum", "mean", "count"} or not stats else stats
        why.append(f"{of} {' or '.join(stats)} of other rows")
    if named:
        why.append(f"they are called {', '.join(named[:4])}")
    return f"{rows.capitalize()} look like {what}: {' and '.join(why)}. Leave them out?"


def _span(total: Total, frame: pd.DataFrame) -> str:
    if total.group:
        return f"the {len(total.above):,} rows of “{total.group[:_LONGEST]}”"
    return f"rows {frame.index[total.above[0]]} to {frame.index[total.above[-1]]}"
