"""Whether a site lets programs read a page: its robots.txt, kept for a day."""

from collections.abc import Awaitable, Callable
from urllib.robotparser import RobotFileParser

import httpx
from asgiref.sync import sync_to_async

from sources import cache
from sources.hosts import user_agent
from sources.replies import Reply

LIMIT = 500 * 1024  # bytes; the rest of a larger one does not count, so it counts as unreadable


async def allow(url: httpx.URL, get: Callable[[httpx.URL], Awaitable[Reply | None]]) -> bool:
    """Whether the robots.txt beside `url` allows it to us. One that can't be had or read allows everything.

    `get` fetches an address; None when that fails. A failure is not kept, so the next page asks again.
    """
    address = url.copy_with(raw_path=b"/robots.txt")
    key = cache.request_hash("robots", "GET", str(address), {})
    reply = await sync_to_async(cache.look)(key)
    if reply is None:
        reply = await get(address)
        if reply is None or not (200 <= reply.status < 300 or reply.status in {404, 410}):
            return True
        await sync_to_async(cache.keep)({key: ("robots", reply)})
    if reply.status >= 400:
        return True
    rules = RobotFileParser()
    rules.parse(reply.text().splitlines())
    return rules.can_fetch(user_agent(), str(url))
