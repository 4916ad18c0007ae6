"""How long a run may work, and when its research is over whatever is still open (SPEC R16).

Counted is the time that attempts have worked: rests, and the time a killed worker was not missed, are not. Whether a
limit is reached is looked at only before something new is asked; what then comes of it is stored with the step, so a
run that goes on, or is replayed, ends its research at the same place.
"""

from decimal import Decimal
from time import monotonic
from typing import Any, NamedTuple

from llm.budget import BudgetSpent, tokens_in
from llm.prices import price_of
from llm.routing import ROUTES, model_for
from research.models import Run

RUN_SECONDS = 3600  # that a run may work when nothing else is set
RESEARCH_SHARE = 0.5  # of them for the research, so that time is left for the report: 1800 s
NEARLY = 0.9  # share of a limit from which no further round is begun
KEPT_CHARACTERS = 60_000  # of findings, gaps and files' notes that a report is made from: what is reckoned with
KEPT_CALLS = 2  # the report, and once more if it cannot be used
WORTH_KEEPING = (
    0.8  # share of what is left beyond which nothing is kept back: too little would be left to find anything
)

WRITE_EVERY = 10.0  # seconds after which it is written down again how long an attempt has worked

BUDGET, TIME = "the budget was used up", "the time was used up"


class Over(NamedTuple):
    """Research is over: `decision` is BUDGET or TIME, `why` a sentence."""

    decision: str
    why: str


class Limits:
    """The limits of one attempt. Without a run there are none."""

    def __init__(self, run: Run | None = None) -> None:
        self.run = run
        self.begun = monotonic()
        self.before = run.spent_seconds if run else 0  # seconds, of earlier attempts
        self.written = self.begun  # when the seconds were last kept
        self.seconds = (run.budget_seconds or RUN_SECONDS) if run else 0
        self.research_from: float | None = (
            None  # seconds worked when the research began; None while it is not under way
        )
        self.spent: Over | None = None

    @property
    def worked(self) -> float:
        """Seconds, of all attempts."""
        return self.before + monotonic() - self.begun

    @property
    def left(self) -> float:
        """Seconds that the run may still work; may be negative."""
        return self.seconds - self.worked if self.run else float("inf")

    def over(self, *, even_late: bool = False) -> Over | None:
        """Why nothing more is to be asked for the research, if so. `even_late`: when time alone is up, this still is."""
        if self.spent or even_late or self.run is None or self.research_from is None:
            return self.spent
        used, limit = self._research()
        if used < limit and self.left > 0:
            return None
        time = f"{limit // 60} minutes" if limit >= 120 else f"{limit} seconds"
        return Over(TIME, f"The time for research was used up: {time}.")

    def spend(self, spent: BudgetSpent) -> Over:
        """A call was refused by the purse: nothing more is asked for the research."""
        self.spent = Over(BUDGET, f"{str(spent).rstrip('. ')}.")
        return self.spent

    def nearly(self) -> str:
        """What is nearly used up, as a decision; "" while there is enough of everything for another round."""
        if self.run is None or self.research_from is None:
            return ""
        used, limit = self._research()
        return "the time is nearly used up" if used >= NEARLY * limit else ""

    def _research(self) -> tuple[float, int]:
        """Seconds that the research has worked, and may work."""
        return self.worked - (self.research_from or 0.0), max(1, int(self.seconds * RESEARCH_SHARE))

    def columns(self) -> dict[str, Any]:
        """What the run's row must be updated with, now and then, for an attempt that ends without a word."""
        if self.run is None or monotonic() - self.written < WRITE_EVERY:
            return {}
        self.written = monotonic()
        return {"spent_seconds": round(self.worked)}

    def put_down(self) -> None:
        """At the end of an attempt, however it ended."""
        if self.run is not None:
            Run.objects.filter(pk=self.run.pk).update(spent_seconds=round(self.worked))


def cut_short(run: Run) -> tuple[str, ...]:
    """Why the research of `run` ended before its time, and what is missing for it, in sentences; () when it did not."""
    over = next((row["over"] for row in run.rounds[::-1] if row.get("over")), None)
    if over is None:
        return ()
    nodes = run.nodes.filter(searches=0, repeats=0, children=None).order_by("id")
    left = "; ".join(f"{node.number} {node.topic or node.question}".strip() for node in nodes)
    rest = f"Not looked into: {left}." if left else "Each question was looked into, not all of them to the end."
    return (f"The research ended early. {over['why']}", rest)


def of_a_report(more: str = "") -> tuple[Decimal, int]:
    """The most that writing a report can cost, in USD and tokens. `more` is sent along with what is reckoned with."""
    price, _ = price_of(model_for("synthesize"))
    sent, answered = tokens_in("x" * KEPT_CHARACTERS + more), ROUTES["synthesize"].max_tokens
    return price.of(0, answered, cache_write=sent), sent + answered
