"""manage.py verify_provenance RUN_ID or FILE: does the chain hold?"""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from projects.command import RefusingCommand
from research.journal.provenance import named_log, named_run, verify, verify_run


class Command(RefusingCommand):
    help = "Checks a provenance log, of a run or in a file. Exit code 1 names the first bad row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", metavar="RUN_ID or FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        named = options["run"]
        run = named_run(named)
        log = None if run else named_log(named)
        if run is None and log is None:
            raise CommandError(f"There is neither a run nor a file called {named}.", returncode=2)
        # A run is also held against the length and head kept beside its log.
        verdict = verify_run(run) if run else verify(log or {})
        if not verdict.ok:
            raise CommandError(verdict.sentence, returncode=1)
        self.stdout.write(verdict.sentence)
