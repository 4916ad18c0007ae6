"""What the list of references shows, and in which order: words, filter, tag and order, as in the URL (SPEC C9)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import Case, Count, F, Q, When
from django.db.models.functions import Lower

from citations.models import Citation, CitationQuerySet

LONGEST_WORDS = 200  # characters of the search words
_S = Citation.Status
# Each entry is in exactly one of the first ten filters; it may also be retracted, have its verdict from the demo
# catalogue, or wait for a check while its last verdict is valid.
_FILTERS: dict[str, tuple[str, Q]] = {
    "a": ("A", Q(tier="A")),
    "b": ("B", Q(tier="B")),
    "c": ("C", Q(tier="C")),
    "d": ("D", Q(status=_S.NOT_FOUND)),
    "conflict": ("Conflict", Q(status=_S.CONFLICT)),
    "review": ("To confirm", Q(status=_S.REVIEW)),
    "failed": ("Lookup failed", Q(status=_S.UNRESOLVED, failures__gt=0, check_due_at__isnull=False)),
    "checking": ("Being looked up", Q(status=_S.UNRESOLVED, failures=0, check_due_at__isnull=False)),
    "unchecked": ("Not looked up", Q(status=_S.UNRESOLVED, check_due_at__isnull=True)),
    "file": ("Your files", Q(status=_S.FILE)),
    "retracted": ("Retracted", Q(retracted=True)),
    "demo": ("Demo catalogue", Q(evidence_type=Citation.Evidence.DEMO)),
    "demo_proven": ("Proven by the demo catalogue", Q(evidence_type=Citation.Evidence.DEMO, status=_S.VERIFIED)),
    "waiting": ("Waiting", Q(check_due_at__isnull=False)),
    "doubtful": ("To look at", Q(status__in=[_S.NOT_FOUND, _S.CONFLICT, _S.REVIEW])),
}
_ALWAYS = ("a", "b", "c", "d")
_LINKED = ("waiting", "doubtful", "demo_proven")  # reached by links on the page; they have no buttons
SORTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "": ("Order added", ("serial", "created_at", "cite_key")),
    "author": ("Author", (Case(When(authors="", then=1), default=0), Lower("authors"), "year", "serial")),
    "year": ("Year, newest first", (F("year").desc(nulls_last=True), Lower("authors"), "serial")),
    "title": ("Title", (Lower("title"), "serial")),
    "key": ("Key", (Lower("cite_key"), "serial")),
}


@dataclass(frozen=True)
class ListFilter:
    """What the list shows. `show` is the name of a filter, `tag` the id of a tag, `sort` the name of an order."""

    q: str = ""
    show: str = ""
    tag: int | None = None
    sort: str = ""

    @classmethod
    def read(cls, asked: Mapping[str, Any]) -> "ListFilter":
        """Return the filter in a URL or form; unknown names count as not given."""
        tag, sort = str(asked.get("tag") or ""), str(asked.get("sort") or "")
        return cls(
            str(asked.get("q") or "").replace("\0", "").strip()[:LONGEST_WORDS],
            known_filter(str(asked.get("show") or "")),
            int(tag) if tag.isascii() and tag.isdecimal() and len(tag) < 16 else None,
            sort if sort in SORTS else "",
        )

    def of(self, entries: CitationQuerySet) -> CitationQuerySet:
        """Return those of `entries` that the list shows, in its order."""
        found = filter_entries(entries, self.show).matching(self.q).order_by(*SORTS[self.sort][1])
        return found if self.tag is None else found.filter(taggings__tag=self.tag)

    def query(self, **changes: Any) -> str:
        """Return the filter for a URL, with `changes`: "show=d&q=sepsis"; empty for all references."""
        shown = replace(self, **changes)
        values = {"show": shown.show, "q": shown.q, "tag": shown.tag, "sort": shown.sort}
        return urlencode({name: value for name, value in values.items() if value})

    @property
    def narrows(self) -> bool:
        """Whether some references may be left out."""
        return bool(self.q or self.show or self.tag is not None)


class Filter(NamedTuple):
    """One filter button above the list. `name` is its value in the URL; "" means all. `query` leads to it."""

    name: str
    label: str
    holds: int
    query: str


def filter_entries(entries: CitationQuerySet, name: str) -> CitationQuerySet:
    """Return the entries of the filter `name`; all of them for an unknown name."""
    return entries.filter(_FILTERS[name][1]) if name in _FILTERS else entries


def known_filter(name: str) -> str:
    """Return `name` if there is a filter of this name, else "" for all."""
    return name if name in _FILTERS else ""


def filter_label(name: str) -> str:
    """Return what the button of a filter says."""
    return _FILTERS[name][0] if name in _FILTERS else "All"


def filter_counts(entries: CitationQuerySet) -> dict[str, int]:
    """Return the number of entries of each filter, and `total`; one query."""
    return entries.aggregate(
        total=Count("pk"), **{name: Count("pk", filter=held) for name, (_, held) in _FILTERS.items()}
    )


def offered_filters(entries: CitationQuerySet, counted: dict[str, int], current: ListFilter) -> list[Filter]:
    """Return the filter buttons: all, the tiers, the others that have entries, and the current one.

    Each has the number of entries that it would show, with the words and the tag of now. `counted` are the counts of
    all `entries`, so that no button goes while somebody searches. One query at most.
    """
    narrowed = replace(current, show="", sort="")
    holds = filter_counts(narrowed.of(entries).order_by()) if narrowed.narrows else counted
    there = (name for name in _FILTERS if name in _ALWAYS or counted[name] or name == current.show)
    return [
        Filter("", "All", holds["total"], current.query(show="")),
        *(
            Filter(name, _FILTERS[name][0], holds[name], current.query(show=name))
            for name in there
            if name not in _LINKED or name == current.show
        ),
    ]


def count_proven(counted: dict[str, int]) -> int:
    """Return the number of entries of tier A, B or C that a registry or a person proved."""
    return counted["a"] + counted["b"] + counted["c"] - counted["demo_proven"]
