"""Results of an engine: the answer, and the usage of each call."""

import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from django.utils import timezone
from pydantic import BaseModel, Field

A = TypeVar("A", bound=BaseModel)

# Called with each piece of text and the number of the attempt, from 1. When the number rises, the answer starts over
# and the earlier text is void.
OnText = Callable[[str, int], Awaitable[None]]


class Redacted(NamedTuple):
    """A private detail that was not sent to a model: its kind (text.personal_data.LABELS) and its original text."""

    kind: str
    value: str


class CallUsage(BaseModel):
    """The usage of one charged call (SPEC T4). It serialises to JSON, so a journal can store it with the answer."""

    id: uuid.UUID = Field(default_factory=uuid.uuid4)  # the primary key of the row, so that saving twice makes one row
    role: str
    model: str
    input_tokens: int = 0  # without those read from or written to the prompt cache
    output_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost_usd: Decimal = Decimal(0)
    is_estimate: bool = False  # the price is unknown, or the stream was cut off before the final count
    stop_reason: str = ""
    request_id: str = ""
    at: datetime = Field(default_factory=timezone.now)

    @property
    def tokens(self) -> int:
        """The total number of tokens."""
        return self.input_tokens + self.output_tokens + self.cache_read_tokens + self.cache_write_tokens


@dataclass(frozen=True)
class EngineResult(Generic[A]):
    """An answer with its usage and the details that were redacted."""

    answer: A
    usages: tuple[CallUsage, ...] = ()  # none from the offline engine; several after a repair or retry
    redacted: tuple[Redacted, ...] = ()  # each detail once; never for logs, events, exceptions or task arguments
