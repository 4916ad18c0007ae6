"""A conversation with tools: the loop of a researcher (SPEC R5), and plain text for drafts (T3)."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, Field

from llm.claude import ClaudeEngine
from llm.errors import Refusal, Truncated
from llm.prompt import Prompt
from llm.tools import Message, Reply, Tool, results
from tests.llm_model.conftest import PROMPT
from tests.servers.messages import Service, model_answer


class Search(BaseModel):
    queries: list[str] = Field(min_length=1, description="What to look for.")
    max_results: int = Field(default=10, ge=1, le=50)


class Nothing(BaseModel):
    pass


TOOLS = (Tool("web_search", "Search.", Search), Tool("research_complete", "Finish.", Nothing))


async def test_several_calls_at_once(engine: ClaudeEngine, service: Service) -> None:
    service.says(
        "I will look.",
        calls=[
            {"name": "web_search", "input": {"queries": ["alder nitrogen"]}},
            {"name": "research_complete", "input": {}},
        ],
    )
    reply = await engine.converse("research", PROMPT, tools=TOOLS)
    assert reply.text == "I will look."
    assert [(call.name, call.arguments, call.error) for call in reply.calls] == [
        ("web_search", {"queries": ["alder nitrogen"], "max_results": 10}, ""),
        ("research_complete", {}, ""),
    ]
    assert reply.stop_reason == "tool_use"
    assert reply.usages[0].role == "research"
    request = service.requests[0]
    assert [tool["name"] for tool in request["tools"]] == ["web_search", "research_complete"]
    assert request["tools"][0]["input_schema"]["required"] == ["queries"]
    assert "tool_choice" not in request


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ({"name": "web_search", "input": {"queries": []}}, "queries: List should have at least 1 item"),
        ({"name": "web_search", "input": {"queries": ["a"], "max_results": 90}}, "max_results: Input should be less"),
        ({"name": "web_search", "input": '{"queries": ["al'}, "not one complete JSON object"),
        ({"name": "delete_all", "input": {}}, "There is no tool delete_all; use web_search, research_complete."),
    ],
)
async def test_wrong_calls_come_back_as_errors(
    engine: ClaudeEngine, service: Service, call: dict[str, Any], error: str
) -> None:
    service.says(calls=[call])
    reply = await engine.converse("research", PROMPT, tools=TOOLS)
    assert error in reply.calls[0].error
    answer = results(reply, {reply.calls[0].id: "must not be used"})
    assert answer["content"][0]["is_error"] is True
    assert error in answer["content"][0]["content"]
    assert isinstance(reply.message["content"][0]["input"], dict)


async def test_the_conversation_goes_on(engine: ClaudeEngine, service: Service) -> None:
    """Thoughts go back unchanged, every call is answered, and what was said so far is marked for the cache."""
    thought = {"type": "thinking", "thinking": "Alder first.", "signature": "c2ln"}
    service.replies.append(model_answer(calls=[{"name": "web_search", "input": {"queries": ["a"]}}] * 2))
    service.replies[0].content.insert(0, thought)  # type: ignore[union-attr]
    service.replies[0].content[2] = {**service.replies[0].content[2], "id": "toolu_2"}  # type: ignore[union-attr]
    service.says("Done.")
    reply = await engine.converse("research", PROMPT, tools=TOOLS)
    kept = Reply.model_validate_json(reply.model_dump_json())  # as a journal keeps it
    history: list[Message] = [kept.message, results(kept, {"toolu_1": "Three hits."})]
    before = json.dumps(history)
    assert (await engine.converse("research", PROMPT, history, TOOLS)).text == "Done."
    assert json.dumps(history) == before
    _, assistant, user = service.requests[1]["messages"]
    assert assistant["content"][0] == thought
    assert [(block["content"], block["is_error"]) for block in user["content"]] == [
        ("Three hits.", False),
        ("This call was not made.", True),
    ]
    assert "cache_control" in user["content"][1]


async def test_no_more_than_four_marks(engine: ClaudeEngine, service: Service) -> None:
    service.says("Done.")
    prompt = Prompt(system=("a", "b", "c"), context=("x" * 5000, "y" * 5000), user="Go on.")
    history = [
        {"role": "assistant", "content": [{"type": "text", "text": "Yes?"}]},
        {"role": "user", "content": [{"type": "text", "text": "More."}]},
    ]
    await engine.converse("research", prompt, history)
    assert json.dumps(service.requests[0]).count("cache_control") == 4


async def test_text_alone_is_streamed(engine: ClaudeEngine, service: Service) -> None:
    text = "\\section{Alder} It raises nitrogen \\cite{a}. " * 3
    service.says(text)
    pieces: list[str] = []

    async def on_text(piece: str, attempt: int) -> None:
        pieces.append(piece)

    reply = await engine.converse("draft", PROMPT, on_text=on_text, max_tokens=500)
    assert reply.text == "".join(pieces) == text
    assert not reply.calls
    assert service.requests[0]["max_tokens"] == 500
    assert "tools" not in service.requests[0]


async def test_an_empty_turn_can_be_gone_on_from(engine: ClaudeEngine, service: Service) -> None:
    service.says("")
    reply = await engine.converse("research", PROMPT, tools=TOOLS)
    assert (reply.text, reply.calls) == ("", [])
    assert reply.message["content"][0]["text"]


async def test_refusal_and_length(engine: ClaudeEngine, service: Service) -> None:
    service.says("Half a sen", stop_reason="max_tokens")
    assert (await engine.converse("draft", PROMPT)).stop_reason == "max_tokens"
    service.says(stop_reason="refusal")
    with pytest.raises(Refusal) as refused:
        await engine.converse("draft", PROMPT)
    assert len(refused.value.usages) == 1
    for _ in range(2):
        service.fails(413, "request_too_large")
        service.says(stop_reason="model_context_window_exceeded")
        with pytest.raises(Truncated):
            await engine.converse("draft", PROMPT)


def test_a_tool_needs_a_name_the_service_takes() -> None:
    with pytest.raises(ValueError, match="web search"):
        Tool("web search", "Search.", Search)
