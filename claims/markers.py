"""From [[F1.2-3]] in an engine's prose to [n] in the report (SPEC R10).

Only sources that were really retrieved can be cited: a marker that names no finding of the run is dropped.
Numbers follow the order of first appearance, over all sections.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# As it stands in a draft, once its spelling is settled.
MARK = re.compile(r"\[\[(F[0-9.]+-[0-9]+)\]\]")
# Asked for as [[F1.2-3]]. Models also write [F1.2-3] and [[F1-1], [F1-2]] and [[F1-1, F1-2]]: that means the same.
FINDING = re.compile(r"\s*\[{1,2}(F[0-9.]+-[0-9]+)\]{1,2}(?:,(?=\s*\[))?")
_SEVERAL = re.compile(r"\[{1,2}(F[0-9.]+-[0-9]+(?:\s*[,;]\s*F[0-9.]+-[0-9]+)+)\]{1,2}")
# What came with quoted words and would read as one of our markers, or as a link, a definition or an address.
_LOUD = re.compile(r"(?<!\\)\[(?=\s*\d)|(?<=\])[(:]|(?<!\\)<(?=[A-Za-z][A-Za-z0-9+.-]*[:@])|(?<!\\)&(?=#?\w+;)")
# "[" at the head of what could be a marker, as it came with quoted words: kept apart from the markers of the engine
# while both are in one text.
_THEIRS = "[\u2060"
_LIKE_OURS = re.compile(r"\[(?=\[|F\d|[^\[\]\s]+\])")
# The id of a source in the place of a finding's, or that of a work: some models cite so, also what nobody retrieved.
_SOURCE = re.compile(r"\[{1,2}([^\[\]\s]+::[^\[\]\s]+|(?:doi|pmid|pmc|arxiv|web):[^\[\]\s]+)\]{1,2}")
_WORD = re.compile(r"\[{1,2}([^\[\]\s]+)\]{1,2}")  # among them the cite keys of the thesis's own references


class Marker(NamedTuple):
    """One [n] of the report: the finding it stands for, and the section it is in."""

    finding_id: str
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
    return _LOUD.sub(r"\\\g<0>", bare(text))


def guarded(content: str) -> str:
    """Words of a source as the engine may quote them: whatever they hold, they cite nothing."""
    return _LIKE_OURS.sub(_THEIRS, content)


def bare(text: str) -> str:
    """`text` as its reader sees it, with the brackets that `guarded` has marked."""
    return text.replace(_THEIRS, "[")


def uncited(text: str) -> str:
    """`text` without anything that would be a marker, however it is spelled."""
    return FINDING.sub("", _SOURCE.sub("", _SEVERAL.sub("", text)))


def settle(body: str, source_of: Mapping[str, str], numbering: Numbering) -> str:
    """`body` with each marker spelled [[F1.2-3]], behind a space, and those that name no finding of `source_of` dropped.

    What is dropped is counted in `numbering.orphans`. Behind a table a marker stands by itself: inside the last row it
    would read as a cell's.
    """
    body = _SEVERAL.sub(lambda several: "".join(f"[[{id}]]" for id in re.split(r"\s*[,;]\s*", several[1])), body)

    parts: list[str] = []
    done = 0
    for found in FINDING.finditer(body):
        before = body[done : found.start()]
        done = found.end()
        parts.append(before)
        if found[1] not in source_of:
            numbering.orphans += 1
            continue
        parts.append(f"\n\n[[{found[1]}]]" if before.rstrip().endswith("|") else f" [[{found[1]}]]")
    return "".join([*parts, body[done:]]).strip()


def number(body: str, source_of: Mapping[str, str], numbering: Numbering, section: str) -> str:
    """Return a settled `body` of `section` with each [[F..]] as [n]; `source_of` maps finding ids to source ids.

    Several markers in a row stay apart: "[1] [3]".
    """
    numbering.markers += [Marker(finding_id, section) for finding_id in MARK.findall(body)]
    # In turn prose and the id of a finding.
    return "".join(
        f"[{numbering.number(source_of[part])}]" if at % 2 else quiet(part) for at, part in enumerate(MARK.split(body))
    )


def by_findings(body: str, finding_of: Mapping[str, str]) -> str:
    """`body` with markers that name a source turned into those of a finding that rests on it (`finding_of`).

    One that names no source of the findings becomes a marker that names no finding, so it is dropped and counted.
    """
    body = _WORD.sub(lambda found: f"[[{finding_of[found[1]]}]]" if found[1] in finding_of else found[0], body)
    return _SOURCE.sub(lambda found: f"[[{finding_of.get(found[1], 'F0-0')}]]", body)
