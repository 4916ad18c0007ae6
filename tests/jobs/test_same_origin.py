"""SPEC P3: a socket is for a page of the very server it asks, port included."""

import pytest

from jobs.consumers import is_ours


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("http://127.0.0.1:8000", "127.0.0.1:8000"),
        ("https://thesis.example.org", "thesis.example.org"),
        ("https://thesis.example.org", "thesis.example.org:443"),
        ("http://[::1]:8000", "[::1]:8000"),
    ],
)
def test_our_own_pages(origin: str, host: str, settings: object) -> None:
    assert is_ours(origin, host)


@pytest.mark.parametrize(
    ("origin", "host"),
    [
        ("", "127.0.0.1:8000"),
        ("null", "127.0.0.1:8000"),
        ("http://127.0.0.1:9999", "127.0.0.1:8000"),
        ("http://localhost:8000", "127.0.0.1:8000"),
        ("http://evil.example:8000", "127.0.0.1:8000"),
        ("http://127.0.0.1:8000.evil.example", "127.0.0.1:8000"),
        ("http://127.0.0.1:port", "127.0.0.1:8000"),
        ("file:///tmp/page.html", "127.0.0.1:8000"),
        ("http://127.0.0.1:8000", "bad host"),
    ],
)
def test_pages_of_others(origin: str, host: str) -> None:
    assert not is_ours(origin, host)
