"""The offline engine: extractive and deterministic; it only quotes sentences from the input (DESIGN 9)."""

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel

from llm.offline import aggregate, condense, digest, drafts, plan, report, study_methods, sufficiency, verify
from llm.roles import RoleRequest

A = TypeVar("A", bound=BaseModel)

ROLES: dict[str, Callable[[Any], BaseModel]] = {
    "brief": plan.brief,
    "research": plan.research,
    "decompose": plan.decompose,
    "condense": condense.condense,
    "assess": study_methods.assess,
    "sufficiency": sufficiency.sufficiency,
    "synthesize": report.synthesize,
    "repair": verify.repair,
    "verify": verify.verify,
    "digest": digest.digest,
    "aggregate": aggregate.aggregate,
    "route": aggregate.route,
    "draft": drafts.draft,
    "assist": drafts.assist,
}


class OfflineEngine:
    """Answers every role from its input alone, without network, randomness or clock."""

    name = "offline-1"
    label = "Offline engine: it quotes its sources word for word, and writes nothing new."
    # Runs and drafts are stored with the label of their time, and are known by it; so a label that was used stays here.
    labels = (label, "Offline engine: it quotes your own files and references, and writes nothing new.")

    async def ask(self, asked: RoleRequest[A]) -> A:
        """Return the answer in the role of `asked`, computed in a thread. Raises LookupError for an unknown role."""
        answer = await asyncio.to_thread(ROLES[asked.task or asked.role], asked)
        return asked.answer.model_validate(answer)  # type: ignore[return-value]
