"""What one run has had from the library, so that nothing is asked of it twice (SPEC R5)."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from research.journal.journal import Response
from research.models import Passage, Run
from research.query_words import words_of

PROVIDER = "library"

Terms = frozenset[str]


@dataclass
class Shelf:
    """The answers of the library by the words of their queries, in an attempt at a run.

    What follows from it is in the responses that the journal keeps. After an interruption it is filled from those; the
    passages of an answer (None until then) are looked up again when they are needed.
    """

    answers: dict[Terms, list[Passage] | None] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)  # ids of the passages that came back
    is_told: bool = False  # that it has been read through

    @classmethod
    def of(cls, run: Run) -> "Shelf":
        """Return what earlier attempts at `run` had: all of it before anything is asked, since parts go on at the same time."""
        shelf = cls()
        stored = run.steps.filter(kind="search", key__endswith=f"/{PROVIDER}")
        for response in stored.values_list("response", flat=True):
            shelf.note((), response)
        return shelf

    def is_read(self, total: int) -> bool:
        """Return whether all `total` passages of the library have come back."""
        return len(self.given) >= total

    def take(self, response: Response) -> None:
        self.given |= {hit["source_id"] for hits in response["results"] for hit in hits}

    def note(self, queries: Sequence[str], response: Response) -> None:
        """Take account of a response, whether it came just now or was stored."""
        for query in queries:
            self.answers.setdefault(terms_of(query), None)
        self.take(response)
        self.is_told = self.is_told or bool(response.get("said"))


def terms_of(query: str) -> Terms:
    """Return what the library looks for in `query`: two queries with the same words have the same answer."""
    return frozenset(words_of(query))
