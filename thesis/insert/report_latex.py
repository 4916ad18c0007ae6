"""A research report as LaTeX: its sentences with their citations, without those that the claim check rejects (R11).

Each citation marker of the report belongs to a claim, in order, so the check's verdict on each sentence is known. While
pandoc converts the text, unique words stand in for the markers; cite commands and comments replace them in its output.

A report quotes other people's texts, so nothing in it may act as LaTeX: raw markup is dropped, pictures are reduced to
their captions, and formulas stay formulas only if they use nothing but commands of mathematics (R18).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from claims.extraction import ClaimSentence, claims_of
from claims.repair import MARKS, UNCITED_MARK
from core.errors import Refused
from core.grouping import grouped
from research.claim_check.claim_list import in_order
from research.models import Claim, Finding, Run, Source
from research.report.draft import partial_label
from sections.word_and_markdown import TO_LATEX, tidy_pandoc_latex
from thesis.run_references import as_one_line, run_origin
from untrusted.pandoc import PandocFailed, PandocTimeout, pandoc

_FILTERS = (Path(__file__).with_name("untrusted_markdown.lua"), TO_LATEX)
_SECTION = 2  # the level of \section, as in latex/headings.py
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


class MarkerCitation(NamedTuple):
    """A citation marker of the report: its source, the id of its finding, and its claim."""

    source: Source
    finding: str
    claim: Claim | None


class RejectedSentence(NamedTuple):
    """A sentence that the claim check rejects, and why."""

    text: str
    verdict: str
    why: str


class Part(NamedTuple):
    """A section of the report. `number` counts from 1."""

    number: int
    title: str
    body: str


@dataclass
class ReportLatex:
    """A report as LaTeX in which a unique word, `nonce`cNz, stands for the citations of `groups[N]`."""

    run: Run
    latex: str
    nonce: str
    groups: list[list[MarkerCitation]]
    left_out: list[RejectedSentence]
    kept: list[RejectedSentence]
    notes: list[str] = field(default_factory=list)

    @property
    def sources(self) -> list[Source]:
        """The cited sources, each once, in the order of the text."""
        named = map(int, re.findall(rf"{self.nonce}c(\d+)z", self.latex))
        return list({one.source.pk: one.source for number in named for one in self.groups[number]}.values())

    def with_keys(self, keys: Mapping[int, str]) -> str:
        """Return the LaTeX with cite commands, `keys` by source id, and comments on where each paragraph comes from."""
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
        # After a table, the marker is on a line of its own.
        return rf"~\cite{{{named}}}" if found.start() else rf"Source: \cite{{{named}}}."

    def _comments(self, cited: Sequence[MarkerCitation]) -> list[str]:
        by_source = grouped((one.source.pk, one) for one in cited)
        faults = {
            claim.text: f"% {_SAID[claim.verdict]} (claim {claim.claim_id}): {as_one_line(claim.text)}"
            for claim in (one.claim for one in cited)
            if claim and claim.verdict in _SAID
        }
        named = ((of[0].source, filter(None, (one.finding for one in of))) for of in by_source.values())
        return [*(run_origin(self.run, *one) for one in named), *faults.values()]


def parts_of(run: Run) -> list[Part]:
    """Return the sections of the report of `run`, without its title, its notes and its list of references."""
    body = _body(run.report)
    cuts = list(_HEADING.finditer(body))
    ends = [cut.start() for cut in cuts[1:]] + [len(body)]
    return [
        Part(number, cut[1].strip(), body[cut.end() : end].strip())
        for number, (cut, end) in enumerate(zip(cuts, ends, strict=True), start=1)
    ]


def report_to_latex(
    run: Run, numbers: Iterable[int] | None = None, *, level: int = 2, with_unsupported: bool = False
) -> ReportLatex:
    r"""Return the parts `numbers` (None: all) of the report as LaTeX. Their headings have `level`, where 2 is \section.

    Sentences that their passage does not support are left out unless `with_unsupported`. Raises Refused as
    `report_markdown_to_latex` does.
    """
    cites, notes = _cites(run)
    wanted = None if numbers is None else set(numbers)
    made = ReportLatex(run, "", f"Q{token_hex(6)}", [], [], [], notes)
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
                notes.append(f"“{part.title}” was left out: no text is left in it.")
        marked += len(_MARKER.findall(part.body))
    made.latex = report_markdown_to_latex("\n\n".join(texts), level) if texts else ""
    return made


def _body(report: str) -> str:
    lists = [cut for cut in _HEADING.finditer(report) if cut[1].strip() in ("References", "Sources")]
    return report[: lists[-1].start()] if lists else report


def _cites(run: Run) -> tuple[list[MarkerCitation | None], list[str]]:
    """Return the citation of each marker of the report, in order (None if unknown), and notes."""
    numbers = [int(found[1]) for part in parts_of(run) for found in _MARKER.finditer(part.body)]
    claims = in_order(run.claims.exclude(outcome="removed").exclude(source=None).select_related("source"))
    if len(claims) == len(numbers):
        found = run.findings.filter(is_superseded=False).order_by("id")
        findings = grouped((row.source_id, row) for row in found)
        return [
            MarkerCitation(claim.source, _finding_of(claim, findings.get(claim.source.pk, [])), claim)
            for claim in claims
            if claim.source
        ], []
    rows = {row.number: row for row in run.sources.exclude(number=None).filter(duplicate_of=None).order_by("-id")}
    notes = ["The sentences of this report were not checked against their sources. Check them yourself."]
    return [MarkerCitation(rows[number], "", None) if number in rows else None for number in numbers], notes


def _finding_of(claim: Claim, findings: Sequence[Finding]) -> str:
    """Return the id of the finding that a claim was compared with, or "". `findings` are those of its source."""
    exact = next((row for row in findings if (row.start, row.end) == (claim.start, claim.end)), None)
    over = exact or next((row for row in findings if row.start < claim.end and claim.start < row.end), None)
    return over.finding_id if over else ""


def _part(
    body: str, before: int, cites: Sequence[MarkerCitation | None], made: ReportLatex, with_unsupported: bool
) -> str:
    """Return the body of a part with unique words for its markers. `before` markers precede it in the report."""
    places = count(before)
    body = _MARKER.sub(lambda _: f"[[F0-{next(places)}]]", body)
    faults: list[RejectedSentence] = []
    for sentence in reversed(_with_marks(claims_of({"": body}))):
        claims = [cite.claim for place in sentence.findings if (cite := cites[int(place[3:])]) and cite.claim]
        worst_first = (
            claim for verdict in ("CONTRADICTED", "UNSUPPORTED") for claim in claims if claim.verdict == verdict
        )
        fault = next(worst_first, None)
        text = _MARKS.sub("", sentence.text)
        if fault is not None:
            told = RejectedSentence(text, fault.verdict, fault.reason)
        elif not claims and UNCITED_MARK in sentence.text:
            told = RejectedSentence(text, "UNSUPPORTED", "It cites no source, and no finding says this.")
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


def _with_marks(sentences: list[ClaimSentence]) -> list[ClaimSentence]:
    """Return the `sentences` with each table joined to the mark that follows it."""
    joined: list[ClaimSentence] = []
    for one in sentences:
        if joined and joined[-1].is_table and not joined[-1].findings and one.text.rstrip(".") == UNCITED_MARK:
            joined[-1] = replace(joined[-1], end=one.end, text=f"{joined[-1].text} {UNCITED_MARK}")
        else:
            joined.append(one)
    return joined


def _word(found: "re.Match[str]", cites: Sequence[MarkerCitation | None], made: ReportLatex) -> str:
    """Return one unique word for a run of markers, placed before the full stop."""
    named = [cite for place in re.findall(r"\[\[F0-(\d+)\]\]", found[2]) if (cite := cites[int(place)])]
    lead = found[2][: len(found[2]) - len(found[2].lstrip())]
    if not named:
        return found[1]
    made.groups.append(named)
    word = f"{made.nonce}c{len(made.groups) - 1}z"
    return f"{lead}{word}" if "\n\n" in lead else f" {word}{found[1]}"


def report_markdown_to_latex(markdown: str, level: int = _SECTION) -> str:
    r"""Convert the Markdown of a report to LaTeX with pandoc, one paragraph per line.

    The headings `##` get `level`, where 2 is \section. Raises Refused if pandoc fails or takes longer than 20 seconds.
    """
    options = [
        *("--from=commonmark+pipe_tables+tex_math_dollars", "--to=latex", "--top-level-division=chapter"),
        *("--wrap=none", "--syntax-highlighting=none"),
        f"--shift-heading-level-by={level - _SECTION}",
        *(f"--lua-filter={path}" for path in _FILTERS),
    ]
    try:
        made = pandoc(options, markdown.replace("\0", "").encode(), seconds=20, heap="512m").out
    except PandocTimeout:
        raise Refused("This report is too long to insert at once. Choose fewer parts.") from None
    except PandocFailed:
        raise Refused("This report could not be converted to LaTeX. Choose fewer parts.") from None
    return tidy_pandoc_latex(made.decode().replace("\0", ""))
