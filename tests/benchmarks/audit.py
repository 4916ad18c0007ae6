"""A thesis of 10,000 entries and 100,000 cite commands is audited (SPEC C7)."""

import random
from uuid import UUID

from tests.benchmarks.figure import Figure, typical

ENTRIES, COMMANDS, SECTIONS = 10_000, 100_000, 50
TARGET = 0.3  # seconds
_WRITTEN = (
    "\\cite{{{0}}}",
    "\\citep[p.~14]{{{0}}}",
    "\\citet{{{0}}}",
    "\\parencite[see][]{{{0}, {1}}}",
    "\\cite{{{0},{1}}}",
)
_PROSE = "Mortality fell by 12\\% in those treated "


def text(count: int, dice: random.Random) -> str:
    """A section of `count` sentences, each with a cite command; every tenth line ends in a comment."""
    keys = (f"author{dice.randrange(ENTRIES + 100)}" for _ in range(2 * count))
    lines = []
    for number in range(count):
        lines.append(f"{_PROSE}{dice.choice(_WRITTEN).format(next(keys), next(keys))}.")
        lines.append(" % \\cite{draft}\n" if number % 10 == 0 else "\n")
    return "".join(lines)


def measure() -> list[Figure]:
    from citations.audit.integrity import Entry, audit
    from citations.audit.uses import SectionText

    dice = random.Random(7)
    tiers = [("A", "verified")] * 8 + [("C", "attested"), ("D", "not_found"), ("", "unresolved")]
    entries = [Entry(UUID(int=number), f"author{number}", *dice.choice(tiers), False) for number in range(ENTRIES)]
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
    return [Figure(what, took, "s", TARGET, f"{size:.1f} million characters in {SECTIONS} sections")]
