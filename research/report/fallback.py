"""Asking a model while the report is written, with the offline engine as fallback (SPEC R9, R11).

While a report is written and checked, no findings may be lost. So a used-up budget or an unusable answer does not end
the run: the offline engine answers, and the caller is told.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from llm.budget import BudgetSpent
from llm.errors import Unusable
from llm.prompt import Prompt
from llm.result import CallUsage
from llm.roles import RoleRequest
from research.plurals import counted
from research.prompts.build import prompt_for
from research.run_context.ask_engine import AskableEngine, PaidEngine, failure_sentence
from research.run_context.excerpts import question_narrower
from research.run_context.run_context import RunContext

A = TypeVar("A", bound=BaseModel)


class LimitReached(Unusable):
    """Raised when the budget or time of a run is used up, so that the model is not asked."""

    def __init__(self, role: str, why: str, usages: tuple[CallUsage, ...] = ()) -> None:
        """Set the reason; `usages` were paid for all the same."""
        Exception.__init__(self, why)
        self.role, self.why, self.usages = role, why, usages


@dataclass(frozen=True)
class FallbackAnswer(Generic[A]):
    """An answer. `trouble` is a sentence on why the offline engine answered instead of a model, or "".

    `share` is the share of the material that the model accepted: 1.0, 0.9, 0.81 or 0.729.
    """

    answer: A
    trouble: str
    share: float


async def ask_with_fallback(
    inquiry: RunContext,
    key: str,
    asked: RoleRequest[A],
    *,
    fault: Callable[[A], str] | None = None,
    less: Callable[[float], RoleRequest[Any]] | None = None,
    record: Callable[[FallbackAnswer[A]], None] | None = None,
) -> FallbackAnswer[A]:
    """Ask through the journal under `key` and return the answer; `record` stores what follows from it, once.

    `less` returns the same question with a share of its material (0 < share <= 1). With it, a question that is too long
    is asked again up to three times, each time with a tenth less.

    Raises jobs.work.WaitsForUser when the service cannot be reached or rejects such requests, which a person can fix.
    """
    told = {"trouble": "", "share": 1.0}

    async def question(engine: AskableEngine) -> Any:
        try:
            if isinstance(engine, PaidEngine):
                _check_time(inquiry, asked.role)
                shown = await question_narrower(inquiry, asked)

                def shorter(share: float) -> Prompt:
                    assert less is not None
                    told["share"] = round(share, 3)
                    return prompt_for(shown(less(share)), academic=inquiry.academic)

                prompt = (
                    await asyncio.to_thread(lambda: prompt_for(shown(asked), academic=inquiry.academic))
                    if inquiry.uses_model
                    else None
                )
                answered = await engine.ask(asked, prompt=prompt, shorter=shorter if less else None)
            else:
                told["share"] = 1.0
                answered = await engine.ask(asked)
        except Unusable as failed:
            told["trouble"] = failure_sentence(failed)
            raise
        except BudgetSpent as spent:
            told["trouble"] = failure_sentence(spent)
            # As a subclass of Unusable it makes the offline engine take over.
            raise LimitReached(asked.role, str(spent), spent.usages) from None
        return {"answer": answered.answer.model_dump(mode="json"), **told}

    def read(response: Any) -> FallbackAnswer[A]:
        return FallbackAnswer(asked.answer.model_validate(response["answer"]), response["trouble"], response["share"])  # type: ignore[arg-type]

    def write(response: Any) -> None:
        if record is not None:
            record(read(response))

    request = {"role": asked.role, "asked": asked.model_dump(mode="json")}
    return read(await inquiry.put(key, request, question, write, fault))


def _check_time(inquiry: RunContext, role: str) -> None:
    """Raise LimitReached when the run has worked as long as it may."""
    if inquiry.uses_model and inquiry.limits.left <= 0:
        minutes = counted(max(1, round(inquiry.limits.seconds / 60)), "minute")
        raise LimitReached(role, f"The time of this run, {minutes}, is used up")
