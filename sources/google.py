"""Google Custom Search; needs an API key and a search engine id. API: https://developers.google.com/custom-search/v1"""

from typing import Any

from django.conf import settings

from sources.field_values import at, between, items, link, mappings, text, whole
from sources.host_limits import GOOGLE
from sources.http_client import CatalogueRequest, Client
from sources.request_checks import requires_settings, web_work
from sources.responses import RawResponse
from sources.work import Found, NothingFound, Outcome, Unreadable, Work, search_outcome

NAME = "google"


@requires_settings("GOOGLE_API_KEY", "GOOGLE_CX", said="Google needs {}")
async def search(client: Client, query: str, limit: int) -> Outcome:
    """Search web pages; return at most `limit` (1 to 30), with one request per ten.

    If a later request fails, the earlier results are returned with a remark.
    """
    works: list[Work] = []
    total = 0
    remarks: tuple[str, ...] = ()
    wanted = between(limit, most=30)
    while len(works) < wanted:
        page = min(10, wanted - len(works))
        params = {"q": query, "cx": settings.GOOGLE_CX, "num": page, "start": len(works) + 1}
        answer = await client.ask(CatalogueRequest(GOOGLE, "/customsearch/v1", _read, params=params))
        if not isinstance(answer, Found):
            if not works:
                return answer
            remarks = () if isinstance(answer, NothingFound) else (answer.why,)
            break
        works += answer.works
        total = max(total, answer.total)
        if len(answer.works) < page:
            break
    return Found(tuple(works[:wanted]), max(total, len(works)), remarks)


def _read(reply: RawResponse) -> Found | NothingFound:
    data = reply.mapping()
    results = data.get("items")
    total = whole(at(data, "searchInformation", "totalResults"))
    is_answer = not total and "error" not in data and {"searchInformation", "queries", "kind"} & data.keys()
    if results is None and is_answer:
        return NothingFound()  # an empty response has no list
    if not isinstance(results, list):
        raise Unreadable("sent an answer without results in it")
    return search_outcome([read_work(one) for one in mappings(results)], len(items(results)), total)


def read_work(result: dict[str, Any]) -> Work | None:
    """Return a Work from a search result, or None if it has no address."""
    url = link(result.get("link"))
    if url is None:
        return None
    return web_work(
        NAME,
        url,
        text(result.get("title")),
        text(result.get("snippet")),
        site=text(at(result, "pagemap", "metatags", 0, "og:site_name")),
    )
