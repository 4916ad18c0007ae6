r"""Does every key that the text cites rest on a proven work, and is every entry cited? (SPEC C7)

`audit` is pure: it is given the entries and the texts. A cite command is backed when every key in it is that of an
entry of tier A, B or C. `\nocite{*}` names no key, so it is no command that counts, but with it the reference list
holds every entry: none is an orphan then, and each is in use where it stands.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from citations.audit.uses import SectionText, Use, count_keys, section_texts, uses_of
from citations.models import Citation
from projects.models import Project
from sections.keys import EVERYTHING, CiteCommand, read_cited
from sections.lines import line_count

_PROVEN = frozenset("ABC")


class Entry(NamedTuple):
    """A citation as far as the audit needs it; `tier` is "" while there is none, `is_due` while a check is to come."""

    id: UUID
    key: str
    tier: str
    status: str
    retracted: bool
    is_due: bool = False


class Missing(NamedTuple):
    """A key that no entry has. `alike`: an entry's key that differs from it in capitals only, else ""."""

    key: str
    used_in: list[Use]
    alike: str


class Cited(NamedTuple):
    """An entry that is in use, and in which sections."""

    entry: Entry
    used_in: list[Use]


class Unfollowed(NamedTuple):
    """A command that may cite in a way that nobody can follow: `why`, where, and on which line it is used first."""

    name: str
    why: str
    used_in: Use
    line: int


@dataclass
class Audit:
    """What an audit found. Lists of keys are in the order of the text, orphans in the order of the entries."""

    total_citations: int = 0
    total_cite_commands: int = 0
    backed_commands: int = 0
    missing: list[Missing] = field(default_factory=list)
    orphaned: list[Entry] = field(default_factory=list)
    blocking: list[Cited] = field(default_factory=list)  # tier D in use
    unproven: list[Cited] = field(default_factory=list)  # in use with no tier: to be confirmed, or not checked yet
    retracted: list[Cited] = field(default_factory=list)  # in use, of whatever tier
    unfollowed: list[Unfollowed] = field(default_factory=list)

    @property
    def integrity_score(self) -> float:
        """The share of cite commands that are backed, 0 to 100 with two decimals; 100 only when all are."""
        if self.backed_commands == self.total_cite_commands:
            return 100.0
        return math.floor(10_000 * self.backed_commands / self.total_cite_commands) / 100


def audit(entries: Iterable[Entry], sections: Iterable[SectionText]) -> Audit:
    """Hold the keys that `sections` cite against `entries`, in both directions.

    Keys are compared as they are written, capitals included. Linear in the number of entries and the length of the
    texts.
    """
    by_key = {entry.key: entry for entry in entries}
    proven = {key for key, entry in by_key.items() if entry.tier in _PROVEN}
    quiet = {key for key in proven if not by_key[key].retracted}  # nobody asks where they stand
    found = Audit(total_citations=len(by_key))
    seen: set[str] = set()
    used: dict[str, list[Use]] = {}
    for section in sections:
        cited, unfollowed = read_cited(section.latex, section.macros)
        found.total_cite_commands += len(unfollowed)
        found.unfollowed += _unfollowed(section, unfollowed)
        found.total_cite_commands += sum(cited.values()) - cited.get(EVERYTHING, 0)
        found.backed_commands += sum(cited[key] for key in cited.keys() & proven)
        found.backed_commands += sum(
            cited[keys] for keys in cited if "," in keys and proven.issuperset(keys.split(","))
        )
        counts = count_keys(cited)
        seen.update(counts)
        for key, use in uses_of(section, {key: count for key, count in counts.items() if key not in quiet}):
            used.setdefault(key, []).append(use)
    _sort(found, by_key, seen, used)
    return found


def _unfollowed(section: SectionText, commands: Iterable[CiteCommand]) -> list[Unfollowed]:
    """Each command once, with how often the section uses it."""
    several: dict[tuple[str, str], list[CiteCommand]] = {}
    for command in commands:
        several.setdefault((command.name, command.why), []).append(command)
    return [
        Unfollowed(name, why, Use(*section[:4], len(uses)), line_count(section.latex[: uses[0].start]))
        for (name, why), uses in several.items()
    ]


def _sort(found: Audit, by_key: dict[str, Entry], seen: set[str], used: dict[str, list[Use]]) -> None:
    """Put each key that is `used`, and each entry that is not `seen`, into the lists of `found` where it belongs."""
    everywhere = used.pop(EVERYTHING, [])
    folded = {key.casefold(): key for key in by_key}
    for key, places in used.items():
        entry = by_key.get(key)
        if entry is None:
            found.missing.append(Missing(key, places, folded.get(key.casefold(), "")))
        else:
            _sort_cited(found, Cited(entry, places))
    for key, entry in by_key.items():
        if key in seen:
            continue
        if everywhere:
            _sort_cited(found, Cited(entry, everywhere))
        else:
            found.orphaned.append(entry)


def _sort_cited(found: Audit, cited: Cited) -> None:
    if cited.entry.tier == "D":
        found.blocking.append(cited)
    elif cited.entry.tier not in _PROVEN:
        found.unproven.append(cited)
    if cited.entry.retracted:
        found.retracted.append(cited)


def audit_project(project: Project) -> Audit:
    """The audit of a thesis as it stands; three queries."""
    columns = ("pk", "cite_key", "tier", "status", "retracted", "check_due_at")
    rows = Citation.objects.filter(project=project).values_list(*columns)
    entries = [
        Entry(pk, key, tier, status, retracted, due is not None) for pk, key, tier, status, retracted, due in rows
    ]
    return audit(entries, section_texts(project))
