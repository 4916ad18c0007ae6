"""Detection of a second header row with units, labels or questions, about which the user is asked (SPEC N1)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from analysis.datasets.cell_vocabulary import MISSING_AMONG_NUMBERS
from analysis.datasets.number_style import style_of
from analysis.datasets.parse_cells import Style, numbers_of

CODE = "second_header"
MOST_HEADER_ROWS = 3
LEAST = 2  # rows that must follow it
LOOKED_AT = 300
_LONGEST = 40


def is_second_header(header: Sequence[str], rows: Sequence[Sequence[str]], reading: Mapping[str, Any]) -> bool:
    """Return whether the first of `rows` looks like part of the `header`: it has words above numbers, and no data.

    `rows` are of equal length. Words above a single column of numbers are not enough, unless they are a unit. Nor are
    columns of words only, unless the first row is much longer than the others, as questions are, or repeats the names
    of the columns.
    """
    if len(rows) <= LEAST:
        return False
    first, below = rows[0], rows[1 : 1 + LOOKED_AT]
    columns = list(zip(*below, strict=True))
    style, _ = style_of({str(at): Counter(one) for at, one in enumerate(columns)}, reading)
    if _counts_columns(first) and not all(numbers_of(filter(None, column), style) for column in columns):
        return True
    return _is_over(header, first, columns, style, len(rows))


def _is_over(
    header: Sequence[str], first: Sequence[str], columns: Sequence[Sequence[str]], style: Style, rows: int
) -> bool:
    """Return whether the cells of `first` are names of the `columns` below them, in a table with `rows` rows."""
    over_numbers: list[str] = []
    over_words: list[tuple[str, float]] = []
    again = 0
    for name, cell, column in zip(header, first, columns, strict=True):
        filled = [text for text in column if text and text.casefold() not in MISSING_AMONG_NUMBERS]
        if not cell or not filled:
            continue
        numbers = numbers_of(set(filled), style)
        is_number = bool(numbers_of([cell], style))
        if sum(text in numbers for text in filled) >= 0.8 * len(filled):
            if is_number:
                return False
            if cell.casefold() not in MISSING_AMONG_NUMBERS:
                over_numbers.append(cell)
        elif is_number or cell in filled:
            return False  # other rows have this value too, so it is data
        else:
            over_words.append((cell, sum(map(len, filled)) / len(filled)))
            again += _repeats_column_name(name, cell) and not any(_repeats_column_name(name, text) for text in filled)
    if over_numbers:
        return len(over_numbers) > 1 or is_unit(over_numbers[0]) or _are_longer(over_words, 1)
    if rows <= 5 or len(over_words) <= 0.6 * sum(map(bool, header)):
        return False
    return _are_longer(over_words, 2) or (again > 1 and again > 0.5 * len(over_words))


def _counts_columns(cells: Sequence[str]) -> bool:
    """Return whether cells number the columns, as in forms below the names: 1, 2, 3, 4."""
    return len(cells) > 3 and [cell.strip("().") for cell in cells] == [str(at) for at in range(1, len(cells) + 1)]


def _repeats_column_name(name: str, cell: str) -> bool:
    """Return whether a cell contains the name of its column, or a word beginning with it: "diag", "Main diagnosis"."""
    name = name.casefold().strip()
    return len(name) > 1 and bool(re.search(rf"(?<!\w){re.escape(name)}", cell.casefold()))


def _are_longer(cells: Sequence[tuple[str, float]], least: int) -> bool:
    """Return whether most of `cells` are much longer than the cells below them."""
    longer = sum(len(cell) > 12 and len(cell) > 2 * usual for cell, usual in cells)
    return longer >= least and longer > 0.6 * len(cells)


def is_unit(cell: str) -> bool:
    """Return whether a cell is a unit: "mg/dl", "(years)", "%"."""
    bare = cell.strip().strip("()[]").strip().casefold()
    return bare in _UNITS or ("/" in bare and len(bare) <= 16 and " " not in bare and not bare[0].isdigit())


_NAMES_OF_UNITS = """
% ‰ a y yr yrs year years j jahre jahr ans año años anni age months month mo mths monate mois days day d tage tag jours
weeks week wk hours hour h hr hrs std min mins minutes s sec seconds kg g mg µg ug ng pg lb lbs cm mm m m2 m² mmhg kpa
bpm /min ml l dl mmol mol mmol/l mg/dl g/dl g/l u/l iu/l °c °f c f kcal kj ₹ rs € $ inr eur usd n no. count points score
kg/m2 kg/m² ratio वर्ष साल
"""
_UNITS = frozenset(_NAMES_OF_UNITS.split())


def second_header_question(number: int, last: int, cells: Sequence[str], header_rows: int) -> dict[str, Any]:
    """Return the remark that asks whether row `last` of the file belongs to the header that begins in row `number`."""
    joined = "and" if header_rows == 2 else "to"
    filled = [cell for cell in cells if cell]
    shown = ", ".join(f"“{cell[:_LONGEST]}”" for cell in filled[:4]) + (" …" if len(filled) > 4 else "")
    return {
        "level": "question",
        "code": CODE,
        "text": f"Row {last} looks like a second row of headings ({shown}). "
        f"Read rows {number} {joined} {last} as headings?",
        "rows": [last],
        "cells": [[cell[:_LONGEST] for cell in cells[:12]]],
        "count": 1,
        "header_rows": header_rows,
        "choices": ["header_rows", "keep"],
    }
