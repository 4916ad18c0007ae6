"""The engine answers every role, whatever the text, and never the event loop's thread (P7, DESIGN 9)."""

import asyncio
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from llm.engine import choose_engine
from llm.offline.engine import ROLES
from llm.roles import (
    AssessAsked,
    AssistAsked,
    BriefAsked,
    ClaimToCheck,
    DecomposeAsked,
    DigestAsked,
    DigestItem,
    DraftAsked,
    DraftFinding,
    Passage,
    ResearchAsked,
    RoleRequest,
    RouteAsked,
    RouteChild,
    Segment,
    VerifyAsked,
)
from projects.models import Project


def asked_with(question: str, text: str) -> list[RoleRequest[Any]]:
    passage = Passage(source_id="a::S1", document=text[:20], title=question, heading=text[:10], text=text)
    return [
        BriefAsked(question=question, academic=True),
        ResearchAsked(question=question, node_question=text, found=[passage], calls_left=10),
        AssessAsked(title=question, text=text),
        DecomposeAsked(question=question, node_question=text, depth=0, at_most=7, passages=[passage]),
        VerifyAsked(claims=[ClaimToCheck(id="C1", text=question, passages=[passage])]),
        RouteAsked(
            question=question,
            node_question=text,
            depth=0,
            children=[RouteChild(node_id="1.1", node_question=text, perspective=question)],
            items=[DigestItem(kind="fact", text=text, sources=["a::S1"])],
        ),
        DigestAsked(file_name="a", segments=[Segment(id="S1", text=text)]),
        DraftAsked(section_title=question, findings=[DraftFinding(content=text, cite_key="a")]),
        AssistAsked(question=question, passages=[passage]),
    ]


@settings(deadline=None)  # the first example pays for what a role loads
@given(st.text(max_size=120), st.text(max_size=200))
def test_no_text_is_too_strange(question: str, text: str) -> None:
    for asked in asked_with(question, text):
        answer = ROLES[asked.task or asked.role](asked)
        assert isinstance(answer, asked.answer)
        assert answer == ROLES[asked.task or asked.role](asked)


async def test_the_engine_of_an_installation_without_a_key_is_this_one() -> None:
    engine = choose_engine(Project())
    answer = (await engine.ask(BriefAsked(question="Does alder raise soil nitrogen?"))).answer
    assert answer.key_terms == ["alder", "soil nitrogen"]
    assert "Offline engine" in engine.label


async def test_questions_can_be_asked_at_the_same_time() -> None:
    engine = choose_engine(Project())
    answers = await asyncio.gather(*(engine.ask(BriefAsked(question=f"Does alder {n} grow?")) for n in range(8)))
    assert len(answers) == 8


async def test_an_unknown_role_is_an_error() -> None:
    class Unknown(RoleRequest[Any], role="sing"):
        pass

    with pytest.raises(LookupError):
        await choose_engine(Project()).ask(Unknown())
