"""The offline engine: extractive and deterministic; it never writes a sentence it did not find."""

from typing import TypeVar

from pydantic import BaseModel

from llm.roles import Asked

A = TypeVar("A", bound=BaseModel)


class OfflineEngine:
    name = "offline-1"
    label = "Offline engine: it quotes your own files and references, and writes nothing new."

    async def ask(self, asked: Asked[A]) -> A:
        raise LookupError(asked.role)
