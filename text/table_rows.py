"""Table rows as self-contained lines, with each value after the name of its column.

    ▸ trial: RECOVERY; deaths_steroid: 95; n_steroid: 324

File readers write such lines, and the sentence splitter recognises them by the marker.
"""

import re
from collections.abc import Sequence

ROW = "▸ "
LONGEST_NAME = 100  # characters of a column name in a row; the full name is above the rows
_NAME = re.compile(r"(?:^|; )[^:;]{1,100}: ")


def row_text(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row with its marker, without empty cells; "" if it has fewer than two values.

    A first column without a name contains row names. Other columns without a name are called by their number.
    """
    said = [f"{_name(names, at)}: {cell}" for at, cell in enumerate(cells) if cell]
    return f"{ROW}{'; '.join(said)}" if len(said) > 1 else ""


def values_of(row: str) -> str:
    """Return the values of a row (without its marker), without the column names."""
    return _NAME.sub(" | ", row)


def _name(names: Sequence[str], at: int) -> str:
    name = names[at].strip(" :;") if at < len(names) else ""
    if not name:
        return "row" if at == 0 else f"column {at + 1}"
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
