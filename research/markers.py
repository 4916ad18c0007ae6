"""From [[F1.2-3]] in an engine's prose to [n] in the report (SPEC R10).

Only sources that were really retrieved can be cited: a marker that names no finding of the run is dropped.
Numbers follow the order of first appearance, over all sections.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from sentencex import get_sentence_boundaries

# Asked for as [[F1.2-3]]. Models also write [F1.2-3] and [[F1-1], [F1-2]] and [[F1-1, F1-2]]: that means the same.
FINDING = re.compile(r"\s*\[{1,2}(F[0-9.]+-[0-9]+)\]{1,2}(?:,(?=\s*\[))?")
_SEVERAL = re.compile(r"\[{1,2}(F[0-9.]+-[0-9]+(?:\s*[,;]\s*F[0-9.]+-[0-9]+)+)\]{1,2}")
_LEADING = re.compile(r"^[.;,:)\]\s]+")
_DRESS = re.compile(r"^(?:#{1,6}|[-*>]|\d+\.)\s+")
# What came with quoted words and would read as one of our markers, or as a link, a definition or an address.
_LOUD = re.compile(r"(?<!\\)\[(?=\s*\d)|(?<=\])[(:]|(?<!\\)<(?=[A-Za-z][A-Za-z0-9+.-]*[:@])|(?<!\\)&(?=#?\w+;)")
# "[" at the head of what could be a marker, as it came with quoted words: kept apart from the markers of the engine
# while both are in one text.
_THEIRS = "[\u2060"
_LIKE_OURS = re.compile(r"\[(?=\[|F\d|[^\]\s]+::)")
# The id of a source in the place of a finding's: some models cite so.
_SOURCE = re.compile(r"\[{1,2}([^\[\]\s]+::[^\[\]\s]+)\]{1,2}")


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


def quiet(text: str) -> str:
    """`text`, which somebody else wrote, as Markdown in which only code makes markers and links."""
    return _LOUD.sub(r"\\\g<0>", text.replace(_THEIRS, "["))


def guarded(content: str) -> str:
    """Words of a source as the engine may quote them: whatever they hold, they cite nothing."""
    return _LIKE_OURS.sub(_THEIRS, content)


def renumber(body: str, source_of: Mapping[str, str], numbering: Numbering, section: str) -> str:
    """`body` of `section` with each [[F..]] as [n]; `source_of` maps finding ids to source ids.

    Several markers in a row stay apart: "[1] [3]". Unknown ones are dropped and counted in `orphans`.
    """
    body = _SEVERAL.sub(lambda several: "".join(f"[[{id}]]" for id in re.split(r"\s*[,;]\s*", several[1])), body)
    parts: list[str] = []
    end = 0
    sentence = ""
    for found in FINDING.finditer(body):
        prose = body[end : found.start()]
        if prose.strip():
            sentence = _last_sentence(prose.replace(_THEIRS, "["))
        parts.append(quiet(prose))
        end = found.end()
        source_id = source_of.get(found.group(1))
        if source_id is None:
            numbering.orphans += 1
            continue
        # Behind a table a marker stands by itself: inside the last row it would read as a cell's.
        gap = "\n\n" if prose.rstrip().endswith("|") else " "
        parts.append(f"{gap}[{numbering.number(source_id)}]")
        numbering.markers.append(Marker(found.group(1), sentence, section))
    parts.append(quiet(body[end:]))
    return "".join(parts)


def by_findings(body: str, finding_of: Mapping[str, str]) -> str:
    """`body` with markers that name a source turned into those of a finding that rests on it (`finding_of`).

    One that names no source of the findings becomes a marker that names no finding, so it is dropped and counted.
    """
    return _SOURCE.sub(lambda found: f"[[{finding_of.get(found[1], 'F0-0')}]]", body)


def _last_sentence(prose: str) -> str:
    """What a marker stands behind: the last sentence of the last block before it, or the whole of a table.

    A block is a paragraph or a list item, its lines joined. What is left of the sentence before (its closing
    bracket, say) does not belong to it.
    """
    block = re.split(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*>]|\d+\.)[ \t])", prose.strip())[-1]
    if block.startswith("|"):
        return block
    text = _LEADING.sub("", _DRESS.sub("", " ".join(block.split())))
    bounds = [(found["start_index"], found["end_index"]) for found in get_sentence_boundaries("en", text)]
    whole = [text[start:end].strip() for start, end in bounds]
    return next((sentence for sentence in reversed(whole) if sentence), text)
