"""manage.py export_run RUN_ID --format FORMAT."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import CommandError

from projects.command import RefusingCommand
from research.export.export import add_format_arguments, check_format, export, write_export
from research.models import Run


class Command(RefusingCommand):
    help = "Exports a run in one of the available formats."
    fails = (409, 503)  # statuses that exit with 1, since the run lacks something; others are bad usage (2)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id", type=UUID)
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        run = Run.objects.select_related("job").filter(pk=options["run_id"]).first()
        if run is None:
            raise CommandError(f"Run {options['run_id']} does not exist.", returncode=2)
        name, choice = check_format(options, self.stdout)
        write_export(export(run, name, choice), options["output"], self.stdout)
