"""`python -m tests.benchmarks`: every figure, one table on standard output;
with `coverage`, the rounds of made-up runs.

It works on a database of its own in a temporary folder, with the real processes of `manage.py up`.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.benchmarks.figure import Figure, machine, table
from tests.servers.processes import environment


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder with an empty database, its static files collected, and Django set up to work there."""
    with tempfile.TemporaryDirectory(prefix="scholium-bench-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        os.environ.update(environment(folder / "scholium.sqlite3", folder, SCHOLIUM_TEST_STATIC=str(folder / "static")))
        import django
        from django.core.management import call_command

        django.setup()
        call_command("collectstatic", interactive=False, verbosity=0)
        yield folder


def measure(folder: Path) -> list[Figure]:
    """All figures, from the cheapest to set up to the dearest; each says on standard error that it begins."""
    from tests.benchmarks import (
        analyses,
        audit,
        cite,
        datasets,
        dedup,
        demo_run,
        drafting,
        editing,
        host_names,
        import_references,
        latency,
        long_stream,
        model_runs,
        offline_condense,
        pages,
        people,
        printing,
        read_files,
        reading,
        redact,
        reference_list,
        resolve,
        sockets,
        start_up,
        typing,
    )

    figures = redact.measure() + offline_condense.measure() + dedup.measure() + audit.measure() + editing.measure()
    with start_up.served(folder) as (address, measured):
        figures += measured
        for part in (
            demo_run,
            latency,
            sockets,
            long_stream,
            pages,
            people,
            cite,
            reference_list,
            typing,
            reading,
            read_files,
        ):
            sys.stderr.write(f"{part.__name__.rpartition('.')[2]}\n")
            figures += part.measure(address)
        sys.stderr.write("datasets\n")
        figures += datasets.measure()
        sys.stderr.write("bring\n")
        figures += import_references.measure()
        sys.stderr.write("printing\n")
        figures += printing.measure()
        sys.stderr.write("analyses\n")
        figures += analyses.measure()
        sys.stderr.write("resolve\n")
        figures += resolve.measure() + host_names.measure()
    sys.stderr.write("latency with Redis\n")
    figures += latency.measure_with_redis(folder)
    sys.stderr.write("drafting\n")
    figures += drafting.measure(folder)
    sys.stderr.write("runs with a model\n")
    figures += model_runs.measure(folder) + model_runs.measure_rounds(folder)
    return figures + model_runs.measure_on_postgresql(folder)


def main() -> None:
    if sys.argv[1:] == ["coverage"]:
        with scratch():
            from tests.benchmarks import coverage

            coverage.main()
        return
    said = machine()
    with scratch() as folder:
        figures = measure(folder)
    sys.stdout.write(f"{said}\n\n{table(figures)}\n")


if __name__ == "__main__":
    main()
