"""Exporting a run in each of its formats (SPEC R14), for downloads and commands (DESIGN, "Commands")."""

import json
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from django.conf import settings
from django.core.management.base import CommandError
from django.http import HttpResponse
from django.utils.text import slugify

from core.errors import Refused
from research.export.bibliography import CITED, Choice, bibtex_of, csl_of, ris_of
from research.export.structured import result, structured
from research.journal.provenance import log_of
from research.models import Run
from research.report.pdf_and_word.report_files import docx_of, pdf_of, sheet_of

_JSON = "application/json; charset=utf-8"
_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


class Export(NamedTuple):
    """An exported file."""

    body: bytes
    content_type: str
    file_name: str

    @property
    def text(self) -> str:
        """Return the body of a text format as a string."""
        return self.body.decode()


class Format(NamedTuple):
    """An export format. `suffix` ends the file's name; `of` says what is exported: report, works or data."""

    label: str
    content_type: str
    suffix: str
    of: str
    write: Callable[[Run, Choice], str | bytes]

    @property
    def is_text(self) -> bool:
        """Return whether files of this format are text."""
        return "charset" in self.content_type


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


FORMATS = {
    "md": Format("Markdown", "text/markdown; charset=utf-8", ".md", "report", lambda run, _: run.report),
    "docx": Format("Word", _WORD, ".docx", "report", lambda run, _: docx_of(sheet_of(run))),
    "pdf": Format("PDF", "application/pdf", ".pdf", "report", lambda run, _: pdf_of(sheet_of(run))),
    "bibtex": Format("BibTeX", "application/x-bibtex; charset=utf-8", ".bib", "works", bibtex_of),
    "ris": Format("RIS", "application/x-research-info-systems; charset=utf-8", ".ris", "works", ris_of),
    "csl": Format(
        "CSL-JSON", "application/vnd.citationstyles.csl+json; charset=utf-8", "-references.json", "works", csl_of
    ),
    "structured": Format(
        "Findings and sources", _JSON, "-findings.json", "data", lambda run, _: _json(structured(run))
    ),
    "provenance": Format("Provenance log", _JSON, "-provenance.json", "data", lambda run, _: _json(log_of(run))),
    "json": Format("Complete run", _JSON, "-run.json", "data", lambda run, _: _json(result(run))),
}
_LONGEST_SLUG = 60  # characters


def export(run: Run, name: str = "", choice: Choice = CITED) -> Export:
    """Export the run in the format `name`, or in the site's default; `choice` selects works in formats of works.

    Takes less than a second even for a long report. Raises Refused for an unknown format, listing the known ones, and,
    if the run has no report, for the report and for its cited works.
    """
    format = format_named(name or default_format())
    if format.of == "report" and not run.has_report:
        raise Refused(
            "This run has no report. You can download its findings, sources and log.",
            field="format",
            status=409,
        )
    if format.of == "works" and not run.has_report and not choice.everything:
        raise Refused(
            "This run has no report, so it cites nothing. Export all works that were found instead.",
            field="format",
            status=409,
        )
    written = format.write(run, choice)
    body = written.encode() if isinstance(written, str) else written
    return Export(body, format.content_type, f"{_slug(run)}{_subset(format, choice)}{format.suffix}")


def format_named(name: str) -> Format:
    """Return the format of that name. Raises Refused for an unknown one, listing the known ones."""
    if name not in FORMATS:
        raise Refused(f"Unknown format “{name[:60]}”. Available: {', '.join(FORMATS)}.", field="format", status=400)
    return FORMATS[name]


def default_format() -> str:
    """Return the format in the setting RESEARCH_EXPORT_FORMAT; Markdown if it is unknown (see settings_checks)."""
    name: str = settings.RESEARCH_EXPORT_FORMAT
    return name if name in FORMATS else "md"


def download(run: Run, name: str, choice: Choice = CITED) -> HttpResponse:
    """Return the export as a download."""
    made = export(run, name, choice)
    headers = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
    return HttpResponse(made.body, content_type=made.content_type, headers=headers)


def export_options(run: Run) -> dict[str, Any]:
    """Return the formats that the page offers: the default one, and all in three groups.

    In each group, the formats that the profile names come first, in its order.
    """
    named = [name for name in run.profile_config.get("export_formats", ()) if name in FORMATS]
    order = dict.fromkeys([*named, *FORMATS])
    default = default_format()
    if FORMATS[default].of != "data" and not run.has_report:
        default = "structured"
    return {
        "first": default,
        "first_label": FORMATS[default].label,
        **{
            of: [(name, FORMATS[name].label) for name in order if FORMATS[name].of == of and is_there]
            for of, is_there in (("report", run.has_report), ("works", True), ("data", True))
        },
    }


def _slug(run: Run) -> str:
    """Return the title as a slug for a file name; for a title in another script, part of the run's id."""
    words = slugify(run.title or run.question)
    if len(words) > _LONGEST_SLUG:
        words = words[: _LONGEST_SLUG + 1].rpartition("-")[0] or words[:_LONGEST_SLUG]
    return words.strip("-") or f"research-{str(run.pk)[:8]}"


def _subset(format: Format, choice: Choice) -> str:
    """Return the part of the file name that names the choice of works: "-all", "-academic" or both."""
    said = f"{'-all' if choice.everything else ''}{'-academic' if choice.academic else ''}"
    return said if format.of == "works" else ""


def add_format_arguments(parser: ArgumentParser) -> None:
    """Add the options --format, --output, --all and --academic-only to a command."""
    parser.add_argument(
        "--format", default="", metavar="FORMAT", help=f"one of {', '.join(FORMATS)} (default {default_format()})"
    )
    parser.add_argument("--output", type=Path, metavar="PATH", help="file to write to instead of standard output")
    parser.add_argument(
        "--all", action="store_true", help="bibtex, ris, csl: export all works found, not only the cited ones"
    )
    parser.add_argument(
        "--academic-only", action="store_true", help="bibtex, ris, csl: leave out web pages, news and blogs"
    )


def check_format(options: dict[str, Any], stdout: Any) -> tuple[str, Choice]:
    """Return the format and the choice of works from the command's options.

    Raises Refused for options with which the export would fail in the end, before the command does anything.
    """
    name: str = options["format"] or default_format()
    format, output = format_named(name), options["output"]
    choice = Choice(everything=options["all"], academic=options["academic_only"])
    if choice != Choice() and format.of != "works":
        raise Refused(
            f"--all and --academic-only only apply to bibtex, ris and csl. The format {name} does not accept them."
        )
    if output and output.is_dir():
        raise Refused(f"{output} is a folder. Give the name of a file.")
    if output and not output.parent.is_dir():
        raise Refused(f"The folder {output.parent} does not exist.")
    if not output and not format.is_text and stdout.isatty():
        raise Refused(
            f"{name} is a binary format and cannot be shown in a terminal. Use --output, or redirect with > or |."
        )
    return name, choice


def write_export(made: Export, output: Path | None, stdout: Any) -> None:
    """Write the export to `output`, or to `stdout`. Raises CommandError when the file cannot be written."""
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
