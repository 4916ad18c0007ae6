"""manage.py import_thesis FILE [--title T] [--main PATH] [--user EMAIL]: a thesis from a LaTeX project, Word or Markdown."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import BaseCommand, CommandError

from core.errors import Refused
from jobs.models import Job, State
from jobs.work import perform
from projects.command import person, prepare_database
from sections.models import TextImport
from thesis.importing.import_job import bring_thesis, told


class Command(BaseCommand):
    help = (
        "Makes a thesis of a .tex file, a LaTeX project as .zip, a Word document or Markdown. Tells on standard error what "
        "each file became, and prints the id of the thesis as the last line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--title", default="", help="the title of the thesis; else the one in the file")
        parser.add_argument("--main", default="", metavar="PATH", help="the main file, where a project has several")
        parser.add_argument("--user", default="", metavar="EMAIL", help="whose thesis it is; else the local user's")

    def handle(self, *args: Any, **options: Any) -> None:
        prepare_database(self.stderr)
        path: Path = options["file"]
        title = " ".join(options["title"].split())
        try:
            user = person(options["user"])
            with path.open("rb") as opened:
                made = bring_thesis(user, File(opened), path.name, title, options["main"], enqueue=False)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from None
        except Refused as refused:
            how = " Name it with --main." if refused.choices else ""
            raise CommandError(f"{refused.message}{how}", returncode=2) from None
        self.stderr.write(f"Bringing {path.name} in …")
        job = Job.objects.get(subject=made.pk)
        perform(str(job.pk))
        job.refresh_from_db()
        if job.state != State.DONE:
            made.project.delete()  # nothing half-made stays
            raise CommandError(job.reason or "It was stopped. Nothing was brought in.", returncode=1)
        state = told(TextImport.objects.get(pk=made.pk), job)
        for row in state["rows"]:
            self.stderr.write("\n  ".join([f"{row['path']}: {row['became']}", *row["warnings"]]))
        for note in [*state["notes"], f"{len(state['sections'])} sections, {len(state['rows'])} files."]:
            self.stderr.write(note)
        self.stdout.write(str(made.project_id))
