"""Inserting findings and reports into a section as a proposal (SPEC T7, R11; thesis/drafting/proposal.py)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from core.errors import Refused
from core.storable_text import check_storable
from core.uuids import uuid_in
from latex.bibtex_unicode import to_latex
from latex.headings import headings_in
from projects.models import Project
from research.models import Run
from research.plurals import counted
from research.report.finding_list import Row, finding_list
from sections.models import Section
from thesis.drafting.proposal import Insertion
from thesis.insert.report_latex import RejectedSentence, report_markdown_to_latex, report_to_latex
from thesis.models import Draft
from thesis.run_references import FROM_RUN, run_origin

MOST = 200  # findings per insertion
ENGINE = "Research, as it was found"
ORIGIN = "% From research"
_SHOWN = 160  # characters shown of a sentence that was left out
_WORDS = {
    "UNSUPPORTED": "not supported by the passage it cites",
    "CONTRADICTED": "contradicted by the passage it cites",
}
OWN_WORDS = "These are the words of the sources, in quotation marks. Use your own words, or keep the marks."
QUOTED = "The offline engine quotes its sources word for word. Use your own words, or add quotation marks."


def findings_insertion(project: Project, finding_ids: Iterable[Mapping[str, Any]]) -> Insertion:
    """Return the content that inserts findings, [{"run": id, "finding_id": "F1-2"}], into a section, in that order.

    Raises Refused for no finding, more than 200, and a finding that is not of `project`.
    """
    asked = list(dict.fromkeys((str(one.get("run", "")), str(one.get("finding_id", ""))) for one in finding_ids))
    if not asked:
        raise Refused("Choose a finding first.", field="findings", code="empty")
    if len(asked) > MOST:
        raise Refused(
            f"You chose {len(asked):,} findings. At most {MOST} can be inserted at once.",
            field="findings",
            code="too_many",
        )
    rows = {run: _rows(project, run) for run in dict.fromkeys(run for run, _ in asked)}
    chosen: dict[int, tuple[Run, Row]] = {}
    for run, finding_id in asked:
        found = rows[run]
        if found is None or finding_id not in found[1]:
            raise Refused(
                f"{finding_id or 'One of these'} is not a current finding of a run of this thesis. Open the findings "
                "of the run again and choose from them.",
                field="findings",
                code="unknown",
            )
        row = found[1][finding_id]
        chosen.setdefault(row.finding.pk, (found[0], row))
    picked = list(chosen.values())
    sources = list({source.pk: source for _, row in picked for source in row.sources}.values())
    questions = list(dict.fromkeys(run.question for run, _ in picked))
    return Insertion(
        Draft.Kind.FINDINGS,
        ENGINE,
        f"{counted(len(picked), 'finding')} of “{questions[0]}”{' and others' if questions[1:] else ''}",
        lambda keys: "\n".join(_paragraph(run, row, keys) for run, row in picked),
        ORIGIN,
        _again,
        findings=[{"run": run, "finding_id": finding_id} for run, finding_id in asked],
        notes=[] if all(row.shows_quote for _, row in picked) else [OWN_WORDS],
        sources=sources,
    )


def report_insertion(
    section: Section, run: Run, headings: Iterable[int] | None = None, *, with_unsupported: bool = False
) -> Insertion:
    """Return the content that inserts the report of `run`, or its parts `headings` counted from 1, into `section`.

    Sentences that the claim check found unsupported or contradicted are left out unless `with_unsupported`; the notes
    list them. Raises Refused if there is no report or no sentence is left.
    """
    if not run.has_report:
        raise Refused("This run has no report yet.", field="run", code="no_report")
    numbers = None if headings is None else list(headings)
    written = report_to_latex(run, numbers, level=level_below(section.latex), with_unsupported=with_unsupported)
    if not written.latex:
        said = "Choose a part of the report first." if numbers == [] else " ".join(written.notes)
        raise Refused(said or "No sentence of this report can be inserted.", field="headings", code="empty")
    notes = list(written.notes)
    if written.left_out:
        notes += [
            f"{counted(len(written.left_out), 'sentence')} left out: not supported by the sources.",
            *map(_left_out, written.left_out),
        ]
    if written.kept:
        notes.append(
            f"{counted(len(written.kept), 'sentence')} not supported by the sources. A comment after each says so."
        )
    if run.only_quotes:
        notes.append(QUOTED)
    return Insertion(
        Draft.Kind.FINDINGS,
        ENGINE,
        f"The report on “{run.question}”",
        written.with_keys,
        ORIGIN,
        _again,
        notes=notes,
        sources=written.sources,
    )


def level_below(latex: str) -> int:
    r"""Return the heading level of inserted text: one below the heading that `latex` begins with, else 2 (\section)."""
    first = next(iter(headings_in(latex)), None)
    if first is None or any(line.partition("%")[0].strip() for line in latex[: first.start].splitlines()):
        return 2
    return min(first.level + 1, 5)


def _again(lines: list[str]) -> list[str]:
    """Return a note that names the works in these comment lines."""
    places = list(dict.fromkeys(line.partition(FROM_RUN)[2].partition("), ")[2] for line in lines))
    return [f"Already in this section: {'; '.join(places[:5])}{' and more' if len(lines) > 5 else ''}."]


def _rows(project: Project, run_id: str) -> tuple[Run, dict[str, Row]] | None:
    """Return the run and its finding rows by finding id, or None. Findings merged in one row share that row."""
    pk = uuid_in(run_id)
    run = Run.objects.filter(project=project, pk=pk).first() if pk else None
    if run is None:
        return None
    by_span = {
        (one.source_id, one.start, one.end): row for row in finding_list(run) for one in (row.finding, *row.others)
    }
    every = run.findings.filter(is_superseded=False).values_list("finding_id", "source_id", "start", "end")
    return run, {finding_id: by_span[span] for finding_id, *at in every if (span := tuple(at)) in by_span}


def _paragraph(run: Run, row: Row, keys: Mapping[int, str]) -> str:
    """Return a finding as a paragraph: its words with citations, then comments on where it comes from."""
    words = row.finding.content.strip()
    check_storable(words, "findings")
    cited = ",".join(dict.fromkeys(keys[source.pk] for source in row.sources))
    ids = [row.finding.finding_id, *(one.finding_id for one in row.others)]
    comments = [run_origin(run, source, ids) for source in row.sources]
    if re.match(r"\|[^\n]*\|\s*\n\s*\|[\s:|-]+\|\s*\n", words):
        return "\n".join([report_markdown_to_latex(words), rf"Source: \cite{{{cited}}}.", *comments, ""])
    said = to_latex(words.removesuffix("."))
    said = said if row.shows_quote else f"``{said}''"
    return "\n".join([rf"{said}~\cite{{{cited}}}.", *comments, ""])


def _left_out(one: RejectedSentence) -> str:
    text = " ".join(one.text.split())
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
    return f"Left out, {_WORDS[one.verdict]}: “{shown}”"
