"""A model and three catalogues on this machine that take their time over every answer."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from tests.research_model import script
from tests.servers.catalogues import Answer as Reply
from tests.servers.catalogues import Asked, Site
from tests.servers.messages import Answer, Request, said, serving

PARTS = 3
QUERIES = ("alder nitrogen trial", "alder soil review", "alder growth effect")
WORKS = 8  # that a catalogue gives for a query


def thought(request: Request) -> Answer:
    """A plan of three parts, each worked with a batch of three queries, one more query, and the end."""
    role = script.role_of(request)
    if role == "decompose":
        parts = [
            {"topic": f"part {n}", "question": f"What of alder, part {n}?", "perspective": "", "priority": 1}
            for n in range(1, PARTS + 1)
        ]
        return said(answer={"directives": parts, "rationale": "Three things are asked."})
    if role == "research":
        # Queries of their own for each run and part, so that no answer comes from the cache.
        text = script.text_of(request)
        part = " ".join([*re.findall(r"\((\d+)\)", text)[:1], re.findall(r"part (\d)", text)[-1]])
        turns: dict[int, Any] = {
            1: {"name": "web_search", "input": {"queries": [f"{query} {part}" for query in QUERIES]}},
            3: {"name": "web_search", "input": {"query": f"alder seminal {part}"}},
        }
        call = turns.get(len(request["messages"]), {"name": "research_complete", "input": {"reason": "Enough."}})
        return said(calls=[call])
    if role == "condense":
        return said(answer=condensed(request))
    return said(answer=script.ANSWERS[role](request))


def condensed(request: Request) -> dict[str, Any]:
    passages = script.material(request, "passages")[:5]
    found = [
        {
            "content": passage["title"],
            "source_id": passage["source_id"],
            "quote": passage["title"],
            "confidence": 0.9,
            "category": "outcome",
        }
        for passage in passages
    ]
    return {"findings": found, "contradictions": [], "summary": ""}


def papers(query: str) -> list[dict[str, Any]]:
    """Eight works for a query; two of its words more or less bring some of the same."""
    seed = sum(map(ord, query)) % 40
    return [
        {
            "doi": f"10.5555/alder.{seed + n}",
            "title": f"Effects of alder on soil and growth in trial {seed + n}",
            "abstract": f"Alder raised soil nitrogen by {seed + n} kg per hectare. " * 12,
        }
        for n in range(WORKS)
    ]


def semantic_scholar(asked: Asked) -> dict[str, Any]:
    found = papers(asked.query["query"])
    listed = [
        {
            "paperId": f"{n:040x}",
            "externalIds": {"DOI": one["doi"]},
            "title": one["title"],
            "abstract": one["abstract"],
            "year": 2019,
            "authors": [{"name": "Ada Okafor"}],
            "citationCount": 12,
        }
        for n, one in enumerate(found)
    ]
    return {"total": len(listed), "data": listed}


def openalex(asked: Asked) -> dict[str, Any]:
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


def tavily(asked: Asked) -> dict[str, Any]:
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


@contextmanager
def thinking(model: float, search: float) -> Iterator[dict[str, str]]:
    """Both, with so many seconds before an answer; yields the settings of an installation that asks them."""

    def slowly(request: Request) -> Answer:
        time.sleep(model)
        return thought(request)

    with ExitStack() as stack:
        service = stack.enter_context(serving())
        service.otherwise = slowly
        shelves = stack.enter_context(Site())
        for path, answer in (
            ("/s2/graph/v1/paper/search", semantic_scholar),
            ("/openalex/works", openalex),
            ("/tavily/search", tavily),
        ):
            shelves.answer(path, lambda asked, answer=answer: Reply(answer(asked), delay=search))
        yield {
            "ANTHROPIC_BASE_URL": service.url,
            "ANTHROPIC_API_KEY": "none is checked",
            "S2_BASE_URL": f"{shelves.base}/s2",
            "OPENALEX_BASE_URL": f"{shelves.base}/openalex",
            "TAVILY_BASE_URL": f"{shelves.base}/tavily",
            "OPENALEX_API_KEY": "none is checked",
            "TAVILY_API_KEY": "none is checked",
            "SOURCE_PACE": json.dumps(dict.fromkeys(("semantic_scholar", "openalex", "tavily"), 10_000)),
        }
