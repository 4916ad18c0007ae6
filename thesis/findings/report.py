"""A report of a run as LaTeX for a section: its sentences with their sources, what did not hold left out (SPEC T7, R11).

Every marker of the report is that of a claim, in order, so the check's verdict on each sentence is known. While pandoc
works the markers are words of their own; cite commands and comments are written into what it gives back.

A report quotes what others wrote, so nothing of it is LaTeX already: raw markup is dropped, pictures are their captions,
formulas stay formulas only where they are made of the commands of mathematics (R18).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from claims.repair import MARKS, UNCITED_MARK
from claims.sentences import Cited, claims_of
from core.errors import Refused
from research.check.claim_list import in_order
from research.models import Claim, Finding, Run, Source
from research.report.draft import partial_label
from sections.pandoc_in import TO_LATEX, tidied
from thesis.run_references import come_from, in_a_line
from untrusted.pandoc import TookLong, Unread, pandoc

SECONDS = 20
_FROM = "commonmark+pipe_tables+tex_math_dollars"
_FILTERS = (Path(__file__).with_name("plain.lua"), TO_LATEX)
_SECTION = 2  # the level of \section, counted as in latex/headings.py
FAULTY = ("UNSUPPORTED", "CONTRADICTED")
_SAID = {
    "UNSUPPORTED": "The passage cited does not bear this out",
    "CONTRADICTED": "The passage cited says otherwise",
    "UNCHECKED": "Nobody has checked this against the passage cited",
}
_UNCITED = "It names no source, and nothing that was found says it."
_MARKER = re.compile(r"(?<!\\)\[(\d+)\]")
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_LISTS = ("References", "Sources")
_OURS = re.compile(r"\[\[F0-(\d+)\]\]")
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
        """The LaTeX, citing by `keys` (of sources), each paragraph with comments on where it comes from."""
        word = re.compile(rf"(^|[ \t~]*)\b{self.nonce}c(\d+)z", re.MULTILINE)
        lines: list[str] = []
        verbatim = False
        for line in self.latex.split("\n"):
            verbatim = (verbatim or line.startswith(r"\begin{verbatim}")) and not line.startswith(r"\end{verbatim}")
            cited = [one for found in word.finditer(line) for one in self.groups[int(found[2])]]
            if verbatim:
                lines.append(word.sub("", line))
                continue
            lines.append(word.sub(lambda found: self._cited(found, keys), line))
            lines += self._comments(cited)
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
                said = f"% {_SAID[one.claim.verdict]} (claim {one.claim.claim_id}): {in_a_line(one.claim.text)}"
                faults[one.claim.text] = said
        told = [
            come_from(self.run, of[0].source, filter(None, (one.finding for one in of))) for of in by_source.values()
        ]
        return [*told, *faults.values()]


def parts_of(run: Run) -> list[Part]:
    """The sections of the report of `run`, without its title, its notes and the list at its end."""
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
    r"""The parts of the report that `numbers` chooses (None: all) as LaTeX; their headings have `level`, 2 being \section.

    A sentence whose passage does not bear it out is left out unless `with_unsupported`. Raises Refused as `from_markdown`.
    """
    cites, notes = _cites(run)
    wanted = None if numbers is None else set(numbers)
    made = Written(run, "", f"Q{token_hex(6)}", [], [], [], notes)
    if missing := partial_label(run.report):
        made.notes.append(f"The report is partial. {missing}")
    marked = 0
    texts: list[str] = []
    for part in parts_of(run):
        count = len(_MARKER.findall(part.body))
        if wanted is None or part.number in wanted:
            body = _part(part.body, marked, cites, made, with_unsupported)
            if any(letter.isalnum() for letter in body):
                texts.append(f"## {part.title}\n\n{body}")
            else:
                made.notes.append(f"Nothing was left of “{part.title}”.")
        marked += count
    made.latex = from_markdown("\n\n".join(texts), level) if texts else ""
    return made


def _body(report: str) -> str:
    lists = [cut for cut in _HEADING.finditer(report) if cut[1].strip() in _LISTS]
    return report[: lists[-1].start()] if lists else report


def _cites(run: Run) -> tuple[list[Cite | None], list[str]]:
    """What each marker of the report stands for, in order, and what could not be told."""
    numbers = [int(found[1]) for part in parts_of(run) for found in _MARKER.finditer(part.body)]
    claims = in_order(run.claims.exclude(outcome="removed").exclude(source=None).select_related("source"))
    findings = list(run.findings.filter(is_superseded=False).order_by("id"))
    if len(claims) == len(numbers):
        return [Cite(claim.source, _finding_of(claim, findings), claim) for claim in claims if claim.source], []
    rows = {row.number: row for row in run.sources.exclude(number=None).filter(duplicate_of=None).order_by("-id")}
    notes = ["The sentences of this report were not checked against their sources: read them before you keep them."]
    return [Cite(rows[number], "", None) if number in rows else None for number in numbers], notes


def _finding_of(claim: Claim, findings: Sequence[Finding]) -> str:
    """Which finding a claim rests on: the one whose words it was compared with."""
    rows = [row for row in findings if row.source_id == claim.source_id]
    exact = next((row for row in rows if (row.start, row.end) == (claim.start, claim.end)), None)
    over = exact or next((row for row in rows if row.start < claim.end and claim.start < row.end), None)
    return over.finding_id if over else ""


def _part(body: str, before: int, cites: Sequence[Cite | None], made: Written, with_unsupported: bool) -> str:
    """`body`, in which `before` markers of the report stand earlier, with words of ours for its markers."""
    count = before

    def numbered(found: "re.Match[str]") -> str:
        nonlocal count
        count += 1
        return f"[[F0-{count - 1}]]"

    body = _MARKER.sub(numbered, body)
    faults: list[LeftOut] = []
    for sentence in reversed(_with_marks(claims_of({"": body}))):
        claims = [cite.claim for place in sentence.findings if (cite := cites[int(place[3:])]) and cite.claim]
        fault = next((claim for verdict in reversed(FAULTY) for claim in claims if claim.verdict == verdict), None)
        text = _MARKS.sub("", sentence.text)
        if fault is not None:
            told = LeftOut(text, fault.verdict, fault.reason)
        elif not claims and UNCITED_MARK in sentence.text:
            told = LeftOut(text, "UNSUPPORTED", _UNCITED)
        else:
            continue
        faults.insert(0, told)
        if with_unsupported:
            whole = body[sentence.start : sentence.end]
            body = f"{body[: sentence.start]}{_MARKS.sub('', whole)}{body[sentence.end :]}"
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
    named = [cite for place in _OURS.findall(found[2]) if (cite := cites[int(place)])]
    lead = found[2][: len(found[2]) - len(found[2].lstrip())]
    if not named:
        return found[1]
    made.groups.append(named)
    word = f"{made.nonce}c{len(made.groups) - 1}z"
    return f"{lead}{word}" if "\n\n" in lead else f" {word}{found[1]}"


def from_markdown(markdown: str, level: int = _SECTION) -> str:
    r"""The Markdown of a report as LaTeX by pandoc, a paragraph to a line; its headings `##` have `level`, 2 being \section.

    Raises Refused for what pandoc cannot read within 20 seconds.
    """
    options = [
        *(f"--from={_FROM}", "--to=latex", "--top-level-division=chapter", "--wrap=none", "--syntax-highlighting=none"),
        f"--shift-heading-level-by={level - _SECTION}",
        *(f"--lua-filter={path}" for path in _FILTERS),
    ]
    try:
        made = pandoc(options, markdown.replace("\0", "").encode(), seconds=SECONDS, heap="512m").out
    except TookLong:
        raise Refused("This report is too long to be put in at once. Choose fewer of its parts.") from None
    except Unread:
        raise Refused("This report could not be turned into LaTeX. Choose fewer of its parts.") from None
    return tidied(made.decode().replace("\0", ""))
