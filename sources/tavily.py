"""Tavily, a web search API; needs an API key. API: https://docs.tavily.com

Tavily's generated "answer" is not requested, since it cites no sources.
"""

from dataclasses import replace
from typing import Any

from sources.field_values import between, link, number, raw, text
from sources.host_limits import TAVILY
from sources.http_client import CatalogueRequest, Client
from sources.request_checks import list_of_works, requires_settings, web_work
from sources.work import Found, NothingFound, Outcome, Work

NAME = "tavily"
LONGEST = 400  # characters of a query


@requires_settings("TAVILY_API_KEY", said="Tavily needs {}")
async def search(client: Client, query: str, limit: int, *, whole_pages: bool = False) -> Outcome:
    """Search web pages; return at most `limit` (1 to 20), with `whole_pages` including the text of each page.

    A query over 400 characters is shortened at a word boundary, with a remark.
    """
    asked, remarks = _shortened(query)
    data: dict[str, Any] = {"query": asked, "max_results": between(limit, most=20), "search_depth": "basic"}
    if whole_pages:
        data["include_raw_content"] = "text"
    answer = await client.ask(CatalogueRequest(TAVILY, "/search", _read, data=data))
    return replace(answer, remarks=remarks) if isinstance(answer, Found | NothingFound) else answer


def _shortened(query: str) -> tuple[str, tuple[str, ...]]:
    words = " ".join(query.split())
    if len(words) <= LONGEST:
        return words, ()
    short = words[: LONGEST + 1].rpartition(" ")[0] or words[:LONGEST]
    return short, (f"Tavily accepts {LONGEST} characters, so the query was cut after “{short[-40:]}”.",)


def read_work(result: dict[str, Any]) -> Work | None:
    """Return a Work from a search result, or None if it has no address."""
    url = link(result.get("url"))
    if url is None:
        return None
    return web_work(
        NAME,
        url,
        text(result.get("title")),
        raw(result.get("content")),
        page=raw(result.get("raw_content")),
        score=number(result.get("score")),
    )


_read = list_of_works(read_work, "results", what="results")
