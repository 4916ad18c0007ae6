"""How many rounds a run takes: good, poor, failing and endless ones, played through without a model.

    python -m tests.benchmarks coverage

Each case says what every round brings; the measure and the rules are those of research/rounds. What a round costs is
the mean of measured runs with a model. The table is in docs/decisions/supervision.md.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from research.setup.limits import LEAST_GAIN, MOST_ROUNDS, MOST_ROUNDS_OTHERWISE
from research.supervision.coverage import ENOUGH, Found, Question, scores_of

TOKENS = 200_000  # of one academic round, measured
QUESTIONS, QUERIES = 5, 8  # of a plan; of a question in one round


@dataclass(frozen=True)
class Case:
    """`works`: new works with a finding in each round, for each question. `origins`: how many places they come from."""

    name: str
    works: tuple[int, ...]
    origins: int
    cited: tuple[int | None, ...]
    answered: int = QUESTIONS  # questions that bring anything
    gaps: bool = True  # whether the model names new gaps after every round
    fails: bool = False


CASES = (
    Case("good", (3, 2), 8, (250, 40, 12, 3), gaps=False),
    Case("good, gaps without end", (3, 1, 1, 1, 1, 1), 8, (250, 40, 12, 3)),
    Case("slow", (1, 1, 1, 1, 1, 1), 6, (40, 12, 3, None)),
    Case("own files only", (2, 1, 1), 6, (None,)),
    Case("poor: two questions of five", (1, 0), 2, (3, None), answered=2),
    Case("poor, gaps without end", (1, 1, 1, 1, 1, 1), 2, (3, None), answered=2),
    Case("one file for everything", (1, 0), 1, (None,)),
    Case("nobody answers", (0,), 0, (), fails=True),
)


@dataclass
class Played:
    questions: list[Question] = field(default_factory=lambda: [Question() for _ in range(QUESTIONS)])
    works: dict[str, tuple[str, int | None]] = field(default_factory=dict)  # origin and citations
    queries: int = 0

    def scores(self, *, academic: bool) -> dict[str, float]:
        counts = [(cited, False) for _, cited in self.works.values()]
        found = Found(set(self.works), {origin for origin, _ in self.works.values()}, counts)
        return scores_of(self.questions, found, academic=academic)

    def diversity_before(self) -> float:
        """As it was measured before: over all queries that were ever made."""
        return min(1.0, len({origin for origin, _ in self.works.values()}) / (2 * self.queries or 1))


def rounds_of(case: Case, *, academic: bool) -> Iterator[tuple[int, dict[str, float], float, str]]:
    """The rounds of `case`: number, scores, diversity as it was, and what is decided."""
    played, random, before = Played(), Random(7), 0.0
    most = MOST_ROUNDS["academic"] if academic else MOST_ROUNDS_OTHERWISE
    for number in range(1, most + 1):
        new = case.works[number - 1] if number <= len(case.works) else 0
        for place, question in enumerate(played.questions):
            played.queries += QUERIES
            question.worked = not case.fails
            for n in range(new if place < case.answered else 0):
                work = "file" if case.origins == 1 else f"{number}.{place}.{n}"
                played.works.setdefault(work, (f"o{random.randrange(case.origins)}", random.choice(case.cited)))
                question.documents.add(work)
        scores = played.scores(academic=academic)
        decision = _decision(case, number, most, scores["overall"], before, new)
        yield number, scores, played.diversity_before(), decision
        if decision != "on":
            return
        before = scores["overall"]


def _decision(case: Case, number: int, most: int, now: float, before: float, new: int) -> str:
    """The rules of research/supervision/supervise.py, in their order."""
    if case.fails:
        return "failed: tried again, then reported"
    if number > 1 and now >= ENOUGH:
        return "enough"
    if number > 1 and not new:
        return "nothing new"
    if number > 1 and now - before < LEAST_GAIN:
        return "too little gain"
    if not case.gaps and number > 1:
        return "no gap is open"
    return "on" if number < most else "most rounds"


def table(*, academic: bool) -> list[str]:
    """The cases as a Markdown table."""
    lines = [
        "| case | rounds | coverage by round | diversity, as it was | ends with | tokens |",
        "|---|---|---|---|---|---|",
    ]
    for case in CASES:
        rows = list(rounds_of(case, academic=academic))
        overall = ", ".join(f"{scores['overall']:.2f}" for _, scores, _, _ in rows)
        old = ", ".join(f"{was:.3f}" for _, _, was, _ in rows)
        cost = f"{len(rows) * TOKENS // 1000}k"
        lines.append(f"| {case.name} | {len(rows)} | {overall} | {old} | {rows[-1][3]} | {cost} |")
    return lines


def main() -> None:
    for academic in (True, False):
        lines = ["", "academic" if academic else "general", "", *table(academic=academic)]
        sys.stdout.write("\n".join(lines) + "\n")
