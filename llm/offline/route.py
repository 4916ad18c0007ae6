"""Which notes of the person's files each part of a question is given (SPEC X5)."""

from llm.offline.digest import MUST_KEEP
from llm.offline.matching import Matcher
from llm.offline.question import read_question
from llm.offline.ranking import bm25
from llm.roles import RouteAsked, RouteChild, Routed, Routing
from text.words import content_stems, language_of

OWN = 3.0  # times the weight of a word that a part has and the question it belongs to has not


def route(asked: RouteAsked) -> Routing:
    """For each part the notes nearest to it by BM25, and each constraint. What none speaks to is left to be worked out."""
    return Routing(slices=[_slice(child, asked) for child in asked.children])


def _slice(child: RouteChild, asked: RouteAsked) -> Routed:
    text = f"{child.node_question} {child.perspective}".strip()
    question = read_question(f"{text}\n{asked.question}")
    matcher = Matcher(question)
    language = language_of(text)
    own = content_stems(text, language) - content_stems(asked.question, language)
    query = {term.stem: term.weight * (OWN if term.stem in own else 1) for term in question.all_terms}
    scores = bm25(query, [sorted(matcher.terms_in(item.text)) for item in asked.items])
    kept = [place for place, item in enumerate(asked.items) if item.kind in MUST_KEEP]
    near = sorted(
        (place for place, score in enumerate(scores) if score > 0 and place not in kept),
        key=lambda place: (-scores[place], place),
    )[: max(0, asked.at_most - len(kept))]
    reason = f"{_count(len(near), 'item')} with words of the question"
    if kept:
        reason += f", and {_count(len(kept), 'constraint')} for every question"
    items = [place + 1 for place in sorted([*kept, *near])]
    return Routed(node_id=child.node_id, items=items, reason=f"{reason}.", coverage_note="")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
