"""Filtering, searching and labelling the provenance log and the sources of a run for its pages (SPEC R8, R12, R13)."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from django.db.models import Count, Q, QuerySet, TextField
from django.db.models.functions import Cast
from django.urls import reverse

from citations.formats.csl import short_authors, year_of
from core.grouping import first_values, grouped
from research.context.digest_files import reader_query
from research.deduplication.works import copies_of, known_of
from research.export.bibliography import is_academic
from research.export.structured import sources_of
from research.models import ProvenanceEntry, Run, Source
from sources.providers import PROVIDERS

PER_PAGE = 100
AT_ONCE = 2_000  # logs up to this many entries are verified whenever the page is opened
FEW = 12  # values of one detail that are shown; the stored entry has all
_LONGEST = 200  # characters of a search
_ASKED = {"words": "q", "provider": "from"}  # query parameters that differ from the name of their field
_PHASES = {
    "binding": "Files",
    "brief": "Brief",
    "supervision": "Research",
    "synthesis": "Report",
    "verification": "Claim check",
}


def _words(given: Mapping[str, str]) -> str:
    """Return the search words from a submitted form, with spaces normalised."""
    return " ".join(given.get("q", "").replace("\0", "").split())[:_LONGEST]


@dataclass(frozen=True)
class SearchFilter:
    """A search with `words`; the subclasses add the filters of their list."""

    words: str = ""

    def query(self) -> str:
        """Return the search as a query string: "q=alder&show=cited"."""
        return "&".join(f"{_ASKED.get(name, name)}={quote(value)}" for name, value in asdict(self).items() if value)


class Fact(NamedTuple):
    """One detail of a log entry: `label`, `values` as lines, and `more`, how many values are not shown."""

    label: str
    values: list[str]
    more: int = 0


@dataclass(frozen=True)
class LogFilter(SearchFilter):
    """A search in a log: words, a phase, a type of event."""

    phase: str = ""
    event: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "LogFilter":
        """Return the search from the query parameters ?q=, ?phase= and ?event=."""
        phase, event = (given.get(name, "").replace("\0", "")[:_LONGEST] for name in ("phase", "event"))
        return cls(_words(given), phase, event)


class LogList(NamedTuple):
    """The matching entries out of `total`, and the options of both filters: (name, label, number of entries)."""

    rows: QuerySet[ProvenanceEntry]
    total: int
    phases: list[tuple[str, str, int]]
    events: list[tuple[str, str, int]]


def log_list(run: Run, asked: LogFilter) -> LogList:
    """Return the log entries of `run` that match the search, in order. One query, besides those that read `rows`."""
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
    """Return a condition for entries with `word` in their summary, details or type, for any database.

    SQLite stores non-ASCII characters in JSON escaped and compares them case-sensitively, so several forms are tried.
    """
    found = Q(event_type__icontains=word)
    for form in {word, word.lower(), word.upper(), word.capitalize()}:
        found |= Q(summary__icontains=form)
        for stored in {json.dumps(form)[1:-1], json.dumps(form, ensure_ascii=False)[1:-1]}:
            found |= Q(told__icontains=stored)
    return found


def page_of(rows: QuerySet[ProvenanceEntry], seq: int) -> int:
    """Return the number of the page, from 1, that has the entry number `seq` of `rows`."""
    return max(1, -(-rows.filter(seq__lte=seq).count() // PER_PAGE))


def phase_name(phase: str) -> str:
    """Return the label of a phase."""
    return _PHASES.get(phase, in_words(phase))


def in_words(name: str) -> str:
    """Return a name as a label: "provider_query" as "Provider query"."""
    return name.replace("_", " ").capitalize()


def facts_of(details: Mapping[str, Any]) -> Iterator[Fact]:
    """Yield the details of an entry with labels, in the order in which they are stored."""
    for name, value in details.items():
        values = _values(value)
        yield Fact(in_words(name), values[:FEW], max(0, len(values) - FEW))


def _values(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [f"{in_words(name)}: {_line(one)}" for name, one in value.items()] or ["none"]
    return [_line(one) for one in value] or ["none"] if isinstance(value, list) else [_line(value)]


def _line(value: Any) -> str:
    """Return a value on one line."""
    if isinstance(value, dict | list):
        return ("; " if isinstance(value, dict) else ", ").join(_values(value))
    if value is None or value == "":
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


_KINDS = {
    "file": "Uploaded file",
    "article-journal": "Journal article",
    "article-magazine": "Magazine article",
    "article-newspaper": "Newspaper article",
    "article": "Preprint",
    "paper-conference": "Conference paper",
    "post-weblog": "Blog post",
    "webpage": "Web page",
    "entry-encyclopedia": "Encyclopedia entry",
    "document": "Other",
}
SHOWN = {
    "": "All sources",
    "cited": "Cited in the report",
    "uncited": "Not cited",
    "academic": "Academic works",
    "retracted": "Retracted works",
}


@dataclass(frozen=True)
class Copy:
    """Another provider's record of the same work."""

    provider: str
    title: str
    address: str


@dataclass(frozen=True)
class Row:
    """A work for the list, or a passage of a file: `addresses` are (label, safe URL) pairs, `copies` its records at
    other providers.
    """

    source: Source
    authors: str
    year: int | None
    venue: str
    kind: str
    provider: str
    addresses: list[tuple[str, str]]
    copies: list[Copy]

    @property
    def all_providers(self) -> list[str]:
        """Return the names of all providers that have it."""
        return list(dict.fromkeys([self.provider, *(copy.provider for copy in self.copies)]))

    @property
    def providers(self) -> str:
        """Return the names of the other providers that have it, "OpenAlex and Crossref"."""
        names = self.all_providers[1:] or [self.provider]
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


@dataclass(frozen=True)
class SourceFilter(SearchFilter):
    """A search among sources: words, a key of SHOWN, a kind and a provider."""

    show: str = ""
    kind: str = ""
    provider: str = ""

    @classmethod
    def of(cls, given: Mapping[str, str]) -> "SourceFilter":
        """Return the search from the query parameters; an unknown ?show= is ignored."""
        show = given.get("show", "")
        kind, provider = (given.get(name, "")[:_LONGEST] for name in ("kind", "from"))
        return cls(_words(given), show if show in SHOWN else "", kind, provider)

    def matching(self, passages: Sequence[Row]) -> list[Row]:
        """Return the `passages` of one work that have the words; none if the work does not match the search."""
        first = passages[0]
        is_cited = any(row.source.number is not None for row in passages)
        is_shown = {
            "cited": is_cited,
            "uncited": not is_cited,
            "academic": first.source.kind != Source.Kind.FILE and is_academic(first.source),
            "retracted": any(row.source.retracted for row in passages),
        }
        if (
            self.kind not in ("", first.kind)
            or self.provider not in {"", *first.all_providers}
            or not is_shown.get(self.show, True)
        ):
            return []
        return [row for row in passages if not self.words or self._finds(row)]

    def _finds(self, row: Row) -> bool:
        source = row.source
        people = (" ".join(str(part) for part in name.values()) for name in source.csl.get("author", []))
        told = (source.title, source.heading, row.venue, row.year, source.public_id, source.url, *people)
        text = " ".join(str(one) for one in told if one).casefold()
        return all(word in text for word in self.words.casefold().split())


@dataclass(frozen=True)
class SourceList:
    """The matching works out of `total`, each as its rows: one, or the passages of a file.

    `kinds` and `providers` are the options of the filters, with the number of works.
    """

    works: list[list[Row]]
    total: int
    kinds: dict[str, int]
    providers: dict[str, int]


def source_list(run: Run, asked: SourceFilter) -> SourceList:
    """Return the sources of `run` that match the search. Two queries, however many there are."""
    copies = copies_of(run)
    rows = ((source.document, _row(source, copies.get(source.pk, ()))) for source in sources_of(run))
    works = list(grouped(rows).values())
    return SourceList(
        works=[found for passages in works if (found := asked.matching(passages))],
        total=len(works),
        kinds=dict(sorted(Counter(passages[0].kind for passages in works).items())),
        providers=dict(sorted(Counter(name for passages in works for name in passages[0].all_providers).items())),
    )


def provider_name(name: str) -> str:
    """Return the label of a provider."""
    if name == "library":
        return "Your library"
    return PROVIDERS[name].label if name in PROVIDERS else name.replace("_", " ").capitalize()


def _row(source: Source, copies: Sequence[Source]) -> Row:
    csl = source.csl
    return Row(
        source=source,
        authors=short_authors(csl),
        year=year_of(csl),
        venue=str(csl.get("container-title") or csl.get("publisher") or ""),
        kind=_KINDS.get(source.source_type, source.source_type.replace("-", " ").replace("_", " ").capitalize()),
        provider=provider_name(source.provider),
        addresses=_addresses(source, copies),
        copies=[Copy(provider_name(copy.provider), copy.title, _safe(copy.url)) for copy in copies],
    )


def _addresses(source: Source, copies: Sequence[Source]) -> list[tuple[str, str]]:
    doi, pmid = (str(source.csl.get(name) or "") for name in ("DOI", "PMID"))
    named = {
        f"doi:{doi}": f"https://doi.org/{quote(doi, safe='/:;()<>')}" if doi else "",
        f"PMID {pmid}": f"https://pubmed.ncbi.nlm.nih.gov/{quote(pmid)}/" if pmid else "",
        "Open access": _safe(str(known_of(source, copies, "open_access_url"))),
        source.url: _safe(source.url),
    }
    if source.file_id:
        at = reverse("contextfiles:file", args=[source.run.project_id, source.file_id])
        passage = f"passage={quote(source.source_id.rpartition('::')[2])}{reader_query(source.run)}"
        named["Open the passage"] = f"{at}?{passage}#passage"
    # By address, since a catalogue's link often is the DOI's
    found = first_values((address, label) for label, address in named.items())
    return [(label, address) for address, label in found.items() if address]


def _safe(address: str) -> str:
    """Return `address` if a page may link to it; "" for any scheme other than http and https."""
    return address if address.lower().startswith(("https://", "http://")) else ""
