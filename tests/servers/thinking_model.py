"""A model and three catalogues on this machine that wait before each answer.

with thinking(model=0.3, search=0.2) as thought:
    env = environment(database, folder, **thought.settings)
    ...
    assert len(thought.asked) == 12
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from tests.research_model import script
from tests.servers.catalogues import Answer as Reply
from tests.servers.catalogues import ReceivedRequest, Site
from tests.servers.messages import Answer, Request, model_answer, serving

KINDS = ("seminal works", "recent studies", "open questions")  # required in an academic plan: no part is added
QUERIES = ("alder nitrogen trial", "alder soil review", "alder growth effect")
WORKS = 8  # results of a catalogue for a query


def thought(request: Request, rounds: int = 1) -> Answer:
    """Return the model's answer to a request of a run with a plan of three parts.

    Each part searches with a batch of three queries, then with one more, and ends. In every round but the last of
    `rounds` it leaves a gap, which becomes a question of the next round.
    """
    role = script.role_of(request)
    if role == "decompose":
        parts = [
            {"topic": f"part {n}, {kind}", "question": f"What of alder, part {n}?", "perspective": "", "priority": 1}
            for n, kind in enumerate(KINDS, start=1)
        ]
        return model_answer(answer={"directives": parts, "rationale": "Three things are asked."})
    if role == "research":
        # Each run and part has its own queries, so that no answer comes from the cache.
        text = script.text_of(request)
        part = " ".join([*re.findall(r"\((\d+)\)", text)[:1], re.findall(r"part ([\d.]+)", text)[-1]])
        turns: dict[int, Any] = {
            1: {"name": "web_search", "input": {"queries": [f"{query} {part}" for query in QUERIES]}},
            3: {"name": "web_search", "input": {"query": f"alder seminal {part}"}},
        }
        call = turns.get(len(request["messages"]), {"name": "research_complete", "input": {"reason": "Enough."}})
        return model_answer(calls=[call])
    if role == "condense":
        return model_answer(answer={**condensed(request), "gaps": left_open(request, rounds)})
    return model_answer(answer=script.ANSWERS[role](request))


def condensed(request: Request) -> dict[str, Any]:
    """Return findings on five passages spread over the list: the first sentence of the last line of each."""
    passages = script.material(request, "passages")
    found = []
    for passage in passages[:: max(1, len(passages) // 5)][:5]:
        words = passage["text"].splitlines()[-1].partition(". ")[0]
        finding = {"content": words, "source_id": passage["source_id"], "quote": words, "confidence": 0.9}
        found.append({**finding, "category": "outcome"})
    return {"findings": found, "contradictions": [], "gaps": [], "summary": ""}


def left_open(request: Request, rounds: int) -> list[dict[str, Any]]:
    """Return the gap of a part unless this is the last round; "part 2.3" is the second part in its third round."""
    part = re.findall(r"part (\d)(?:\.(\d+))?", script.text_of(request))
    number, level = (part[-1][0], int(part[-1][1] or 1)) if part else ("", rounds)
    return [{"description": f"What of alder, part {number}.{level + 1}?"}] if level < rounds else []


def papers(query: str) -> list[dict[str, Any]]:
    """Return the works for a query; similar queries have some works in common."""
    seed = sum(map(ord, query)) % 40
    return [
        {
            "doi": f"10.5555/alder.{seed + n}",
            "title": f"Effects of alder on soil and growth in trial {seed + n}",
            "abstract": f"Alder raised soil nitrogen by {seed + n} kg per hectare. " * 12,
        }
        for n in range(WORKS)
    ]


def semantic_scholar(asked: ReceivedRequest) -> dict[str, Any]:
    found = papers(asked.query["query"])
    listed = [
        {
            "paperId": f"{int(one['doi'].rpartition('.')[2]):040x}",
            "externalIds": {"DOI": one["doi"]},
            "title": one["title"],
            "abstract": one["abstract"],
            "year": 2019,
            "authors": [{"name": "Ada Okafor"}],
            "citationCount": 12,
        }
        for one in found
    ]
    return {"total": len(listed), "data": listed}


def openalex(asked: ReceivedRequest) -> dict[str, Any]:
    listed = [
        {
            "id": f"https://openalex.org/W{one['doi'].rpartition('.')[2]}",
            "doi": f"https://doi.org/{one['doi']}",
            "title": one["title"],
            "publication_year": 2019,
            "abstract_inverted_index": {word: [place] for place, word in enumerate(one["abstract"].split())},
            "authorships": [{"author": {"display_name": "Ada Okafor"}}],
        }
        for one in papers(asked.query["search"])
    ]
    return {"meta": {"count": len(listed)}, "results": listed}


def tavily(asked: ReceivedRequest) -> dict[str, Any]:
    return {
        "results": [
            {
                "title": one["title"],
                "url": f"https://woods.example/{one['doi']}",
                "content": one["abstract"],
                "score": 0.9,
            }
            for one in papers(json.loads(asked.body)["query"])
        ]
    }


class Call(NamedTuple):
    """A request that was received; two with the same `content` ask for the same."""

    content: str
    at: datetime


@dataclass
class Thinking:
    """The model and the catalogues; `model` and `search` are the seconds before an answer, and can be changed."""

    model: float
    search: float
    rounds: int = 1
    settings: dict[str, str] = field(default_factory=dict)  # environment of an installation that uses them
    asked: list[Call] = field(default_factory=list)
    silent: list[str] = field(default_factory=list)  # the roles that get no answer, "" for all
    spoken: threading.Condition = field(default_factory=threading.Condition)

    @contextmanager
    def held(self, role: str = "") -> Iterator[None]:
        """Hold back the answers of the model in this role, or in all roles, until the block ends."""
        with self.spoken:
            self.silent.append(role)
        try:
            yield
        finally:
            with self.spoken:
                self.silent.remove(role)
                self.spoken.notify_all()

    def answered(self, request: Request) -> Answer:
        self.asked.append(Call(json.dumps(request, sort_keys=True), datetime.now(UTC)))
        time.sleep(self.model)
        role = script.role_of(request)
        with self.spoken:
            self.spoken.wait_for(lambda: not {"", role} & {*self.silent})
        return thought(request, self.rounds)

    def looked_up(self, find: Callable[[ReceivedRequest], dict[str, Any]], asked: ReceivedRequest) -> Reply:
        content = json.dumps([asked.method, asked.path, asked.query, asked.body], sort_keys=True)
        self.asked.append(Call(content, datetime.fromtimestamp(asked.at, UTC)))
        return Reply(find(asked), delay=self.search)


@contextmanager
def thinking(model: float, search: float, rounds: int = 1) -> Iterator[Thinking]:
    """Run the model and the catalogues, with so many seconds before each answer, until the block ends."""
    both = Thinking(model, search, rounds)
    with ExitStack() as stack:
        service = stack.enter_context(serving())
        service.otherwise = both.answered
        shelves = stack.enter_context(Site())
        for path, find in (
            ("/s2/graph/v1/paper/search", semantic_scholar),
            ("/openalex/works", openalex),
            ("/tavily/search", tavily),
        ):
            shelves.answer(path, partial(both.looked_up, find))
        both.settings = {
            "ANTHROPIC_BASE_URL": service.url,
            "ANTHROPIC_API_KEY": "none is checked",
            "S2_BASE_URL": f"{shelves.base}/s2",
            "OPENALEX_BASE_URL": f"{shelves.base}/openalex",
            "TAVILY_BASE_URL": f"{shelves.base}/tavily",
            "OPENALEX_API_KEY": "none is checked",
            "TAVILY_API_KEY": "none is checked",
            "SOURCE_PACE": json.dumps(dict.fromkeys(("semantic_scholar", "openalex", "tavily"), 10_000)),
        }
        yield both
