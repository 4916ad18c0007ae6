"""manage.py export_thesis PROJECT_ID --output ZIP [--source | --final]: a thesis as a LaTeX project (SPEC T5)."""

from argparse import ArgumentParser
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from core.errors import Refused
from projects.command import check_member, find_or_make_project, prepare_database
from thesis.project_export import write_draft, write_final
from thesis.source_export import write_source


class Command(BaseCommand):
    help = (
        "Writes a thesis as a ZIP archive with a LaTeX project that compiles elsewhere: citations whose works could not be found are left "
        "out, and it says which."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT_ID", help="the id of the thesis, or demo")
        parser.add_argument("--output", type=Path, metavar="ZIP", help="the archive to write")
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--source", action="store_true", help="every byte as it was written, in the layout it was brought in"
        )
        form.add_argument(
            "--final", action="store_true", help="to be handed in: refused, with all reasons, while anything blocks it"
        )
        parser.add_argument("--user", default="", metavar="EMAIL", help="act as this person; else as the owner")

    def handle(self, *args: Any, **options: Any) -> None:
        output: Path | None = options["output"]
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
        write = write_source if options["source"] else write_final if options["final"] else write_draft
        with TemporaryFile() as made:
            try:
                notes = write(project, made)
            except Refused as refused:
                raise CommandError(refused.message, returncode=1) from None
            made.seek(0)
            try:
                with output.open("wb") as out:
                    copyfileobj(made, out)
            except OSError as error:
                raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None
        for note in notes:
            self.stderr.write(note)
        self.stdout.write(str(output))
