"""What a claim is compared with, as callers pass it, and how they ask (SPEC R11)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, TypeVar

from pydantic import BaseModel, Field

from claims.quotes import Span
from claims.sentences import Cited
from llm.roles import Asked, Passage

A = TypeVar("A", bound=BaseModel)


class Stored(Protocol):
    """A text as it is kept, with the record it came with. `public_id` names the work it belongs to, or its passage."""

    pk: int
    source_id: str
    title: str
    heading: str
    text: str
    text_hash: str
    page: int | None
    offset: int

    @property
    def public_id(self) -> str: ...

    @property
    def year(self) -> int | None: ...

    @property
    def passage(self) -> Passage: ...


class Evidence(Protocol):
    """What a marker stands for: `content`, and the words of a stored text that it rests on."""

    content: str
    start: int
    end: int

    @property
    def source(self) -> Stored: ...


class Asks(Protocol):
    """Asks an engine under a key, and gives its answer, with a sentence on why no model gave it ("" where none was to)."""

    async def __call__(self, key: str, asked: Asked[A]) -> tuple[A, str]: ...


class Resting(Passage):
    """A passage with the places in its text that something rests on, which must be seen. They are no part of what is asked."""

    places: tuple[Span, ...] = Field((), exclude=True)


class Place(NamedTuple):
    """Words of a stored text."""

    source: Stored
    span: Span


@dataclass(frozen=True)
class Shelf:
    """What markers stand for, and the stored texts behind it. `texts` are those of a cited work or passage, by public id."""

    findings: Mapping[str, Evidence]
    texts: Mapping[str, Sequence[Stored]]

    def sources(self, claim: Cited) -> list[tuple[str, Stored]]:
        """Each stored text that a claim cites, with the finding that it is cited for; those of the findings first."""
        cited = {finding_id: self.findings[finding_id].source for finding_id in claim.findings}
        own = list(cited.items())
        beside = [
            (finding_id, other)
            for finding_id, source in cited.items()
            for other in self.texts[source.public_id]
            if other.pk != source.pk
        ]
        return own + beside
