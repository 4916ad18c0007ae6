"""How well the questions of a run are covered by sources (SPEC R7, docs/decisions/supervision.md).

Coverage is measured against the Q questions of the plan (the whole question, where it was not split). They are fixed
once the plan is, so new findings can only raise a score, and asking more questions lowers none.

- source_adequacy: mean over the questions of min(1, documents with a finding / 2).
- domain_diversity: min(1, distinct origins / wanted), where wanted is Q, but at least 3.
- query_completion_rate: worked questions / Q. A question whose searches all failed does not count as worked.
- source_influence, in academic mode: sum of the weights of the `wanted` weightiest works / (1.5 x wanted), at most 1. A
  weight is 3 for 100 citations or more, 2 for 20, 1 for 5, else 0.5, plus 0.5 for a work cited as influential.

Findings of a later round count for the questions whose gaps it was asked to fill. Weights: .5 / .2 / .3, in academic
mode .3 / .15 / .2 / .35; enough is 0.75. Without a worked question and a source with a finding, the overall score is 0.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from research.models import Node, Run

ENOUGH = 0.75
MIN_SOURCES = 2  # documents that a question needs
FEWEST = 3  # origins and weighed works that are wanted, however few questions there are
_GENERAL = {"source_adequacy": 0.5, "domain_diversity": 0.2, "query_completion_rate": 0.3}
_ACADEMIC = {"source_adequacy": 0.3, "domain_diversity": 0.15, "query_completion_rate": 0.2, "source_influence": 0.35}
_INFLUENCE = ((100, 3.0), (20, 2.0), (5, 1.0))  # citations, weight
_UNKNOWN, _INFLUENTIAL = 0.5, 0.5
_WEIGHTY = 1.5  # mean weight of the works that gives the full score


# Scores by name, each 0 to 1, rounded to three places: those above, weakest_node and overall.
Coverage = dict[str, float]
Counts = tuple[int | None, bool]  # citations of a work (None: unknown), and whether any of them is influential


@dataclass
class Question:
    """The documents found for one question of the plan: by itself, its parts, and questions that fill its gaps."""

    worked: bool = False
    documents: set[str] = field(default_factory=set)


class Found(NamedTuple):
    """Where the findings of a run come from: documents, their origins, and how often each work is cited."""

    documents: Set[str]
    origins: Set[str]
    counts: Sequence[Counts]


def is_academic(run: Run) -> bool:
    """Return whether `run` is in academic mode."""
    return bool(run.profile_config.get("source_quality_mode") == "academic")


def coverage_of(run: Run) -> Coverage:
    """Return the current scores of `run`, from three queries."""
    nodes = list(run.nodes.all())
    findings = list(run.findings.filter(is_superseded=False).values_list("node_id", "source_id", "source__document"))
    questions = _questions(run, nodes, [(node, document) for node, _, document in findings])
    found = _found(run, {pk for _, pk, _ in findings}, {document for *_, document in findings})
    return scores_of(questions, found, academic=is_academic(run))


def scores_of(questions: Sequence[Question], found: Found, *, academic: bool) -> Coverage:
    """Return the scores of a run from the questions of its plan and the sources of its findings."""
    wanted = max(FEWEST, len(questions))
    adequacy = [min(1.0, len(one.documents) / MIN_SOURCES) for one in questions]
    scores = {
        "source_adequacy": sum(adequacy) / len(adequacy) if adequacy else 0.0,
        "weakest_node": min(adequacy, default=0.0),
        # Two sites with texts of the same work count as one origin.
        "domain_diversity": min(1.0, len(found.origins) / wanted, len(found.documents) / wanted),
        "query_completion_rate": sum(one.worked for one in questions) / len(questions) if questions else 0.0,
    }
    if academic:
        scores["source_influence"] = influence(found.counts, wanted)
    scores["overall"] = 0.0
    if found.documents and any(one.worked for one in questions):
        weights = _ACADEMIC if academic else _GENERAL
        scores["overall"] = sum(weight * scores[name] for name, weight in weights.items())
    return {name: round(score, 3) for name, score in scores.items()}


def _questions(run: Run, nodes: Iterable[Node], found: Iterable[tuple[int, str]]) -> list[Question]:
    """Return the questions of the plan with their documents; `found` are pairs of node and document of a finding."""
    numbers = {node.pk: node.number for node in nodes}
    plan = {node.number: Question() for node in nodes if node.depth == 1 and node.round == 1} or {"1": Question()}
    asked = {number: ids for row in run.rounds for number, ids in row.get("asked", {}).items()}
    for node in nodes:
        if node.state in (Node.State.ENOUGH, Node.State.GAP) and (node.searches or node.repeats):
            for number in _answers(node.number, plan, asked):
                plan[number].worked = True
    for node_id, document in found:
        for number in _answers(numbers[node_id], plan, asked):
            plan[number].documents.add(document)
    return list(plan.values())


def _answers(number: str, plan: Mapping[str, Question], asked: Mapping[str, list[str]]) -> Set[str]:
    """Return the numbers of the plan's questions that question `number` belongs to or fills gaps of.

    The id of a gap (G1.2-1) or contradiction (D1.2-1) contains the number of its question.
    """
    ahead, seen, found = [number], set[str](), set[str]()
    while ahead:
        if (one := ahead.pop()) in seen:
            continue
        seen.add(one)
        of = next((known for known in plan if f"{one}.".startswith(f"{known}.")), None)
        if of is not None:
            found.add(of)
        else:
            ahead += [id[1:].rpartition("-")[0] for id in asked.get(one, [])]
    return found


def _found(run: Run, rows: Set[int], documents: Set[str]) -> Found:
    """Return the sources of the findings: `rows` are keys of the sources, `documents` the documents they belong to.

    Citation counts are taken from all records of a work.
    """
    origins: set[str] = set()
    counts: dict[str, Counts] = {}
    for pk, document, url, csl, cited, work in run.sources.filter(document__in=documents).values_list(
        "pk", "document", "url", "csl", "citation_count", "work"
    ):
        if pk in rows:
            origins.add(origin_of(url, document, csl))
        known, influential = counts.get(document, (None, False))
        most = max((one for one in (known, cited) if one is not None), default=None)
        counts[document] = most, influential or bool(work.get("influential_citation_count"))
    return Found(documents, origins, list(counts.values()))


def origin_of(url: str, document: str, csl: Mapping[str, Any]) -> str:
    """Return where a source comes from: the journal or book it was published in, else as `host_of`."""
    venue = csl.get("container-title")
    named = " ".join(venue.casefold().split()) if isinstance(venue, str) else ""
    return named or host_of(url, document)


def host_of(url: str, document: str) -> str:
    """Return the host of an address, for a DOI its registrant; a file or reference without address is its own host."""
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").removeprefix("www.")
    except ValueError:  # a catalogue sent an invalid address
        return document
    return f"doi:{parts.path.strip('/').partition('/')[0]}" if host in ("doi.org", "dx.doi.org") else host or document


def influence(counts: Iterable[Counts], wanted: int = FEWEST) -> float:
    """Return source_influence from the `wanted` weightiest works, so that one more work never lowers it."""
    weights = sorted(map(_weight, counts), reverse=True)[:wanted]
    return min(1.0, sum(weights) / (_WEIGHTY * wanted))


def _weight(counts: Counts) -> float:
    cited, influential = counts
    weight = next((weight for least, weight in _INFLUENCE if (cited or 0) >= least), _UNKNOWN)
    return weight + (_INFLUENTIAL if influential else 0.0)
