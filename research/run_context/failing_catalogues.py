"""Which catalogues leave a run without answers: one that does so again and again is asked no more (SPEC C1, R11)."""

from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from research.journal.journal import Response
from sources.providers import PROVIDERS
from sources.work import Failed, Kind, Outcome

GIVE_UP = 5  # requests in a row without an answer, those not counted that were not made since the catalogue rests
_NOT_ASKED = {"", Kind.RESTING, Kind.GIVEN_UP}


@dataclass
class Unanswered:
    """How often each catalogue left one attempt at a run without an answer, in a row.

    What comes of it is in the response that the journal keeps, so a replay needs no count.
    """

    times: Counter[str] = field(default_factory=Counter)
    given_up: set[str] = field(default_factory=set)
    resting: set[str] = field(default_factory=set)

    async def ask(self, name: str, ask: Callable[[], Awaitable[Outcome]]) -> tuple[Outcome, bool]:
        """Return what `ask()` gives, unless the catalogue `name` is given up; and whether it was said before that it is, or rests."""
        if self.times[name] < GIVE_UP:
            outcome = await ask()
            rests = isinstance(outcome, Failed) and outcome.kind == Kind.RESTING
            known = rests and name in self.resting
            self.resting = self.resting | {name} if rests else self.resting - {name}
            return outcome, known
        known = name in self.given_up
        self.given_up.add(name)
        why = f"{PROVIDERS[name].label} gave no usable answer {GIVE_UP} times in a row, so this run asks it no more."
        return Failed(why, None, Kind.GIVEN_UP), known

    def note(self, name: str, response: Response) -> None:
        """Take account of a response, whether it came just now or was stored."""
        if response.get("kind", "") == Kind.GIVEN_UP:
            self.times[name] = GIVE_UP
            self.given_up.add(name)
        elif not response["failed"]:
            self.times[name] = 0
        elif response.get("kind", "") not in _NOT_ASKED:
            self.times[name] += 1

    def forget(self) -> None:
        """Ask everybody again: a round that failed altogether is tried once more."""
        self.times.clear()
        self.given_up.clear()
