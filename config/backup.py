"""The SQLite file is copied before it is upgraded, and put back when the upgrade fails (docs/decisions/upgrade.md)."""

import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

KEPT = 3  # copies
BUSY = 20.0  # seconds to wait for whoever else writes


def back_up(database: Path) -> Path:
    """Copy `database` beside itself, with what stands in its WAL, and keep the last KEPT copies. The copy.

    Raises sqlite3.Error or OSError, and leaves nothing behind, where it cannot be copied.
    """
    stem, ending = _named(database)
    copy = database.with_name(f"{stem}{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}{ending}")
    unfinished = copy.with_name(f"{copy.name}.part")
    try:
        # Nobody reads the copy who may not read the original.
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, database.stat().st_mode & 0o777))
        _copy(database, unfinished)
        unfinished.rename(copy)
    finally:
        for left in unfinished.parent.glob(f"{unfinished.name}*"):
            left.unlink()
    for old in backups(database)[:-KEPT]:
        old.unlink()
    return copy


def put_back(copy: Path, database: Path) -> None:
    """Make `database` what it was when `copy` was made: all of it or, when that fails, nothing.

    Others may have it open; they see it change in one transaction. Raises sqlite3.Error.
    """
    _copy(copy, database)


def backups(database: Path) -> list[Path]:
    """The copies of `database`, the oldest first."""
    stem, ending = _named(database)
    return sorted(path for path in database.parent.glob(f"{stem}*{ending}") if path.is_file())


def _named(database: Path) -> tuple[str, str]:
    """What stands before and behind the moment in the name of a copy."""
    return f"{database.stem}.before-upgrade-", database.suffix


def _copy(source: Path, target: Path) -> None:
    with (
        closing(sqlite3.connect(source, timeout=BUSY)) as reads,
        closing(sqlite3.connect(target, timeout=BUSY)) as writes,
    ):
        reads.backup(writes)
