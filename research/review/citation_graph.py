"""The citation graph of papers, with their roles and threads, and which papers are shown (SPEC R15).

As data it is {papers, links, threads, left_out}:
papers   [{id, title, label, year, url, cited_by, in_run, roles, thread}], those of the run first
links    [{from, to}] by ids of papers; the first cites the second
threads  [{id, title, papers, size, years}]: connected parts of three papers or more, the largest first
left_out number of papers that are not among `papers`, though they count for roles and threads
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from research.deduplication.same_work import KnownRecords
from research.deduplication.work_keys import document_id
from research.models import Source
from research.search.hits import short_names, short_names_of
from sources.work import Work

SHOWN = 60  # papers shown: a diagram with more cannot be read
THREAD = 3  # papers that make a thread, at least


def threshold(works: int) -> int:
    """Return how many of the run's works a paper must be linked to, to be foundational or extending: 1 to 3."""
    return min(3, max(1, 3 * works // 10))


@dataclass
class Graph:
    """A graph under construction; duplicate papers are merged as in a run (research/deduplication/work_keys.py)."""

    known: KnownRecords = field(default_factory=KnownRecords)
    papers: dict[str, dict[str, Any]] = field(default_factory=dict)  # as in the data, but without roles and thread
    edges: list[tuple[str, str]] = field(default_factory=list)  # (citing, cited)
    same_as: dict[str, str] = field(default_factory=dict)  # id of a duplicate -> id of the paper it is merged into

    def plant(self, stands: Source, works: Iterable[Work]) -> None:
        """Add a work of the run, before any links: `stands` is its main row, `works` are all records of it."""
        for work in works:
            self.known.add(stands.document, work)
        self.papers[stands.document] = {
            "id": stands.document,
            "title": stands.title,
            "label": _label(short_names_of(stands.csl), stands.year, stands.title),
            "year": stands.year,
            "url": stands.url,
            "cited_by": stands.citation_count,
            "in_run": True,
        }

    def link(self, of: str, work: Work, *, is_citing: bool) -> None:
        """Add `work` and a link: it cites the paper `of`, or is cited by it."""
        own = document_id(work)
        same = self.known.add(own, work)
        id = same.of if same else own
        for gone in same.joined if same else ():
            self.same_as.setdefault(gone, id)
        if id not in self.papers:
            title = work.title or work.provider_id
            self.papers[id] = {
                "id": id,
                "title": title,
                "label": _label(short_names(work.authors), work.year, title),
                "year": work.year,
                "url": work.link or "",
                "cited_by": work.citation_count,
                "in_run": False,
            }
        self.edges.append((id, of) if is_citing else (of, id))

    def as_data(self) -> dict[str, Any]:
        """Return the graph with at most SHOWN papers: the run's, then by links to them, then by citation count."""
        settled = ((self._first(one), self._first(other)) for one, other in self.edges)
        edges = sorted({(one, other) for one, other in settled if one != other})
        papers = {id: paper for id, paper in self.papers.items() if self._first(id) == id}
        seeds = {id for id, paper in papers.items() if paper["in_run"]}
        roles, near = _roles(edges, seeds, threshold(len(seeds)))
        order = list(papers)

        def rank(id: str) -> tuple[bool, int, int, int, str]:
            paper = papers[id]
            place = order.index(id) if paper["in_run"] else 0
            return not paper["in_run"], place, -len(near[id]), -(paper["cited_by"] or 0), id

        shown = sorted(papers, key=rank)[:SHOWN]
        threads = _threads(papers, edges, shown)
        thread_of = {id: thread["id"] for thread in threads for id in thread["papers"]}
        return {
            "papers": [
                {**papers[id], "roles": roles[id], "thread": thread_of.get(id, "")} for id in shown
            ],
            "links": [{"from": one, "to": other} for one, other in edges if {one, other} <= set(shown)],
            "threads": threads,
            "left_out": len(papers) - len(shown),
        }  # fmt: skip

    def _first(self, id: str) -> str:
        while id in self.same_as:
            id = self.same_as[id]
        return id


def _label(names: str, year: int | None, title: str) -> str:
    """Return a short label for a paper: "Okafor and Moss 2019"; the title and year if it has no authors."""
    return f"{names.replace(' and others', ' et al.') or title} {year or 'n.d.'}"


def _roles(
    edges: list[tuple[str, str]], seeds: set[str], least: int
) -> tuple[dict[str, list[str]], dict[str, set[str]]]:
    """Return the roles of each paper, and the works of the run (`seeds`) that it is linked to.

    Foundational: at least `least` seeds cite it. Extending: it cites at least `least` seeds.
    """
    cited_by: dict[str, set[str]] = defaultdict(set)
    cites: dict[str, set[str]] = defaultdict(set)
    for citing, cited in edges:
        if citing in seeds:
            cited_by[cited].add(citing)
        if cited in seeds:
            cites[citing].add(cited)
    near = defaultdict(set, {id: cited_by[id] | cites[id] for id in {*cited_by, *cites}})
    links = {"foundational": cited_by, "extending": cites}
    roles = {id: [role for role, of in links.items() if len(of[id]) >= least] for id in near}
    return defaultdict(list, roles), near


def _threads(papers: dict[str, dict[str, Any]], edges: list[tuple[str, str]], shown: list[str]) -> list[dict[str, Any]]:
    """Return the connected components of at least THREAD papers, each named after its paper with most links."""
    part_of = {id: {id} for id in papers}
    for edge in edges:
        small, large = sorted((part_of[id] for id in edge), key=len)
        if small is not large:
            large |= small
            part_of.update(dict.fromkeys(small, large))
    parts = {id(part): part for part in part_of.values() if len(part) >= THREAD}  # each once
    degree = Counter(chain.from_iterable(edges))
    threads = []
    for number, part in enumerate(sorted(parts.values(), key=lambda part: (-len(part), min(part))), start=1):
        centre = min(part, key=lambda id: (-degree[id], -(papers[id]["cited_by"] or 0), id))
        years = sorted(papers[id]["year"] for id in part if papers[id]["year"] is not None)
        threads.append(
            {
                "id": f"T{number}",
                "title": papers[centre]["title"],
                "papers": [id for id in shown if id in part],
                "size": len(part),
                "years": [years[0], years[-1]] if years else [],
            }
        )
    return threads
