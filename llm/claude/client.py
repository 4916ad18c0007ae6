"""The connection to the service: where it is, with which key, and what is kept out of the logs."""

import asyncio
import ipaddress
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

DEFAULT_URL = "https://api.anthropic.com"

CONNECT_SECONDS = 10.0
SILENCE_SECONDS = 120.0  # a stream pings every few seconds, also while the model thinks

QUIET = ("anthropic", "httpx2", "httpcore2")  # at DEBUG they write requests out, with everything in them


def host_of(url: str) -> str:
    """Host and port, without what else an address may hold."""
    parts = urlsplit(url)
    host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
    return f"{host}:{parts.port}" if parts.port else host


def is_loopback(url: str) -> bool:
    """Whether what is sent to `url` stays on this machine (SPEC R1, local-only). A name other than localhost does not
    count, since it may mean another address by the time it is asked."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_address(url: str) -> bool:
    """Whether `url` is an HTTP address."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        return False


@asynccontextmanager
async def connected(url: str, key: SecretStr) -> "AsyncIterator[AsyncAnthropic]":
    """A client for as long as the block lasts.

    It follows no redirect, and a loopback address is reached directly, never through a proxy of the environment:
    what should stay on this machine does. Retries are ours (llm.claude.patience).
    """
    # Imported late and beside the event loop: it takes seconds, and most processes never need it.
    anthropic = await asyncio.to_thread(_imported)
    import httpx2

    for name in QUIET:  # after the import, which may have set them from ANTHROPIC_LOG
        logging.getLogger(name).setLevel(logging.WARNING)
    timeout = httpx2.Timeout(SILENCE_SECONDS, connect=CONNECT_SECONDS)
    direct = is_loopback(url)
    secret = key.get_secret_value()
    # The SDK sends the key as a bearer token, which only newer endpoints know.
    headers = {} if url.rstrip("/") == DEFAULT_URL else {"x-api-key": secret}
    async with (
        httpx2.AsyncClient(timeout=timeout, follow_redirects=False, trust_env=not direct) as http,
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


def _imported() -> ModuleType:
    import anthropic
    import anthropic.resources.messages

    return anthropic
