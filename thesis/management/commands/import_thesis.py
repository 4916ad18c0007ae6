"""manage.py import_thesis FILE [--title T] [--main PATH] [--link] [--user EMAIL]: import a file as a thesis."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.files import File
from django.core.management.base import BaseCommand, CommandError

from core.errors import Refused
from jobs.models import Job, State
from jobs.work import perform
from projects.command import person, prepare_database
from projects.models import User
from sections.models import TextImport
from thesis.importing.import_job import progress_of_import, start_thesis_import
from thesis.importing.typed_list.link import link, linked_message, plan_links


class Command(BaseCommand):
    """The command import_thesis."""

    help = (
        "Imports a .tex file, a LaTeX project as .zip, a Word document or Markdown as a new thesis. Writes to standard "
        "error what each file became, and prints the id of the thesis as the last line."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--title", default="", help="the title of the thesis (default: the title in the file)")
        parser.add_argument("--main", default="", metavar="PATH", help="the main file, if the project has several")
        parser.add_argument(
            "--link", action="store_true", help="link a typed list of references to the marks that are certain"
        )
        parser.add_argument("--user", default="", metavar="EMAIL", help="the owner (default: the local user)")

    def handle(self, *args: Any, **options: Any) -> None:
        prepare_database(self.stderr)
        path: Path = options["file"]
        title = " ".join(options["title"].split())
        try:
            user = person(options["user"])
            with path.open("rb") as opened:
                made = start_thesis_import(user, File(opened), path.name, title, options["main"], enqueue=False)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.", returncode=2) from None
        except Refused as refused:
            how = " Name it with --main." if refused.choices else ""
            raise CommandError(f"{refused.message}{how}", returncode=2) from None
        self.stderr.write(f"Importing {path.name} …")
        job = Job.objects.get(subject=made.pk)
        perform(str(job.pk))
        job.refresh_from_db()
        if job.state != State.DONE:
            made.project.delete()  # do not leave an incomplete thesis
            raise CommandError(job.reason or "The import was stopped. Nothing was imported.", returncode=1)
        state = progress_of_import(TextImport.objects.get(pk=made.pk), job)
        for row in state["rows"]:
            self.stderr.write("\n  ".join([f"{row['path']}: {row['became']}", *row["warnings"]]))
        for one in state["unplaced"]:
            told = (one["what"], one["text"] and f"“{one['text']}”", one["where"] and f"({one['where']})")
            self.stderr.write(f"{' '.join(filter(None, told))}. {one['why']}")
        counted = f"{len(state['sections'])} sections, {len(state['rows'])} files."
        for note in [*state["came"], *state["notes"], counted]:
            self.stderr.write(note)
        if state["typed"]:
            self._tell_typed_list(TextImport.objects.get(pk=made.pk), user, links=options["link"])
        self.stdout.write(str(made.project_id))

    def _tell_typed_list(self, made: TextImport, user: User, *, links: bool) -> None:
        """Write what is certain of a typed list and what is not; link it if asked to."""
        plan = plan_links(made)
        for one in plan.doubts:
            self.stderr.write(f"Left as typed: “{one.words}” ({one.section.title}). {one.why}")
        for unused in plan.unused:
            self.stderr.write(f"No mark for the entry: {unused.entry.text[:200]}")
        if links:
            link(made, user, token=plan.token)
            self.stderr.write(linked_message(plan, ()))
        else:
            self.stderr.write(f"{len(plan.places):,} marks of the typed list can be linked, here with --link.")
