"""Extraction of findings from passages: whole sentences, verbatim (SPEC R7, R13)."""

from collections.abc import Sequence

from core.grouping import grouped
from llm.offline.contradictions import contradictions
from llm.offline.facets import BY_KEY, facet_of
from llm.offline.question import read_question
from llm.offline.ranking import chosen, says_the_same, scored
from llm.offline.relevance import Candidate, candidates
from llm.roles import CondenseAsked, Condensed, FindingDraft, Passage
from text.stemming import counted

CONTRADICTIONS = 6


def condense(asked: CondenseAsked) -> Condensed:
    """Return the sentences that answer the question; only those of one facet if `perspective` is the key of a facet.

    The run's question decides whether a text is on the topic, so that sub-questions do not drift. Contradictions are
    searched only at a node without a facet, which has the sentences of all facets.
    """
    question = read_question(asked.question)
    found = candidates(question, asked.passages)
    facets = [facet_of(question, each.sentence, each.shared) for each in found]
    scores = scored(question, found)
    kept = chosen(found, scores, asked.at_most, facets)
    if asked.perspective in BY_KEY:
        kept = _of_facet(asked, found, scores, facets, kept)
    findings = [
        FindingDraft(
            content=found[i].sentence.words,
            source_id=found[i].passage.source_id,
            quote=found[i].sentence.text,
            confidence=round(0.95 * scores[i] / (scores[i] + 1.0), 2),  # of its relevance, 0 to 0.95
            category=facets[i],
        )
        for i in kept
    ]
    opposed = [] if asked.perspective in BY_KEY else contradictions(question, found)[:CONTRADICTIONS]
    sources = len({found[i].passage.document for i in kept})
    return Condensed(
        findings=findings,
        contradictions=opposed,
        summary=f"{counted(len(kept), 'sentence')} quoted from {counted(sources, 'source')}."
        if kept
        else "Nothing in these passages speaks to the question.",
    )


def _of_facet(
    asked: CondenseAsked, found: Sequence[Candidate], scores: Sequence[float], facets: Sequence[str], root: list[int]
) -> list[int]:
    """Return the positions of the facet's sentences: first those that the parent node, which has all facets, left out.

    So a facet with many sentences adds new ones; sentences already quoted by the parent fill the remaining space.
    """
    of_facet = [i for i, facet in enumerate(facets) if facet == asked.perspective]
    left_out = [i for i in of_facet if not any(i == j or says_the_same(found[i], found[j]) for j in root)]
    kept = [left_out[i] for i in chosen([found[i] for i in left_out], [scores[i] for i in left_out], asked.at_most)]
    again = [i for i in of_facet if i in root][: max(0, asked.at_most - len(kept))]
    return sorted([*again, *kept], key=lambda i: (-scores[i], found[i].order))


def evidence_by_facet(question_text: str, passages: Sequence[Passage]) -> dict[str, list[Candidate]]:
    """Return the quotable sentences of each facet that has any, in reading order."""
    question = read_question(question_text)
    return grouped(
        (facet_of(question, candidate.sentence, candidate.shared), candidate)
        for candidate in candidates(question, passages)
    )
