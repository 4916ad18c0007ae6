"""The engine interface, and the choice of the engine by the settings."""

from collections.abc import Sequence
from typing import Any, Protocol, Self, TypeVar, runtime_checkable

from django.conf import settings
from pydantic import BaseModel, SecretStr

from llm.budget import CallBudget
from llm.claude import ClaudeEngine
from llm.claude.client import is_address, is_loopback, warm_up_client
from llm.offline import OfflineEngine
from llm.prompt import Prompt, Shorter
from llm.redaction_gate import Gate
from llm.result import EngineResult, OnText
from llm.roles import RoleRequest
from llm.tools import Message, Reply, Tool
from projects.models import Project

A = TypeVar("A", bound=BaseModel)


class EngineUnavailable(Exception):
    """The configured engine cannot be used; the message says which setting to change."""


class Described(Protocol):
    """The description of an engine, for pages."""

    @property
    def name(self) -> str:
        """A short, stable name that is part of cache keys: "offline-1"."""

    @property
    def label(self) -> str:
        """The name shown to users on every output, at most 80 characters."""

    @property
    def is_remote(self) -> bool:
        """Whether requests leave this machine (consent and redaction, SPEC X2, T4)."""


class Engine(Described, Protocol):
    """An engine for questions. `async with engine:` keeps connections open between calls, but is optional."""

    async def __aenter__(self) -> Self: ...

    async def __aexit__(self, *_: object) -> None: ...

    async def ask(
        self,
        asked: RoleRequest[A],
        *,
        prompt: Prompt | None = None,
        purse: CallBudget | None = None,
        on_text: OnText | None = None,
        shorter: Shorter | None = None,
        max_tokens: int | None = None,
    ) -> EngineResult[A]:
        """Return the answer in the role of `asked`. ClaudeEngine.ask documents the other arguments and the errors.

        A model needs a `prompt`. The offline engine uses only `asked`.
        """


@runtime_checkable
class ConversingEngine(Protocol):
    """An engine that can also work with tools; see ClaudeEngine.converse."""

    async def converse(
        self,
        role: str,
        prompt: Prompt,
        history: Sequence[Message] = (),
        tools: Sequence[Tool] = (),
        *,
        purse: CallBudget | None = None,
        on_text: OnText | None = None,
        max_tokens: int | None = None,
    ) -> Reply:
        """Return the model's next turn of a conversation."""
        ...


class Offline(OfflineEngine):
    """The offline engine with the interface of the model engine."""

    is_remote = False

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def ask(self, asked: RoleRequest[A], **_: Any) -> EngineResult[A]:  # type: ignore[override]
        return EngineResult(await super().ask(asked))


def load() -> None:
    """Warm up the model client if a model is configured: it takes a second, which no run should wait for."""
    if settings.LLM_ENGINE != "offline" and settings.ANTHROPIC_API_KEY:
        warm_up_client()


def engine_of_this_installation(*, local_only: bool = False) -> Described:
    """Return the configured engine, for pages without a project. Raises the same errors as `choose_engine`."""
    return _engine(Gate(""), local_only=local_only)


def choose_engine(project: Project, *, local_only: bool = False) -> Engine:
    """Return the engine configured by LLM_ENGINE for `project`, whose private details it redacts.

    With `local_only` nothing may leave the machine: the offline engine, unless ANTHROPIC_BASE_URL is a loopback
    address (SPEC R1). Makes no query. Raises EngineUnavailable for an engine that this installation cannot use.
    """
    return _engine(Gate.of(project), local_only=local_only)


def _engine(gate: Gate, *, local_only: bool) -> Engine:
    wanted, key, url = settings.LLM_ENGINE, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL
    if wanted not in ("auto", "anthropic", "offline"):
        raise EngineUnavailable(f"Unknown LLM_ENGINE={wanted}; set it to auto, anthropic or offline.")
    if wanted == "offline" or (wanted == "auto" and not key) or (local_only and not is_loopback(url)):
        return Offline()
    if not key:
        raise EngineUnavailable(
            "LLM_ENGINE=anthropic needs ANTHROPIC_API_KEY. For your own endpoint without authentication, set any value."
        )
    if not is_address(url):
        raise EngineUnavailable("ANTHROPIC_BASE_URL is not an http or https address.")
    return ClaudeEngine(SecretStr(key), gate, url)
