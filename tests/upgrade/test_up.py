"""`up` and `migrate` back a SQLite file up before they upgrade it; an upgrade that fails leaves it as it was."""

import resource
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from config.management.commands.migrate import KEPT, back_up, backups, copy_into
from tests.servers.processes import ROOT, environment, free_port, manage, until
from tests.upgrade.open_old import DATABASE, unpack
from tests.upgrade.rows import tables

FAILING = "tests.upgrade.failing.settings"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The old database, which nobody has upgraded."""
    return unpack(tmp_path)


def called(database: Path, *arguments: str, how: Any = None, **more: str) -> "subprocess.CompletedProcess[str]":
    """`manage.py ARGUMENTS` on `database`, to its end."""
    env = environment(database, database.parent, **more)
    command = [sys.executable, "manage.py", *arguments]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False, preexec_fn=how)


def schema(database: Path) -> list[Any]:
    with closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return connection.execute("SELECT type, name, sql FROM sqlite_master ORDER BY 1, 2").fetchall()


# The whole of it, as people call it


@pytest.mark.long
def test_up_backs_the_file_up_upgrades_it_and_says_so(database: Path, tmp_path: Path) -> None:
    before = tables(database)
    port, log = free_port(), tmp_path / "log"
    with manage("up", "--port", str(port), env=environment(database, tmp_path, WORKERS="1"), log=log):
        until(lambda: "Scholium is ready" in log.read_text(), 90, "the pages")
        (copy,) = backups(database)
        assert (
            f"The database was backed up before the upgrade: {copy} (the last 3 backups are kept)." in log.read_text()
        )
    assert tables(copy) == before
    names = {row["name"] for row in tables(database)["django_migrations"]}
    assert names > {row["name"] for row in before["django_migrations"]}


@pytest.mark.long
def test_an_upgrade_that_fails_leaves_the_file_as_it_was(database: Path) -> None:
    """Also what migrations before the one that failed have changed; then the version that is mended upgrades it."""
    rows, form = tables(database), schema(database)
    ended = called(database, "up", "--port", str(free_port()), DJANGO_SETTINGS_MODULE=FAILING)
    assert ended.returncode == 1
    (copy,) = backups(database)
    assert f"backed up before the upgrade: {copy}" in ended.stdout
    assert "ready" not in ended.stdout
    assert "Applying" not in ended.stdout
    *_, last = ended.stderr.strip().splitlines()
    assert last == (
        "CommandError: The upgrade of the database failed: ValidationError: ['“no id” is not a valid UUID.']. "
        f"The database was restored to its previous state. The backup is {copy}. To continue working, start the "
        "previous version; then report this message."
    )
    assert (tables(database), schema(database)) == (rows, form)
    assert (tables(copy), schema(copy)) == (rows, form)
    assert sorted(path.name for path in database.parent.iterdir()) == sorted([DATABASE, copy.name, "media"])


@pytest.mark.long
def test_what_somebody_else_wrote_meanwhile_is_not_taken_back(database: Path) -> None:
    ended = called(database, "migrate", DJANGO_SETTINGS_MODULE=FAILING, SCHOLIUM_TEST_WRITES=str(database))
    assert ended.returncode == 1
    (copy,) = backups(database)
    assert "Another process wrote to the database during the upgrade, so it was not restored" in ended.stderr
    assert f"The backup is {copy}. Stop everything that uses {database}" in ended.stderr
    assert "Typed meanwhile" in {row["latex"] for row in tables(database)["sections_section"]}


@pytest.mark.long
def test_without_room_for_the_backup_nothing_is_upgraded(database: Path) -> None:
    rows, form = tables(database), schema(database)

    def little_room() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))

    ended = called(database, "migrate", how=little_room)
    assert ended.returncode == 1
    assert f"The database {database} could not be backed up" in ended.stderr
    assert "so it was not upgraded. Nothing was changed." in ended.stderr
    assert (tables(database), schema(database)) == (rows, form)
    assert sorted(path.name for path in database.parent.iterdir()) == [DATABASE, "media"]


# The copy


@pytest.fixture
def busy(tmp_path: Path) -> Any:
    """A small database in WAL mode that somebody has open, with a row that is in the WAL only."""
    connection = sqlite3.connect(tmp_path / "small.sqlite3", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE said (words)")
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.execute("INSERT INTO said VALUES ('in the WAL')")
    yield connection
    connection.close()


def words_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [words for (words,) in connection.execute("SELECT words FROM said")]


def test_what_stands_in_the_wal_is_in_the_copy_and_a_writer_is_not_in_the_way(busy: Any, tmp_path: Path) -> None:
    small = tmp_path / "small.sqlite3"
    assert b"in the WAL" not in small.read_bytes()
    busy.execute("BEGIN IMMEDIATE")
    busy.execute("INSERT INTO said VALUES ('not committed')")
    copy = back_up(small)
    busy.execute("COMMIT")
    assert words_in(copy) == ["in the WAL"]
    assert words_in(small) == ["in the WAL", "not committed"]


def test_the_copy_is_put_back_under_those_who_have_the_file_open(busy: Any, tmp_path: Path) -> None:
    small = tmp_path / "small.sqlite3"
    copy = back_up(small)
    busy.execute("ALTER TABLE said RENAME COLUMN words TO half")
    copy_into(copy, small)
    assert busy.execute("SELECT words FROM said").fetchall() == [("in the WAL",)]
    assert words_in(small) == words_in(copy) == ["in the WAL"]


def test_the_last_three_are_kept_and_nothing_else_is_touched(busy: Any, tmp_path: Path) -> None:
    small = tmp_path / "small.sqlite3"
    others = [tmp_path / "other.before-upgrade-2020-01-01-000000-000000.sqlite3", tmp_path / "small.copy.sqlite3"]
    for other in others:
        other.write_bytes(b"mine")
    made = [back_up(small) for _ in range(KEPT + 2)]
    assert backups(small) == made[-KEPT:]
    assert all(other.read_bytes() == b"mine" for other in others)


def test_nobody_reads_the_copy_who_may_not_read_the_file(busy: Any, tmp_path: Path) -> None:
    small = tmp_path / "small.sqlite3"
    small.chmod(0o600)
    assert back_up(small).stat().st_mode & 0o777 == 0o600
