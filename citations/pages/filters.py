"""Which entries the list shows: all, one tier, or one kind of trouble, each with how many there are (SPEC C9)."""

from typing import NamedTuple

from django.db.models import Count, Q

from citations.models import Citation, CitationQuerySet

_S = Citation.Status


class Filter(NamedTuple):
    """One button above the list. `name` stands in the address; "" is all."""

    name: str
    label: str
    holds: int


# What is proven, then what is not; each entry is in exactly one of these, and may be retracted besides, or wait for a
# check while its last verdict stands.
_SHOWS: dict[str, tuple[str, Q]] = {
    "a": ("A", Q(tier="A")),
    "b": ("B", Q(tier="B")),
    "c": ("C", Q(tier="C")),
    "d": ("D", Q(status=_S.NOT_FOUND)),
    "conflict": ("Conflict", Q(status=_S.CONFLICT)),
    "review": ("To confirm", Q(status=_S.REVIEW)),
    "failed": ("Look-up failed", Q(status=_S.UNRESOLVED, failures__gt=0, check_due_at__isnull=False)),
    "checking": ("Being looked up", Q(status=_S.UNRESOLVED, failures=0, check_due_at__isnull=False)),
    "unchecked": ("Not looked up", Q(status=_S.UNRESOLVED, check_due_at__isnull=True)),
    "file": ("Your files", Q(status=_S.FILE)),
    "retracted": ("Retracted", Q(retracted=True)),
    "waiting": ("Waiting", Q(check_due_at__isnull=False)),
    "doubtful": ("To look at", Q(status__in=[_S.NOT_FOUND, _S.CONFLICT, _S.REVIEW])),
}
_ALWAYS = ("a", "b", "c", "d")
_LINKED = ("waiting", "doubtful")  # led to by what the page says; no buttons of their own


def show(entries: CitationQuerySet, name: str) -> CitationQuerySet:
    """The entries of the filter `name`; all of them for a name that is none."""
    return entries.filter(_SHOWS[name][1]) if name in _SHOWS else entries


def known(name: str) -> str:
    """`name` if it is a filter's, else "" for all."""
    return name if name in _SHOWS else ""


def counts(entries: CitationQuerySet) -> dict[str, int]:
    """How many entries each filter shows, and `total`; one query."""
    return entries.aggregate(
        total=Count("pk"), **{name: Count("pk", filter=held) for name, (_, held) in _SHOWS.items()}
    )


def offered(counted: dict[str, int], current: str) -> list[Filter]:
    """The buttons: all, the tiers, and of the rest what there is, with the current one."""
    there = (name for name in _SHOWS if name in _ALWAYS or counted[name] or name == current)
    names = [name for name in there if name not in _LINKED or name == current]
    return [Filter("", "All", counted["total"]), *(Filter(name, _SHOWS[name][0], counted[name]) for name in names)]


def proven(counted: dict[str, int]) -> int:
    """How many rest on tier A, B or C."""
    return counted["a"] + counted["b"] + counted["c"]
