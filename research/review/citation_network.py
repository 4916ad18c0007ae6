"""The citation network around the works of a run (SPEC R15).

Catalogues are asked for each work of the run: what it cites, and what cites it. These papers are shown in the network
but are not sources of the run: nobody has read them, so they cannot be cited.
"""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from asgiref.sync import sync_to_async

from core.concurrency import gather_all
from core.grouping import grouped
from research.journal.journal import Response
from research.journal.provenance import digest
from research.models import Run, Source
from research.plurals import counted
from research.review.citation_graph import Graph, threshold
from research.run_context.run_context import RunContext
from research.search.catalogues import ask_once, is_unanswered
from sources import openalex, semantic_scholar
from sources.providers import PROVIDERS
from sources.work import Outcome, Work

LEAST = 3  # works with an identifier that are needed for a network
PAPERS = 20  # works of the run that are looked up, at most
NEIGHBOURS = 20  # cited works per work of the run, and as many citing ones
_MODULES = {openalex.NAME: openalex, semantic_scholar.NAME: semantic_scholar}  # in the order they are asked


@dataclass(frozen=True)
class Seed:
    """A work of the run: its main row, and the records of it from catalogues and references."""

    stands: Source
    works: list[Work] = field(default_factory=list)

    def named(self, provider: str) -> str:
        """Return the identifier of the work at `provider`; "" if none is known."""
        own = [work.provider_id for work in self.works if work.provider == provider]
        dois = [work.doi for work in self.works if work.doi]
        if provider == openalex.NAME:
            return next(iter([*own, *dois]), "")
        others = [work.arxiv for work in self.works] + [f"PMID:{work.pmid}" for work in self.works if work.pmid]
        found = next((one for one in [*dois, *others, *own] if one), "")
        return semantic_scholar.paper_id(found) or ""


@dataclass(frozen=True)
class LinksFound:
    """The result of looking up one work: `works` by kind of link (references, citing), and failures (provider, reason).

    A kind that no catalogue answered is missing from `works`.
    """

    works: dict[str, list[Work]] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)


async def build_network(inquiry: RunContext) -> None:
    """Build the citation network and store it with the run, if the profile asks for one.

    If there can be none, the reason is stored instead. If a catalogue fails, that is noted and the next one is asked.
    A network that was built from the same works is not built again.
    """
    if not inquiry.profile.enable_citation_network:
        return
    seeds = (await sync_to_async(seeds_of)(inquiry.run))[:PAPERS]
    key = digest([seed.stands.document for seed in seeds])[:16]
    if inquiry.run.network.get("of") == key:
        return
    names = [name for name in _MODULES if name in inquiry.catalogues and inquiry.reads_beyond_abstracts]
    why = _why_not(inquiry, seeds, names)
    answers = [] if why else await gather_all(_about(inquiry, seed, names) for seed in seeds)
    failures = _failures([one for answer in answers for one in answer.failures])
    if not any(answer.works for answer in answers):
        why = why or "No catalogue returned any citation data. This does not mean that these works have no citations."
        await inquiry.once(f"network/none/{key}", lambda: _not_drawn(inquiry, why, failures, key))
        return
    network = {**_network(seeds, answers, failures), "of": key}
    await inquiry.once(f"network/drawn/{key}", lambda: _drawn(inquiry, network))


def seeds_of(run: Run) -> list[Seed]:
    """Return the academic works of `run` that can be looked up in a catalogue, the most relevant first.

    Works with most findings come first, then those that are cited most. Web pages and retracted works are left out.
    """
    kinds = (Source.Kind.WORK, Source.Kind.REFERENCE)
    rows = list(run.sources.exclude(work={}).filter(is_passage=False).defer("text").order_by("source_id"))
    works = grouped((row.document, Work(**row.work)) for row in rows)
    gone = {row.document for row in rows if row.retracted or (row.duplicate_of_id is None and row.kind not in kinds)}
    groups = {row.document: Seed(row, works[row.document]) for row in rows if row.duplicate_of_id is None}
    findings = Counter(run.findings.filter(is_superseded=False).values_list("source__document", flat=True))

    def rank(seed: Seed) -> tuple[int, int, str]:
        document = seed.stands.document
        return -findings[document], -(seed.stands.citation_count or 0), document

    named = (seed for seed in groups.values() if any(seed.named(name) for name in _MODULES))
    return sorted((seed for seed in named if seed.stands.document not in gone), key=rank)


def _why_not(inquiry: RunContext, seeds: list[Seed], names: list[str]) -> str:
    if not inquiry.catalogues:
        return "There is no citation network: this run does not use any catalogue."
    if not inquiry.uses_model:
        return "There is no citation network: without a model, catalogues get words of the question only, no works."
    if not names:
        labels = " nor ".join(PROVIDERS[name].label for name in _MODULES)
        return f"There is no citation network: this run uses neither {labels}, which have citation data."
    if len(seeds) < LEAST:
        found = counted(len(seeds), "work") if seeds else "no work"
        return f"There is no citation network: {found} with an identifier was found, but it takes at least {LEAST}."
    return ""


async def _about(inquiry: RunContext, seed: Seed, names: list[str]) -> LinksFound:
    """Return what `seed` cites and what cites it, each from the first of the catalogues `names` that has any."""
    asked = LinksFound()
    papers = {name: paper for name in names if (paper := seed.named(name))}
    for kind in ("references", "citing"):
        for name, paper in papers.items():
            response = await _ask(inquiry, seed, kind, name, paper)
            if response["failed"]:
                asked.failures.append((name, response["failed"]))
                continue
            asked.works[kind] = [Work.model_validate(work) for work in response["works"]]
            if asked.works[kind]:
                break
    return asked


async def _ask(inquiry: RunContext, seed: Seed, kind: str, name: str, paper: str) -> Response:
    look_up: Callable[..., Awaitable[Outcome]] = getattr(_MODULES[name], kind)
    return await ask_once(
        inquiry,
        f"network/{kind}/{name}/{digest(seed.stands.document)[:16]}",
        {"provider": name, "kind": kind, "paper": paper, "limit": NEIGHBOURS},
        partial(look_up, inquiry.client, paper, NEIGHBOURS),
        partial(_record, inquiry, seed, kind, name),
    )


def _record(inquiry: RunContext, seed: Seed, kind: str, name: str, response: Response) -> None:
    title = seed.stands.title[:200]
    about = f"what “{title}” cites" if kind == "references" else f"who cites “{title}”"
    if not is_unanswered(inquiry, name, about, about, response):
        details = {"provider": name, "kind": kind, "source_id": seed.stands.source_id}
        inquiry.log(
            "supervision",
            "network_query",
            f"Asked {PROVIDERS[name].label} {about}.",
            {**details, "result_count": len(response["works"])},
        )


def _failures(failures: list[tuple[str, str]]) -> list[str]:
    """Return a sentence on each catalogue that failed, with the first reason."""
    times = Counter(name for name, _ in failures)
    first = dict(reversed(failures))
    return [
        f"{PROVIDERS[name].label} did not answer {counted(times[name], 'time')}: {first[name]}"
        for name in sorted(times)
    ]


def _network(seeds: list[Seed], answers: list[LinksFound], failures: list[str]) -> dict[str, Any]:
    """Return the network as it is stored with the run; citation_graph.py describes its keys."""
    graph = Graph()
    for seed in seeds:
        graph.plant(seed.stands, seed.works)
    for seed, answer in zip(seeds, answers, strict=True):
        for kind, works in answer.works.items():
            for work in works:
                graph.link(seed.stands.document, work, is_citing=kind == "citing")
    return {**graph.as_data(), "asked": len(seeds), "threshold": threshold(len(seeds)), "failures": failures}


def _drawn(inquiry: RunContext, network: dict[str, Any]) -> None:
    _keep(inquiry, network)
    papers, threads = network["papers"], network["threads"]
    roles = Counter(role for paper in papers for role in paper["roles"])
    sentence = (
        f"The citation network of {counted(network['asked'], 'work')} has {counted(len(papers), 'paper')}, "
        f"{counted(len(network['links']), 'link')}, {counted(len(threads), 'thread')}; "
        f"{roles['foundational']} foundational, {roles['extending']} extending."
    )
    details = {
        "asked": network["asked"],
        "papers": len(papers),
        "links": len(network["links"]),
        "threads": [{"id": thread["id"], "size": thread["size"]} for thread in threads],
        "foundational": [paper["id"] for paper in papers if "foundational" in paper["roles"]],
        "extending": [paper["id"] for paper in papers if "extending" in paper["roles"]],
        "threshold": network["threshold"],
        "left_out": network["left_out"],
        "failures": network["failures"],
    }
    inquiry.say("supervision", "network_drawn", " ".join([sentence, *network["failures"]]), details)


def _not_drawn(inquiry: RunContext, why: str, failures: list[str], of: str) -> None:
    _keep(inquiry, {"papers": [], "links": [], "threads": [], "why": why, "failures": failures, "of": of})
    inquiry.say("supervision", "network_not_drawn", " ".join([why, *failures]), {"why": why, "failures": failures})


def network_as_data(run: Run) -> dict[str, Any]:
    """Return the network for the structured output: {papers, links, threads ...}; empty if none was asked for."""
    return {name: value for name, value in run.network.items() if name != "of"}


def _keep(inquiry: RunContext, network: dict[str, Any]) -> None:
    inquiry.run.network = network
    Run.objects.filter(pk=inquiry.run.pk).update(network=network)
