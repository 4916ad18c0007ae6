"""Turning [[F1.2-3]] in an engine's prose into [n] in the report (SPEC R10).

Only sources that were really retrieved can be cited: a marker that names no finding of the run is dropped. Numbers
follow the order of first citation, over all sections.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# A marker in its normal form.
MARK = re.compile(r"\[\[(F[0-9.]+-[0-9]+)\]\]")
# Models are asked for [[F1.2-3]], but also write [F1.2-3], [[F1-1], [F1-2]] and [[F1-1, F1-2]], which mean the same.
FINDING = re.compile(r"\s*\[{1,2}(F[0-9.]+-[0-9]+)\]{1,2}(?:,(?=\s*\[))?")
_SEVERAL = re.compile(r"\[{1,2}(F[0-9.]+-[0-9]+(?:\s*[,;]\s*F[0-9.]+-[0-9]+)+)\]{1,2}")
# Parts of quoted words that would read as a marker, a link, a definition or an address.
_LOUD = re.compile(r"(?<!\\)\[(?=\s*\d)|(?<=\])[(:]|(?<!\\)<(?=[A-Za-z][A-Za-z0-9+.-]*[:@])|(?<!\\)&(?=#?\w+;)")
# Replaces "[" in quoted words where it could begin a marker, to tell it from the engine's markers in the same text.
_THEIRS = "[\u2060"
_LIKE_OURS = re.compile(r"\[(?=\[|F\d|[^\[\]\s]+\])")
# The id of a source or work in place of a finding: some models cite like this, also sources that were not retrieved.
_SOURCE = re.compile(r"\[{1,2}([^\[\]\s]+::[^\[\]\s]+|(?:doi|pmid|pmc|arxiv|web):[^\[\]\s]+)\]{1,2}")
_WORD = re.compile(r"\[{1,2}([^\[\]\s]+)\]{1,2}")  # among them the cite keys of the thesis's own references


class Marker(NamedTuple):
    """One [n] of the report: the finding it stands for, and its section."""

    finding_id: str
    section: str


@dataclass
class Numbering:
    """The numbers of the sources so far, and all markers in order."""

    numbers: dict[str, int] = field(default_factory=dict)  # source_id -> n
    markers: list[Marker] = field(default_factory=list)
    orphans: int = 0

    def number(self, source_id: str) -> int:
        """Return the number of a source; a new source gets the next one."""
        return self.numbers.setdefault(source_id, len(self.numbers) + 1)


def quiet(text: str) -> str:
    """Return `text`, written by others, as Markdown without markers and links."""
    return _LOUD.sub(r"\\\g<0>", bare(text))


def guarded(content: str) -> str:
    """Return the words of a source in a form the engine can quote without citing anything."""
    return _LIKE_OURS.sub(_THEIRS, content)


def bare(text: str) -> str:
    """Return `text` as a reader sees it, with the brackets that `guarded` has marked."""
    return text.replace(_THEIRS, "[")


def uncited(text: str) -> str:
    """Return `text` without anything that would be a marker, in any spelling."""
    return FINDING.sub("", _SOURCE.sub("", _SEVERAL.sub("", text)))


def settle(body: str, source_of: Mapping[str, str], numbering: Numbering) -> str:
    """Return `body` with each marker in the form [[F1.2-3]], after a space, without markers of unknown findings.

    Dropped markers are counted in `numbering.orphans`. After a table a marker stands on its own line: inside the last
    row it would belong to a cell.
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
    """Return the `body` of `section` with each [[F..]] as [n]; `source_of` maps finding ids to source ids.

    Several markers in a row stay separate: "[1] [3]".
    """
    numbering.markers += [Marker(finding_id, section) for finding_id in MARK.findall(body)]
    # The parts alternate between prose and ids of findings.
    return "".join(
        f"[{numbering.number(source_of[part])}]" if at % 2 else quiet(part) for at, part in enumerate(MARK.split(body))
    )


def by_findings(body: str, finding_of: Mapping[str, str]) -> str:
    """Return `body` with markers that name a source replaced by a finding that rests on it (`finding_of`).

    A marker that names no source of the findings is replaced by an unknown finding, so that it is dropped and counted.
    """
    body = _WORD.sub(lambda found: f"[[{finding_of[found[1]]}]]" if found[1] in finding_of else found[0], body)
    return _SOURCE.sub(lambda found: f"[[{finding_of.get(found[1], 'F0-0')}]]", body)
