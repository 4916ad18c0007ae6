"""From [[F1.2-3]] in an engine's prose to [n] in the report (SPEC R10).

Only sources that were really retrieved can be cited: a marker that names no finding of the run is dropped.
Numbers follow the order of first appearance, over all sections.
"""

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

FINDING = re.compile(r"\s*\[\[(F[0-9.]+-[0-9]+)\]\]")
# Brackets that came with quoted words must not read as one of our markers, nor as a link.
_DRESS = re.compile(r"^(?:#{1,6}|[-*>]|\d+\.)\s+")
_BRACKETED = re.compile(r"(?<!\\)\[(?=\d+(?:\s*[,–-]\s*\d+)*\])|(?<=\])\(")


class Marker(NamedTuple):
    """One [n] of the report: the finding it stands for, the sentence before it, the section it is in."""

    finding_id: str
    sentence: str
    section: str


@dataclass
class Numbering:
    """Which source got which number so far, and every marker in order."""

    numbers: dict[str, int] = field(default_factory=dict)  # source_id -> n
    markers: list[Marker] = field(default_factory=list)
    orphans: int = 0

    def number(self, source_id: str) -> int:
        return self.numbers.setdefault(source_id, len(self.numbers) + 1)


def renumber(body: str, source_of: Mapping[str, str], numbering: Numbering, section: str) -> str:
    """`body` of `section` with each [[F..]] as [n]; `source_of` maps finding ids to source ids.

    Several markers in a row stay apart: "[1] [3]". Unknown ones are dropped and counted in `orphans`.
    """
    parts: list[str] = []
    end = 0
    sentence = ""
    for found in FINDING.finditer(body):
        prose = body[end : found.start()]
        if prose.strip():
            sentence = _last_sentence(prose)
        parts.append(_BRACKETED.sub(r"\\\g<0>", prose))
        end = found.end()
        source_id = source_of.get(found.group(1))
        if source_id is None:
            numbering.orphans += 1
            continue
        # Behind a table a marker stands by itself: inside the last row it would read as a cell's.
        gap = "\n\n" if prose.rstrip().endswith("|") else " "
        parts.append(f"{gap}[{numbering.number(source_id)}]")
        numbering.markers.append(Marker(found.group(1), sentence, section))
    parts.append(_BRACKETED.sub(r"\\\g<0>", body[end:]))
    return "".join(parts)


def _last_sentence(prose: str) -> str:
    """What a marker stands behind: the last line before it without its Markdown dress, or the last table."""
    lines = prose.strip().split("\n")
    if not lines[-1].startswith("|"):
        return _DRESS.sub("", lines[-1]).strip()
    table = itertools.takewhile(lambda line: line.startswith("|"), reversed(lines))
    return "\n".join(reversed(list(table)))
