"""What comes back from an engine: the answer, and what each call behind it has used."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from django.utils import timezone
from pydantic import BaseModel, Field

A = TypeVar("A", bound=BaseModel)

# Given each piece of text and the number of the try it belongs to, from 1. When the number rises, the answer is
# begun anew and what came before is void.
OnText = Callable[[str, int], Awaitable[None]]


class Redacted(NamedTuple):
    """A private detail that was not sent to a model: its kind (text.personal_data.LABELS) and how it stood there."""

    kind: str
    value: str


class CallUsage(BaseModel):
    """One call that a service was paid for (SPEC T4). It is JSON, so it can be kept in a journal beside its answer."""

    id: uuid.UUID = Field(default_factory=uuid.uuid4)  # becomes the row's: kept twice, it is still one row
    role: str
    model: str
    input_tokens: int = 0  # without those read from or written to the prompt cache
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    is_estimate: bool = False  # the model has no known price, or the stream was cut before it was counted
    stop_reason: str = ""
    request_id: str = ""
    at: datetime = Field(default_factory=timezone.now)

    @property
    def tokens(self) -> int:
        """All of them, however they are priced."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True)
class Answered(Generic[A]):
    answer: A
    usages: tuple[CallUsage, ...] = ()  # none from the offline engine; several after a repair or a cut stream
    redacted: tuple[Redacted, ...] = ()  # each detail once; never for logs, events, exceptions or task arguments
