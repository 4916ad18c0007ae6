"""Findings and reports on their way into a section (SPEC T7); thesis/drafting/placing.py puts them in."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any
from uuid import UUID

from core.errors import Refused
from core.storable import check_storable
from latex.headings import headings_in
from latex.unicode import to_latex
from projects.models import Project
from research.models import Run, Source
from research.report.finding_list import Row, finding_list
from research.words import counted
from sections.models import Section
from thesis.drafting.placing import Coming
from thesis.findings.report import LeftOut, from_markdown, write_report
from thesis.models import Draft
from thesis.run_references import FROM_RUN, come_from

MOST = 200  # findings at once
ENGINE = "Research, as it was found"
ORIGIN = "% From research"
_TABLE = re.compile(r"\|[^\n]*\|\s*\n\s*\|[\s:|-]+\|\s*\n")
_SHOWN = 160  # characters of a sentence that was left out
_WORDS = {"UNSUPPORTED": "not borne out by the passage it cites", "CONTRADICTED": "the passage it cites says otherwise"}
OWN_WORDS = "These are the words of the sources, in quotation marks. Say it in your own words, or keep the marks."
QUOTED = "The offline engine quotes its sources word for word. Say it in your own words, or set quotation marks."


def findings_coming(project: Project, finding_ids: Iterable[Mapping[str, Any]]) -> Coming:
    """What findings, [{"run": id, "finding_id": "F1-2"}], would put into a section of `project`, in their order.

    Raises Refused for no finding, more than 200, and one that the thesis has not.
    """
    asked = list(dict.fromkeys((str(one.get("run", "")), str(one.get("finding_id", ""))) for one in finding_ids))
    if not asked:
        raise Refused("Choose a finding first.", field="findings", code="empty")
    if len(asked) > MOST:
        said = f"These are {len(asked):,} findings. At most {MOST} go into a section at once."
        raise Refused(said, field="findings", code="too_many")
    rows = {run: _rows(project, run) for run in dict.fromkeys(run for run, _ in asked)}
    chosen: dict[int, tuple[Run, Row]] = {}
    for run, finding_id in asked:
        found = rows[run]
        if found is None or finding_id not in found[1]:
            said = f"{finding_id or 'One of these'} is no finding of a run of this thesis that stands. Look at its findings again."
            raise Refused(said, field="findings", code="unknown")
        row = found[1][finding_id]
        chosen.setdefault(row.finding.pk, (found[0], row))
    picked = list(chosen.values())
    sources = list({source.pk: source for _, row in picked for source in row.sources}.values())
    quotes = any(not row.shows_quote for _, row in picked)
    questions = list(dict.fromkeys(run.question for run, _ in picked))
    coming = _coming(
        f"{counted(len(picked), 'finding')} of “{questions[0]}”{' and others' if questions[1:] else ''}",
        sources,
        lambda keys: "\n".join(_paragraph(run, row, keys) for run, row in picked),
        [OWN_WORDS] if quotes else [],
    )
    coming.findings = [{"run": run, "finding_id": finding_id} for run, finding_id in asked]
    return coming


def report_coming(
    section: Section, run: Run, headings: Iterable[int] | None = None, *, with_unsupported: bool = False
) -> Coming:
    """What the report of `run`, or those of its parts that `headings` counts from 1, would put into `section`.

    Sentences that the claim check found unsupported or contradicted stay out unless `with_unsupported`; the notes list
    them. Raises Refused where there is no report or nothing of it is left.
    """
    if not run.has_report:
        raise Refused("This run has no report yet.", field="run", code="no_report")
    numbers = None if headings is None else list(headings)
    written = write_report(run, numbers, level=level_below(section.latex), with_unsupported=with_unsupported)
    if not written.latex:
        said = "Choose a part of the report first." if numbers is not None and not numbers else " ".join(written.notes)
        raise Refused(said or "Nothing of this report is left to put in.", field="headings", code="empty")
    notes = list(written.notes)
    if written.left_out:
        notes.append(f"{counted(len(written.left_out), 'sentence')} did not hold against the sources and stayed out.")
        notes += [_left_out(one) for one in written.left_out]
    if written.kept:
        notes.append(
            f"{counted(len(written.kept), 'sentence')} did not hold against the sources. A comment behind each says so."
        )
    if run.only_quotes:
        notes.append(QUOTED)
    return _coming(f"The report on “{run.question}”", written.sources, written.with_keys, notes)


def level_below(latex: str) -> int:
    r"""The level of headings in what is put into a section: below its own where its text begins with one, else 2, \section."""
    first = next(iter(headings_in(latex)), None)
    begins = first is not None and not _without_comments(latex[: first.start])
    return min(first.level + 1, 5) if first is not None and begins else 2


def _without_comments(latex: str) -> str:
    return "".join(line.partition("%")[0].strip() for line in latex.splitlines())


def _again(lines: list[str]) -> list[str]:
    """Which works these comments name, in a sentence."""
    places = list(dict.fromkeys(line.partition(FROM_RUN)[2].partition("), ")[2] for line in lines))
    return [f"Already in this section: {'; '.join(places[:5])}{' and more' if len(lines) > 5 else ''}."]


def _coming(
    instructions: str, sources: list[Source], write: Callable[[Mapping[Any, str]], str], notes: list[str]
) -> Coming:
    return Coming(Draft.Kind.FINDINGS, ENGINE, instructions, write, ORIGIN, _again, notes=notes, sources=sources)


def _rows(project: Project, run_id: str) -> tuple[Run, dict[str, Row]] | None:
    """The run and the rows of its findings by id: of findings that say the same, or rest on the same words, each has it."""
    try:
        run = Run.objects.filter(project=project, pk=UUID(run_id)).first()
    except ValueError:
        return None
    if run is None:
        return None
    by_span = {
        (one.source_id, one.start, one.end): row for row in finding_list(run) for one in (row.finding, *row.others)
    }
    every = run.findings.filter(is_superseded=False).values_list("finding_id", "source_id", "start", "end")
    return run, {finding_id: by_span[span] for finding_id, *at in every if (span := tuple(at)) in by_span}


def _paragraph(run: Run, row: Row, keys: Mapping[int, str]) -> str:
    """A finding as a paragraph: its words and who says so, then where it comes from."""
    words = row.finding.content.strip()
    check_storable(words, "findings")
    cited = ",".join(dict.fromkeys(keys[source.pk] for source in row.sources))
    ids = [row.finding.finding_id, *(one.finding_id for one in row.others)]
    comments = [come_from(run, source, ids) for source in row.sources]
    if _TABLE.match(words):
        return "\n".join([from_markdown(words), rf"Source: \cite{{{cited}}}.", *comments, ""])
    said = to_latex(words.removesuffix("."))
    said = said if row.shows_quote else f"``{said}''"
    return "\n".join([rf"{said}~\cite{{{cited}}}.", *comments, ""])


def _left_out(one: LeftOut) -> str:
    text = " ".join(one.text.split())
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
    return f"Left out, {_WORDS[one.verdict]}: “{shown}”"
