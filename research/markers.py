"""From [[F1.2-3]] in an engine's prose to [n] in the report (SPEC R10).

Only sources that were really retrieved can be cited: a marker that names no finding of the run is dropped.
Numbers follow the order of first appearance, over all sections.
"""

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
        parts.append(f" [{numbering.number(source_id)}]")
        numbering.markers.append(Marker(found.group(1), sentence, section))
    parts.append(_BRACKETED.sub(r"\\\g<0>", body[end:]))
    return "".join(parts)


def _last_sentence(prose: str) -> str:
    """What a marker stands behind: the last paragraph or list item before it, without its Markdown dress."""
    return _DRESS.sub("", prose.strip().split("\n")[-1]).strip()
