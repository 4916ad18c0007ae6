"""Which engine answers, and the one way to ask it."""

from typing import Protocol, TypeVar

from django.conf import settings
from pydantic import BaseModel

from llm.offline import OfflineEngine
from llm.roles import Asked

A = TypeVar("A", bound=BaseModel)


class EngineUnavailable(Exception):
    """The engine asked for cannot be used here; the message says how to change that."""


class Engine(Protocol):
    name: str  # short and stable, part of cache keys: "offline-1"
    label: str  # what people read on every output

    async def ask(self, asked: Asked[A]) -> A:
        """The answer in the role of `asked`."""
        ...


def choose_engine() -> Engine:
    """The engine of this installation, by LLM_ENGINE.

    Raises EngineUnavailable for an engine this installation cannot use.
    """
    if settings.LLM_ENGINE in ("auto", "offline"):
        return OfflineEngine()
    raise EngineUnavailable(f"LLM_ENGINE={settings.LLM_ENGINE} is not known here; set it to auto or offline.")
