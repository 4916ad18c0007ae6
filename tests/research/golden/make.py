"""Makes the golden files of the pipeline as it is: runs of every kind, as they are kept and as people take them away.

    .venv/bin/python -m tests.research.golden.make

writes tests/research/golden/VERSION/, anew: for each run NAME.json.gz with {provenance, structured, result}, and
database.sqlite3.gz with all of them and with runs that have not ended. Folders of earlier versions stay as they are:
they are what people have at home.
"""

import gzip
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

import django

FOLDER = Path(__file__).parent


def main() -> None:
    """Make the golden files of this pipeline in a database of their own."""
    from django.core.management import call_command
    from django.db import connection

    from research.export.export import export
    from research.journal.pipeline_version import PIPELINE_VERSION
    from tests.research.golden.runs import ENDED, make_runs

    call_command("migrate", verbosity=0)
    runs = make_runs()
    folder = FOLDER / str(PIPELINE_VERSION)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name in ENDED:
        taken = {part: json.loads(export(runs[name], part).text) for part in ("provenance", "structured", "json")}
        taken["result"] = taken.pop("json")
        write(folder / f"{name}.json.gz", json.dumps(taken, ensure_ascii=False).encode())
    names = {name: str(run.pk) for name, run in runs.items()}
    (folder / "runs.json").write_text(json.dumps(names, indent=1) + "\n")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM sources_cachedresponse")
        cursor.execute("DELETE FROM django_q_ormq")
        cursor.execute("UPDATE jobs_job SET lease_by = 'worker:1:1' WHERE lease_by <> ''")  # it has the machine's name
        database = Path(tempfile.mkdtemp()) / "copy.sqlite3"
        cursor.execute("VACUUM INTO %s", [str(database)])
    write(folder / "database.sqlite3.gz", database.read_bytes())
    for path in sorted(folder.iterdir()):
        sys.stdout.write(f"{path.stat().st_size:>8,} {path.name}\n")


def write(path: Path, data: bytes) -> None:
    with path.open("wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
        packed.write(data)


if __name__ == "__main__":
    os.environ["SCHOLIUM_TEST_DIR"] = tempfile.mkdtemp(prefix="golden-")
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    django.setup()
    main()
