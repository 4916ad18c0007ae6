"""Counting failed catalogue requests: a catalogue that keeps failing is no longer asked in this run (SPEC C1, R11)."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from research.journal.journal import Response
from sources.providers import PROVIDERS
from sources.work import Failed, FailureKind, Outcome

GIVE_UP = 5  # failed requests in a row; requests skipped while the catalogue rests do not count
_NOT_ASKED = {"", FailureKind.RESTING, FailureKind.GIVEN_UP}


@dataclass
class CatalogueFailures:
    """How often in a row each catalogue failed to answer during one attempt at a run.

    The outcome is part of the response in the journal, so a replay needs no count.
    """

    times: Counter[str] = field(default_factory=Counter)
    given_up: set[str] = field(default_factory=set)
    resting: set[str] = field(default_factory=set)

    async def ask(self, name: str, ask: Callable[[], Awaitable[Outcome]]) -> tuple[Outcome, bool]:
        """Return the outcome of `ask()`, or a failure when the catalogue `name` was given up.

        The flag says whether the person was already told that the catalogue rests or is given up.
        """
        if self.times[name] < GIVE_UP:
            outcome = await ask()
            rests = isinstance(outcome, Failed) and outcome.kind == FailureKind.RESTING
            known = rests and name in self.resting
            self.resting = self.resting | {name} if rests else self.resting - {name}
            return outcome, known
        known = name in self.given_up
        self.given_up.add(name)
        why = f"{PROVIDERS[name].label} gave no usable answer {GIVE_UP} times in a row, so it is not asked again."
        return Failed(why, None, FailureKind.GIVEN_UP), known

    def note(self, name: str, response: Response) -> None:
        """Update the counts from a response, whether it just arrived or comes from the journal."""
        if response.get("kind", "") == FailureKind.GIVEN_UP:
            self.times[name] = GIVE_UP
            self.given_up.add(name)
        elif not response["failed"]:
            self.times[name] = 0
        elif response.get("kind", "") not in _NOT_ASKED:
            self.times[name] += 1

    def forget(self) -> None:
        """Reset the counts, so that every catalogue is asked again when a failed round is retried."""
        self.times.clear()
        self.given_up.clear()
