"""A thesis of 10,000 entries and 100,000 cite commands is audited (SPEC C7)."""

import random
from time import process_time
from typing import TYPE_CHECKING
from uuid import UUID

from tests.benchmarks.figure import Figure, typical

if TYPE_CHECKING:
    from citations.audit.audit import AuditEntry

ENTRIES, COMMANDS, SECTIONS = 10_000, 100_000, 50
TARGET = 0.3  # seconds
OWN_TARGET = 0.6  # of processor time, with commands of the thesis's own
_DEFINED = r"""\newcommand{\sa}[1]{see \cite{#1}}\newcommand{\sb}[2][]{\citep[#1]{#2}}\newcommand{\sc}[2]{#1 \cite{#2}}
\def\sd#1{\cite{#1}}\let\se\citet \NewDocumentCommand{\sf}{s o m}{\IfBooleanTF{#1}{\citet{#3}}{\cite[#2]{#3}}}
\DeclareRobustCommand{\sg}[1]{\textbf{\cite{#1}}}\newcommand{\sh}{the trial \cite{author5}}
\newcommand{\si}[1]{\sj{#1}}\newcommand{\sj}[1]{\sk{#1}}\newcommand{\sk}[1]{\cite{#1}}
\newcommand{\mycite}[1]{\cite{#1}}\NewDocumentCommand{\sl}{O{} m}{\cite[#1]{#2}}"""
_OWN = (
    *(
        "\\sa{{{0}}}",
        "\\sb[p.~4]{{{0}}}",
        "\\sb{{{0}}}",
        "\\sc{{Roe}}{{{0}}}",
        "\\sd{{{0},{1}}}",
        "\\se[p.~3]{{{0}}}",
        "\\sf*{{{0}}}",
    ),
    *(
        "\\sf[p. 4]{{{0}}}",
        "\\sg{{{0}}}",
        "\\sh{{}}",
        "\\si{{{0}}}",
        "\\mycite{{{0}}}",
        "\\sl[x]{{{0}}}",
        "\\cite{{{0}}}",
    ),
)
_WRITTEN = (
    "\\cite{{{0}}}",
    "\\citep[p.~14]{{{0}}}",
    "\\citet{{{0}}}",
    "\\parencite[see][]{{{0}, {1}}}",
    "\\cite{{{0},{1}}}",
)
_PROSE = "Mortality fell by 12\\% in those treated "


def text(count: int, dice: random.Random, forms: tuple[str, ...] = _WRITTEN) -> str:
    """A section of `count` sentences, each with a cite command; every tenth line ends in a comment."""
    keys = (f"author{dice.randrange(ENTRIES + 100)}" for _ in range(2 * count))
    lines = []
    for number in range(count):
        lines.append(f"{_PROSE}{dice.choice(forms).format(next(keys), next(keys))}.")
        lines.append(" % \\cite{draft}\n" if number % 10 == 0 else "\n")
    return "".join(lines)


def measure() -> list[Figure]:
    from citations.audit.audit import AuditEntry, audit
    from citations.audit.key_uses import SectionText

    dice = random.Random(7)
    tiers = [("A", "verified")] * 8 + [("C", "attested"), ("D", "not_found"), ("", "unresolved")]
    entries = [AuditEntry(UUID(int=number), f"author{number}", *dice.choice(tiers), False) for number in range(ENTRIES)]
    sections = [
        SectionText(
            UUID(int=number), f"section-{number}", number, f"Section {number}", text(COMMANDS // SECTIONS, dice)
        )
        for number in range(SECTIONS)
    ]
    found = audit(entries, sections)
    if found.total_cite_commands != COMMANDS or not found.blocking or not found.missing:
        raise RuntimeError(f"{found.total_cite_commands} of {COMMANDS} cite commands were found.")
    took = typical(lambda: audit(entries, sections), 5)
    size = sum(len(section.latex) for section in sections) / 1e6
    what = f"audit of {ENTRIES:,} entries and {COMMANDS:,} cite commands"
    return [
        Figure(what, took, "s", TARGET, f"{size:.1f} million characters in {SECTIONS} sections"),
        _with_own_commands(entries, dice),
    ]


def _with_own_commands(entries: "list[AuditEntry]", dice: random.Random) -> Figure:
    from citations.audit.audit import audit
    from citations.audit.key_uses import SectionText
    from latex.cite_keys import visible
    from latex.cite_macros import in_order

    texts = [_DEFINED, *(text(COMMANDS // SECTIONS, dice, _OWN) for _ in range(SECTIONS))]

    def run() -> int:
        macros = in_order([visible(one) for one in texts])
        rows = [SectionText(UUID(int=at), "s", at, "S", texts[at], macros[at]) for at in range(len(texts))]
        return audit(entries, rows).total_cite_commands

    if run() < COMMANDS:
        raise RuntimeError("Not every citation was found.")
    began = process_time()
    run()
    what = f"audit of {ENTRIES:,} entries and {COMMANDS:,} uses of 12 commands of the thesis's own"
    return Figure(what, process_time() - began, "s", OWN_TARGET, "processor time")
