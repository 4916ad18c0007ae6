"""The longest chain of calls in a run that each had to wait for the one before, in configured latencies.

A run cannot be quicker than this, however many calls are made at once: what a node asks next follows from what its
last calls brought, parts follow from the plan, the report from all parts. Calls that were asked for by the same turn
count once.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from research.models import Run, Step

_NODE = re.compile(r"(\d+(?:\.\d+)*)/(.+)")


def critical_path(run: Run, latencies: Mapping[str, float]) -> float:
    """Seconds, where a model call takes `latencies["model"]` and one of a catalogue `latencies["search"]`."""
    rounds = dict(run.nodes.values_list("number", "round"))
    nodes: dict[str, list[Step]] = defaultdict(list)
    rest: list[Step] = []
    for step in run.steps.order_by("started_at"):
        found = _NODE.fullmatch(step.key)
        (nodes[found[1]] if found else rest).append(step)

    def takes(step: Step) -> float:
        return 0.0 if step.key.endswith("/library") else latencies.get(step.kind, 0.0)

    def chain(number: str) -> float:
        """The parts that one question was split into are worked at once, round after round."""
        parts = [other for other in nodes if re.fullmatch(rf"{re.escape(number)}\.\d+", other)]
        of_round: dict[int, float] = defaultdict(float)
        for part in parts:
            of_round[rounds[part]] = max(of_round[rounds[part]], chain(part))
        return _node(nodes[number], takes) + sum(of_round.values())

    # Claims are checked in batches that do not wait for each other.
    checked = max((takes(step) for step in rest if step.key.startswith("verification/")), default=0.0)
    return sum(takes(step) for step in rest if not step.key.startswith("verification/")) + chain("1") + checked


def _node(steps: Sequence[Step], takes: Callable[[Step], float]) -> float:
    """One question without its parts: its turns, after each of them the longest of the calls it asked for."""
    turns = [step for step in steps if "/research/" in step.key]
    alone = [step for step in steps if step.kind == "model" and step not in turns]
    asked = [step for step in steps if step.kind in ("search", "fetch")]
    total = sum(takes(step) for step in [*turns, *alone])
    for position, turn in enumerate(turns):
        until = turns[position + 1].started_at if position + 1 < len(turns) else None
        after = [
            step for step in asked if step.started_at >= turn.finished_at and (until is None or step.started_at < until)
        ]
        total += max((takes(step) for step in after), default=0.0)
    return total
