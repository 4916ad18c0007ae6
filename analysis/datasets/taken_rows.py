"""Which rows of a file count: without those that somebody left out, and without those that look like totals (SPEC N1)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from analysis.datasets.totals import question, totals_in
from untrusted.unreadable import Unreadable


def taken(frame: pd.DataFrame, reading: Mapping[str, Any]) -> tuple[pd.DataFrame, list[dict[str, Any]], dict[str, Any]]:
    """The rows of `frame` that count, remarks on the others, and what of the reading says which they are.

    Totals are looked for among all rows, also those that are left out: they were computed with them. Raises Unreadable
    when no row is left.
    """
    left = [dict(one) for one in reading.get("left_out") or []]
    kept = [int(row) for row in reading.get("kept_rows") or []]
    out = {int(row) for one in left for row in one["rows"]}
    remarks = []
    suspects: list[int] = []
    if reading.get("totals", True):
        totals = [one for one in totals_in(frame, reading, frozenset(kept)) if int(frame.index[one.place]) not in out]
        if totals and len(totals) < len(frame):
            remarks.append(question(totals, frame))
            suspects = [int(frame.index[one.place]) for one in totals]
    if out or suspects:
        stays = ~np.isin(frame.index.to_numpy(), [*out, *suspects])
        if not stays.any() and len(frame):
            raise Unreadable("All rows of this table are left out. Put some of them back.")
        frame = frame[stays].copy()
    said: dict[str, Any] = {"left_out": left} if left else {}
    return frame, remarks, said | ({"kept_rows": kept} if kept else {})
