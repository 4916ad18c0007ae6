"""manage.py attach_pdfs PROJECT_ID FILE.pdf ... [--format json|text]: PDFs are matched with references (SPEC C9)."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.files import File

from core.errors import Refused
from jobs.models import JobEvent
from jobs.work import run_in_foreground
from projects.command import ThesisCommand
from thesis.attached_pdfs.batch import STEP, start_batch
from thesis.attached_pdfs.batch_report import ReportedPdf, reported_files


class Command(ThesisCommand):
    help = (
        "Upload PDFs and attach each to its reference, found by DOI, or by title, authors and year; a new DOI is looked"
        " up and added. The exit code is 0 whatever is found."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE.pdf")
        parser.add_argument("--format", choices=["json", "text"], default="text")

    def handle(self, *args: Any, **options: Any) -> None:
        project, user = self.to_change(options)
        with ExitStack() as opened:
            files = list(_opened(options["files"], opened))
            batch = start_batch(project, user, files, enqueue=False)
        assert batch.job is not None
        run_in_foreground(batch.job, self.tell)
        found = reported_files(batch)
        if options["format"] == "json":
            self.stdout.write(json.dumps([_as_json(one) for one in found], ensure_ascii=False, indent=2))
        else:
            for one in found:
                key = f" {one.citation.cite_key}" if one.citation else ""
                self.stdout.write(f"{one.row.name}: {one.outcome}{key}. {one.reason}")

    def tell(self, event: JobEvent) -> None:
        """Print the progress."""
        if event.kind == STEP:
            self.stderr.write(event.text)


def _opened(paths: list[Path], opened: ExitStack) -> Iterator["File[bytes]"]:
    for path in paths:
        try:
            yield File(opened.enter_context(path.open("rb")), name=path.name)
        except OSError as error:
            raise Refused(f"{path} cannot be read: {error.strerror}.", field="files") from error


def _as_json(one: ReportedPdf) -> dict[str, Any]:
    return {
        "name": one.row.name,
        "outcome": one.outcome,
        "cite_key": one.citation.cite_key if one.citation else "",
        "suggested": one.suggested.cite_key if one.suggested else "",
        "reason": one.reason,
        "title": one.row.title,
        "doi": one.row.doi,
    }
