"""manage.py build_thesis PROJECT_ID --output PDF [--section N]: a thesis, or a chapter of it, as PDF (SPEC T6)."""

import shutil
import signal
import threading
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from jobs.models import Job, State
from jobs.work import perform
from projects.command import acting_user, find_or_make_project, prepare_database
from projects.errors import Refused
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
        self.do(build)
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

    def do(self, build: Build) -> None:
        """The work, with what it is at told on standard error."""
        ended, self.told_to_stop = threading.Event(), threading.Event()
        teller = threading.Thread(target=self.tell, args=(build.job_id, ended), daemon=True)
        teller.start()
        before = signal.signal(signal.SIGINT, self.interrupted)
        try:
            perform(str(build.job_id))
            while Job.objects.filter(build=build, state=State.QUEUED).exists():  # put back: the database was busy
                time.sleep(1)
                perform(str(build.job_id))
        finally:
            signal.signal(signal.SIGINT, before)
            ended.set()
            teller.join(5)

    def interrupted(self, signum: int, frame: object) -> None:
        """Ctrl+C: stop; a second one ends the process at once."""
        self.told_to_stop.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def tell(self, job_id: Any, ended: threading.Event) -> None:
        seen, asked = 0, False
        try:
            job = Job.objects.get(pk=job_id)
            while True:
                last = ended.wait(0.1)
                if self.told_to_stop.is_set() and not asked:
                    asked = job.ask("cancel")
                for event in job.events.filter(seq__gt=seen, kind=STEP):
                    self.stderr.write(event.text)
                    seen = event.seq
                if last:
                    return
        finally:
            connection.close()


def told(problem: Problem) -> str:
    """A problem in a line: "6 Results, line 118: The environment tabular is not closed."."""
    at = where(problem)
    said = f"{at}: {problem['title']}" if at else problem["title"]
    return " ".join(part for part in (said if said.endswith(".") else f"{said}.", problem["hint"]) if part)
