"""Findings and reports on their way into a section (SPEC T7, R11); thesis/drafting/proposal.py puts them in.

A report becomes LaTeX: its sentences with their sources, what did not hold left out. Every marker of it is that of a
claim, in order, so the check's verdict on each sentence is known. While pandoc works the markers are words of their own;
cite commands and comments are written into what it gives back.

A report quotes what others wrote, so nothing of it is LaTeX already: raw markup is dropped, pictures are their captions,
formulas stay formulas only where they are made of the commands of mathematics (R18).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import Any, NamedTuple
from uuid import UUID

from claims.extraction import Cited, claims_of
from claims.repair import MARKS, UNCITED_MARK
from core.errors import Refused
from core.storable_text import check_storable
from latex.headings import headings_in
from latex.unicode import to_latex
from projects.models import Project
from research.claim_check.claim_list import in_order
from research.models import Claim, Finding, Run, Source
from research.report.draft import partial_label
from research.report.finding_list import Row, finding_list
from research.words import counted
from sections.models import Section
from sections.word_and_markdown import TO_LATEX, tidied
from thesis.drafting.proposal import Coming
from thesis.models import Draft
from thesis.run_references import FROM_RUN, come_from, in_a_line
from untrusted.pandoc import TookLong, Unread, pandoc

_FILTERS = (Path(__file__).with_name("plain.lua"), TO_LATEX)
_SECTION = 2  # the level of \section, counted as in latex/headings.py
_SAID = {
    "UNSUPPORTED": "The passage cited does not bear this out",
    "CONTRADICTED": "The passage cited says otherwise",
    "UNCHECKED": "Nobody has checked this against the passage cited",
}
_MARKER = re.compile(r"(?<!\\)\[(\d+)\]")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_RUN_OF = re.compile(r"([.!?…]*)((?:\s*\[\[F0-\d+\]\])+)")
_BARE_ITEM = re.compile(r"^[ \t]*(?:[-*>+]|\d+[.)])[ \t]*$\n?", re.MULTILINE)
_BARE_HEADING = re.compile(r"^[ \t]*#{3,6}[ \t][^\n]*\n*(?=[ \t]*#{3,6}[ \t]|\Z)", re.MULTILINE)
_MARKS = re.compile("|".join(rf"[ \t]*{re.escape(words)}" for words in MARKS))


class Cite(NamedTuple):
    """What one marker of the report stands for."""

    source: Source
    finding: str
    claim: Claim | None


class LeftOut(NamedTuple):
    """A sentence that the check does not let stand, and why."""

    text: str
    verdict: str
    why: str


class Part(NamedTuple):
    """A section of the report. `number` counts from 1."""

    number: int
    title: str
    body: str


@dataclass
class Written:
    """A report on its way into a text: LaTeX in which words of our own stand for what is cited."""

    run: Run
    latex: str
    nonce: str
    groups: list[list[Cite]]
    left_out: list[LeftOut]
    kept: list[LeftOut]
    notes: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """What is cited, each once, in the order of the text."""
        named = map(int, re.findall(rf"{self.nonce}c(\d+)z", self.latex))
        return list({one.source.pk: one.source for number in named for one in self.groups[number]}.values())

    def with_keys(self, keys: Mapping[int, str]) -> str:
        """Return the LaTeX, citing by `keys` (of sources), each paragraph with comments on where it comes from."""
        word = re.compile(rf"(^|[ \t~]*)\b{self.nonce}c(\d+)z", re.MULTILINE)
        lines: list[str] = []
        verbatim = False
        for line in self.latex.split("\n"):
            verbatim = (verbatim or line.startswith(r"\begin{verbatim}")) and not line.startswith(r"\end{verbatim}")
            if verbatim:
                lines.append(word.sub("", line))
            else:
                cited = [one for found in word.finditer(line) for one in self.groups[int(found[2])]]
                lines += [word.sub(lambda found: self._cited(found, keys), line), *self._comments(cited)]
        return "\n".join(lines).strip() + "\n"

    def _cited(self, found: "re.Match[str]", keys: Mapping[int, str]) -> str:
        named = ",".join(dict.fromkeys(keys[one.source.pk] for one in self.groups[int(found[2])]))
        # Behind a table a marker stands by itself.
        return rf"~\cite{{{named}}}" if found.start() else rf"Source: \cite{{{named}}}."

    def _comments(self, cited: Iterable[Cite]) -> list[str]:
        by_source: dict[int, list[Cite]] = {}
        faults: dict[str, str] = {}
        for one in cited:
            by_source.setdefault(one.source.pk, []).append(one)
            if one.claim and one.claim.verdict in _SAID:
                faults[one.claim.text] = (
                    f"% {_SAID[one.claim.verdict]} (claim {one.claim.claim_id}): {in_a_line(one.claim.text)}"
                )
        named = ((of[0].source, filter(None, (one.finding for one in of))) for of in by_source.values())
        return [*(come_from(self.run, *one) for one in named), *faults.values()]


def parts_of(run: Run) -> list[Part]:
    """Return the sections of the report of `run`, without its title, its notes and the list at its end."""
    body = _body(run.report)
    cuts = list(_HEADING.finditer(body))
    ends = [cut.start() for cut in cuts[1:]] + [len(body)]
    return [
        Part(number, cut[1].strip(), body[cut.end() : end].strip())
        for number, (cut, end) in enumerate(zip(cuts, ends, strict=True), start=1)
    ]


def write_report(
    run: Run, numbers: Iterable[int] | None = None, *, level: int = 2, with_unsupported: bool = False
) -> Written:
    r"""Return the parts of the report that `numbers` chooses (None: all) as LaTeX; their headings have `level`, 2 being \section.

    A sentence whose passage does not bear it out is left out unless `with_unsupported`. Raises Refused as `from_markdown`.
    """
    cites, notes = _cites(run)
    wanted = None if numbers is None else set(numbers)
    made = Written(run, "", f"Q{token_hex(6)}", [], [], [], notes)
    if missing := partial_label(run.report):
        notes.append(f"The report is partial. {missing}")
    marked = 0
    texts: list[str] = []
    for part in parts_of(run):
        if wanted is None or part.number in wanted:
            body = _part(part.body, marked, cites, made, with_unsupported)
            if any(letter.isalnum() for letter in body):
                texts.append(f"## {part.title}\n\n{body}")
            else:
                notes.append(f"Nothing was left of “{part.title}”.")
        marked += len(_MARKER.findall(part.body))
    made.latex = from_markdown("\n\n".join(texts), level) if texts else ""
    return made


def _body(report: str) -> str:
    lists = [cut for cut in _HEADING.finditer(report) if cut[1].strip() in ("References", "Sources")]
    return report[: lists[-1].start()] if lists else report


def _cites(run: Run) -> tuple[list[Cite | None], list[str]]:
    """Return what each marker of the report stands for, in order, and what could not be told."""
    numbers = [int(found[1]) for part in parts_of(run) for found in _MARKER.finditer(part.body)]
    claims = in_order(run.claims.exclude(outcome="removed").exclude(source=None).select_related("source"))
    if len(claims) == len(numbers):
        findings: dict[int | None, list[Finding]] = {}
        for row in run.findings.filter(is_superseded=False).order_by("id"):
            findings.setdefault(row.source_id, []).append(row)
        return [
            Cite(claim.source, _finding_of(claim, findings.get(claim.source_id, [])), claim)
            for claim in claims
            if claim.source
        ], []
    rows = {row.number: row for row in run.sources.exclude(number=None).filter(duplicate_of=None).order_by("-id")}
    notes = ["The sentences of this report were not checked against their sources: read them before you keep them."]
    return [Cite(rows[number], "", None) if number in rows else None for number in numbers], notes


def _finding_of(claim: Claim, findings: Sequence[Finding]) -> str:
    """Return which of the `findings` of its source a claim rests on: the one whose words it was compared with."""
    exact = next((row for row in findings if (row.start, row.end) == (claim.start, claim.end)), None)
    over = exact or next((row for row in findings if row.start < claim.end and claim.start < row.end), None)
    return over.finding_id if over else ""


def _part(body: str, before: int, cites: Sequence[Cite | None], made: Written, with_unsupported: bool) -> str:
    """`body`, in which `before` markers of the report stand earlier, with words of ours for its markers."""
    places = count(before)
    body = _MARKER.sub(lambda _: f"[[F0-{next(places)}]]", body)
    faults: list[LeftOut] = []
    for sentence in reversed(_with_marks(claims_of({"": body}))):
        claims = [cite.claim for place in sentence.findings if (cite := cites[int(place[3:])]) and cite.claim]
        worst_first = (
            claim for verdict in ("CONTRADICTED", "UNSUPPORTED") for claim in claims if claim.verdict == verdict
        )
        fault = next(worst_first, None)
        text = _MARKS.sub("", sentence.text)
        if fault is not None:
            told = LeftOut(text, fault.verdict, fault.reason)
        elif not claims and UNCITED_MARK in sentence.text:
            told = LeftOut(text, "UNSUPPORTED", "It names no source, and nothing that was found says it.")
        else:
            continue
        faults.insert(0, told)
        if with_unsupported:
            whole = _MARKS.sub("", body[sentence.start : sentence.end])
            body = f"{body[: sentence.start]}{whole}{body[sentence.end :]}"
        else:
            body = f"{body[: sentence.start].rstrip(' ')} {body[sentence.end :].lstrip(' .')}"
    listed = made.kept if with_unsupported else made.left_out
    listed += [one for one in dict.fromkeys(faults) if one not in listed]
    body = _BARE_HEADING.sub("", _BARE_ITEM.sub("", _MARKS.sub("", body)).strip() + "\n")
    return _RUN_OF.sub(lambda found: _word(found, cites, made), body).strip()


def _with_marks(sentences: list[Cited]) -> list[Cited]:
    """`sentences`, a table and the mark that stands behind it as one."""
    joined: list[Cited] = []
    for one in sentences:
        if joined and joined[-1].is_table and not joined[-1].findings and one.text.rstrip(".") == UNCITED_MARK:
            joined[-1] = replace(joined[-1], end=one.end, text=f"{joined[-1].text} {UNCITED_MARK}")
        else:
            joined.append(one)
    return joined


def _word(found: "re.Match[str]", cites: Sequence[Cite | None], made: Written) -> str:
    """Before the full stop, one word for all the markers that follow each other."""
    named = [cite for place in re.findall(r"\[\[F0-(\d+)\]\]", found[2]) if (cite := cites[int(place)])]
    lead = found[2][: len(found[2]) - len(found[2].lstrip())]
    if not named:
        return found[1]
    made.groups.append(named)
    word = f"{made.nonce}c{len(made.groups) - 1}z"
    return f"{lead}{word}" if "\n\n" in lead else f" {word}{found[1]}"


def from_markdown(markdown: str, level: int = _SECTION) -> str:
    r"""Return the Markdown of a report as LaTeX by pandoc, a paragraph to a line; its headings `##` have `level`, 2 being \section.

    Raises Refused for what pandoc cannot read within 20 seconds.
    """
    options = [
        *("--from=commonmark+pipe_tables+tex_math_dollars", "--to=latex", "--top-level-division=chapter"),
        *("--wrap=none", "--syntax-highlighting=none"),
        f"--shift-heading-level-by={level - _SECTION}",
        *(f"--lua-filter={path}" for path in _FILTERS),
    ]
    try:
        made = pandoc(options, markdown.replace("\0", "").encode(), seconds=20, heap="512m").out
    except TookLong:
        raise Refused("This report is too long to be put in at once. Choose fewer of its parts.") from None
    except Unread:
        raise Refused("This report could not be turned into LaTeX. Choose fewer of its parts.") from None
    return tidied(made.decode().replace("\0", ""))


MOST = 200  # findings at once
ENGINE = "Research, as it was found"
ORIGIN = "% From research"
_SHOWN = 160  # characters of a sentence that was left out
_WORDS = {"UNSUPPORTED": "not borne out by the passage it cites", "CONTRADICTED": "the passage it cites says otherwise"}
OWN_WORDS = "These are the words of the sources, in quotation marks. Say it in your own words, or keep the marks."
QUOTED = "The offline engine quotes its sources word for word. Say it in your own words, or set quotation marks."


def findings_coming(project: Project, finding_ids: Iterable[Mapping[str, Any]]) -> Coming:
    """Return what findings, [{"run": id, "finding_id": "F1-2"}], would put into a section of `project`, in their order.

    Raises Refused for no finding, more than 200, and one that the thesis has not.
    """
    asked = list(dict.fromkeys((str(one.get("run", "")), str(one.get("finding_id", ""))) for one in finding_ids))
    if not asked:
        raise Refused("Choose a finding first.", field="findings", code="empty")
    if len(asked) > MOST:
        raise Refused(
            f"These are {len(asked):,} findings. At most {MOST} go into a section at once.",
            field="findings",
            code="too_many",
        )
    rows = {run: _rows(project, run) for run in dict.fromkeys(run for run, _ in asked)}
    chosen: dict[int, tuple[Run, Row]] = {}
    for run, finding_id in asked:
        found = rows[run]
        if found is None or finding_id not in found[1]:
            raise Refused(
                f"{finding_id or 'One of these'} is no finding of a run of this thesis that stands. Look at its findings again.",
                field="findings",
                code="unknown",
            )
        row = found[1][finding_id]
        chosen.setdefault(row.finding.pk, (found[0], row))
    picked = list(chosen.values())
    sources = list({source.pk: source for _, row in picked for source in row.sources}.values())
    questions = list(dict.fromkeys(run.question for run, _ in picked))
    return Coming(
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


def report_coming(
    section: Section, run: Run, headings: Iterable[int] | None = None, *, with_unsupported: bool = False
) -> Coming:
    """Return what the report of `run`, or those of its parts that `headings` counts from 1, would put into `section`.

    Sentences that the claim check found unsupported or contradicted stay out unless `with_unsupported`; the notes list
    them. Raises Refused where there is no report or nothing of it is left.
    """
    if not run.has_report:
        raise Refused("This run has no report yet.", field="run", code="no_report")
    numbers = None if headings is None else list(headings)
    written = write_report(run, numbers, level=level_below(section.latex), with_unsupported=with_unsupported)
    if not written.latex:
        said = "Choose a part of the report first." if numbers == [] else " ".join(written.notes)
        raise Refused(said or "Nothing of this report is left to put in.", field="headings", code="empty")
    notes = list(written.notes)
    if written.left_out:
        notes += [
            f"{counted(len(written.left_out), 'sentence')} did not hold against the sources and stayed out.",
            *map(_left_out, written.left_out),
        ]
    if written.kept:
        notes.append(
            f"{counted(len(written.kept), 'sentence')} did not hold against the sources. A comment behind each says so."
        )
    if run.only_quotes:
        notes.append(QUOTED)
    return Coming(
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
    r"""Return the level of headings in what is put into a section: below its own where its text begins with one, else 2, \section."""
    first = next(iter(headings_in(latex)), None)
    if first is None or any(line.partition("%")[0].strip() for line in latex[: first.start].splitlines()):
        return 2
    return min(first.level + 1, 5)


def _again(lines: list[str]) -> list[str]:
    """Return which works these comments name, in a sentence."""
    places = list(dict.fromkeys(line.partition(FROM_RUN)[2].partition("), ")[2] for line in lines))
    return [f"Already in this section: {'; '.join(places[:5])}{' and more' if len(lines) > 5 else ''}."]


def _rows(project: Project, run_id: str) -> tuple[Run, dict[str, Row]] | None:
    """Return the run and the rows of its findings by id: of findings that say the same, or rest on the same words, each has it."""
    run = None
    with suppress(ValueError):
        run = Run.objects.filter(project=project, pk=UUID(run_id)).first()
    if run is None:
        return None
    by_span = {
        (one.source_id, one.start, one.end): row for row in finding_list(run) for one in (row.finding, *row.others)
    }
    every = run.findings.filter(is_superseded=False).values_list("finding_id", "source_id", "start", "end")
    return run, {finding_id: by_span[span] for finding_id, *at in every if (span := tuple(at)) in by_span}


def _paragraph(run: Run, row: Row, keys: Mapping[int, str]) -> str:
    """Return a finding as a paragraph: its words and who says so, then where it comes from."""
    words = row.finding.content.strip()
    check_storable(words, "findings")
    cited = ",".join(dict.fromkeys(keys[source.pk] for source in row.sources))
    ids = [row.finding.finding_id, *(one.finding_id for one in row.others)]
    comments = [come_from(run, source, ids) for source in row.sources]
    if re.match(r"\|[^\n]*\|\s*\n\s*\|[\s:|-]+\|\s*\n", words):
        return "\n".join([from_markdown(words), rf"Source: \cite{{{cited}}}.", *comments, ""])
    said = to_latex(words.removesuffix("."))
    said = said if row.shows_quote else f"``{said}''"
    return "\n".join([rf"{said}~\cite{{{cited}}}.", *comments, ""])


def _left_out(one: LeftOut) -> str:
    text = " ".join(one.text.split())
    shown = text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1].rstrip()}…"
    return f"Left out, {_WORDS[one.verdict]}: “{shown}”"
