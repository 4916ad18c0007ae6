"""manage.py migrate: Django's, which copies a SQLite file with anything in it first and puts it back when it fails."""

import logging
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

KEPT = 3  # copies
BUSY = 20.0  # seconds to wait for whoever else writes
log = logging.getLogger("scholium.upgrade")


def is_behind(connection: BaseDatabaseWrapper) -> bool:
    """Return whether `connection` leads to a database that somebody uses, and that migrations have yet to be run on."""
    loader = MigrationLoader(connection)
    applied = set(loader.applied_migrations or ())
    return bool(applied) and not loader.disk_migrations.keys() <= applied


class Command(migrate.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        connection = connections[options["database"]]
        database = Path(str(connection.settings_dict["NAME"]))
        looks_only = options["plan"] or options["check_unapplied"]
        is_file = connection.vendor == "sqlite" and database.is_file()
        if looks_only or not is_file or not (options["app_label"] or is_behind(connection)):
            super().handle(*args, **options)
            return
        before = written_by_others(connection)
        copy = self.copied(database)
        try:
            super().handle(*args, **options)
        except CommandError:
            raise  # what was asked for cannot be done, and nothing was
        except (Exception, KeyboardInterrupt) as error:
            log.error("The upgrade of the database failed", exc_info=error)
            alone = written_by_others(connection) == before
            connection.close()
            raise CommandError(self.gone_back(error, copy, database, alone=alone)) from error

    def copied(self, database: Path) -> Path:
        """Return the copy of `database`, which is told. Raises CommandError, so that nothing is upgraded, where there is none."""
        try:
            copy = back_up(database)
        except (sqlite3.Error, OSError) as error:
            raise CommandError(
                f"The database {database} could not be backed up ({error}), so it was not upgraded. Nothing was changed. "
                "Make room on the disk or let this user write beside the database, then start again."
            ) from error
        self.stdout.write(f"The database was backed up before the upgrade: {copy} (the last {KEPT} backups are kept).")
        return copy

    def gone_back(self, error: BaseException, copy: Path, database: Path, *, alone: bool) -> str:
        """Put `copy` back, and say what is the case and how to go on."""
        what = f"The upgrade of the database failed: {type(error).__name__}: {error}."
        how = "To go on working, start the version you had before; then report this message."
        if not alone:
            return (
                f"{what} Something else wrote to the database meanwhile, so it was left as it is and the backup is {copy}. "
                f"Stop everything that uses {database}, put the backup in its place (docs/operations.md, Upgrade). {how}"
            )
        try:
            copy_into(copy, database)
        except sqlite3.Error as trouble:
            return (
                f"{what} The backup could not be put back either ({trouble}). Put {copy} in the place of {database} "
                f"yourself (docs/operations.md, Upgrade). {how}"
            )
        return f"{what} The database is as it was before, and the backup is {copy}. {how}"


def written_by_others(connection: BaseDatabaseWrapper) -> int:
    """Return a number that changes when the file is written to by any other connection than this one."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return int(cursor.fetchone()[0])


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
        copy_into(database, unfinished)
        unfinished.rename(copy)
    finally:
        for left in unfinished.parent.glob(f"{unfinished.name}*"):
            left.unlink()
    for old in backups(database)[:-KEPT]:
        old.unlink()
    return copy


def backups(database: Path) -> list[Path]:
    """Return the copies of `database`, the oldest first."""
    stem, ending = _named(database)
    return sorted(path for path in database.parent.glob(f"{stem}*{ending}") if path.is_file())


def _named(database: Path) -> tuple[str, str]:
    """Return what stands before and behind the moment in the name of a copy."""
    return f"{database.stem}.before-upgrade-", database.suffix


def copy_into(source: Path, target: Path) -> None:
    """Make the database `target` what `source` is: all of it or, when that fails, nothing.

    Others may have it open; they see it change in one transaction. Raises sqlite3.Error.
    """
    with (
        closing(sqlite3.connect(source, timeout=BUSY)) as reads,
        closing(sqlite3.connect(target, timeout=BUSY)) as writes,
    ):
        reads.backup(writes)
