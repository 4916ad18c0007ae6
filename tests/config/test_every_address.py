"""SPEC P3: every URL and API path, walked by a stranger and by somebody not signed in.

A new address is walked without being named here. One that is open to everybody must be listed in OPEN.
"""

import re
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from config.api import api
from contextfiles.models import ContextFile
from projects.models import Project, User
from research.models import Run
from tests.config.addresses import filled, ids_of
from tests.people import signed_in
from tests.research.finished_run import finished, forest, owner, run

__all__ = ["finished", "forest", "owner", "run"]

pytestmark = pytest.mark.django_db

# Open to everybody: signing in and up, an invitation for who holds its link, health. What is one's own and names no
# thesis: account pages, home.
OPEN = re.compile(r"^(accounts/|invitations/<slug:token>/$|manual/|healthz$|readyz$|api/(|openapi\.json|docs)$)")
OWN = re.compile(
    r"^(|account/.*|projects/new/|projects/bring/|engine/|keys/|palette/|jobs/under-way/|demo/|api/demo|accounts/.*)$"
)


def addresses(patterns: Any = None, prefix: str = "") -> Iterator[str]:
    """Every route of the site, as written: "runs/<uuid:run_id>/"."""
    for pattern in get_resolver().url_patterns if patterns is None else patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from addresses(pattern.url_patterns, route)
        elif isinstance(pattern, URLPattern):
            yield route


@pytest.fixture
def things(run: Run, owner: User) -> dict[str, str]:
    return ids_of(run, owner)


def response_to(client: Client, method: str, address: str) -> Any:
    """The answer to `method` with an empty object as its body."""
    return client.generic(method, address, b"{}", content_type="application/json")


def methods_at(client: Client, address: str) -> Iterable[str]:
    """The methods that an address takes: all, unless it refuses one with a list of those it takes."""
    refused = response_to(client, "PATCH", address)
    return refused["Allow"].split(", ") if refused.status_code == 405 else ("GET", "POST", "PUT", "PATCH", "DELETE")


def private() -> list[str]:
    return sorted({route for route in addresses() if not OPEN.match(route) and not OWN.match(route)})


def test_there_is_something_to_walk() -> None:
    assert len(private()) > 40


def test_nobody_signed_in_is_sent_to_sign_in_and_the_api_says_401(things: dict[str, str]) -> None:
    nobody = Client()
    for route in private():
        address = filled(route, things)
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE"):
            answer = response_to(nobody, method, address)
            assert not nobody.cookies, "nobody is anybody afterwards"
            if address.startswith("/api/"):
                assert answer.status_code in (401, 405), (method, address, answer.status_code)
            else:
                assert answer.status_code in (302, 405), (method, address, answer.status_code)
                assert answer.status_code == 405 or answer["Location"].startswith("/accounts/login/"), address


def test_a_stranger_finds_nothing_and_changes_nothing(things: dict[str, str], forest: Project, outsider: User) -> None:
    def left() -> tuple[int, ...]:
        return forest.runs.count(), forest.citations.count(), forest.context_files.count(), forest.sections.count()

    before, client = left(), signed_in(outsider)
    for route in private():
        if route in ("api/projects", "api/projects/invited", "api/projects/outlines"):
            continue  # one's own lists
        if route in ("api/research-profiles", "api/analyses/catalogue"):
            continue  # everybody's
        address = filled(route, things)
        for method in methods_at(client, address):
            answer = response_to(client, method, address)
            # 422: the body is looked at before the thesis; it tells nothing about what exists.
            assert answer.status_code in (404, 405, 422), (method, address, answer.status_code)
            if answer.status_code == 422:
                elsewhere = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", str(uuid.uuid4()), address)
                assert response_to(client, method, elsewhere).status_code == 422
    assert left() == before
    assert Path(ContextFile.objects.filter(project=forest).first().blob.path).exists()  # type: ignore[union-attr]


def test_a_stranger_sees_none_of_it_in_lists(things: dict[str, str], outsider: User) -> None:
    client = signed_in(outsider)
    assert b"Alder and soil" not in client.get("/").content
    assert client.get("/api/projects").json() in ([], {"items": [], "count": 0})


def test_every_api_path_is_documented() -> None:
    schema = api.get_openapi_schema()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation.get("summary"), (method, path)
