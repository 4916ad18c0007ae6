"""Safe fetching of a web page or PDF from an untrusted address (SPEC R18).

    outcome = await fetch("https://journal.example/article")

The result is the raw bytes of a supported type; text extraction is done elsewhere. Pages are untrusted.
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
    is_excepted,
    parse,
    pinned_get,
    safe_address,
    system_resolve,
)
from sources.host_limits import user_agent
from sources.responses import ACCEPTED, MOVED, RawResponse, TooLarge, UnsupportedEncoding, received
from sources.work import Failed, FailureKind
from untrusted.decoding import marked

HTML, XHTML, PLAIN, PDF = "text/html", "application/xhtml+xml", "text/plain", "application/pdf"
_LABELS = {HTML, XHTML, PLAIN}
_UNTOLD = {"", "application/octet-stream", "binary/octet-stream", "application/x-download"}
_MARKUP = re.compile(
    rb"^\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|title|meta|article|div|p|h1)\b", re.I | re.S
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)


def kind_of(label: str, body: bytes) -> str | None:
    """Return the type of a body: HTML, XHTML, PLAIN or PDF; None for anything else.

    `label` is the Content-Type header. A PDF is recognised by its first bytes whatever the label. HTML sent instead
    of a PDF (a sign-in page, for example) is recognised by its markup. A body labelled as an image is not read even
    if it looks like HTML, and a body labelled as HTML is not read if it is binary.
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
    """Return the charset from the byte order mark, the Content-Type or a <meta> tag, if Python supports it."""
    if encoding := marked(body):
        return encoding.removesuffix("-sig")
    labelled = re.search(r"charset=[\"']?([\w.:-]+)", label, re.IGNORECASE)
    declared = _META.search(body[:4096])
    for name in filter(None, (labelled and labelled[1], declared and declared[1].decode("ascii", "ignore"))):
        with suppress(LookupError, UnicodeError):
            "a".encode(name)  # rejects codecs that are not charsets, such as "hex" and "undefined"
            return codecs.lookup(name).name
    return None


def _is_binary(body: bytes, label: str) -> bool:
    """Return whether the body contains NULs or too many control characters, unless it is UTF-16 or UTF-32 text."""
    if marked(body) or re.search(r"utf-?(?:16|32)", label, re.IGNORECASE):
        return False
    start = body[:4096]
    return b"\0" in start or sum(byte < 9 or 13 < byte < 27 for byte in start) * 50 > len(start)


SECONDS = 20.0  # for everything: resolving, redirects, robots.txt and the body
LIMIT = 10 * 1024 * 1024  # bytes, decompressed
HOPS = 5


@dataclass(frozen=True)
class Page:
    """A fetched page.

    `content_type` is text/html, application/xhtml+xml, text/plain or application/pdf, as detected from the bytes.
    `charset` is the declared charset if Python supports it; None otherwise and for a PDF.
    """

    url: str
    final_url: str
    content_type: str
    body: bytes
    charset: str | None


@dataclass(frozen=True)
class Refused:
    """A page that was not fetched on purpose; `why` is a sentence for the user."""

    why: str


async def fetch(
    url: str, *, resolve: Resolve = system_resolve, seconds: float = SECONDS, limit: int = LIMIT
) -> Page | Refused | Failed:
    """Fetch the page at `url`, following at most five redirects, each checked like the first address.

    `resolve` resolves host names, `seconds` limits the total time, `limit` the decompressed size in bytes.
    """
    try:
        async with asyncio.timeout(seconds):
            return await _fetch(url, resolve, seconds, limit)
    except Unsafe as error:
        return Refused(str(error))
    except TooLarge:
        return Refused(f"This page is larger than {limit / 1024 / 1024:.3g} MB and was not read.")
    except UnsupportedEncoding:
        return Failed("This page uses an unsupported or damaged compression.", None, FailureKind.UNREADABLE)
    except Unresolved as error:
        why = "The name of this site could not be looked up." if error.is_passing else "This site does not exist."
        return Failed(why, None, FailureKind.UNREACHABLE)
    except (TimeoutError, httpx.TimeoutException):
        return Failed(f"This page did not load within {seconds:g} seconds.", None, FailureKind.TIMEOUT)
    except (httpx.HTTPError, OSError):
        return Failed("This page could not be reached, or the connection broke off.", None, FailureKind.UNREACHABLE)


async def _fetch(asked: str, resolve: Resolve, seconds: float, limit: int) -> Page | Refused | Failed:
    url = parse(asked)
    excepted = is_excepted(url)
    for _ in range(HOPS + 1):
        if not await _robots_allow(url, resolve, excepted, seconds):
            return Refused("The site does not allow programs to read this page (robots.txt).")
        reply = await _get(url, resolve, excepted, seconds, limit)
        if not _leads_on(reply):
            return _page(asked, str(url), reply)
        url, excepted = _next(url, reply.headers["location"], excepted)
    return Failed(f"This page redirected more than {HOPS} times.", None, FailureKind.UNREADABLE)


def _next(url: httpx.URL, location: str, excepted: bool) -> tuple[httpx.URL, bool]:
    """Return the target of a redirect, and whether the exception for private hosts still applies. Raises Unsafe.

    It applies only to a relative location. A redirect that names a private host is how a page would attack services
    in our network, even if it is the host we came from.
    """
    try:
        target = url.join(location)
        stays = httpx.URL(location).is_relative_url and not location.startswith(("//", "\\", "/\\"))
    except (httpx.InvalidURL, ValueError) as error:
        raise Unsafe("This page redirects to an invalid web address.") from error
    return parse(str(target)), excepted and stays and target.netloc == url.netloc


async def _get(url: httpx.URL, resolve: Resolve, excepted: bool, seconds: float, limit: int) -> RawResponse:
    """Return the complete response of an address. Raises Unsafe, Unresolved, TooLarge, UnsupportedEncoding,
    httpx.HTTPError.
    """
    address = await safe_address(url, resolve, excepted=excepted)
    headers = {
        "User-Agent": user_agent(),
        "Accept": "text/html, application/xhtml+xml, application/pdf, text/plain;q=0.8",
        "Accept-Encoding": ACCEPTED,
    }
    async with pinned_get(url, address, headers, seconds) as response:
        moved = RawResponse(response.status_code, "", b"", response.headers)
        return moved if _leads_on(moved) else await received(response, limit)


def _leads_on(reply: RawResponse) -> bool:
    """Return whether the response is a redirect."""
    return reply.status in MOVED and bool(reply.headers.get("location"))


async def _robots_allow(url: httpx.URL, resolve: Resolve, excepted: bool, seconds: float) -> bool:
    """Return whether the site's robots.txt (cached for a day) allows programs to read `url`.

    If it cannot be fetched, everything is allowed and it is fetched again next time. Unsafe sites are left to _get.
    """
    address = url.copy_with(raw_path=b"/robots.txt")
    key = cache.request_hash("robots", "GET", str(address), {})
    reply = await sync_to_async(cache.get_cached)(key)
    if reply is None:
        reply = await _robots(address, resolve, excepted, seconds)
        if reply is None or not (200 <= reply.status < 300 or reply.status in {404, 410}):
            return True
        await sync_to_async(cache.store_responses)({key: ("robots", reply)})
    if reply.status >= 400:
        return True
    rules = RobotFileParser()
    rules.parse(reply.text().splitlines())
    return rules.can_fetch(user_agent(), str(url))


async def _robots(address: httpx.URL, resolve: Resolve, excepted: bool, seconds: float) -> RawResponse | None:
    with suppress(Unsafe, Unresolved, TooLarge, UnsupportedEncoding, httpx.HTTPError, OSError):
        for _ in range(HOPS + 1):
            # A larger robots.txt counts as unreadable.
            reply = await _get(address, resolve, excepted, seconds, limit=500 * 1024)
            if not _leads_on(reply):
                return reply
            address, excepted = _next(address, reply.headers["location"], excepted)
    return None


def _page(asked: str, final: str, reply: RawResponse) -> Page | Refused | Failed:
    if not 200 <= reply.status < 300:
        return Failed(_about(reply.status), reply.retry_after(), _kind(reply.status))
    if not reply.body:
        return Failed("This page is empty.", None, FailureKind.UNREADABLE)
    kind = kind_of(reply.content_type, reply.body)
    if kind is None:
        return Refused("This is not a web page, text or PDF, so it was not read.")
    return Page(asked, final, kind, reply.body, None if kind == PDF else charset_of(reply.content_type, reply.body))


def _kind(status: int) -> FailureKind:
    return {404: FailureKind.MISSING, 410: FailureKind.MISSING, 429: FailureKind.RATE_LIMITED}.get(
        status, FailureKind.BROKEN if status >= 500 else FailureKind.REFUSED
    )


def _about(status: int) -> str:
    if status == 429:
        return "The site received too many requests."
    said = {
        **dict.fromkeys((401, 402, 403, 451), "does not allow us to read this page"),
        **dict.fromkeys((404, 410), "has no such page"),
    }
    return f"The site {said.get(status, 'responded with an error')} ({status})."
