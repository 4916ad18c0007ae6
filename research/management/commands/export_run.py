"""manage.py export_run RUN_ID --format FORMAT."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from core.errors import Refused
from research.export.export import export
from research.export.printing import add_format_arguments, check_format, give_out
from research.models import Run


class Command(BaseCommand):
    help = "Prints a run in one of its formats."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id", type=UUID)
        add_format_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        run = Run.objects.select_related("job").filter(pk=options["run_id"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run_id']}.", returncode=2)
        try:
            name, choice = check_format(options, self.stdout)
            made = export(run, name, choice)
        except Refused as refused:
            # What the run cannot give is a failure; what was asked wrongly is bad usage.
            raise CommandError(refused.message, returncode=1 if refused.status in (409, 503) else 2) from None
        give_out(made, options["output"], self.stdout)
