"""The connection to the model service: address, API key, and no logging of requests."""

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
SILENCE_SECONDS = 120.0  # a stream sends pings every few seconds, also while the model thinks

# A response stream with one event of each kind, for `rehearse`.
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

QUIET = ("anthropic", "httpx2", "httpcore2")  # at DEBUG level they log whole requests


def host_of(url: str) -> str:
    """Return the host and port of `url`, without credentials, path and query."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host


def is_loopback(url: str) -> bool:
    """Return whether requests to `url` stay on this machine (SPEC R1, local-only).

    A name other than localhost does not count, since it may resolve to another address at request time.
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def is_address(url: str) -> bool:
    """Return whether `url` is a valid http or https address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


@asynccontextmanager
async def connected(url: str, key: SecretStr) -> "AsyncIterator[AsyncAnthropic]":
    """Yield an API client.

    It follows no redirects, and connects to a loopback address directly, never through a proxy from the environment,
    so that local requests stay on this machine. Retries are done in llm.claude.retry.
    """
    # Imported here and in a thread: it takes seconds, and most processes never need it.
    anthropic = await asyncio.to_thread(_imported)
    import httpx2

    for name in QUIET:  # after the import, which may set the levels from ANTHROPIC_LOG
        logging.getLogger(name).setLevel(logging.WARNING)
    timeout = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    secret = key.get_secret_value()
    # The SDK sends the key as a bearer token, which older endpoints do not support.
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
    """Return the TLS context with the certificate authorities, loaded once since that is slow."""
    import httpx2

    return httpx2.create_ssl_context()


def _imported() -> ModuleType:
    import anthropic
    import anthropic.resources.messages

    return anthropic


def warm_up_client() -> None:
    """Warm up a process that will fork others: send one request to a mock service.

    This does the slow first-time work: imports, certificate authorities, and the SDK's preparations.
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
