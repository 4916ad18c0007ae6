"""A researcher that makes the tool calls a test gives it, turn by turn, and what it was told of them.

plays(service, [search("alder", "lupin")], [read("https://river.example/alder")], [done()])
run = researched(forest, owner, profile="general")
assert told(service, 1)[0].startswith("Calls left: 8.")
"""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.research_model.script import reply, role_of
from tests.servers.messages import Answer, Failure, Request, Service, model_answer

Call = dict[str, Any]


def search(*queries: str) -> Call:
    return {"name": "web_search", "input": {"queries": list(queries)}}


def read(*urls: str) -> Call:
    return {"name": "extract_content", "input": {"urls": list(urls)}}


def think(thought: Any) -> Call:
    return {"name": "think", "input": {"thought": thought}}


def cited_by(paper: str, **how: int) -> Call:
    return {"name": "citation_search", "input": {"paper_id": paper, **how}}


def like(paper: str, **how: int) -> Call:
    return {"name": "related_papers", "input": {"paper_id": paper, **how}}


def done() -> Call:
    return {"name": "research_complete", "input": {"reason": "That is enough."}}


def plays(
    service: Service, *turns: list[Call] | str, then: Callable[[Request], Answer | Failure] = reply, **how: Any
) -> None:
    """Let the researcher of each node take `turns`, which are calls or text, the last one for good.

    `then` answers in the other roles.
    """

    def answer(request: Request) -> Answer | Failure:
        if role_of(request) != "research":
            return then(request)
        turn = turns[min(turn_of(request), len(turns)) - 1]
        return model_answer(turn, **how) if isinstance(turn, str) else model_answer(calls=turn, **how)

    service.otherwise = answer


def turn_of(request: Request) -> int:
    """Which turn of its conversation a request of the researcher asks for, from 1."""
    return (len(request["messages"]) + 1) // 2


def turns(service: Service) -> list[Request]:
    """The requests of the researcher, in the order in which they came."""
    return [request for request in service.requests if role_of(request) == "research"]


def tool_results(service: Service, turn: int) -> list[str]:
    """What the first node's researcher was told of each call of its turn `turn`."""
    request = next(one for one in turns(service) if turn_of(one) == turn + 1)
    return [block["content"] for block in request["messages"][-1]["content"]]


def passages_in(told: str) -> list[dict[str, Any]]:
    """The passages that a call brought."""
    return [json.loads(line) for line in inside(told).splitlines() if line.startswith("{")]


def inside(told: str) -> str:
    """What stands between the lines of its fence."""
    fence = re.search(r"\n<<<begin (\w+)>>>\n(.*)\n<<<end \1>>>$", told, re.DOTALL)
    assert fence, told
    return fence[2]
