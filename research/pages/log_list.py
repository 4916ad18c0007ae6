"""The provenance log of a run as people look through it: filtered, searched, its details in words (SPEC R12)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast

from research.models import ProvenanceEntry, Run

PER_PAGE = 100
AT_ONCE = 2_000  # entries up to which the chain is checked whenever the page is opened
FEW = 12  # values of one detail that are shown; the rest is in the entry as it is stored
_LONGEST = 200  # characters of what is searched for
_PHASES = {
    "binding": "Files",
    "brief": "Brief",
    "supervision": "Research",
    "synthesis": "Report",
    "verification": "Claim check",
}


class Fact(NamedTuple):
    """One detail of an entry: `label` in words, `values` as lines; `more` are not shown."""

    label: str
    values: list[str]
    more: int = 0


class LogAsked(NamedTuple):
    """What a person looks for in a log: words, a phase, a type of event."""

    words: str = ""
    phase: str = ""
    event: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "LogAsked":
        """From a form: ?q=, ?phase= and ?event=."""
        words = " ".join(given.get("q", "").replace("\0", "").split())[:_LONGEST]
        phase, event = (given.get(name, "").replace("\0", "")[:_LONGEST] for name in ("phase", "event"))
        return cls(words, phase, event)

    def query(self) -> str:
        """The same as part of an address: "q=alder&phase=brief"."""
        given = {"q": self.words, "phase": self.phase, "event": self.event}
        return "&".join(f"{name}={quote(value)}" for name, value in given.items() if value)


class LogList(NamedTuple):
    """The entries that fit, of `total`; `phases` and `events` are what can be chosen: (name, label, how many)."""

    rows: QuerySet[ProvenanceEntry]
    total: int
    phases: list[tuple[str, str, int]]
    events: list[tuple[str, str, int]]


def log_list(run: Run, asked: LogAsked) -> LogList:
    """The entries of `run` that fit what is asked, in their order. One query, and those of whoever reads `rows`."""
    phases, events = Counter[str](), Counter[str]()
    for phase, event, count in run.provenance.order_by().values_list("phase", "event_type").annotate(Count("pk")):
        phases[phase] += count
        if asked.phase in ("", phase):
            events[event] += count
    rows = run.provenance.all()
    if asked.phase:
        rows = rows.filter(phase=asked.phase)
    if asked.event:
        rows = rows.filter(event_type=asked.event)
    for word in asked.words.split():
        rows = rows.annotate(told=Cast("details", TextField())).filter(_holds(word))
    order = [*_PHASES, *sorted(set(phases) - set(_PHASES))]
    return LogList(
        rows=rows,
        total=sum(phases.values()),
        phases=[(name, phase_name(name), phases[name]) for name in order if name in phases],
        events=[(name, in_words(name), count) for name, count in sorted(events.items())],
    )


def _holds(word: str) -> Q:
    """Whether an entry has `word` in its sentence or its details, in whichever way its database writes them.

    SQLite keeps what is not ASCII escaped, and tells small letters from capitals there.
    """
    found = Q(event_type__icontains=word)
    for form in {word, word.lower(), word.upper(), word.capitalize()}:
        found |= Q(summary__icontains=form)
        for stored in {json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1]}:
            found |= Q(told__icontains=stored)
    return found


def page_of(rows: QuerySet[ProvenanceEntry], seq: int) -> int:
    """The page, from 1, on which entry number `seq` stands among `rows`."""
    return max(1, -(-rows.filter(seq__lte=seq).count() // PER_PAGE))


def phase_name(phase: str) -> str:
    return _PHASES.get(phase, in_words(phase))


def in_words(name: str) -> str:
    """ "provider_query" as people read it: "Provider query"."""
    return name.replace("_", " ").capitalize()


def facts_of(details: Mapping[str, Any]) -> Iterator[Fact]:
    """The details of an entry in words, in the order in which they are stored."""
    for name, value in details.items():
        values = _values(value)
        yield Fact(in_words(name), values[:FEW], max(0, len(values) - FEW))


def _values(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{in_words(name)}: {_line(one)}" for name, one in value.items()] or ["none"]
    return [_line(one) for one in value] or ["none"] if isinstance(value, list) else [_line(value)]


def _line(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict | list):
        return ("; " if isinstance(value, dict) else ", ").join(_values(value))
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)
