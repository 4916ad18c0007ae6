"""manage.py verify_provenance RUN_ID or FILE: verify a provenance log."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from projects.command import RefusingCommand
from research.journal.provenance import find_log, find_run, verify, verify_run


class Command(RefusingCommand):
    help = (
        "Verifies the provenance log of a run or in a file. Exits with 1 and names the first bad row if it is invalid."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", metavar="RUN_ID or FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        named = options["run"]
        run = find_run(named)
        log = None if run else find_log(named)
        if run is None and log is None:
            raise CommandError(f"No run or file found: {named}.", returncode=2)
        # The log of a run is also compared with the length and hash stored with the run.
        verdict = verify_run(run) if run else verify(log or {})
        if not verdict.ok:
            raise CommandError(verdict.sentence, returncode=1)
        self.stdout.write(verdict.sentence)
