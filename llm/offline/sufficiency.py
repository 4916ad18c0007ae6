"""Sufficiency: whether a node is answered, and what is missing. No findings never count as an answer (SPEC R6, R7)."""

from llm.offline.facets import BY_KEY, asked_facets, terms_for
from llm.offline.question import Matcher, Question, phrases, read_question
from llm.roles import GapDraft, Sufficiency, SufficiencyAsked
from text.stemming import counted


def sufficiency(asked: SufficiencyAsked) -> Sufficiency:
    """Return whether a node is answered, by these rules:

    - Without findings: no, and the gap is named.
    - The root: no, if its findings cover two or more facets that can be examined separately; else yes with at least
      `min_sources` documents.
    - A part of the root: yes with at least `min_sources` documents; fewer are a gap.
    """
    question = read_question(asked.question)
    if not asked.findings:
        return Sufficiency(
            is_sufficient=False,
            reasoning="Nothing in the material at hand speaks to this.",
            gaps=[_nothing_found(question, asked.perspective)],
        )
    said = f"{counted(len(asked.findings), 'quoted sentence')} from {counted(asked.documents, 'source')}"
    thin = asked.documents < asked.min_sources
    wanted = f"; {asked.min_sources} sources are wanted" if thin else ""
    if asked.depth > 0:
        facet = BY_KEY.get(asked.perspective)
        gaps = [_too_few(question, asked, f"{facet.label}: " if facet else "")] if thin else []
        return Sufficiency(is_sufficient=not thin, reasoning=f"{said}{wanted}.", gaps=gaps)
    sides = [key for key in BY_KEY if any(finding.category == key for finding in asked.findings)]
    gaps = _gaps(question, asked, sides)
    if len(sides) >= 2:
        names = ", ".join(BY_KEY[key].label.lower() for key in sides)
        return Sufficiency(
            is_sufficient=False,
            reasoning=f"{said} on {len(sides)} sides of the question ({names}); each is worth its own look.",
            gaps=gaps,
        )
    return Sufficiency(is_sufficient=not thin, reasoning=f"{said}{wanted}.", gaps=gaps)


def _nothing_found(question: Question, perspective: str) -> GapDraft:
    facet = BY_KEY.get(perspective)
    terms = terms_for(question, perspective) if facet else phrases(question, question.terms)[:6]
    about = ", ".join(terms) or question.text.strip()[:120] or "this question"
    label = f"{facet.label.lower()} ({about})" if facet else about
    return GapDraft(
        description=f"Nothing found on: {label}", priority=1, suggested_queries=_queries(question, perspective)
    )


def _named(question: Question, key: str, contents: str) -> bool:
    """Return whether the findings name a part of the question, even under another facet."""
    return bool({term.stem for term in question.parts.get(key, ())} & Matcher(question).terms_in(contents))


def _gaps(question: Question, asked: SufficiencyAsked, sides: list[str]) -> list[GapDraft]:
    contents = "\n".join(finding.content for finding in asked.findings)
    gaps = [
        GapDraft(
            description=f"Nothing found on: {BY_KEY[key].label.lower()} ({', '.join(terms_for(question, key))})",
            priority=1 if key in ("exposure", "outcome") else 2,
            suggested_queries=_queries(question, key),
        )
        for key in asked_facets(question)
        if key not in sides and not _named(question, key, contents)
    ]
    if asked.documents < asked.min_sources:
        gaps.append(_too_few(question, asked))
    return gaps


def _too_few(question: Question, asked: SufficiencyAsked, about: str = "") -> GapDraft:
    few = f"only {counted(asked.documents, 'source')} found; a second one would show whether it holds"
    return GapDraft(
        description=f"{about}{few if about else few.capitalize()}", priority=3, suggested_queries=_queries(question, "")
    )


def _queries(question: Question, key: str) -> list[str]:
    main = [term.surface for term in (question.specific or question.terms)][:4]
    cues = BY_KEY[key].words.split()[:2] if key in BY_KEY else []
    return [query for query in dict.fromkeys([" ".join([*main, *cues]), " ".join(terms_for(question, key))]) if query]
