"""A run in the formats people take away (SPEC R14), and how commands give them out (DESIGN, "Commands")."""

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
    body: bytes
    content_type: str
    file_name: str

    @property
    def text(self) -> str:
        """What it says, of a format that is text."""
        return self.body.decode()


class Format(NamedTuple):
    """`suffix` ends the file's name. `of` says what it is an export of: report, works or data."""

    label: str
    content_type: str
    suffix: str
    of: str
    write: Callable[[Run, Choice], str | bytes]

    @property
    def is_text(self) -> bool:
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
    "json": Format("Everything", _JSON, "-run.json", "data", lambda run, _: _json(result(run))),
}
_LONGEST_SLUG = 60  # characters


def export(run: Run, name: str = "", choice: Choice = CITED) -> Export:
    """Return the run in the format `name`, else in the site's default; `choice` says which works, where it is about works.

    Takes less than a second also for a long report. Raises Refused for an unknown format, listing the known ones, for
    the report of a run that has none, and for the cited works of a run that cites none.
    """
    format = known(name or default_format())
    if format.of == "report" and not run.has_report:
        raise Refused(
            "This run has no report. Its findings, its sources and its log can be downloaded.",
            field="format",
            status=409,
        )
    if format.of == "works" and not run.has_report and not choice.everything:
        raise Refused(
            "This run has no report, so it cites nothing. Ask for all works that were found instead.",
            field="format",
            status=409,
        )
    written = format.write(run, choice)
    body = written.encode() if isinstance(written, str) else written
    return Export(body, format.content_type, f"{_slug(run)}{_subset(format, choice)}{format.suffix}")


def known(name: str) -> Format:
    """Return the format of that name. Raises Refused, listing the known ones."""
    if name not in FORMATS:
        raise Refused(f"No format is called “{name[:60]}”. Known: {', '.join(FORMATS)}.", field="format", status=400)
    return FORMATS[name]


def default_format() -> str:
    """Return the format of the setting RESEARCH_EXPORT_FORMAT; Markdown where that names none (research/settings_checks.py says so)."""
    name: str = settings.RESEARCH_EXPORT_FORMAT
    return name if name in FORMATS else "md"


def download(run: Run, name: str, choice: Choice = CITED) -> HttpResponse:
    """`export` as a file to save."""
    made = export(run, name, choice)
    headers = {"Content-Disposition": f'attachment; filename="{made.file_name}"'}
    return HttpResponse(made.body, content_type=made.content_type, headers=headers)


def offered(run: Run) -> dict[str, Any]:
    """Return what the page offers: the site's default first, and the others in three groups.

    In each group, those that the profile names come first, in its order.
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
    """Return the title in a file name's letters; titles in another script have the run's number."""
    words = slugify(run.title or run.question)
    if len(words) > _LONGEST_SLUG:
        words = words[: _LONGEST_SLUG + 1].rpartition("-")[0] or words[:_LONGEST_SLUG]
    return words.strip("-") or f"research-{str(run.pk)[:8]}"


def _subset(format: Format, choice: Choice) -> str:
    """Return what tells the file of one choice of works from that of another."""
    said = f"{'-all' if choice.everything else ''}{'-academic' if choice.academic else ''}"
    return said if format.of == "works" else ""


def add_format_arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--format", default="", metavar="FORMAT", help=f"one of {', '.join(FORMATS)} (default {default_format()})"
    )
    parser.add_argument("--output", type=Path, metavar="PATH", help="write there instead of standard output")
    parser.add_argument("--all", action="store_true", help="bibtex, ris, csl: all works found, not only the cited ones")
    parser.add_argument("--academic-only", action="store_true", help="bibtex, ris, csl: no web pages, news or blogs")


def check_format(options: dict[str, Any], stdout: Any) -> tuple[str, Choice]:
    """Return the format and the choice of works that were typed.

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
