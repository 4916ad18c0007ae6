"""The old database, unpacked and brought to the state of now, with this process at work on it."""

import gzip
import json
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.db import connection, connections
from django.test import override_settings

from tests.upgrade.rows import Row, tables

FOLDER = Path(__file__).parent / "52cbab9"
KEPT: dict[str, Any] = json.loads((FOLDER / "kept.json").read_text())
IDS: dict[str, str] = KEPT["ids"]
DATABASE = "database.sqlite3"


def unpack(folder: Path) -> Path:
    """The old database in `folder`, with media/ beside it."""
    with gzip.open(FOLDER / "home.tar.gz") as packed, tarfile.open(fileobj=packed) as tar:
        tar.extractall(folder, filter="data")
    return folder / DATABASE


@contextmanager
def at_work_in(folder: Path, blocker: Any) -> Iterator[None]:
    """This process, and what it starts, works on the database and the files in `folder`."""
    with blocker.unblock(), override_settings(MEDIA_ROOT=str(folder / "media")):
        connections.close_all()
        before = connection.settings_dict["NAME"]
        connection.settings_dict["NAME"] = str(folder / DATABASE)
        try:
            yield
        finally:
            connections.close_all()
            connection.settings_dict["NAME"] = before


@dataclass
class Upgraded:
    """The old database after `migrate`, and the rows of each table as they were and are."""

    folder: Path
    before: dict[str, list[Row]]
    after: dict[str, list[Row]]

    def copied(self, folder: Path) -> Path:
        """A copy of it all for a test that changes something."""
        shutil.copy(self.folder / DATABASE, folder)
        shutil.copytree(self.folder / "media", folder / "media")
        return folder


def upgraded(folder: Path, blocker: Any) -> Upgraded:
    database = unpack(folder)
    before = tables(database)
    with at_work_in(folder, blocker):
        call_command("migrate", verbosity=0)
    return Upgraded(folder, before, tables(database))
