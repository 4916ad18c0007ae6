"""Fetching a web page or PDF that somebody else named, without being led anywhere else (SPEC R18).

    outcome = await fetch("https://journal.example/article")

What comes back is bytes of a kind we can read; getting text out of them is done elsewhere. Pages are untrusted.
"""

import asyncio
import codecs
import re
from contextlib import suppress
from dataclasses import dataclass
from urllib.robotparser import RobotFileParser

import httpx
from asgiref.sync import sync_to_async

from sources import cache
from sources.address_guard import (
    Resolve,
    Unresolved,
    Unsafe,
    checked,
    is_excepted,
    parse,
    pinned,
    system_resolve,
)
from sources.hosts import user_agent
from sources.responses import ACCEPTED, MOVED, Reply, TooLarge, Unpackable, received
from sources.work import Failed, Kind
from untrusted.decoding import marked

HTML, XHTML, PLAIN, PDF = "text/html", "application/xhtml+xml", "text/plain", "application/pdf"
_LABELS = {HTML, XHTML, PLAIN}
_UNTOLD = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_MARKUP = re.compile(
    rb"^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|article|div|p|h1)\b", re.I | re.S
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def kind_of(label: str, body: bytes) -> str | None:
    """Return one of HTML, XHTML, PLAIN and PDF; None for anything else, whatever its label says.

    A PDF is known by its first bytes under any label, and what a site sends in place of one, a page to sign in say, by
    its markup. Something labelled as a picture is not read even when it looks like a page, and something labelled as a
    page is not read when its bytes are none.
    """
    if b"%PDF-" in body[:1024]:
        return PDF
    named = label.partition(";")[0].strip().lower()
    if _is_binary(body, label):
        return None
    if named in _LABELS:
        return named
    if named in _UNTOLD | {PDF} and _MARKUP.match(body[:4096]):
        return HTML
    return PLAIN if named in _UNTOLD else None


def charset_of(label: str, body: bytes) -> str | None:
    """Return the charset of a text: its byte order mark's, its label's, or its own <meta>'s, where Python knows it."""
    if encoding := marked(body):
        return encoding.removesuffix("-sig")
    labelled = re.search(r"charset=[\"']?([\w.:-]+)", label, re.IGNORECASE)
    declared = _META.search(body[:4096])
    for name in filter(None, (labelled and labelled[1], declared and declared[1].decode("ascii", "ignore"))):
        with suppress(LookupError, UnicodeError):
            "a".encode(name)  # refuses what Python knows and is no charset, such as "hex" and "undefined"
            return codecs.lookup(name).name
    return None


def _is_binary(body: bytes, label: str) -> bool:
    """NULs and other signs no text has, unless it is text in two or four bytes a letter."""
    if marked(body) or re.search(r"utf-?(?:16|32)", label, re.IGNORECASE):
        return False
    start = body[:4096]
    return b"\0" in start or sum(byte < 9 or 13 < byte < 27 for byte in start) * 50 > len(start)


SECONDS = 20.0  # for all of it: names, redirects, robots.txt, the last byte
LIMIT = 10 * 1024 * 1024  # bytes, unpacked
HOPS = 5


@dataclass(frozen=True)
class Page:
    """`content_type` is one of text/html, application/xhtml+xml, text/plain, application/pdf, as the bytes show it.

    `charset` is what the page declares, where Python knows it; None otherwise and for a PDF.
    """

    url: str
    final_url: str
    content_type: str
    body: bytes
    charset: str | None


@dataclass(frozen=True)
class Refused:
    """Not fetched on purpose; `why` is a sentence for people."""

    why: str


async def fetch(
    url: str, *, resolve: Resolve = system_resolve, seconds: float = SECONDS, limit: int = LIMIT
) -> Page | Refused | Failed:
    """Return the page at `url`, after at most five redirects, each of which is checked as if it had been named itself.

    `resolve` looks names up, `seconds` is the time for everything, `limit` the size in bytes when unpacked.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _fetch(url, resolve, seconds, limit)
    except Unsafe as error:
        return Refused(str(error))
    except TooLarge:
        return Refused(f"This page has more than {limit / 1024 / 1024:.3g} MB and was not read.")
    except Unpackable:
        return Failed("This page is packed in a way that can't be read.", None, Kind.UNREADABLE)
    except Unresolved:
        return Failed("There is no site of this name.", None, Kind.UNREACHABLE)
    except (TimeoutError, httpx.TimeoutException):
        return Failed(f"This page did not come within {seconds:g} seconds.", None, Kind.TIMEOUT)
    except (httpx.HTTPError, OSError):
        return Failed("This page could not be reached, or broke off in the middle.", None, Kind.UNREACHABLE)


async def _fetch(asked: str, resolve: Resolve, seconds: float, limit: int) -> Page | Refused | Failed:
    url = parse(asked)
    excepted = is_excepted(url)
    for _ in range(HOPS + 1):
        if not await _robots_allow(url, resolve, excepted, seconds):
            return Refused("The site asks programs not to read this page.")
        reply = await _get(url, resolve, excepted, seconds, limit)
        if not _leads_on(reply):
            return _page(asked, str(url), reply)
        url, excepted = _next(url, reply.headers["location"], excepted)
    return Failed(f"This page sent us on more than {HOPS} times.", None, Kind.UNREADABLE)


def _next(url: httpx.URL, location: str, excepted: bool) -> tuple[httpx.URL, bool]:
    """Return where a redirect leads, and whether the exception for private hosts still holds. Raises Unsafe.

    It holds only where the location names no host at all: a redirect that spells out a private address is how a
    page would reach for what lies behind us, even when it is the address we came from.
    """
    try:
        target = url.join(location)
        stays = httpx.URL(location).is_relative_url and not location.startswith(("//", "\\", "/\\"))
    except (httpx.InvalidURL, ValueError) as error:
        raise Unsafe("This page leads to something that is no web address.") from error
    return parse(str(target)), excepted and stays and target.netloc == url.netloc


async def _get(url: httpx.URL, resolve: Resolve, excepted: bool, seconds: float, limit: int) -> Reply:
    """Return the complete answer of one address. Raises Unsafe, Unresolved, TooLarge, Unpackable, httpx.HTTPError."""
    address = await checked(url, resolve, excepted=excepted)
    headers = {
        "User-Agent": user_agent(),
        "Accept": "text/html, application/xhtml+xml, application/pdf, text/plain;q=0.8",
        "Accept-Encoding": ACCEPTED,
    }
    async with pinned(url, address, headers, seconds) as response:
        moved = Reply(response.status_code, "", b"", response.headers)
        return moved if _leads_on(moved) else await received(response, limit)


def _leads_on(reply: Reply) -> bool:
    """Return whether the site sends us elsewhere."""
    return reply.status in MOVED and bool(reply.headers.get("location"))


async def _robots_allow(url: httpx.URL, resolve: Resolve, excepted: bool, seconds: float) -> bool:
    """Return whether the robots.txt beside `url`, which is kept for a day, lets programs read it.

    One that can't be had or read allows everything, and is asked for again; an unsafe site is left to _get.
    """
    address = url.copy_with(raw_path=b"/robots.txt")
    key = cache.request_hash("robots", "GET", str(address), {})
    reply = await sync_to_async(cache.look)(key)
    if reply is None:
        reply = await _robots(address, resolve, excepted, seconds)
        if reply is None or not (200 <= reply.status < 300 or reply.status in {404, 410}):
            return True
        await sync_to_async(cache.keep)({key: ("robots", reply)})
    if reply.status >= 400:
        return True
    rules = RobotFileParser()
    rules.parse(reply.text().splitlines())
    return rules.can_fetch(user_agent(), str(url))


async def _robots(address: httpx.URL, resolve: Resolve, excepted: bool, seconds: float) -> Reply | None:
    with suppress(Unsafe, Unresolved, TooLarge, Unpackable, httpx.HTTPError, OSError):
        for _ in range(HOPS + 1):
            # The rest of a larger robots.txt does not count, so it counts as unreadable.
            reply = await _get(address, resolve, excepted, seconds, limit=500 * 1024)
            if not _leads_on(reply):
                return reply
            address, excepted = _next(address, reply.headers["location"], excepted)
    return None


def _page(asked: str, final: str, reply: Reply) -> Page | Refused | Failed:
    if not 200 <= reply.status < 300:
        return Failed(_about(reply.status), reply.retry_after(), _kind(reply.status))
    if not reply.body:
        return Failed("This page is empty.", None, Kind.UNREADABLE)
    kind = kind_of(reply.content_type, reply.body)
    if kind is None:
        return Refused("This is neither a web page nor text nor a PDF, so it was not read.")
    return Page(asked, final, kind, reply.body, None if kind == PDF else charset_of(reply.content_type, reply.body))


def _kind(status: int) -> Kind:
    return {404: Kind.MISSING, 410: Kind.MISSING, 429: Kind.RATE_LIMITED}.get(
        status, Kind.BROKEN if status >= 500 else Kind.REFUSED
    )


def _about(status: int) -> str:
    if status == 429:
        return "The site received too many requests."
    said = {
        **dict.fromkeys((401, 402, 403, 451), "does not let us read this page"),
        **dict.fromkeys((404, 410), "has no such page"),
    }
    return f"The site {said.get(status, 'answered with an error')} ({status})."
