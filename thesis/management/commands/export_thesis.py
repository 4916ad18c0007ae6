"""manage.py export_thesis PROJECT_ID --output ZIP [--source | --final]: a thesis as a LaTeX project (SPEC T5)."""

from argparse import ArgumentParser
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import Any

from projects.command import ThesisCommand, output_file, writing
from thesis.project_export import write_draft, write_final, write_source


class Command(ThesisCommand):
    help = (
        "Writes a thesis as a ZIP archive with a LaTeX project that compiles anywhere. Citations whose works could not "
        "be found are left out and listed."
    )
    fails = (409,)  # something blocks the final export

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--output", type=Path, metavar="ZIP", help="the archive to write")
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--source", action="store_true", help="the source exactly as it was written, in its original layout"
        )
        form.add_argument(
            "--final",
            action="store_true",
            help="the version to submit: refused, with all reasons, if anything blocks it",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        output = output_file(options, "the archive to write with --output FILE.zip")
        project = self.to_read(options)
        write = write_source if options["source"] else write_final if options["final"] else write_draft
        with TemporaryFile() as made:
            notes = write(project, made)
            made.seek(0)
            with writing(output) as out:
                copyfileobj(made, out)
        for note in notes:
            self.stderr.write(note)
        self.stdout.write(str(output))
