r"""The audit of a thesis: is every cited key that of a proven work, and is every entry cited? (SPEC C7)

`audit` is pure: it takes the entries and the texts. A cite command is backed when every key in it is that of an entry
of tier A, B or C; otherwise it counts as the worst of its keys (`WORST_FIRST`). `\nocite{*}` has no key and does not
count as a command, but it puts every entry into the reference list: then no entry is an orphan, and each is in use
there.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from django.db.models import BooleanField, Case, ExpressionWrapper, Q, When
from django.template.defaultfilters import pluralize

from citations.audit.key_uses import SectionText, Use, count_keys, section_texts, uses_in_section
from citations.key_aliases import replace_aliases, resolve_aliases
from citations.models import Citation, RetractionReason, valid_reasons
from core.grouping import grouped
from latex.cite_keys import EVERYTHING, CiteCommand, read_cited
from latex.line_endings import line_count
from projects.models import Project

_PROVEN = frozenset("ABC")
_S = Citation.Status

WORST_FIRST = (
    *("refuted", "no_entry", "unfollowed", "not_checkable", "to_confirm", "failed", "being_looked_up"),
    *("not_looked_up", "file", "proven"),
)
"""The classes of cite commands. A command with several keys counts once, as the first class that one of them has."""
_RANK = {name: place for place, name in enumerate(WORST_FIRST)}


class _Ranks(dict[str, int]):
    """The position of each entry's class in WORST_FIRST, by its key."""

    def __missing__(self, key: str) -> int:
        return len(WORST_FIRST) if key == EVERYTHING else _RANK["no_entry"]


class AuditEntry(NamedTuple):
    """The values of a citation that the audit needs. `tier` is "" for none; `is_due`: a check is pending.

    `has_failed`: a service failed in the last check, which will be repeated. `is_bare`: no title and no identifier.
    `is_anonymous`: no author. `reason`: why a retracted work is cited. `is_demo`: only the demo catalogue was asked.
    """

    id: UUID
    key: str
    tier: str
    status: str
    retracted: bool
    is_due: bool = False
    has_failed: bool = False
    is_bare: bool = False
    is_anonymous: bool = False
    reason: RetractionReason | None = None
    is_demo: bool = False

    @property
    def known_tier(self) -> str | None:
        """The tier, or None."""
        return self.tier or None

    @property
    def standing(self) -> str:
        """Its class, one of WORST_FIRST."""
        if self.tier in _PROVEN:
            return "proven"
        if self.tier == "D":
            return "not_checkable" if self.is_bare else "refuted"
        if self.status != _S.UNRESOLVED:
            return "file" if self.status == _S.FILE else "to_confirm"
        if not self.is_due:
            return "not_looked_up"
        return "failed" if self.has_failed else "being_looked_up"


class MissingKey(NamedTuple):
    """A cited key without an entry. `alike`: an entry's key that differs from it only in capitals, else ""."""

    key: str
    used_in: list[Use]
    alike: str


class CitedEntry(NamedTuple):
    """A cited entry and the sections that cite it."""

    entry: AuditEntry
    used_in: list[Use]


class UnreadableCommand(NamedTuple):
    """A command whose keys cannot be determined: `why`, where, and on which line it is used first."""

    name: str
    why: str
    used_in: Use
    line: int


@dataclass
class Audit:
    """The result of an audit. Lists of keys are in the order of the text, orphans in the order of the entries."""

    total_citations: int = 0
    total_cite_commands: int = 0
    commands: Counter[str] = field(default_factory=Counter)  # how many cite commands count as each of WORST_FIRST
    missing: list[MissingKey] = field(default_factory=list)
    orphaned: list[AuditEntry] = field(default_factory=list)
    blocking: list[CitedEntry] = field(default_factory=list)  # tier D in use
    unproven: list[CitedEntry] = field(
        default_factory=list
    )  # in use without a tier: to be confirmed, or not checked yet
    files: list[CitedEntry] = field(default_factory=list)  # uploaded files in use
    retracted: list[CitedEntry] = field(default_factory=list)  # in use, of any tier
    demo: list[CitedEntry] = field(default_factory=list)  # in use, proven by the demo catalogue alone
    unfollowed: list[UnreadableCommand] = field(default_factory=list)

    @property
    def backed_commands(self) -> int:
        """The number of cite commands whose every key is proven."""
        return self.commands["proven"]

    @property
    def scored_commands(self) -> int:
        """The number of cite commands that the score is a share of: all but those that cite uploaded files."""
        return self.total_cite_commands - self.commands["file"]

    @property
    def integrity_score(self) -> float:
        """The share of scored commands that are backed, 0 to 100 with two decimals; 100 only when all are."""
        backed, scored = self.backed_commands, self.scored_commands
        return 100.0 if backed == scored else math.floor(10_000 * backed / scored) / 100


def audit(
    entries: Iterable[AuditEntry],
    sections: Iterable[SectionText],
    other_keys: Callable[[Collection[str]], Mapping[str, str]] = lambda unknown: {},
) -> Audit:
    """Compare the keys that `sections` cite with `entries`, in both directions.

    Capitals must match. `other_keys` is called with the keys without an entry and returns those that are aliases:
    {key: the entry's key}. Linear in the number of entries and the length of the texts.
    """
    by_key = {entry.key: entry for entry in entries}
    ranks = _Ranks((key, _RANK[entry.standing]) for key, entry in by_key.items())
    counted = [0] * (len(WORST_FIRST) + 1)  # how many commands have each rank; the last is for \nocite{*}
    proven = {key for key, rank in ranks.items() if rank == _RANK["proven"]}
    quiet = {
        key for key in proven if not by_key[key].retracted and not by_key[key].is_demo
    }  # their places are not reported
    found = Audit(total_citations=len(by_key))
    seen: set[str] = set()
    used: dict[str, list[Use]] = {}
    scanned = [(section, *read_cited(section.latex, section.macros)) for section in sections]
    unknown = {key for _, cited, _ in scanned for keys in cited for key in keys.split(",")} - by_key.keys()
    same = other_keys(unknown - {EVERYTHING})
    for section, written, unfollowed in scanned:
        cited = replace_aliases(written, same)
        for keys, times in cited.items():
            counted[min(map(ranks.__getitem__, keys.split(","))) if "," in keys else ranks[keys]] += times
        counted[_RANK["unfollowed"]] += len(unfollowed)
        found.unfollowed += _unfollowed(section, unfollowed)
        counts = count_keys(cited)
        seen.update(counts)
        for key, use in uses_in_section(section, {key: count for key, count in counts.items() if key not in quiet}):
            used.setdefault(key, []).append(use)
    found.commands = Counter({name: counted[rank] for name, rank in _RANK.items() if counted[rank]})
    found.total_cite_commands = found.commands.total()
    _sort_findings(found, by_key, seen, used)
    return found


def _unfollowed(section: SectionText, commands: Iterable[CiteCommand]) -> list[UnreadableCommand]:
    """Return each command once, with its number of uses in the section."""
    several = grouped(((command.name, command.why), command) for command in commands)
    return [
        UnreadableCommand(name, why, Use(*section[:4], len(uses)), line_count(section.latex[: uses[0].start]))
        for (name, why), uses in several.items()
    ]


def _sort_findings(found: Audit, by_key: dict[str, AuditEntry], seen: set[str], used: dict[str, list[Use]]) -> None:
    """Sort the `used` keys, and the entries that are not `seen`, into the lists of `found`."""
    everywhere = used.pop(EVERYTHING, [])
    folded = {key.casefold(): key for key in by_key}
    for key, places in used.items():
        entry = by_key.get(key)
        if entry is None:
            found.missing.append(MissingKey(key, places, folded.get(key.casefold(), "")))
        else:
            _sort_cited(found, CitedEntry(entry, places))
    unseen = [entry for key, entry in by_key.items() if key not in seen]
    if everywhere:
        for entry in unseen:
            _sort_cited(found, CitedEntry(entry, everywhere))
    else:
        found.orphaned += unseen


def _sort_cited(found: Audit, cited: CitedEntry) -> None:
    if cited.entry.tier == "D":
        found.blocking.append(cited)
    elif cited.entry.status == _S.FILE:
        found.files.append(cited)
    elif cited.entry.tier not in _PROVEN:
        found.unproven.append(cited)
    elif cited.entry.is_demo:
        found.demo.append(cited)
    if cited.entry.retracted:
        found.retracted.append(cited)


def audit_project(project: Project) -> Audit:
    """Audit a thesis as it is now.

    Three queries, one more where there are reasons for retracted works, and a few where a cited key has no row.
    """
    bare = ExpressionWrapper(Q(title="", doi="", pmid="", url="", csl__ISBN__isnull=True), output_field=BooleanField())
    anonymous = ExpressionWrapper(Q(authors=""), output_field=BooleanField())
    columns = ("pk", "cite_key", "tier", "status", "retracted", "check_due_at", "failures", "is_bare", "is_anonymous")
    of_demo = Case(When(evidence_type=Citation.Evidence.DEMO, then=True), default=False, output_field=BooleanField())
    rows = Citation.objects.filter(project=project).annotate(is_bare=bare, is_anonymous=anonymous, of_demo=of_demo)
    reasons = valid_reasons(project)
    entries = [
        AuditEntry(
            *(pk, key, tier, status, retracted, due is not None, failures > 0, is_bare, is_anonymous),
            reason=reasons.get(pk),
            is_demo=is_demo,
        )
        for pk, key, tier, status, retracted, due, failures, is_bare, is_anonymous, is_demo in rows.values_list(
            *columns, "of_demo"
        )
    ]
    return audit(entries, section_texts(project), lambda unknown: resolve_aliases(project, unknown))


# Clauses for each class but "proven" and "file": for one citation, for several.
_CLAUSES = {
    "refuted": ("{} is refuted", "{} are refuted"),
    "no_entry": ("{} has no entry", "{} have no entry"),
    "unfollowed": ("{} cannot be read", "{} cannot be read"),
    "not_checkable": ("{} cannot be looked up", "{} cannot be looked up"),
    "to_confirm": ("{} is to be confirmed", "{} are to be confirmed"),
    "failed": ("the lookup of {} failed", "the lookup of {} failed"),
    "being_looked_up": ("{} is being looked up", "{} are being looked up"),
    "not_looked_up": ("{} is not looked up yet", "{} are not looked up yet"),
}
_EXPLANATIONS = {
    "refuted": "Refuted means that no registry knows the work, or that its identifier belongs to another work.",
    "unfollowed": "A citation cannot be read when it uses a command of your own whose key cannot be determined.",
    "not_checkable": "A work cannot be looked up when its entry has neither a title nor an identifier.",
    "failed": "A lookup fails when a registry does not answer; it will be repeated.",
}
_PENDING = {"failed": "Lookup failed", "being_looked_up": "Being looked up", "not_looked_up": "Not looked up yet"}


def percent(found: Audit) -> int | None:
    """Return the score as a whole number, 100 only when every command is backed.

    None where there is no score yet: only own files are cited, or no lookup of a cited work has ended.
    """
    if headline(found):
        return None
    whole = round(found.integrity_score)
    return whole if whole < 100 else math.floor(found.integrity_score)


def headline(found: Audit) -> str:
    """Return the words shown instead of the score where there is none; empty where there is one."""
    if not found.total_cite_commands:
        return "Nothing cited yet"
    if not found.scored_commands:
        return "Your own files only"
    if found.scored_commands > sum(found.commands[name] for name in _PENDING):
        return ""
    return next(words for name, words in _PENDING.items() if found.commands[name])


def summary(found: Audit) -> str:
    """Return the audit in sentences: "7 of 10 citations in the text are proven. 1 is refuted." """
    files = found.commands["file"]
    if not found.total_cite_commands:
        return "Nothing cited yet."
    if not found.scored_commands:
        cited = "your own file" if files == 1 else "your own files"
        return f"{_citations(files)} in the text, to {cited}. Files are not looked up."
    proven, scored = found.backed_commands, found.scored_commands
    by = "proven or in the demo catalogue" if found.demo else "proven"
    says = [f"{proven:,} of {_citations(scored)} in the text {'is' if 1 in (proven, scored) else 'are'} {by}."]
    if rest := [
        words[found.commands[name] != 1].format(f"{found.commands[name]:,}")
        for name, words in _CLAUSES.items()
        if found.commands[name]
    ]:
        counted = ", ".join(rest)
        says.append(f"{counted[0].upper()}{counted[1:]}.")
    says += [words for name, words in _EXPLANATIONS.items() if found.commands[name]]
    if found.demo:
        says.append(f"{_works(len(found.demo))} checked with the demo catalogue only; no registry was asked.")
    if files:
        says.append(f"{files:,} more cite{pluralize(files, 's,')} your own files, which are counted separately.")
    return " ".join(says)


def _works(count: int) -> str:
    return f"{count:,} cited work{' was' if count == 1 else 's were'}"


def _citations(count: int) -> str:
    return f"{count:,} citation{pluralize(count)}"
