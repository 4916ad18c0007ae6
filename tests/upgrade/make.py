"""Makes the old database: what somebody had at home with commit 52cbab9
(old_installation.py), packed, and what is kept of it.

It runs in a checkout of that commit, with R, LaTeX and the packages of this one:

    git worktree add --detach /tmp/old 52cbab9
    cp -r tests/upgrade /tmp/old/tests/ && ln -s "$PWD/.venv" /tmp/old/.venv
    (cd /tmp/old && .venv/bin/python -m tests.upgrade.make)
    cp -r /tmp/old/tests/upgrade/52cbab9 tests/upgrade/

and writes tests/upgrade/52cbab9/, anew: home.tar.gz with database.sqlite3 and media/, and kept.json with the rows of
each table, the files, and the ids of what the tests ask for.

To be made again only where it lacks something: it is what
people have at home.
"""

import gzip
import json
import os
import shutil
import sys
import tarfile
import tempfile
from io import BytesIO
from pathlib import Path

import django

from tests.upgrade.rows import digest, files, tables

FOLDER = Path(__file__).parent / "52cbab9"
# Tables that may be empty: what is not kept, and what nothing writes.
EMPTY = {
    "account_emailaddress", "account_emailconfirmation", "auth_group", "auth_group_permissions", "django_q_schedule",
    "django_q_task", "django_session", "jobs_computeslot", "jobs_workerbeat", "projects_user_groups",
    "projects_user_user_permissions", "sources_cachedresponse", "sources_hostpace",
}  # fmt: skip


def main() -> None:
    """Make home.tar.gz and kept.json in a database and a folder of their own."""
    from django.conf import settings
    from django.core.management import call_command
    from django.db import connection

    from tests.upgrade.old_installation import TOKEN, make_everything

    call_command("migrate", verbosity=0)
    ids = make_everything()
    with connection.cursor() as cursor:
        for table in ("sources_cachedresponse", "sources_hostpace"):
            cursor.execute(f"DELETE FROM {table}")
        # It has the machine's name, and its lease ran out when that was switched off.
        cursor.execute("UPDATE jobs_job SET lease_by = 'worker:1:1' WHERE lease_by <> ''")
        database = Path(tempfile.mkdtemp()) / "database.sqlite3"
        cursor.execute("VACUUM INTO %s", [str(database)])
    rows = tables(database)
    assert not (lacking := {name for name in rows if not rows[name]} - EMPTY), lacking
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    media = Path(settings.MEDIA_ROOT)
    kept = {
        "ids": ids,
        "token": TOKEN,
        "tables": {name: {"rows": len(found), "sha256": digest(found)} for name, found in rows.items()},
        "files": files(media),
    }
    (FOLDER / "kept.json").write_text(json.dumps(kept, indent=1) + "\n")
    with (
        gzip.GzipFile(FOLDER / "home.tar.gz", "wb", 9, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as tar,
    ):
        put(tar, "database.sqlite3", database.read_bytes())
        for name in files(media):
            put(tar, f"media/{name}", (media / name).read_bytes())
    for path in sorted(FOLDER.iterdir()):
        sys.stdout.write(f"{path.stat().st_size:>8,} {path.name}\n")


def put(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, BytesIO(data))


if __name__ == "__main__":
    os.environ["SCHOLIUM_TEST_DIR"] = tempfile.mkdtemp(prefix="old-")
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    main()
