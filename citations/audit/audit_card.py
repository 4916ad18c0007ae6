"""The audit as a card on the page: findings in sentences, worst first, with links to fix them (SPEC C7, C9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.text import Truncator

from citations.audit.audit import (
    WORST_FIRST,
    Audit,
    AuditEntry,
    CitedEntry,
    MissingKey,
    UnreadableCommand,
    headline,
    percent,
    summary,
)
from citations.audit.key_uses import Use
from citations.models import Citation
from projects.access import may
from projects.models import Project

SHOWN = 5  # items of each finding; the next UNFOLDED are folded, and only the number of the rest is shown
UNFOLDED = 200
SECTIONS_SHOWN = 6  # sections listed for one key
_LONGEST_KEY = 60
_LONGEST_REASON = 200


class Place(NamedTuple):
    """A section, as a link with its title."""

    title: str
    href: str


@dataclass(frozen=True)
class Item:
    """A key of a finding, the places that cite it, and a link (`act`, `act_href`) to deal with it."""

    key: str
    href: str = ""  # of the entry's own page
    places: Sequence[Place] = ()
    more_places: int = 0
    note: str = ""
    act: str = ""
    act_href: str = ""


@dataclass(frozen=True)
class Finding:
    """One kind of problem: how many (`title`), which (`shown`, `folded`, `left` unnamed), what it means (`says`)."""

    title: str
    says: str
    shown: list[Item]
    folded: list[Item] = field(default_factory=list)
    left: int = 0
    tier: str = ""  # "d", "conflict", "retracted": its badge
    letter: str = ""
    icon: str = ""

    @property
    def end(self) -> str:
        """The full stop after the shown items, unless folded ones follow."""
        return "" if self.folded else "."


@dataclass(frozen=True)
class AuditCard:
    """The contents of the audit's card.

    `percent` is a whole number, 100 only when every command is backed; where there is no score yet it is None, and
    `headline` says so. `is_demo`: some of the percentage comes from the demo catalogue alone.
    """

    percent: int | None
    headline: str
    says: str
    findings: list[Finding]
    is_demo: bool = False


def make_card(project: Project, found: Audit) -> AuditCard:
    """Return the card of an audit, with links for the role that the person has in `project`."""
    says = summary(found) if found.total_cite_commands else ""  # else the headline is enough
    findings = [one for one in _findings(_ItemFactory(project), found) if one.shown]
    return AuditCard(percent(found), headline(found), says, findings, is_demo=bool(found.demo))


T = TypeVar("T")
_UNKNOWN = ("d", "D", "ask")


def _findings(lines: "_ItemFactory", found: Audit) -> list[Finding]:
    """Return all kinds of findings, worst first; those without items are dropped by the caller."""
    standing: dict[str, list[CitedEntry]] = {}
    for one in [*found.blocking, *found.unproven]:
        named = one.entry.standing
        is_conflict = named == "refuted" and one.entry.status == Citation.Status.CONFLICT
        standing.setdefault("conflict" if is_conflict else named, []).append(one)
    has = {name: standing.get(name, []) for name in (*WORST_FIRST, "conflict")}
    return [
        _finding(
            has["refuted"],
            lines.cited,
            "{} not found",
            "No registry knows the work. It is left out of the PDF until it is proven, and marked in the source.",
            _UNKNOWN,
        ),
        _finding(
            has["not_checkable"],
            lines.cited,
            "{} that cannot be looked up",
            "The entry has neither a title nor an identifier, so it is left out of the PDF.",
            _UNKNOWN,
        ),
        _finding(
            has["conflict"],
            lines.compared,
            "{} identifier conflict{s}",
            "The identifier describes another work, so the reference is left out of the PDF.",
            ("conflict", "", "differ"),
        ),
        _finding(
            [one for one in found.retracted if not one.entry.reason],
            lines.retracted,
            "{} retracted work{s} in use",
            "The final export is blocked until a reason for citing it is given.",
            ("retracted", "", "strike"),
        ),
        _finding(
            found.missing,
            lines.missing,
            "{} key{s} without an entry",
            "Cited, but not among your references; this blocks the final export.",
        ),
        _finding(
            found.unfollowed,
            lines.unfollowed,
            "{} command{s} that cannot be read",
            "They may cite works, but their keys cannot be determined; this blocks the final export.",
        ),
        _finding(
            has["to_confirm"],
            lines.compared,
            "{} to be confirmed",
            "A record was found that may be this work; confirm or reject it.",
        ),
        _finding(
            has["failed"],
            lines.cited,
            "{} whose lookup failed",
            "A registry did not answer; the lookup will be repeated. Until then the final export is blocked.",
        ),
        _finding(
            has["being_looked_up"],
            lines.cited,
            "{} being looked up",
            "The final export is blocked until the lookup is done.",
        ),
        _finding(
            has["not_looked_up"],
            lines.cited,
            "{} not looked up yet",
            "The final export is blocked until they are looked up.",
        ),
        _finding(
            found.demo,
            lines.cited,
            "{} checked with the demo catalogue only",
            "No registry was asked. The final export is blocked until they are looked up.",
        ),
        _finding(
            found.files,
            lines.cited,
            "{} of your own files",
            "Printed with the authors, title and year you enter. Files are not looked up and are counted separately.",
            ("file", "", "file"),
        ),
        _finding(
            [one for one in found.retracted if one.entry.reason],
            lines.explained,
            "{} retracted work{s} cited with a reason",
            "The text should say that the work is retracted.",
        ),
        _finding(
            found.orphaned,
            lines.orphaned,
            "{} entr{ies} never cited",
            "No problem: the reference list prints only cited works.",
        ),
    ]


def _finding(
    found: Sequence[T],
    item: Callable[[T], Item],
    title: str,
    says: str,
    badge: tuple[str, str, str] = ("", "", ""),  # tier, letter, icon
) -> Finding:
    """Return one kind of finding: `item` turns each of `found` into an item of the card."""
    count = len(found)
    return Finding(
        title.format(f"{count:,}", s=pluralize(count), ies=pluralize(count, "y,ies")),
        says,
        [item(one) for one in found[:SHOWN]],
        [item(one) for one in found[SHOWN : SHOWN + UNFOLDED]],
        max(0, count - SHOWN - UNFOLDED),
        *badge,
    )


class _ItemFactory:
    """Makes the items of the card, with the links of one project."""

    def __init__(self, project: Project) -> None:
        self.entries = reverse("citations:list", args=[project.pk])
        self.sections = reverse("sections:workspace", args=[project.pk])
        self.writes = may(project.role, "write")  # type: ignore[attr-defined]
        self.attests = may(project.role, "attest")  # type: ignore[attr-defined]

    def cited(self, one: CitedEntry) -> Item:
        """Return the item of a cited entry."""
        return Item(*self._entry(one.entry), *self._places(one.used_in))

    def compared(self, one: CitedEntry) -> Item:
        """Return the item of a cited entry with a link to its comparison."""
        key, href = self._entry(one.entry)
        return Item(key, href, *self._places(one.used_in), act="compare the two", act_href=f"{href}#why")

    def retracted(self, one: CitedEntry) -> Item:
        """Return the item of a retracted work without a reason, with a link to give it."""
        key, href = self._entry(one.entry)
        act = ("give a reason", f"{href}#retraction") if self.attests else ("", "")
        return Item(key, href, *self._places(one.used_in), "", *act)

    def explained(self, one: CitedEntry) -> Item:
        """Return the item of a retracted work with its reason."""
        reason = str(Truncator(one.entry.reason.text).chars(_LONGEST_REASON)) if one.entry.reason else ""
        return Item(*self._entry(one.entry), *self._places(one.used_in), f"“{reason}”")

    def missing(self, one: MissingKey) -> Item:
        """Return the item of a key without an entry, with a link to add it."""
        note = f"did you mean {_short(one.alike)}? Capitals must match" if one.alike else ""
        offer = ("add it", f"{self.entries}add/") if self.writes and not one.alike else ("", "")
        return Item(_short(one.key), "", *self._places(one.used_in), note, *offer)

    def unfollowed(self, one: UnreadableCommand) -> Item:
        """Return the item of a command whose keys cannot be determined."""
        return Item(_short(f"\\{one.name}"), "", *self._places([one.used_in]), f"line {one.line:,}: {one.why}")

    def orphaned(self, entry: AuditEntry) -> Item:
        """Return the item of an entry that is not cited."""
        return Item(*self._entry(entry))

    def _entry(self, entry: AuditEntry) -> tuple[str, str]:
        return _short(entry.key), f"{self.entries}{entry.id}/"

    def _places(self, used: Sequence[Use]) -> tuple[list[Place], int]:
        shown = used[:SECTIONS_SHOWN]
        return [
            Place(use.title, f"{self.sections}sections/{use.slug}/" if use.slug else self.sections) for use in shown
        ], len(used) - len(shown)


def _short(key: str) -> str:
    return str(Truncator(key).chars(_LONGEST_KEY))
