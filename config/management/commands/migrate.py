"""manage.py migrate: Django's, which copies a SQLite file with anything in it first and puts it back when it fails."""

import logging
import sqlite3
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.loader import MigrationLoader

from config.backup import KEPT, back_up, put_back

log = logging.getLogger("scholium.upgrade")


def is_behind(connection: BaseDatabaseWrapper) -> bool:
    """Whether `connection` leads to a database that somebody uses, and that migrations have yet to be run on."""
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
        """The copy of `database`, which is told. Raises CommandError, so that nothing is upgraded, where there is none."""
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
            put_back(copy, database)
        except sqlite3.Error as trouble:
            return (
                f"{what} The backup could not be put back either ({trouble}). Put {copy} in the place of {database} "
                f"yourself (docs/operations.md, Upgrade). {how}"
            )
        return f"{what} The database is as it was before, and the backup is {copy}. {how}"


def written_by_others(connection: BaseDatabaseWrapper) -> int:
    """A number that changes when the file is written to by any other connection than this one."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA data_version")
        return int(cursor.fetchone()[0])
