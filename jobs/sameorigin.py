"""Sockets are for our own pages: the page's address must be that of the host it asks, port included (SPEC P3).

Cookies do not know ports, so another program on the same machine could otherwise open a page of its own and
read a person's stream with that person's session.
"""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import urlsplit

from channels.security.websocket import WebsocketDenier
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

Application = Callable[[dict[str, Any], Any, Any], Awaitable[Any]]
_PORTS = {"http": "80", "https": "443", "ws": "80", "wss": "443"}


class SameOrigin:
    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> Any:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        ours = is_ours(headers.get("origin", ""), headers.get("host", ""))
        return await (self.application if ours else WebsocketDenier())(scope, receive, send)


def is_ours(origin: str, host: str) -> bool:
    """Whether a page at `origin` ("http://127.0.0.1:8000") is one of the server asked as `host`.

    `host` must be one the site answers to (ALLOWED_HOSTS).
    """
    page = urlsplit(origin)
    request = HttpRequest()
    request.META["HTTP_HOST"] = host
    try:
        request.get_host()
        asked = urlsplit(f"//{host}")
        port = str(asked.port or _PORTS.get(page.scheme, ""))
        return bool(page.hostname) and page.hostname == asked.hostname and str(page.port or _PORTS[page.scheme]) == port
    except (DisallowedHost, ValueError, KeyError):
        return False
