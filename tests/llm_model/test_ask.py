"""Asking the model: the request it gets, and the answer, usage and cost that come back (SPEC T4, DESIGN 12)."""

import asyncio
import json
from decimal import Decimal
from typing import Any

import pytest

from llm.claude import ClaudeEngine
from llm.prompt import Prompt
from llm.roles import Brief, CondenseAsked, Condensed, Passage, SectionDraft, Synthesis, SynthesizeAsked
from tests.llm_model.conftest import BRIEF, KEY, PROMPT, QUESTION
from tests.servers.messages import Service, model_answer

NOTHING = {"findings": [], "contradictions": [], "gaps": [], "summary": ""}


async def test_the_answer_comes_with_what_it_cost(engine: ClaudeEngine, service: Service) -> None:
    service.says(
        answer=BRIEF,
        usage={
            "input_tokens": 1000,
            "output_tokens": 500,
            "cache_read_input_tokens": 2000,
            "cache_creation_input_tokens": 400,
        },
    )
    answered = await engine.ask(QUESTION, prompt=PROMPT)
    assert answered.answer == Brief(**BRIEF)
    (usage,) = answered.usages
    assert (usage.role, usage.model, usage.stop_reason) == ("brief", "claude-opus-5-5", "end_turn")
    assert usage.request_id == "req_1"
    assert not usage.is_estimate
    # 1000 x 4 + 500 x 20 + 2000 x 0.20 + 400 x 5 dollars per million
    assert usage.cost_usd == Decimal("0.0164")
    assert usage.tokens == 3900


async def test_the_schema_is_one_the_service_understands(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=NOTHING)
    passage = Passage(source_id="a", document="a", title="a", text="a")
    asked = CondenseAsked(question="q", node_question="q", passages=[passage])
    assert (await engine.ask(asked, prompt=PROMPT)).answer == Condensed()
    request = service.requests[0]
    assert request["model"] == "claude-haiku-5-5"
    form = request["output_config"]["format"]
    assert form["type"] == "json_schema"
    finding = form["schema"]["properties"]["findings"]["items"]
    assert finding["additionalProperties"] is False
    assert finding["required"] == ["content", "source_id", "quote", "confidence", "category"]
    assert finding["properties"]["confidence"] == {"type": "number", "description": "(maximum: 1, minimum: 0)"}
    assert "$ref" not in json.dumps(form)


async def test_an_endpoint_that_cannot_stream_is_understood(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=BRIEF, streams=False)
    answered = await engine.ask(QUESTION, prompt=PROMPT)
    assert answered.answer == Brief(**BRIEF)
    assert answered.usages[0].output_tokens == 10


@pytest.mark.parametrize(
    "written",
    [
        "Here it is:\n```json\n{}\n```\nI hope that helps {you}.",
        '<think>A draft: {{"text": "no"}} </think>\n{}',
        'A thought without a beginning {{"a": 1}}</think>{}',
        "{} That is all.",
    ],
)
async def test_wrapping_is_tolerated(engine: ClaudeEngine, service: Service, written: str) -> None:
    service.says(
        written.replace("{{", "\x01")
        .replace("}}", "\x02")
        .replace("{}", json.dumps(BRIEF))
        .replace("\x01", "{")
        .replace("\x02", "}")
    )
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)
    assert len(service.requests) == 1


async def test_thinking_is_not_the_answer(engine: ClaudeEngine, service: Service) -> None:
    service.replies.append(model_answer(answer=BRIEF))
    service.replies[0].content.insert(0, {"type": "thinking", "thinking": json.dumps(NOTHING), "signature": "s"})  # type: ignore[union-attr]
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)


async def test_the_words_of_a_long_answer_are_shown_as_they_come(engine: ClaudeEngine, service: Service) -> None:
    drafts = [
        SectionDraft(key="a", body="Alder \u201craises\u201d\nnitrogen. \U0001f332"),
        SectionDraft(key="b", body="More."),
    ]
    service.says(answer=Synthesis(title="Alder", sections=drafts).model_dump(), seconds=0.001)
    shown: list[tuple[str, int]] = []

    async def on_text(text: str, attempt: int) -> None:
        shown.append((text, attempt))

    asked = SynthesizeAsked(question="q", brief="b", query_type="explanation", headings=[], findings=[])
    answered = await engine.ask(asked, prompt=PROMPT, on_text=on_text)
    assert answered.answer.sections == drafts
    assert "".join(text for text, _ in shown) == f"Alder\n\n{drafts[0].body}\n\nMore."
    assert {attempt for _, attempt in shown} == {1}
    assert len(shown) > 2


async def test_an_error_in_showing_words_is_the_callers_own(engine: ClaudeEngine, service: Service) -> None:
    """It is neither taken for a trouble of the service nor tried again."""
    service.says(answer={"title": "Alder", "sections": []})

    async def on_text(text: str, attempt: int) -> None:
        raise ValueError("no room")

    asked = SynthesizeAsked(question="q", brief="b", query_type="explanation", headings=[], findings=[])
    with pytest.raises(ValueError, match="no room"):
        await engine.ask(asked, prompt=PROMPT, on_text=on_text)
    assert len(service.requests) == 1


async def test_rules_and_long_material_are_marked_for_the_cache(engine: ClaudeEngine, service: Service) -> None:
    """SPEC T4: at most four marks, where later calls find them."""
    service.says(answer=BRIEF)
    prompt = Prompt(
        system=("Common rules.", "Rules of the role."),
        context=("short", "a" * 5000, "b" * 5000, "c" * 5000),
        user="Go on.",
    )
    await engine.ask(QUESTION, prompt=prompt)
    request = service.requests[0]
    marked = [block for block in [*request["system"], *request["messages"][0]["content"]] if "cache_control" in block]
    assert [block["text"][:5] for block in marked] == ["Rules", "aaaaa", "bbbbb", "ccccc"]
    assert [block["text"] for block in request["messages"][0]["content"]][-1] == "Go on."


async def test_short_prompts_mark_all_rules(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    assert all("cache_control" in block for block in service.requests[0]["system"])


async def test_twenty_questions_at_once(engine: ClaudeEngine, service: Service) -> None:
    def answer(request: dict[str, Any]) -> Any:
        number = request["messages"][0]["content"][-1]["text"]
        return model_answer(answer={**BRIEF, "text": number}, seconds=0.01)

    service.otherwise = answer
    async with engine:
        answered = await asyncio.gather(
            *(engine.ask(QUESTION, prompt=Prompt(system=("s",), user=f"number {n}")) for n in range(20))
        )
    assert [one.answer.text for one in answered] == [f"number {n}" for n in range(20)]
    assert service.most_at_once > 5
    assert len({usage.id for one in answered for usage in one.usages}) == 20


async def test_the_key_goes_to_the_service_and_nowhere_else(engine: ClaudeEngine, service: Service) -> None:
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    assert service.headers[0]["x-api-key"] == KEY
    assert service.headers[0]["authorization"] == f"Bearer {KEY}"
    assert KEY not in repr(engine)
    assert KEY not in engine.label


async def test_a_model_needs_words(engine: ClaudeEngine) -> None:
    with pytest.raises(TypeError):
        await engine.ask(QUESTION)
