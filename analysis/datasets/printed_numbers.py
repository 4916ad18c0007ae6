"""The numbers that the cells of a column print, for whoever looks for totals: also where more stands in the cell.

"2420 kg" is 2420. In a column of plain numbers "22 (36.7%)" is 22, "45.2 ± 3.1" is 45.2, and "36.7%" is the share 0.367: so
people write the row below their data.
"""

import re
from collections.abc import Mapping
from typing import NamedTuple

from analysis.datasets.cells import Style, number_of, numbers_of
from analysis.datasets.measures import measures_of

MOSTLY = 0.5  # of the cells are numbers: in such a column others are looked at
_MORE = re.compile(r"(?P<number>[^\s(\[±/%]+)\s*(?:%\s*)?(?:[(\[].*|(?:±|\+/?[-−–]).*|/\s*[0-9]+)")


class Printed(NamedTuple):
    value: float
    decimals: int


def printed_numbers(counts: Mapping[str, int], style: Style) -> dict[str, Printed]:
    """The number of each text of a column, `counts` by text; none for what is no number, nor for a column of few."""
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
