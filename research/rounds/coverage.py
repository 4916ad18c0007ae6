"""How well the questions are covered by sources (SPEC R7).

source_adequacy: mean over worked nodes of min(1, documents / 2). domain_diversity: min(1, distinct hosts /
(2 x queries)). query_completion_rate: worked / all nodes. source_influence, in academic mode: sum(w) / (3.5 n), where w
is 3 for 100 citations or more, 2 for 20, 1 for 5, else 0.5, and 0.5 more for a work that is cited as influential.
Weights .5 / .2 / .3, in academic mode .3 / .15 / .2 / .35; enough at 0.75. The formulas and weights are those
foundry-mcp measured its runs with; unlike there, nothing completed scores 0 and is never "sufficient".
"""

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlsplit

from research.models import Node, Run, Source

ENOUGH = 0.75
MIN_SOURCES = 2
_GENERAL = {"source_adequacy": 0.5, "domain_diversity": 0.2, "query_completion_rate": 0.3}
_ACADEMIC = {"source_adequacy": 0.3, "domain_diversity": 0.15, "query_completion_rate": 0.2, "source_influence": 0.35}
_INFLUENCE = ((100, 3.0), (20, 2.0), (5, 1.0))  # citations, weight
_UNKNOWN, _INFLUENTIAL, _MOST = 0.5, 0.5, 3.5
_RESOLVERS = {"doi.org", "dx.doi.org"}

# The scores by name, each 0 to 1, rounded to three places: those above, weakest_node and overall.
Coverage = dict[str, float]


def is_academic(run: Run) -> bool:
    return bool(run.profile_config.get("source_quality_mode") == "academic")


def coverage_of(run: Run) -> Coverage:
    """The scores of `run` as it stands, from three queries."""
    nodes = list(run.nodes.all())
    split = {node.parent_id for node in nodes}
    leaves = [node for node in nodes if node.pk not in split]  # a node that was split is answered by its parts
    worked = [node for node in leaves if node.state in (Node.State.ENOUGH, Node.State.GAP) and node.searches]
    kept = list(
        run.findings.filter(is_superseded=False).values_list("node_id", "source__document", "source__url").distinct()
    )
    documents: dict[int, set[str]] = {node.pk: set() for node in nodes}
    for node_id, document, _ in kept:
        documents[node_id].add(document)
    adequacy = [min(1.0, len(documents[node.pk]) / MIN_SOURCES) for node in worked]
    queries = sum(node.searches for node in nodes)
    hosts = {host_of(url, document) for _, document, url in kept}
    scores = {
        "source_adequacy": sum(adequacy) / len(adequacy) if adequacy else 0.0,
        "weakest_node": min(adequacy, default=0.0),
        "domain_diversity": min(1.0, len(hosts) / (2 * queries)) if queries else 0.0,
        "query_completion_rate": len(worked) / len(leaves) if leaves else 0.0,
    }
    if is_academic(run):
        scores["source_influence"] = influence(_counts(run, {document for _, document, _ in kept}))
    return {name: round(score, 3) for name, score in scores.items()} | {
        "overall": _overall(run, scores, bool(worked and hosts))
    }


def _overall(run: Run, scores: Coverage, anything: bool) -> float:
    weights = _ACADEMIC if is_academic(run) else _GENERAL
    return round(sum(weight * scores[name] for name, weight in weights.items()), 3) if anything else 0.0


def host_of(url: str, document: str) -> str:
    """Where a source comes from: the host of its address, a DOI's registrant, a file or reference by itself."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:  # a catalogue's idea of an address
        return document
    if host in _RESOLVERS:
        return f"doi:{parts.path.strip('/').partition('/')[0]}"
    return host or document


def influence(counts: Iterable[tuple[int | None, bool]]) -> float:
    """source_influence of works, each given by how often it is cited (None: nobody counts) and whether influentially."""
    weights = [
        next((weight for least, weight in _INFLUENCE if (cited or 0) >= least), _UNKNOWN)
        + (_INFLUENTIAL if influential else 0.0)
        for cited, influential in counts
    ]
    return sum(weights) / (_MOST * len(weights)) if weights else 0.0


def _counts(run: Run, documents: set[str]) -> list[tuple[int | None, bool]]:
    """The citation counts of the works among `documents`; uploaded files are nobody's publication."""
    rows: Iterable[tuple[str, int | None, dict[str, Any]]] = (
        run.sources.distinct_works()
        .exclude(kind=Source.Kind.FILE)
        .order_by("-id")
        .values_list("document", "citation_count", "work")
    )
    counts = {
        document: (cited, bool(work.get("influential_citation_count")))
        for document, cited, work in rows
        if document in documents
    }
    return list(counts.values())
