"""What the versions of the pipeline have left: their files, and a database of each (make.py, runs.py)."""

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from research.journal.pipeline_version import PIPELINE_VERSION
from tests.research.golden.make import FOLDER
from tests.servers.processes import ROOT, environment

VERSIONS = sorted(int(path.name) for path in FOLDER.iterdir() if path.name.isdecimal())
EARLIER = [version for version in VERSIONS if version != PIPELINE_VERSION]


def logs(version: int) -> list[str]:
    """The names of the runs of which there is a file."""
    return sorted(path.name.removesuffix(".json.gz") for path in (FOLDER / str(version)).glob("*.json.gz"))


def saved_exports(version: int, name: str) -> dict[str, Any]:
    """What was taken away of a run: {provenance, structured, result}."""
    return dict(json.loads(gzip.decompress((FOLDER / str(version) / f"{name}.json.gz").read_bytes())))


def keys(version: int) -> dict[str, str]:
    """The keys of the runs in the database, by their names."""
    return dict(json.loads((FOLDER / str(version) / "runs.json").read_text()))


def migrated(version: int, folder: Path) -> Path:
    """The rows of the database of `version`, brought to the schema of now, as a file for `loaddata`."""
    database, rows = folder / f"{version}.sqlite3", folder / f"{version}.xml"  # JSON would cut moments to ms
    database.write_bytes(gzip.decompress((FOLDER / str(version) / "database.sqlite3.gz").read_bytes()))
    env = environment(database, folder)
    excluded = ["--exclude=contenttypes", "--exclude=auth.permission", "--exclude=sessions"]
    for arguments in (
        ["migrate", "--verbosity=0"],
        ["dumpdata", "--format=xml", *excluded, f"--output={rows}", "--verbosity=0"],
    ):
        subprocess.run([sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, check=True, capture_output=True)
    return rows
