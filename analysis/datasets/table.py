"""A file of data as it was read."""

from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass
class Table:
    """`columns`, `reading`, `sheets`, `summary` and `remarks` are as in DatasetVersion."""

    frame: pd.DataFrame
    columns: list[dict[str, Any]]
    reading: dict[str, Any]
    sheets: list[dict[str, Any]] = field(default_factory=list)
    remarks: list[dict[str, Any]] = field(default_factory=list)
    summary: dict[str, Any] = field(default_factory=dict)

    @property
    def row_count(self) -> int:
        return len(self.frame)
