"""An audit in sentences, worst first, with links to where each thing is put right (SPEC C7, C9)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.text import Truncator

from citations.audit.audit import WORST_FIRST, Audit, Cited, Entry, Missing, Unfollowed, headline, percent, summary
from citations.audit.key_uses import Use
from citations.models import Citation
from projects.access import may
from projects.models import Project

SHOWN = 5  # of each finding; the next UNFOLDED come when asked, and how many are left is said
UNFOLDED = 200
SECTIONS_SHOWN = 6  # of one key
_LONGEST_KEY = 60
_LONGEST_REASON = 200


class Place(NamedTuple):
    """A section, as a link with its title."""

    title: str
    href: str


@dataclass(frozen=True)
class Item:
    """A key of a finding, where it is cited, and what to do with it: `act` leads to `act_href`."""

    key: str
    href: str = ""  # of the entry's own page
    places: Sequence[Place] = ()
    more_places: int = 0
    note: str = ""
    act: str = ""
    act_href: str = ""


@dataclass(frozen=True)
class Finding:
    """One kind of trouble: how many (`title`), which (`shown`, then `folded`, then `left` unnamed), what it means."""

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
        return "" if self.folded else "."


@dataclass(frozen=True)
class Card:
    """The audit as its card shows it. `percent` is whole, and 100 only when every command is backed; where there is
    nothing yet that it could tell of it is None, and `headline` says so."""

    percent: int | None
    headline: str
    says: str
    findings: list[Finding]


def card(project: Project, found: Audit) -> Card:
    """`found` in words for a person whose `project` this is."""
    says = summary(found) if found.total_cite_commands else ""  # the headline says it
    return Card(percent(found), headline(found), says, [one for one in _findings(_Lines(project), found) if one.shown])


T = TypeVar("T")
_UNKNOWN = ("d", "D", "ask")


def _findings(lines: "_Lines", found: Audit) -> list[Finding]:
    """Everything the card can tell of, worst first; nothing is shown of what was not found."""
    standing: dict[str, list[Cited]] = {}
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
            "No registry knows it. Left out of the PDF until proven, and the place is marked in the source.",
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
            "The final export waits until somebody says why it is cited.",
            ("retracted", "", "strike"),
        ),
        _finding(
            found.missing,
            lines.missing,
            "{} key{s} with no entry",
            "Cited, but not in the library; this blocks the final export.",
        ),
        _finding(
            found.unfollowed,
            lines.unfollowed,
            "{} command{s} that cannot be followed",
            "They may cite works that nobody can tell from the text; this blocks the final export.",
        ),
        _finding(
            has["to_confirm"],
            lines.compared,
            "{} to be confirmed",
            "A record was found that may be the work; a person decides.",
        ),
        _finding(
            has["failed"],
            lines.cited,
            "{} whose look-up failed",
            "A registry did not answer and is asked again; the final export waits for it.",
        ),
        _finding(has["being_looked_up"], lines.cited, "{} being looked up", "The final export waits for the answer."),
        _finding(
            has["not_looked_up"], lines.cited, "{} not looked up yet", "The final export waits until each is looked up."
        ),
        _finding(
            found.files,
            lines.cited,
            "{} of your own files",
            "Printed as you describe it. Files are not looked up and are counted apart.",
            ("file", "", "file"),
        ),
        _finding(
            [one for one in found.retracted if one.entry.reason],
            lines.explained,
            "{} retracted work{s} cited for a reason",
            "The text should say that the work is retracted.",
        ),
        _finding(
            found.orphaned, lines.orphaned, "{} entr{ies} never cited", "No harm; references list only what you cite."
        ),
    ]


def _finding(
    found: Sequence[T],
    item: Callable[[T], Item],
    title: str,
    says: str,
    badge: tuple[str, str, str] = ("", "", ""),  # tier, letter, icon
) -> Finding:
    """Return one kind of trouble: what was `found`, each as an `item`, and how the card tells of it."""
    count = len(found)
    return Finding(
        title.format(f"{count:,}", s=pluralize(count), ies=pluralize(count, "y,ies")),
        says,
        [item(one) for one in found[:SHOWN]],
        [item(one) for one in found[SHOWN : SHOWN + UNFOLDED]],
        max(0, count - SHOWN - UNFOLDED),
        *badge,
    )


class _Lines:
    """Keys as items of a card, with the addresses of one project."""

    def __init__(self, project: Project) -> None:
        self.entries = reverse("citations:list", args=[project.pk])
        self.sections = reverse("sections:workspace", args=[project.pk])
        self.writes = may(project.role, "write")  # type: ignore[attr-defined]
        self.attests = may(project.role, "attest")  # type: ignore[attr-defined]

    def cited(self, one: Cited) -> Item:
        return Item(*self._entry(one.entry), *self._places(one.used_in))

    def compared(self, one: Cited) -> Item:
        key, href = self._entry(one.entry)
        return Item(key, href, *self._places(one.used_in), act="compare the two", act_href=f"{href}#why")

    def retracted(self, one: Cited) -> Item:
        key, href = self._entry(one.entry)
        act = ("say why", f"{href}#retraction") if self.attests else ("", "")
        return Item(key, href, *self._places(one.used_in), "", *act)

    def explained(self, one: Cited) -> Item:
        reason = str(Truncator(one.entry.reason.text).chars(_LONGEST_REASON)) if one.entry.reason else ""
        return Item(*self._entry(one.entry), *self._places(one.used_in), f"“{reason}”")

    def missing(self, one: Missing) -> Item:
        note = f"the library has {_short(one.alike)}; capitals count" if one.alike else ""
        offer = ("add it", f"{self.entries}add/") if self.writes and not one.alike else ("", "")
        return Item(_short(one.key), "", *self._places(one.used_in), note, *offer)

    def unfollowed(self, one: Unfollowed) -> Item:
        return Item(_short(f"\\{one.name}"), "", *self._places([one.used_in]), f"line {one.line:,}: {one.why}")

    def orphaned(self, entry: Entry) -> Item:
        return Item(*self._entry(entry))

    def _entry(self, entry: Entry) -> tuple[str, str]:
        return _short(entry.key), f"{self.entries}{entry.id}/"

    def _places(self, used: Sequence[Use]) -> tuple[list[Place], int]:
        shown = used[:SECTIONS_SHOWN]
        return [
            Place(use.title, f"{self.sections}sections/{use.slug}/" if use.slug else self.sections) for use in shown
        ], len(used) - len(shown)


def _short(key: str) -> str:
    return str(Truncator(key).chars(_LONGEST_KEY))
