"""How well the questions are covered by sources (SPEC R7).

source_adequacy: mean over answered nodes of min(1, documents / 2). domain_diversity: min(1, distinct origins /
(2 x queries)). query_completion_rate: answered / all nodes. Weights .5 / .2 / .3; enough at 0.75. The formulas
and weights are those foundry-mcp measured its runs with; unlike there, nothing completed scores 0 and is never
"sufficient".
"""

from typing import TypedDict

from research.models import Node, Run

ENOUGH = 0.75
MIN_SOURCES = 2
_WEIGHTS = {"source_adequacy": 0.5, "domain_diversity": 0.2, "query_completion_rate": 0.3}


class Coverage(TypedDict):
    source_adequacy: float
    domain_diversity: float
    query_completion_rate: float
    weakest_node: float
    overall: float


def coverage_of(run: Run) -> Coverage:
    """The scores of `run` as it stands, each 0 to 1, rounded to three places."""
    nodes = list(run.nodes.all())
    documents: dict[int, set[str]] = {node.pk: set() for node in nodes}
    for node_id, document in run.findings.values_list("node_id", "source__document"):
        documents[node_id].add(document)
    # A node that was split is answered by its parts.
    leaves = [node for node in nodes if not any(other.parent_id == node.pk for other in nodes)]
    completed = [node for node in leaves if node.state in (Node.State.ENOUGH, Node.State.GAP)]
    adequacy = [min(1.0, len(documents[node.pk]) / MIN_SOURCES) for node in completed]
    queries = sum(node.searches for node in nodes)
    origins = len(set().union(*documents.values())) if documents else 0
    scores = {
        "source_adequacy": sum(adequacy) / len(adequacy) if adequacy else 0.0,
        "domain_diversity": min(1.0, origins / (2 * queries)) if queries else 0.0,
        "query_completion_rate": len(completed) / len(leaves) if leaves else 0.0,
    }
    return Coverage(
        source_adequacy=round(scores["source_adequacy"], 3),
        domain_diversity=round(scores["domain_diversity"], 3),
        query_completion_rate=round(scores["query_completion_rate"], 3),
        weakest_node=round(min(adequacy, default=0.0), 3),
        overall=round(sum(weight * scores[name] for name, weight in _WEIGHTS.items()), 3) if origins else 0.0,
    )
