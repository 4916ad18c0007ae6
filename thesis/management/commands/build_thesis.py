"""manage.py build_thesis PROJECT_ID --output PDF [--section N]: a thesis, or a chapter of it, as PDF (SPEC T6)."""

import shutil
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import Refused
from jobs.foreground import do_here
from jobs.models import JobEvent
from projects.command import acting_user, find_or_make_project, prepare_database
from thesis.building.problems import Problem, where
from thesis.building.start import start_build
from thesis.building.work import STEP
from thesis.management.commands.draft_section import named_section
from thesis.models import Build

_CONFLICT, _TOO_MANY = 409, 429


class Command(BaseCommand):
    help = "Prints a thesis as PDF: by LaTeX, or as a labelled preview where this machine has none."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="the id of the thesis, or demo")
        parser.add_argument("--output", type=Path, metavar="PDF", help="the file to write")
        parser.add_argument("--section", default="", metavar="N", help="number or slug of the one section to print")
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this person; else as the owner")

    def handle(self, *args: Any, **options: Any) -> None:
        output: Path | None = options["output"]
        if output is None:
            raise CommandError("Name the file to write with --output FILE.pdf.", returncode=2)
        if output.is_dir() or not output.parent.is_dir():
            what = f"{output} is a folder." if output.is_dir() else f"There is no folder {output.parent}."
            raise CommandError(f"{what} Name the file to write.", returncode=2)
        prepare_database(self.stderr)
        try:
            project = find_or_make_project(options["project"], "")
            user = acting_user(options["user"], project)
            section = named_section(project, options["section"]) if options["section"] else None
            build = start_build(project, user, section=section, enqueue=False)
        except Refused as refused:
            status = 1 if refused.status in (_CONFLICT, _TOO_MANY) else 2
            raise CommandError(refused.message, returncode=status) from None
        assert build.job is not None
        do_here(build.job, self.tell)
        build = Build.objects.select_related("job").get(pk=build.pk)
        for one in (*build.problems, *build.notes):
            self.stderr.write(told(one))
        if not build.output:
            reason = build.job.reason if build.job else ""
            raise CommandError(reason or "It could not be made.", returncode=1)
        if build.engine == Build.Engine.TYPST:
            self.stderr.write("This is a preview, and labelled so on each page: this machine has no LaTeX.")
        try:
            with build.output.open("rb") as made, output.open("wb") as out:
                shutil.copyfileobj(made, out)
        except OSError as error:
            raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None
        self.stderr.write(f"{build.pages} page{'' if build.pages == 1 else 's'}.")
        self.stdout.write(str(output))

    def tell(self, event: JobEvent) -> None:
        if event.kind == STEP:
            self.stderr.write(event.text)


def told(problem: Problem) -> str:
    """A problem in a line: "6 Results, line 118: The environment tabular is not closed."."""
    at = where(problem)
    said = f"{at}: {problem['title']}" if at else problem["title"]
    return " ".join(part for part in (said if said.endswith(".") else f"{said}.", problem["hint"]) if part)
