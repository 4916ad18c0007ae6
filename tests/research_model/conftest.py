"""Whole runs with a model, over real HTTP to a Messages API of our own."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.test import override_settings
from pytest_django import Settings

from tests.research.forest_thesis import forest
from tests.research_model.script import KEY, reply
from tests.servers.catalogues import Site
from tests.servers.messages import Service, serving
from tests.sources.conftest import BASES, KEYS, PROVIDERS

__all__ = ["forest"]


@pytest.fixture
def service(settings: Settings, request: pytest.FixtureRequest) -> Iterator[Service]:
    """The service that this installation is set up for; it answers each role as script.py has it.

    The one catalogue that needs no key refuses every request at once (404), unless `shelves` is there too.
    """
    with serving() as running, Site() as refusing:
        running.otherwise = reply
        settings.ANTHROPIC_API_KEY = KEY
        settings.ANTHROPIC_BASE_URL = running.url
        if "shelves" not in request.fixturenames:
            settings.S2_BASE_URL = refusing.base
            settings.SOURCE_PACE = {"semantic_scholar": 1000.0}
        yield running


@contextmanager
def serving_alone() -> Iterator[Service]:
    """The same without a test, for a run that all tests of a module look at."""
    with serving() as running, Site() as refusing:
        running.otherwise = reply
        pace = {"semantic_scholar": 1000.0}
        places = {"ANTHROPIC_BASE_URL": running.url, "S2_BASE_URL": refusing.base}
        with override_settings(**places, ANTHROPIC_API_KEY=KEY, SOURCE_PACE=pace):
            yield running


@pytest.fixture
def shelves(settings: Settings) -> Iterator[Site]:
    """A server in the place of every catalogue, with every key set, at a pace no test has to wait for."""
    with Site() as site:
        for name in BASES:
            setattr(settings, name, site.base)
        for name, value in KEYS.items():
            setattr(settings, name, value)
        settings.GOOGLE_CX = "engine"
        settings.SOURCE_PACE = dict.fromkeys(PROVIDERS, 1000.0)
        yield site
