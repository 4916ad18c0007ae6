"""Whole runs with a model, over real HTTP to a Messages API of our own."""

from collections.abc import Iterator

import pytest
from pytest_django import Settings

from tests.research.forest import forest
from tests.research_model.script import KEY, answer
from tests.servers.messages import Service, said, serving

__all__ = ["forest"]


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    """The service that this installation is set up for; it answers each role as script.py has it."""
    with serving() as running:
        running.otherwise = lambda request: said(answer=answer(request))
        settings.ANTHROPIC_API_KEY = KEY
        settings.ANTHROPIC_BASE_URL = running.url
        yield running
