"""manage.py replay RUN_ID or FILE: replay a run from its journal and compare the report."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from projects.command import RefusingCommand
from research.journal.erasure import DELETED
from research.journal.journal import Diverged
from research.journal.pipeline_version import versions_of
from research.journal.provenance import find_log, find_run
from research.replay import check_text, check_versions, replay


class Command(RefusingCommand):
    help = (
        "Replays a run from its provenance file, without engine and network, and compares the report. Exit code 1: the "
        "report differs, another version of the pipeline made the run, or a file that it read was deleted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", metavar="RUN_ID or FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if run := find_run(options["run"]):
                # Checked before the whole log is read.
                check_text(run.provenance.filter(event_type=DELETED).values_list("details", flat=True))
                check_versions(versions_of(run))
            log = find_log(options["run"])
        except Diverged as error:
            raise CommandError(str(error), returncode=1) from None
        if log is None:
            raise CommandError(f"No run or provenance file found: {options['run']}.", returncode=2)
        try:
            replayed = replay(log)
        except Diverged as error:
            raise CommandError(str(error), returncode=1) from None
        except (KeyError, TypeError, AttributeError):
            raise CommandError("This is not a provenance file.", returncode=2) from None
        if not replayed.same:
            raise CommandError(replayed.sentence, returncode=1)
        self.stdout.write(replayed.sentence)
