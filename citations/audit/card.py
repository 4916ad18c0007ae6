"""An audit in sentences, worst first, with links to where each thing is put right (SPEC C7, C9)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils.text import Truncator

from citations.audit.integrity import Audit, Cited, Entry, Missing, Unfollowed
from citations.audit.uses import Use
from citations.models import Citation
from projects.access import may
from projects.models import Project

T = TypeVar("T")

SHOWN = 5  # of each finding; the next UNFOLDED come when asked, and how many are left is said
UNFOLDED = 200
SECTIONS_SHOWN = 6  # of one key
_LONGEST_KEY = 60
_S = Citation.Status


class Place(NamedTuple):
    """A section, as a link: "6 Results"."""

    label: str
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
    """The audit as its card shows it. `percent` is whole, and 100 only when every command is backed."""

    percent: int
    says: str
    findings: list[Finding]


def card(project: Project, found: Audit) -> Card:
    """`found` in words for a person whose `project` this is."""
    lines = _Lines(project)
    status = {
        name: [one for one in [*found.blocking, *found.unproven] if one.entry.status == name] for name in _S.values
    }
    conflicts = status[_S.CONFLICT]
    without = [one for one in found.blocking if one.entry.status != _S.CONFLICT]
    to_confirm = status[_S.REVIEW]
    waiting = [one for one in found.unproven if one.entry.status != _S.REVIEW]
    due = [one for one in waiting if one.entry.is_due]
    unasked = [one for one in waiting if not one.entry.is_due]
    findings = [
        _finding(without, lines.cited, "{} in use without proof", _STRIPPED, tier="d", letter="D", icon="ask"),
        _finding(
            conflicts,
            lines.compared,
            "{} identifier conflict{s}",
            "The identifier describes another work, so the reference is left out of the PDF.",
            tier="conflict",
            icon="differ",
        ),
        _finding(
            found.retracted,
            lines.cited,
            "{} retracted work{s} in use",
            "You can cite it as a retracted paper; the text should say so.",
            tier="retracted",
            icon="strike",
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
            to_confirm,
            lines.compared,
            "{} to be confirmed",
            "A record was found that may be the work; a person decides.",
        ),
        _finding(
            due, lines.cited, "{} still being checked", "Not held against the entry; the final export waits for it."
        ),
        _finding(
            unasked, lines.cited, "{} not checked yet", "Nobody asked the catalogues yet; the final export needs it."
        ),
        _finding(
            found.orphaned,
            lines.orphaned,
            "{} entr{ies} never cited",
            "No harm; references list only what you cite.",
        ),
    ]
    return Card(_percent(found), _says(found), [finding for finding in findings if finding])


_STRIPPED = "Left out of the PDF until proven, and the place is marked in the source."


def _percent(found: Audit) -> int:
    percent = round(found.integrity_score)
    return percent if percent < 100 else math.floor(found.integrity_score)


def _says(found: Audit) -> str:
    if not found.total_cite_commands:
        return "The text cites nothing yet."
    return (
        f"{found.backed_commands:,} of {found.total_cite_commands:,} citation{pluralize(found.total_cite_commands)} "
        f"in the text rest{pluralize(found.backed_commands, 's,')} on tier A, B or C."
    )


def _finding(
    found: Sequence[T],
    item: Callable[[T], Item],
    title: str,
    says: str,
    *,
    tier: str = "",
    letter: str = "",
    icon: str = "",
) -> Finding | None:
    if not found:
        return None
    counted = title.format(f"{len(found):,}", s=pluralize(len(found)), ies=pluralize(len(found), "y,ies"))
    shown = [item(one) for one in found[:SHOWN]]
    folded = [item(one) for one in found[SHOWN : SHOWN + UNFOLDED]]
    left = max(0, len(found) - SHOWN - UNFOLDED)
    return Finding(counted, says, shown, folded, left, tier, letter, icon)


class _Lines:
    """Keys as items of a card, with the addresses of one project."""

    def __init__(self, project: Project) -> None:
        self.entries = reverse("citations:list", args=[project.pk])
        self.sections = reverse("sections:workspace", args=[project.pk])
        self.writes = may(project.role, "write")  # type: ignore[attr-defined]

    def cited(self, one: Cited) -> Item:
        return Item(*self._entry(one.entry), *self._places(one.used_in))

    def compared(self, one: Cited) -> Item:
        key, href = self._entry(one.entry)
        return Item(key, href, *self._places(one.used_in), act="compare the two", act_href=f"{href}#why")

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
        places = [
            Place(use.label, f"{self.sections}sections/{use.slug}/" if use.slug else self.sections) for use in shown
        ]
        return places, len(used) - len(shown)


def _short(key: str) -> str:
    return str(Truncator(key).chars(_LONGEST_KEY))
