"""manage.py migrate: Django's command, which first backs up a SQLite database in use and restores it on failure."""

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

KEPT = 3  # backups
BUSY = 20.0  # seconds to wait for other writers
log = logging.getLogger("scholium.upgrade")


def is_behind(connection: BaseDatabaseWrapper) -> bool:
    """Return whether the database is in use and has migrations that are not applied yet."""
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
            raise  # bad arguments: nothing was changed
        except (Exception, KeyboardInterrupt) as error:
            log.error("The upgrade of the database failed", exc_info=error)
            alone = written_by_others(connection) == before
            connection.close()
            raise CommandError(self.gone_back(error, copy, database, alone=alone)) from error

    def copied(self, database: Path) -> Path:
        """Back up `database`, print the path of the backup and return it.

        Raises CommandError if that fails, so that nothing is upgraded without a backup.
        """
        try:
            copy = back_up(database)
        except (sqlite3.Error, OSError) as error:
            raise CommandError(
                f"The database {database} could not be backed up ({error}), so it was not upgraded. Nothing was "
                "changed. Free disk space, or let this user write to the folder of the database, then start again."
            ) from error
        self.stdout.write(f"The database was backed up before the upgrade: {copy} (the last {KEPT} backups are kept).")
        return copy

    def gone_back(self, error: BaseException, copy: Path, database: Path, *, alone: bool) -> str:
        """Restore the backup `copy` and return a message with the state of the database and what to do next.

        With `alone` False, another process wrote to the database during the upgrade, and nothing is restored.
        """
        what = f"The upgrade of the database failed: {type(error).__name__}: {error}."
        how = "To continue working, start the previous version; then report this message."
        if not alone:
            return (
                f"{what} Another process wrote to the database during the upgrade, so it was not restored. "
                f"The backup is {copy}. Stop everything that uses {database} and replace it with the backup "
                f"(docs/operations.md, Upgrade). {how}"
            )
        try:
            copy_into(copy, database)
        except sqlite3.Error as trouble:
            return (
                f"{what} The backup could not be restored either ({trouble}). Replace {database} with {copy} "
                f"yourself (docs/operations.md, Upgrade). {how}"
            )
        return f"{what} The database was restored to its previous state. The backup is {copy}. {how}"


def written_by_others(connection: BaseDatabaseWrapper) -> int:
    """Return a number that changes when another connection writes to the database."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return int(cursor.fetchone()[0])


def back_up(database: Path) -> Path:
    """Copy `database`, including its WAL, to the same folder and return the path; keep the last KEPT copies.

    Raises sqlite3.Error or OSError if it cannot be copied, and leaves no partial copy.
    """
    stem, ending = _named(database)
    copy = database.with_name(f"{stem}{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}{ending}")
    unfinished = copy.with_name(f"{copy.name}.part")
    try:
        # Created with the permissions of the original, so that nobody else can read the copy.
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
    """Return the backups of `database`, oldest first."""
    stem, ending = _named(database)
    return sorted(path for path in database.parent.glob(f"{stem}*{ending}") if path.is_file())


def _named(database: Path) -> tuple[str, str]:
    """Return the parts of a backup's file name before and after its timestamp."""
    return f"{database.stem}.before-upgrade-", database.suffix


def copy_into(source: Path, target: Path) -> None:
    """Replace the content of the database `target` with that of `source`, in one transaction.

    Other processes may have `target` open. Raises sqlite3.Error, and then `target` is unchanged.
    """
    with (
        closing(sqlite3.connect(source, timeout=BUSY)) as reads,
        closing(sqlite3.connect(target, timeout=BUSY)) as writes,
    ):
        reads.backup(writes)
