"""Coverage drawn over the rounds of a run: the points of a small picture and its words (SPEC R7)."""

from collections.abc import Mapping, Sequence
from typing import Any

from research.rounds.coverage import ENOUGH

LEFT, RIGHT, TOP, BOTTOM = 28.0, 272.0, 10.0, 92.0  # of the plot, in the units of the picture, 280 wide and 116 high
FEWEST = 3  # rounds that there is room for, so that the first ones do not jump when another comes
LABELS = {
    "source_adequacy": "Enough sources per question",
    "weakest_node": "The weakest question",
    "domain_diversity": "Variety of origins",
    "query_completion_rate": "Questions worked",
    "source_influence": "Weight of the sources",
    "overall": "All together",
}


def chart_of(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The picture of the rounds that were measured; None while there is none.

    {points: [{round, value, x, y, label_y}], path, enough, enough_y, label_y, said, scores: [{label, value}], rows}: numbers
    are written with a point, whatever the language of the page.
    """
    measured = [row for row in rounds if row.get("scores")]
    if not measured:
        return None
    step = (RIGHT - LEFT) / max(FEWEST, len(measured))
    points = []
    for position, row in enumerate(measured, start=1):
        value = float(row["scores"]["overall"])
        y = _height(value)
        points.append(
            {
                "round": row["round"],
                "value": f"{value:.2f}",
                "x": _n(LEFT + position * step - step / 2),
                "y": _n(y),
                "label_y": _n(y + 18 if y < BOTTOM - 24 else y - 9),
            }
        )
    values = ", ".join(f"{point['value']} after round {point['round']}" for point in points)
    last = measured[-1]
    return {
        "points": points,
        "path": "M" + " L".join(f"{point['x']} {point['y']}" for point in points),
        "enough": f"{ENOUGH:.2f}",
        "enough_y": _n(_height(ENOUGH)),
        "label_y": _n(_height(ENOUGH) - 5),
        "said": f"Coverage by round: {values}. Enough is {ENOUGH:.2f}.",
        "scores": [{"label": LABELS[name], "value": last["scores"][name]} for name in LABELS if name in last["scores"]],
        "rows": measured,
        "decision": last["decision"],
    }


def _height(value: float) -> float:
    return BOTTOM - min(1.0, max(0.0, value)) * (BOTTOM - TOP)


def _n(value: float) -> str:
    return f"{value:.1f}"
