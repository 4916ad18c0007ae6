"""manage.py verify_provenance RUN_ID or FILE: does the chain hold?"""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from research.models import Run
from research.provenance import Verdict, verify, verify_run


class Command(BaseCommand):
    help = "Checks a provenance log, of a run or in a file. Exit code 1 names the first bad row."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("run", metavar="RUN_ID or FILE")

    def handle(self, *args: Any, **options: Any) -> None:
        verdict = self.judge(options["run"])
        if not verdict.ok:
            raise CommandError(verdict.sentence, returncode=1)
        self.stdout.write(verdict.sentence)

    def judge(self, named: str) -> Verdict:
        path = Path(named)
        if path.is_file():
            try:
                log = json.loads(path.read_text(encoding="utf-8"))
            except ValueError as error:
                raise CommandError(f"{named} is not JSON: {error}", returncode=2) from None
            return verify(log if isinstance(log, dict) else {})
        try:
            run = Run.objects.get(pk=UUID(named))
        except (ValueError, Run.DoesNotExist):
            raise CommandError(f"There is neither a run nor a file called {named}.", returncode=2) from None
        return verify_run(run)
