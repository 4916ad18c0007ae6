"""A table of 50,000 rows and 30 columns is brought: stored, read by its job, kept with its summaries (SPEC N1).

Each in a process of its own, so that its memory is that of the reading.
"""

import csv
import io
import json
import os
import random
import resource
import subprocess
import sys
import time
from statistics import median

from tests.benchmarks.figure import Figure

ROWS, COLUMNS = 50_000, 30
SECONDS, MEGABYTES = 4.0, 400.0
BOOK_ROWS = 12_000  # about as many as fit into 5 MB


def table(rows: int) -> list[list[str]]:
    """Numbers, whole numbers, groups in several spellings, dates, names of rows and steps of a scale;
    always the same."""
    dice = random.Random(30)
    made = [[f"column {number}" for number in range(COLUMNS)]]
    for row in range(rows):
        cells = [f"{dice.gauss(50, 10):.2f}" for _ in range(14)] + [str(dice.randint(0, 90)) for _ in range(6)]
        cells += dice.choices(["yes", "no", "Yes", "NA"], k=4)
        cells += [f"{dice.randint(1, 28):02}-{dice.randint(1, 12):02}-{dice.randint(1950, 2024)}" for _ in range(3)]
        made.append([*cells, f"P{row:06}", *dice.choices(["mild", "moderate", "severe"], k=2)])
    return made


def as_csv(rows: list[list[str]]) -> bytes:
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def as_workbook(rows: list[list[str]]) -> bytes:
    import openpyxl

    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("Data")
    for number, row in enumerate(rows):
        sheet.append([float(cell) if number and place < 20 else cell for place, cell in enumerate(row)])
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def measure() -> list[Figure]:
    """The database is there, with the demo's owner."""
    times, most, spent = zip(*(measured_upload("csv") for _ in range(3)), strict=True)
    book, book_most, _ = measured_upload("xlsx")
    what = f"a CSV file of {ROWS:,} rows and {COLUMNS} columns"
    return [
        Figure(
            f"{what}, from its upload until it is read",
            median(times),
            "s",
            SECONDS,
            f"{median(spent):.1f} s of processor",
        ),
        Figure(f"{what}, memory", max(most), "MB", MEGABYTES),
        Figure(f"a workbook of {BOOK_ROWS:,} rows and {COLUMNS} columns, the same", book, "s"),
        Figure("the same, memory beside that of the process that opens it", book_most, "MB"),
    ]


def measured_upload(kind: str) -> tuple[float, float, float]:
    """Seconds, megabytes at the most, and seconds of processor, of a process that does nothing else."""
    data = as_csv(table(ROWS)) if kind == "csv" else as_workbook(table(BOOK_ROWS))
    command = [sys.executable, "-m", "tests.benchmarks.datasets", f"data.{kind}"]
    done = subprocess.run(command, input=data, capture_output=True, check=True, env=os.environ, timeout=300)
    took, most, spent = json.loads(done.stdout.splitlines()[-1])
    return float(took), float(most), float(spent)


def upload_here(name: str, data: bytes) -> tuple[float, float, float]:
    """Bring `data` as the page and the worker do, one after the other, in this process."""
    import django

    django.setup()
    from django.core.files.base import ContentFile

    import analysis.datasets.read_table  # noqa: F401  a worker has loaded pandas from its second table on
    from analysis.datasets.edit_dataset import start_dataset
    from analysis.models import DatasetVersion
    from config.demo.install import EMAIL
    from jobs.work import perform
    from projects.models import Project, User

    user = User.objects.get(email=EMAIL)
    project = Project.objects.create_for(user, title="A table")
    begun, before = time.perf_counter(), time.process_time()
    version = start_dataset(project, user, name, ContentFile(data, name), enqueue=False)
    perform(str(version.job_id))
    took, spent = time.perf_counter() - begun, time.process_time() - before
    version = DatasetVersion.objects.get(pk=version.pk)
    if version.state != DatasetVersion.State.PROPOSED:
        raise RuntimeError(version.error)
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, spent


if __name__ == "__main__":
    sys.stdout.write(json.dumps(upload_here(sys.argv[1], sys.stdin.buffer.read())) + "\n")
