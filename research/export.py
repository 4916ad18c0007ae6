"""A run in the formats people take away (SPEC R14)."""

import json
from collections.abc import Callable
from typing import NamedTuple

from projects.errors import Refused
from research.models import Run
from research.provenance import log_of
from research.structured import bibtex_of, result, structured


class Export(NamedTuple):
    text: str
    content_type: str
    file_name: str


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


_FORMATS: dict[str, tuple[str, str, str, Callable[[Run], str]]] = {
    "md": ("Report, Markdown", "text/markdown", "report.md", lambda run: run.report),
    "json": ("Everything, JSON", "application/json", "run.json", lambda run: _json(result(run))),
    "structured": ("Findings, JSON", "application/json", "findings.json", lambda run: _json(structured(run))),
    "bibtex": ("Cited works, BibTeX", "application/x-bibtex", "references.bib", bibtex_of),
    "provenance": ("Provenance log", "application/json", "provenance.json", lambda run: _json(log_of(run))),
}
LABELS = {name: label for name, (label, *_) in _FORMATS.items()}
NEEDS_REPORT = {"md", "bibtex"}


def export(run: Run, name: str) -> Export:
    """The run in the format `name`. Raises Refused for an unknown format, listing the known ones, and for a
    report of a run that has none.
    """
    if name not in _FORMATS:
        raise Refused(f"No format is called “{name}”. Known: {', '.join(_FORMATS)}.", field="format", status=400)
    if name in NEEDS_REPORT and not run.has_report:
        raise Refused("This run has no report; its findings and its log can be downloaded.", field="format", status=409)
    _, content_type, file_name, write = _FORMATS[name]
    return Export(write(run), f"{content_type}; charset=utf-8", f"{str(run.pk)[:8]}-{file_name}")
