"""manage.py export_thesis PROJECT_ID --output ZIP --source: the LaTeX source of a thesis."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from projects.command import check_member, find_or_make_project, prepare_database
from projects.errors import Refused
from thesis.source_export import write_source


class Command(BaseCommand):
    help = "Writes the source of a thesis as a ZIP archive: the layout it was brought in, and every byte as it was written."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="the id of the thesis, or demo")
        parser.add_argument("--output", type=Path, metavar="ZIP", help="the archive to write")
        parser.add_argument(
            "--source", action="store_true", help="the text as it was written (the one form there is yet)"
        )
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this person; else as the owner")

    def handle(self, *args: Any, **options: Any) -> None:
        output: Path | None = options["output"]
        if not options["source"]:
            said = "Add --source: the thesis as it was written is the one form of export there is yet."
            raise CommandError(said, returncode=2)
        if output is None:
            raise CommandError("Name the archive to write with --output FILE.zip.", returncode=2)
        if output.is_dir() or not output.parent.is_dir():
            said = (
                f"{output} is a folder. Name the file to write."
                if output.is_dir()
                else f"There is no folder {output.parent}."
            )
            raise CommandError(said, returncode=2)
        prepare_database(self.stderr)
        try:
            project = find_or_make_project(options["project"], "")
            check_member(options["user"], project)
        except Refused as refused:
            raise CommandError(refused.message, returncode=2) from None
        try:
            with output.open("wb") as out:
                notes = write_source(project, out)
        except OSError as error:
            raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None
        for note in notes:
            self.stderr.write(note)
        self.stdout.write(str(output))
