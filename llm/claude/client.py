"""The connection to the service: where it is, with which key, and what is kept out of the logs."""

import asyncio
import ipaddress
import logging
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_URL = "https://api.anthropic.com"

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 120.0  # a stream pings every few seconds, also while the model thinks

# A stream with one event of each kind, for `rehearse`.
_MESSAGE = (
    b'{"id":"","type":"message","role":"assistant","model":"","content":[],"stop_reason":null,"stop_sequence":null,'
)
_REHEARSED = (
    (
        b"message_start",
        b'{"type":"message_start","message":' + _MESSAGE + b'"usage":{"input_tokens":1,"output_tokens":1}}}',
    ),
    (b"content_block_start", b'{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}'),
    (b"content_block_delta", b'{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"."}}'),
    (b"content_block_stop", b'{"type":"content_block_stop","index":0}'),
    (b"message_delta", b'{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}'),
    (b"message_stop", b'{"type":"message_stop"}'),
)

QUIET = ("anthropic", "httpx2", "httpcore2")  # at DEBUG they write requests out, with everything in them


def host_of(url: str) -> str:
    """Host and port, without what else an address may hold."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host


def is_loopback(url: str) -> bool:
    """Return whether what is sent to `url` stays on this machine (SPEC R1, local-only). A name other than localhost does not
    count, since it may mean another address by the time it is asked."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_address(url: str) -> bool:
    """Return whether `url` is an HTTP address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


@asynccontextmanager
async def connected(url: str, key: SecretStr) -> "AsyncIterator[AsyncAnthropic]":
    """A client for as long as the block lasts.

    It follows no redirect, and a loopback address is reached directly, never through a proxy of the environment:
    what should stay on this machine does. Retries are ours (llm.claude.retry).
    """
    # Imported late and beside the event loop: it takes seconds, and most processes never need it.
    anthropic = await asyncio.to_thread(_imported)
    import httpx2

    for name in QUIET:  # after the import, which may have set them from ANTHROPIC_LOG
        logging.getLogger(name).setLevel(logging.WARNING)
    timeout = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    secret = key.get_secret_value()
    # The SDK sends the key as a bearer token, which only newer endpoints know.
    headers = {} if url.rstrip("/") == DEFAULT_URL else {"x-api-key": secret}
    async with (
        httpx2.AsyncClient(
            verify=_authorities(), timeout=timeout, follow_redirects=False, trust_env=not is_loopback(url)
        ) as http,
        anthropic.AsyncAnthropic(
            api_key=secret,
            base_url=url,
            max_retries=0,
            default_headers=headers,
            http_client=http,
            open_telemetry=False,
        ) as client,
    ):
        yield client


@cache
def _authorities() -> ssl.SSLContext:
    """Return the certificate authorities, read once: reading them takes longer than many a call."""
    import httpx2

    return httpx2.create_ssl_context()


def _imported() -> ModuleType:
    import anthropic
    import anthropic.resources.messages

    return anthropic


def rehearse() -> None:
    """Ask a service that is not there once, so that what takes long the first time is done: imports, certificate
    authorities, and what the SDK makes ready for a request. For a process that will fork others.
    """
    asyncio.run(_rehearse())


async def _rehearse() -> None:
    anthropic = _imported()
    import httpx2

    _authorities()
    said = b"".join(b"event: %s\ndata: %s\n\n" % (kind, data) for kind, data in _REHEARSED)
    stage = httpx2.MockTransport(
        lambda _: httpx2.Response(200, headers={"content-type": "text/event-stream"}, content=said)
    )
    async with (
        httpx2.AsyncClient(transport=stage) as http,
        anthropic.AsyncAnthropic(api_key="none", base_url="http://127.0.0.1", http_client=http) as client,
    ):
        message = {"role": "user", "content": "?"}
        async with await client.messages.create(model="none", max_tokens=1, messages=[message], stream=True) as stream:
            async for event in stream.raw_events(stream.response):
                event.json()
