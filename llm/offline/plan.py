"""Planning: the brief, search queries, and splitting a question into sub-questions (SPEC R3, R4, R5)."""

import re
from collections.abc import Iterable
from itertools import pairwise, zip_longest

from core.grouping import first_values
from llm.offline.condense import evidence_by_facet
from llm.offline.facets import BY_KEY, FACETS, OTHER, terms_for
from llm.offline.question import Question, Term, phrases, read_question
from llm.roles import (
    Act,
    Brief,
    BriefAsked,
    DecomposeAsked,
    Decomposition,
    Directive,
    ResearchAsked,
)
from text.stemming import content_stems, equivalents_of, kin_words, narrower_words

BATCH = 10  # queries per batch (R5)
CUES = 24  # cue words of a facet in a query
KIN_QUERIES = 2
KIN_WORDS = 20  # in a query
PARTS = 6  # children of a node
SOURCE_TYPES = (
    "peer-reviewed articles",
    "systematic reviews",
    "books",
    "preprints",
    "technical reports",
    "blogs, news and wikis last",
)
_SCOPE_LABELS = {
    "disciplinary_scope": "Disciplines",
    "time_period": "Time period",
    "methodology_preferences": "Methods",
    "population": "Population or level",
    "source_type_hierarchy": "Source types, best first",
}


# brief


def brief(asked: BriefAsked) -> Brief:
    """Return the question in the first person with its key terms, without claims (R3)."""
    question = read_question(asked.question)
    terms = phrases(question, question.terms)
    wanted = " ".join(asked.question.split()).strip() or "what my files and references hold"
    ending = "" if wanted.endswith("?") else "."
    lines = [f"I am looking for what my sources say on this: {wanted.rstrip('.')}{ending}"]
    lines += [f"The terms that matter are {_listed(terms)}."] if terms else []
    boundaries = _boundaries(asked, question)
    preferences: list[str] = []
    if asked.academic:
        preferences = asked.scope.get("source_type_hierarchy") or list(SOURCE_TYPES)
        lines += [f"{boundary}." for boundary in boundaries]
        lines.append(f"I prefer sources in this order: {', '.join(preferences)}.")
    return Brief(text=" ".join(lines), scope_boundaries=boundaries, source_preferences=preferences, key_terms=terms)


def _boundaries(asked: BriefAsked, question: Question) -> list[str]:
    scope = dict(asked.scope)
    if asked.academic:
        scope.setdefault("time_period", ["seminal work of any age and the last 5 to 10 years"])
        who = (term for term in question.parts.get("population", ()) if term.kind != "generic")
        scope.setdefault("population", phrases(question, who))
    return [
        f"{_SCOPE_LABELS.get(name, name.replace('_', ' ').capitalize())}: {', '.join(values)}"
        for name, values in scope.items()
        if values and name != "source_type_hierarchy"
    ]


def _listed(words: list[str]) -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


# research


def research(asked: ResearchAsked) -> Act:
    """Return a first batch of queries; afterwards only queries that the last results suggest, else the end (R5)."""
    first = not asked.asked_before
    queries = _first_queries(asked) if first else _abbreviation_queries(asked) if asked.new_last_turn else []
    fresh = _fresh(queries, asked.asked_before)[:BATCH]
    if fresh and asked.calls_left <= 0:
        return Act(tool="research_complete", thought="The calls of this question are used up.")
    if fresh := fresh[: asked.calls_left]:
        thought = (
            "Looking for the key terms, their parts and other words for them."
            if first
            else "The last passages use abbreviations for the key terms; looking for those too."
        )
        return Act(tool="web_search", thought=thought, queries=fresh)
    return Act(tool="research_complete", thought="" if first else "The last search brought no new words to look for.")


def _first_queries(asked: ResearchAsked) -> list[str]:
    question = read_question(asked.question)
    surfaces = [term.surface for term in question.specific or question.terms]
    first: list[str] = []
    if asked.perspective in BY_KEY:
        first = [*surfaces[:3], *BY_KEY[asked.perspective].words.split()[:CUES]]
    elif asked.node_question != asked.question:
        first = [term.surface for term in read_question(asked.node_question).terms]
    return [
        " ".join(first),
        " ".join(phrases(question, question.terms)),
        " ".join(surfaces),
        " ".join(term.surface for term in question.terms),
        *_kin_queries(question),
        *(_other_words(term) for term in question.terms if term.kind != "generic"),
        *(" ".join(phrases(question, part)) for part in question.parts.values()),
        *surfaces,
        *asked.key_terms,
    ]


def _kin_queries(question: Question) -> list[str]:
    """Return queries of related words, to find notes that use other words than the question.

    Terms contribute words in turn until the queries are full.
    """
    lists = [kin_words(term.stem) for term in question.terms if term.kind != "generic"]
    lists += [kin_words(f"{left.stem} {right.stem}") for left, right in pairwise(question.terms)]
    lists.append(tuple(word for term in question.terms if term.kind == "generic" for word in kin_words(term.stem)))
    in_turn = (word for words in zip_longest(*lists) for word in words if word)
    words = list(dict.fromkeys(in_turn))[: KIN_QUERIES * KIN_WORDS]
    return [" ".join(words[first : first + KIN_WORDS]) for first in range(0, len(words), KIN_WORDS)]


def _other_words(term: Term) -> str:
    return " ".join([*equivalents_of(term.surface)[:6], *narrower_words(term.stem)[:6]])


_DEFINED = re.compile(r"\(([A-Z][A-Za-z]?[A-Z0-9][A-Z0-9-]{0,5})\)")


def _abbreviation_queries(asked: ResearchAsked) -> list[str]:
    """Return abbreviations that passages define after a key term: "respiratory distress syndrome (ARDS)"."""
    question = read_question(asked.question)
    wanted = {term.stem for term in question.specific}
    return list(
        dict.fromkeys(
            match.group(1)
            for passage in asked.found
            for match in _DEFINED.finditer(passage.text)
            if wanted & content_stems(passage.text[max(0, match.start() - 60) : match.start()], question.language)
        )
    )


def _fresh(queries: Iterable[str], before: Iterable[str]) -> list[str]:
    known = {"", *(query.casefold() for query in before)}
    tidied = (" ".join(query.split()) for query in queries)
    fresh = first_values((tidy.casefold(), tidy) for tidy in tidied)
    return [tidy for small, tidy in fresh.items() if small not in known]


# decompose


def decompose(asked: DecomposeAsked) -> Decomposition:
    """Return one sub-question for each facet that the passages can answer, best answered first (R4)."""
    question = read_question(asked.question)
    evidence = evidence_by_facet(asked.question, asked.passages)
    answerable = [facet for facet in FACETS if facet.key in evidence and facet.key != asked.perspective]
    if asked.perspective in BY_KEY or len(answerable) < 2:
        return Decomposition(directives=[], rationale=_no_split(asked.perspective, evidence.keys()))
    # Best answered first: sentences with figures count twice.
    answerable.sort(key=lambda facet: -sum(2.0 if one.figures else 1.0 for one in evidence[facet.key]))
    answerable = answerable[: min(PARTS, max(0, asked.at_most))]
    directives = [
        Directive(
            topic=facet.label,
            question=f"{facet.label}: {facet.asks.format(terms=', '.join(terms_for(question, facet.key)) or 'this')}",
            perspective=facet.key,
            priority=_priority(facet.key, question),
            evidence_needed=facet.evidence,
        )
        for facet in answerable
    ]
    names = _listed([facet.label.lower() for facet in answerable])
    return Decomposition(
        directives=directives,
        rationale=f"The passages found speak to {len(answerable)} sides of the question: {names}." if names else "",
    )


def _priority(key: str, question: Question) -> int:
    return (
        1 if key == "outcome" or key in question.parts else 2 if key in ("comparison", "exposure", "population") else 3
    )


def _no_split(perspective: str, facets: Iterable[str]) -> str:
    if perspective in BY_KEY:
        return "This question is one side of the whole and is not split further."
    known = [BY_KEY[key].label.lower() for key in facets if key != OTHER]
    if known:
        return f"The passages found speak to one side of the question only ({known[0]}), so it is not split."
    return "The passages found speak to no side of the question, so it is not split."
