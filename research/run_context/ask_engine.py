"""Asking the engine of a run, and what is done when it gives no answer (DESIGN 12).

An answer that cannot be used is given by the role's deterministic stand-in. Everything else that keeps a model from
answering ends the run in a sentence: what happened, what is kept, what to do.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from pydantic import BaseModel

from jobs.models import JobSignal
from jobs.work import NeedsYou, Stopped
from llm.budget import BudgetSpent, Purse
from llm.engine import Converses, Engine, Offline
from llm.errors import Failed, Rejected, Unreachable, Unusable
from llm.prompt import Prompt, Shorter
from llm.result import Answered, CallUsage
from llm.roles import Asked
from llm.tools import Message, Reply, Tool
from research.journal.journal import Response

A = TypeVar("A", bound=BaseModel)
U = TypeVar("U", Answered[Any], Reply)

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
# How a run rests or ends when a model cannot be asked. What a person can mend waits for them, and goes on from there.
_ENDS: dict[type[Failed], tuple[type[JobSignal], str]] = {
    Unreachable: (NeedsYou, "What was found is kept; resume when the service is well."),
    Rejected: (NeedsYou, "What was found is kept; put the setting right and resume."),
    BudgetSpent: (
        Stopped,
        "Before a call is made, the most it could cost is set aside. "
        "What was found is kept; ask the question again with a larger budget.",
    ),
}


class Asks(Protocol):
    """The part of an engine that a question needs."""

    @property
    def name(self) -> str: ...

    async def ask(
        self, asked: Asked[A], *, prompt: Prompt | None = None, shorter: Shorter | None = None
    ) -> Answered[A]: ...


@dataclass
class Paying:
    """The engine with the purse of the run; it remembers what its calls have used, failed ones too.

    `fault` says why an answer of the right shape is of no use all the same, or "".
    """

    engine: Engine
    purse: Purse | None
    fault: Callable[[Any], str] | None = None
    usages: list[CallUsage] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.engine.name

    async def ask(
        self, asked: Asked[A], *, prompt: Prompt | None = None, shorter: Shorter | None = None
    ) -> Answered[A]:
        answered = await self._paid(self.engine.ask(asked, prompt=prompt, purse=self.purse, shorter=shorter))
        if self.fault and (why := self.fault(answered.answer)):
            raise Unusable(asked.role, why)
        return answered

    async def converse(self, role: str, prompt: Prompt, history: Sequence[Message], tools: Sequence[Tool]) -> Reply:
        """Return the next turn of a conversation with tools; only a model has any (llm.engine.Converses)."""
        assert isinstance(self.engine, Converses)
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
    purse: Purse | None,
    question: Callable[[Asks], Awaitable[Any]],
    fault: Callable[[Any], str] | None = None,
    *,
    as_is: tuple[type[Failed], ...] = (),
) -> Response:
    """Return what `question(engine)` gives, asked of the stand-in when the engine's answer cannot be used, and what it has used:
    {answer, usages}, with `stand_in` where that is why the model did not answer it itself.

    Raises jobs.work.NeedsYou when the service cannot be reached or takes no such request, Stopped when the budget is
    spent; failures of the kinds in `as_is` as they are.
    """
    paying = Paying(engine, purse, fault)
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
        raise signal(f"{sentence(failed)} {advice}") from None


def as_json(usages: Iterable[CallUsage]) -> list[Response]:
    return [usage.model_dump(mode="json") for usage in usages]


def sentence(failed: Failed | str) -> str:
    """Return what went wrong, with one full stop at its end."""
    return f"{str(failed).rstrip('. ')}."
