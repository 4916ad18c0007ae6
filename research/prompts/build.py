"""Building the prompt of each role of a run (SPEC R3 to R11; DESIGN 15).

The person's question and what follows from it are the task. Everything that was read, and everything written from it,
is data: it stands between the lines of `fenced`, one JSON object per line, so that no text can pass itself off as
another source. Material that several calls share is the context, which is cached; the current question comes last.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Any

from pydantic import BaseModel

from contextfiles.prompts import aggregate_prompt
from llm.prompt import Prompt, fenced
from llm.roles import (
    AssessAsked,
    AssistAsked,
    BriefAsked,
    ClaimToCheck,
    CondenseAsked,
    DecomposeAsked,
    Faulty,
    Passage,
    RepairAsked,
    ResearchAsked,
    RoleRequest,
    RouteAsked,
    SufficiencyAsked,
    SynthesizeAsked,
    VerifyAsked,
)
from research.prompts.instructions import (
    ASSESS,
    ASSIST,
    BRIEF,
    BRIEF_ACADEMIC,
    COMMON,
    CONDENSE,
    CONDENSE_ACADEMIC,
    DECOMPOSE,
    DECOMPOSE_ACADEMIC,
    REPAIR,
    RESEARCH,
    RESEARCH_ACADEMIC,
    RESEARCH_CITATIONS,
    RESEARCH_TECHNICAL,
    REVIEW,
    ROUTE,
    SUFFICIENCY,
    SUFFICIENCY_ACADEMIC,
    SYNTHESIZE,
    SYNTHESIZE_ACADEMIC,
    VERIFY,
)

NOTES = "notes from the person's files"
GAPS = "gaps named so far"
GLANCE = 300  # characters of a passage that the researcher sees, enough to tell what it is


def prompt_for(asked: RoleRequest[Any], *, academic: bool = False) -> Prompt:
    """Return the prompt for `asked`. Raise LookupError for a role that is not one of a run's own."""
    return _PROMPTS[asked.task or asked.role](asked, academic)


def research(asked: ResearchAsked, *, mode: str, has_citations: bool, today: date) -> Prompt:
    """Return the opening of a researcher's conversation; tool calls and their results follow (R5)."""
    of_mode = {"academic": RESEARCH_ACADEMIC, "technical": RESEARCH_TECHNICAL}.get(mode)
    return Prompt(
        system=(COMMON, RESEARCH, *([RESEARCH_CITATIONS] if has_citations else []), *([of_mode] if of_mode else [])),
        user=_user(
            *_node(asked),
            *([f"Key terms: {_json(asked.key_terms)}"] if asked.key_terms else []),
            f"Calls left: {asked.calls_left}",
            f"Today: {today.isoformat()}",
            "Begin.",
        ),
    )


def glances(passages: Iterable[Passage]) -> str:
    """Return the results of a search for the researcher: the beginning of each passage."""
    return _lines(passage.model_copy(update={"text": passage.text[:GLANCE]}) for passage in passages)


def brief(asked: BriefAsked, academic: bool) -> Prompt:
    """Return the prompt for a Brief: the question in the first person, its boundaries and its terms (R3)."""
    return Prompt(
        system=_rules(BRIEF, BRIEF_ACADEMIC, academic),
        context=_given(NOTES, asked.digest),
        user=_user(
            _line("Question", asked.question),
            f"Today: {asked.today}",
            *([f"Fixed by the person: {_json(asked.scope)}"] if academic and asked.scope else []),
            "Write the brief.",
        ),
    )


def decompose(asked: DecomposeAsked, academic: bool) -> Prompt:
    """Return the prompt for a Decomposition: at most `at_most` narrower questions, or none, and the reason (R4)."""
    return Prompt(
        system=_rules(DECOMPOSE, DECOMPOSE_ACADEMIC, academic),
        context=(*_given(NOTES, asked.digest), *_passages(asked.passages)),
        user=_user(
            *_node(asked),
            f"Depth: {asked.depth}",
            f"Today: {asked.today}",
            *([fenced("the brief", asked.brief)] if asked.brief else []),
            *_given(GAPS, asked.gaps),
            f"Split it into at most {asked.at_most} questions.",
        ),
    )


def route(asked: RouteAsked, academic: bool) -> Prompt:
    """Return the prompt for a Routing: the numbers of each question's notes, and why (X5). The same in every mode."""
    notes = ({"number": number, **item.model_dump()} for number, item in enumerate(asked.items, start=1))
    return Prompt(
        system=(COMMON, ROUTE),
        context=(fenced(NOTES, _lines(notes)),),
        user=_user(
            _line("Question", asked.question),
            *([_line("Current question", asked.node_question)] if asked.depth else []),
            f"Depth: {asked.depth}",
            fenced("its parts", _lines(asked.children)),
            *_given(GAPS, asked.gaps),
            f"Choose at most {asked.at_most} notes for each of the {len(asked.children)} questions.",
        ),
    )


def condense(asked: CondenseAsked, academic: bool) -> Prompt:
    """Return the prompt for a Condensed: findings with quotes that are in their passages, and contradictions (R7)."""
    return Prompt(
        system=_rules(CONDENSE, CONDENSE_ACADEMIC, academic),
        context=_passages(asked.passages),
        user=_user(*_node(asked), f"Draw at most {asked.at_most} findings."),
    )


def assess(asked: AssessAsked, academic: bool) -> Prompt:
    """Return the prompt for an Assessment: notes on a study's methods with quotes (R15). The same in every mode."""
    return Prompt(
        system=(COMMON, ASSESS),
        user=_user(
            fenced("the study", _json({"title": asked.title, "authors": asked.authors, "year": asked.year})),
            fenced("its abstract only" if asked.is_abstract else "the beginning of its text", asked.text),
            "Note how it was made.",
        ),
    )


def sufficiency(asked: SufficiencyAsked, academic: bool) -> Prompt:
    """Return the prompt for a Sufficiency: whether the node is answered, why, and what is missing (R6, R7)."""
    return Prompt(
        system=_rules(SUFFICIENCY, SUFFICIENCY_ACADEMIC, academic),
        context=_given(NOTES, asked.digest),
        user=_user(
            *_node(asked),
            f"Depth: {asked.depth}",
            f"Different documents behind the findings: {asked.documents}; asked for: {asked.min_sources}",
            fenced("findings", _lines(asked.findings)),
            *_given(GAPS, asked.gaps),
            "Is it answered?",
        ),
    )


def synthesize(asked: SynthesizeAsked, academic: bool) -> Prompt:
    """Return the prompt for a Synthesis: Markdown for each heading key, findings cited as [[F1.2-3]] (R9, R10)."""
    rules = _rules(SYNTHESIZE, SYNTHESIZE_ACADEMIC, academic)
    return Prompt(
        system=(*rules, REVIEW) if asked.query_type == "literature_review" else rules,
        context=(
            *_given(NOTES, asked.digest),
            fenced("findings", _lines(asked.findings)),
            *_given("contradictions", asked.contradictions),
            *_given("gaps", asked.gaps),
        ),
        user=_user(
            _line("Question", asked.question),
            fenced("the brief", asked.brief),
            f"Kind of report: {asked.query_type.replace('_', ' ')}",
            f"Headings, one JSON object a line:\n{_lines(asked.headings)}",
            "Write the report.",
        ),
    )


def verify(asked: VerifyAsked, academic: bool) -> Prompt:
    """Return the prompt for a Verification: a verdict on each claim by its passages (R11). The same in every mode."""
    return _of_sentences(VERIFY, "claims", asked.claims, "verdicts")


def repair(asked: RepairAsked, academic: bool) -> Prompt:
    """Return the prompt for corrections: one for each sentence, empty without support (R11). The same in every mode."""
    return _of_sentences(REPAIR, "sentences", asked.sentences, "corrections")


def assist(asked: AssistAsked, academic: bool) -> Prompt:
    """Return the prompt for an answer: sentences that each name a finding, or none (R17). The same in every mode."""
    return Prompt(
        system=(COMMON, ASSIST),
        context=(fenced("findings", _lines(asked.passages) or "None."),),
        user=_user(_line("Question", asked.question), "Answer it."),
    )


_PROMPTS: dict[str, Callable[[Any, bool], Prompt]] = {
    "brief": brief,
    "decompose": decompose,
    "route": route,
    "condense": condense,
    "assess": assess,
    "sufficiency": sufficiency,
    "synthesize": synthesize,
    "repair": repair,
    "verify": verify,
    "assist": assist,
    "aggregate": lambda asked, _: aggregate_prompt(asked),
}


def _rules(general: str, more: str, academic: bool) -> tuple[str, ...]:
    return (COMMON, general, more) if academic else (COMMON, general)


def _node(asked: DecomposeAsked | ResearchAsked | CondenseAsked | SufficiencyAsked) -> list[str]:
    # `evidence_needed` is empty outside academic mode (research/supervision/question_tree.py): the general prompts stay
    # the same (R3).
    needed = "" if isinstance(asked, DecomposeAsked) else asked.evidence_needed
    return [
        _line("Question", asked.question),
        _line("Current question", asked.node_question),
        *([_line("Perspective", asked.perspective)] if asked.perspective else []),
        *([_line("Evidence needed", needed)] if needed else []),
    ]


def _of_sentences(rules: str, called: str, asked: Sequence[ClaimToCheck | Faulty], wanted: str) -> Prompt:
    """Return the prompt on sentences of a report, with each cited passage once.

    `called` is the name of the sentences, `wanted` of what is asked for.
    """
    passages = {passage.source_id: passage for one in asked for passage in one.passages}
    lines = _lines(
        {**one.model_dump(exclude={"passages"}), "source_ids": [passage.source_id for passage in one.passages]}
        for one in asked
    )
    return Prompt(
        system=(COMMON, rules),
        context=_passages(passages.values()),
        user=_user(fenced(called, lines), f"Give {len(asked)} {wanted}."),
    )


def _given(name: str, things: Sequence[BaseModel | str]) -> tuple[str, ...]:
    """Return the material under that name; empty when there is none."""
    return (fenced(name, _lines(things)),) if things else ()


def _passages(passages: Iterable[Passage]) -> tuple[str, ...]:
    return (fenced("passages", _lines(passages) or "None."),)


def _user(*said: str) -> str:
    return "\n".join(said)


def _line(label: str, text: str) -> str:
    return f"{label}: {' '.join(text.split())}"


def _lines(things: Iterable[BaseModel | dict[str, Any] | str]) -> str:
    return "\n".join(
        _json(thing.model_dump(exclude_defaults=True) if isinstance(thing, BaseModel) else thing) for thing in things
    )


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
