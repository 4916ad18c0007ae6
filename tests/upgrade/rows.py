"""Every row of a SQLite file, whatever Django knows of it. Needs nothing but Python:
the maker runs in another checkout."""

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

Row = dict[str, Any]
# The sign of a row that a table of ours does not have: shadow tables of the full-text index, and SQLite's own.
_NOT_OURS = ("sqlite_", "research_passage_fts_")


def tables(database: Path) -> dict[str, list[Row]]:
    """The rows of each table by its name, each as {column: value}, in the order of their keys."""
    with closing(sqlite3.connect(database)) as connection:
        connection.row_factory = sqlite3.Row
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: [dict(row) for row in connection.execute(f'SELECT * FROM "{name}" ORDER BY 1')]
            for name in sorted(names)
            if not name.startswith(_NOT_OURS)
        }


def digest(rows: list[Row]) -> str:
    return hashlib.sha256(repr([sorted(row.items()) for row in rows]).encode()).hexdigest()


def files(folder: Path) -> dict[str, str]:
    """The sha256 of every file below `folder`, by its path."""
    found = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in found}
