"""A migrated SQLite database that is created once for a set of migrations and copied for each test process."""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import django

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "var" / "tests"


def state() -> str:
    """Return a hash of everything the database depends on: the version of Django and all migrations."""
    made_from = hashlib.sha256(django.__version__.encode())
    for file in sorted(ROOT.glob("*/migrations/*.py")):
        made_from.update(f"{file.relative_to(ROOT)}\n".encode() + file.read_bytes())
    return made_from.hexdigest()[:16]


def template() -> Path:
    """Return the file of the migrated and otherwise empty database, creating it if necessary."""
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{state()}.sqlite3"
    with (KEPT / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the processes of a test run call this at the same time
        if not file.exists():
            for older in KEPT.glob("*.sqlite3*"):
                older.unlink()
            making = file.with_suffix(".sqlite3-making")
            env = {**os.environ, "DJANGO_SETTINGS_MODULE": "tests.settings", "SCHOLIUM_TEST_DIR": str(KEPT)}
            env["TEST_DATABASE_URL"] = f"sqlite:///{making}"
            migrate = [sys.executable, "manage.py", "migrate", "--verbosity", "0"]
            subprocess.run(migrate, cwd=ROOT, env=env, check=True)
            making.rename(file)
    return file
