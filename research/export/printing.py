"""How commands give out an export: to a file, or to standard output (DESIGN, "Commands")."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from core.errors import Refused
from research.export.bibliography import Choice
from research.export.export import FORMATS, Export, default_format, known


def add_format_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format", default="", metavar="FORMAT", help=f"one of {', '.join(FORMATS)} (default {default_format()})"
    )
    parser.add_argument("--output", type=Path, metavar="PATH", help="write there instead of standard output")
    parser.add_argument("--all", action="store_true", help="bibtex, ris, csl: all works found, not only the cited ones")
    parser.add_argument("--academic-only", action="store_true", help="bibtex, ris, csl: no web pages, news or blogs")


def check_format(options: dict[str, Any], stdout: Any) -> tuple[str, Choice]:
    """The format and the choice of works that were typed.

    Raises Refused before anything is done for what could not be given out in the end.
    """
    name: str = options["format"] or default_format()
    format, output = known(name), options["output"]
    choice = Choice(everything=options["all"], academic=options["academic_only"])
    if choice != Choice() and format.of != "works":
        raise Refused(f"--all and --academic-only choose works for bibtex, ris and csl; {name} has no use for them.")
    if output and output.is_dir():
        raise Refused(f"{output} is a folder. Name the file to write.")
    if output and not output.parent.is_dir():
        raise Refused(f"There is no folder {output.parent} to write to.")
    if not output and not format.is_text and stdout.isatty():
        raise Refused(f"{name} is no text to show here. Name a file with --output, or send it on with > or |.")
    return name, choice


def give_out(made: Export, output: Path | None, stdout: Any) -> None:
    """Write the export to `output`, else to `stdout`. Raises CommandError when the file cannot be written."""
    if output:
        try:
            output.write_bytes(made.body)
        except OSError as error:
            raise CommandError(f"{output} could not be written: {error.strerror}.", returncode=1) from None
    elif hasattr(stdout, "buffer"):
        stdout.flush()
        stdout.buffer.write(made.body)
        stdout.buffer.flush()
    else:
        stdout.write(made.text, ending="")
