"""A row of a table as a line that says what it holds: each value behind the name of its column.

    ▸ trial: RECOVERY; deaths_steroid: 95; n_steroid: 324

Readers of files write such lines, and whoever reads sentences knows them again by the mark.
"""

import re
from collections.abc import Sequence

ROW = "▸ "
LONGEST_NAME = 100  # characters of a column's name in a row; in full it stands once, above the rows
_NAME = re.compile(r"(?:^|; )[^:;]{1,100}: ")


def row_text(names: Sequence[str], cells: Sequence[str]) -> str:
    """Return the row with its mark; "" for one with fewer than two values, which says nothing. Empty cells are left out.

    A first column without a name holds the names of the rows. Another one is called by its number.
    """
    said = [f"{_name(names, at)}: {cell}" for at, cell in enumerate(cells) if cell]
    return f"{ROW}{'; '.join(said)}" if len(said) > 1 else ""


def values_of(row: str) -> str:
    """Return what a row, without its mark, says beside the names of the columns."""
    return _NAME.sub(" | ", row)


def _name(names: Sequence[str], at: int) -> str:
    name = names[at].strip(" :;") if at < len(names) else ""
    if not name:
        return "row" if at == 0 else f"column {at + 1}"
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1].rstrip()}…"
