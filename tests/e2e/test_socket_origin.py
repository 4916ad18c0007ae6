"""A page of another site cannot listen with the cookies of a person who is signed in here (SPEC P3)."""

import socket
from typing import Any
from urllib.parse import urlparse

import pytest

from tests.e2e.conftest import OpenWindow, Server, numbers_of


def answer_to(server: Server, path: str, origin: str | None, cookie: str) -> str:
    """The first line that comes back when a socket to `path` is asked for from a page of `origin`."""
    at = urlparse(server.address)
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {at.netloc}",
        "Connection: Upgrade",
        "Upgrade: websocket",
        "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
        f"Cookie: {cookie}",
        *([f"Origin: {origin}"] if origin else []),
    ]
    with socket.create_connection((at.hostname, at.port), timeout=10) as line:
        line.sendall("\r\n".join([*lines, "", ""]).encode())
        return line.recv(200).decode("latin-1").splitlines()[0]


@pytest.fixture
def stream(open_window: OpenWindow, demo: Any, finished_run: str) -> str:
    """The address of the socket of a run with events."""
    page = open_window(signed_in=demo)
    page.goto(finished_run)
    assert numbers_of(page)
    return page.locator("thought-stream").get_attribute("src") or ""


def test_only_our_own_pages_listen(server: Server, demo: Any, stream: str) -> None:
    cookie = "; ".join(f"{kept['name']}={kept['value']}" for kept in demo["cookies"])
    assert " 101 " in answer_to(server, stream, server.address, cookie)
    for origin in ("https://elsewhere.example", "http://127.0.0.1.elsewhere.example", "null", None):
        assert " 403 " in answer_to(server, stream, origin, cookie), origin
