"""The answers of the library in one run, and the search terms of a query, so that no query is made twice (SPEC R5)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from research.journal.journal import Response
from research.models import Passage, Run

PROVIDER = "library"
MAX_TERMS = 40
MAX_QUERY = 4_000  # characters; the rest of a query is ignored
_TOKEN = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")

Terms = frozenset[str]


@dataclass
class Shelf:
    """The library's answers by the search terms of their queries, during one attempt at a run.

    What follows from them is part of the responses in the journal. After an interruption the queries are read from
    there; the passages of an answer (None until then) are fetched again when they are needed.
    """

    answers: dict[Terms, list[Passage] | None] = field(default_factory=dict)
    given: set[str] = field(default_factory=set)  # ids of the passages that were returned
    is_told: bool = False  # whether the person was told that the library has been read through

    @classmethod
    def of(cls, run: Run) -> "Shelf":
        """Return the answers that earlier attempts at `run` got.

        All of them are loaded before anything is asked, since questions are worked at the same time.
        """
        shelf = cls()
        stored = run.steps.filter(kind="search", key__endswith=f"/{PROVIDER}")
        for response in stored.values_list("response", flat=True):
            shelf.note((), response)
        return shelf

    def is_read(self, total: int) -> bool:
        """Return whether all `total` passages of the library have been returned."""
        return len(self.given) >= total

    def take(self, response: Response) -> None:
        """Add the passages of a response to those that were returned."""
        self.given |= {hit["source_id"] for hits in response["results"] for hit in hits}

    def note(self, queries: Sequence[str], response: Response) -> None:
        """Update from a response, whether it just arrived or comes from the journal."""
        for query in queries:
            self.answers.setdefault(terms_of(query), None)
        self.take(response)
        self.is_told = self.is_told or bool(response.get("said"))


def terms_of(query: str) -> Terms:
    """Return the search terms of `query`: two queries with the same terms have the same answer."""
    return frozenset(words_of(query))


def words_of(query: str) -> list[str]:
    """Return the distinct words of `query` that the library searches for, in lower case."""
    return list(dict.fromkeys(token.lower() for token in _TOKEN.findall(query[:MAX_QUERY])))[:MAX_TERMS]
