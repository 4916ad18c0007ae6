"""How endpoints that differ are brought to answer in a given shape (DESIGN 12)."""

from typing import Any

import pytest
from pydantic import BaseModel

from llm.claude import ClaudeEngine
from llm.claude.request import schema_of
from llm.errors import Rejected
from llm.roles import Brief, RoleRequest
from tests.llm_model.conftest import BRIEF, PROMPT, QUESTION
from tests.servers.messages import Answer, Failure, Request, Service, model_answer

REFUSED = Failure(400, "invalid_request_error", "output_config: Extra inputs are not permitted", {})


def way_of(request: Request) -> str:
    if "output_config" in request:
        return "schema"
    return "tool" if "tool_choice" in request else "words"


def endpoint(*taken: str) -> Any:
    """What an endpoint answers that takes only these ways."""

    def reply(request: Request) -> Answer | Failure:
        way = way_of(request)
        if way not in taken:
            return REFUSED
        return model_answer(calls=[{"name": "answer", "input": BRIEF}]) if way == "tool" else model_answer(answer=BRIEF)

    return reply


@pytest.mark.parametrize(
    ("taken", "first", "then"),
    [
        (["schema", "tool", "words"], ["schema"], ["schema"]),
        (["tool", "words"], ["schema", "tool"], ["tool"]),
        (["words"], ["schema", "tool", "words"], ["words"]),
    ],
)
async def test_the_surest_way_is_found_once(
    engine: ClaudeEngine, service: Service, taken: list[str], first: list[str], then: list[str]
) -> None:
    service.otherwise = endpoint(*taken)
    for expected in (first, first + then):
        answered = await engine.ask(QUESTION, prompt=PROMPT)
        assert answered.answer == Brief(**BRIEF)
        assert len(answered.usages) == 1
        assert [way_of(request) for request in service.requests] == expected


async def test_a_forced_tool_is_put_right_too(engine: ClaudeEngine, service: Service) -> None:
    service.replies.append(REFUSED)
    service.says(calls=[{"name": "answer", "input": {**BRIEF, "text": 7}}])
    service.says(calls=[{"name": "answer", "input": BRIEF}])
    assert (await engine.ask(QUESTION, prompt=PROMPT)).answer == Brief(**BRIEF)
    assert service.requests[2]["tool_choice"] == {"type": "tool", "name": "answer"}


async def test_an_endpoint_that_disregards_the_shape_is_told_in_words(engine: ClaudeEngine, service: Service) -> None:
    service.says("I think that alder raises nitrogen.")
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    assert [way_of(request) for request in service.requests] == ["schema", "words", "words"]


async def test_a_request_that_is_wrong_in_every_way_is_rejected(engine: ClaudeEngine, service: Service) -> None:
    """The reason told is the first one, and nothing is remembered."""
    for message in ("first reason", "second", "third"):
        service.fails(400, "invalid_request_error", message)
    with pytest.raises(Rejected, match="first reason"):
        await engine.ask(QUESTION, prompt=PROMPT)
    service.says(answer=BRIEF)
    await engine.ask(QUESTION, prompt=PROMPT)
    assert way_of(service.requests[-1]) == "schema"


def test_every_role_has_a_schema_the_service_understands() -> None:
    def check(part: dict[str, Any]) -> None:
        assert part.keys() <= {"type", "enum", "const", "description", "anyOf", "properties", "required", "items"} | {
            "additionalProperties"
        }
        if part.get("type") == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
        inner = [*part.get("properties", {}).values(), *part.get("anyOf", [])]
        for one in [*inner, part["items"]] if "items" in part else inner:
            check(one)

    def kinds(asked: type[RoleRequest[Any]]) -> list[type[RoleRequest[Any]]]:
        return [asked, *(kind for below in asked.__subclasses__() for kind in kinds(below))]

    answers = {kind.answer for kind in kinds(RoleRequest) if hasattr(kind, "answer")}
    assert len(answers) >= 11
    for answer in answers:
        check(schema_of(answer))


class Tree(BaseModel):
    children: list["Tree"]


class AnyKeys(BaseModel):
    counts: dict[str, int]


class Loose(BaseModel):
    thing: Any


@pytest.mark.parametrize("shape", [Tree, AnyKeys, Loose])
def test_shapes_that_cannot_be_asked_for_are_an_error_of_ours(shape: type[BaseModel]) -> None:
    with pytest.raises(TypeError):
        schema_of(shape)
