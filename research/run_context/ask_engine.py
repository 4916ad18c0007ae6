"""Asking the engine of a run a question, and handling a failed answer (DESIGN 12).

An unusable answer is replaced by the answer of the role's deterministic stand-in. Every other failure of a model ends
or pauses the run with a message: what happened, what is kept, what to do.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from jobs.models import JobSignal
from jobs.work import Stopped, WaitsForUser
from llm.budget import BudgetSpent, CallBudget
from llm.engine import ConversingEngine, Engine, Offline
from llm.errors import Failed, Rejected, Unreachable, Unusable
from llm.prompt import Prompt, Shorter
from llm.result import CallUsage, EngineResult
from llm.roles import RoleRequest
from llm.tools import Message, Reply, Tool
from research.journal.journal import Response

A = TypeVar("A", bound=BaseModel)
U = TypeVar("U", EngineResult[Any], Reply)

# The phase of the provenance log that a role belongs to.
PHASES = {
    "digest": "binding",
    "brief": "brief",
    "research": "supervision",
    "condense": "supervision",
    "sufficiency": "supervision",
    "decompose": "supervision",
    "route": "supervision",
    "synthesize": "synthesis",
    "verify": "verification",
    "assist": "synthesis",
}
# How a run pauses or ends when a model cannot be asked. Where a person can fix the cause, the run waits and can go on.
_ENDS: dict[type[Failed], tuple[type[JobSignal], str]] = {
    Unreachable: (WaitsForUser, "What was found is kept; resume when the service works again."),
    Rejected: (WaitsForUser, "What was found is kept; correct the setting and resume."),
    BudgetSpent: (
        Stopped,
        "Before each call, the most it could cost is reserved. "
        "What was found is kept; ask the question again with a larger budget.",
    ),
}


class AskableEngine(Protocol):
    """The part of an engine that is needed to ask it a question."""

    @property
    def name(self) -> str: ...

    async def ask(
        self, asked: RoleRequest[A], *, prompt: Prompt | None = None, shorter: Shorter | None = None
    ) -> EngineResult[A]: ...


@dataclass
class PaidEngine:
    """The engine together with the budget of the run. It records the usage of all its calls, failed ones too.

    `fault` returns why an answer of the right shape cannot be used all the same, or "".
    """

    engine: Engine
    purse: CallBudget | None
    fault: Callable[[Any], str] | None = None
    usages: list[CallUsage] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Return the name of the engine."""
        return self.engine.name

    async def ask(
        self, asked: RoleRequest[A], *, prompt: Prompt | None = None, shorter: Shorter | None = None
    ) -> EngineResult[A]:
        """Return the engine's answer. Raise Unusable when `fault` rejects it."""
        answered = await self._paid(self.engine.ask(asked, prompt=prompt, purse=self.purse, shorter=shorter))
        if self.fault and (why := self.fault(answered.answer)):
            raise Unusable(asked.role, why)
        return answered

    async def converse(self, role: str, prompt: Prompt, history: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """Return the next turn of a conversation with tools; only models have conversations
        (llm.engine.ConversingEngine).
        """
        assert isinstance(self.engine, ConversingEngine)
        return await self._paid(self.engine.converse(role, prompt, history, tools, purse=self.purse))

    async def _paid(self, call: Awaitable[U]) -> U:
        try:
            got = await call
        except Failed as failed:
            self.usages += failed.usages
            raise
        self.usages += got.usages
        return got


async def get(
    engine: Engine,
    purse: CallBudget | None,
    question: Callable[[AskableEngine], Awaitable[Any]],
    fault: Callable[[Any], str] | None = None,
    *,
    as_is: tuple[type[Failed], ...] = (),
) -> Response:
    """Return the answer of `question(engine)` with its usage: {answer, usages}.

    When the engine's answer cannot be used, the stand-in is asked instead and `stand_in` holds the reason.

    Raises jobs.work.WaitsForUser when the service cannot be reached or rejects the request, Stopped when the budget is
    spent. Failures of the types in `as_is` are raised unchanged.
    """
    paying = PaidEngine(engine, purse, fault)
    try:
        return {"answer": await question(paying), "usages": as_json(paying.usages)}
    except Unusable as failed:
        answer = await question(Offline())
        return {"answer": answer, "usages": as_json(paying.usages), "stand_in": str(failed)}
    except as_is:
        raise
    except Failed as failed:
        ends = (end for kind, end in _ENDS.items() if isinstance(failed, kind))
        signal, advice = next(ends, (Stopped, "What was found is kept."))
        raise signal(f"{failure_sentence(failed)} {advice}") from None


def as_json(usages: Iterable[CallUsage]) -> list[Response]:
    """Return usages as JSON objects."""
    return [usage.model_dump(mode="json") for usage in usages]


def failure_sentence(failed: Failed | str) -> str:
    """Return the message of a failure, ending with exactly one full stop."""
    return f"{str(failed).rstrip('. ')}."
