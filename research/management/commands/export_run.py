"""manage.py export_run RUN_ID --format FORMAT."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from projects.errors import Refused
from research.export import LABELS, export
from research.models import Run


class Command(BaseCommand):
    help = "Prints a finished run in one of its formats."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run_id", type=UUID)
        parser.add_argument("--format", default="md", metavar="FORMAT", help=f"one of {', '.join(LABELS)} (default md)")
        parser.add_argument("--output", type=Path, metavar="PATH", help="write there instead of standard output")

    def handle(self, *args: Any, **options: Any) -> None:
        run = Run.objects.select_related("job").filter(pk=options["run_id"]).first()
        if run is None:
            raise CommandError(f"There is no run {options['run_id']}.", returncode=2)
        try:
            made = export(run, options["format"])
        except Refused as refused:
            raise CommandError(refused.message, returncode=1 if refused.status == 409 else 2) from None
        if options["output"] and not options["output"].parent.is_dir():
            raise CommandError(f"There is no folder {options['output'].parent} to write to.", returncode=2)
        if options["output"]:
            options["output"].write_text(made.text, encoding="utf-8")
        else:
            self.stdout.write(made.text, ending="")
