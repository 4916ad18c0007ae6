"""Comparison of two analyses: their settings, and every number that one or both of them have (SPEC N2)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from analysis.models import Analysis
from analysis.presentation.number_format import as_number, number
from analysis.presentation.result_view import n_words, shown_result
from analysis.running.titles import title_of

ABSENT = "–"


@dataclass(frozen=True)
class ComparedLine:
    """A line of a comparison. `change` is right minus left as text where both are numbers, else ""."""

    group: str
    id: str
    label: str
    left: str
    right: str
    change: str
    is_same: bool


def compare(left: Analysis, right: Analysis) -> list[ComparedLine]:
    """Return each setting and number of `left` and `right`, in the order of the results.

    A value that only one of them has is shown beside a dash. Numbers are compared in full precision: two that only
    round to the same text count as different.
    """
    pairs = ((dict(_asked(left)), dict(_asked(right))), (_numbers(left), _numbers(right)))
    return [_line(key, one.get(key), other.get(key)) for one, other in pairs for key in dict.fromkeys([*one, *other])]


class _Value(NamedTuple):
    label: str
    text: str
    exact: Any


def _line(key: tuple[str, str], left: _Value | None, right: _Value | None) -> ComparedLine:
    group, name = key
    label = (left or right or _Value(name, "", None)).label
    same = left is not None and right is not None and left.exact == right.exact
    change = ""
    if left is not None and right is not None and not same:
        numbers = as_number(_first(left.exact)), as_number(_first(right.exact))
        if numbers[0] is not None and numbers[1] is not None and group != "Settings":
            change = number(numbers[1] - numbers[0], 3)
    return ComparedLine(
        group, name, label, left.text if left else ABSENT, right.text if right else ABSENT, change, same
    )


def _first(exact: Any) -> Any:
    return exact[0] if isinstance(exact, tuple) and exact else exact


def _asked(analysis: Analysis) -> Iterator[tuple[tuple[str, str], _Value]]:
    """Yield the settings of an analysis as text, with the names of columns instead of their ids."""
    data = analysis.data
    columns = data.columns if data is not None else analysis.request.get("data", {}).get("columns", [])
    names = {one["id"]: one["name"] for one in columns}

    def said(value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(said(one) for one in value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return names.get(value, value) if isinstance(value, str) else number(value, 6).rstrip("0").rstrip(".")

    version = f"{data.dataset.name}, version {data.number}" if data is not None else ABSENT
    yield ("Settings", "data"), _Value("Data", version, version)
    yield (
        ("Settings", "name"),
        _Value(
            "Analysis", (analysis.result or {}).get("method") or title_of(analysis.kind, analysis.name), analysis.name
        ),
    )
    for name, value in [*analysis.params.items(), *(analysis.params.get("options") or {}).items()]:
        if name != "options":
            yield ("Settings", name), _Value(name.replace("_", " ").capitalize(), said(value), said(value))
    for name, label in (("alpha", "Alpha"), ("conf_level", "Confidence level")):
        value = analysis.request.get(name)
        yield ("Settings", name), _Value(label, f"{value:g}" if isinstance(value, int | float) else "", value)


def _numbers(analysis: Analysis) -> dict[tuple[str, str], _Value]:
    result = analysis.result or {}
    made = shown_result(result)
    found: dict[tuple[str, str], _Value] = {}
    if n := result.get("n"):
        found["Rows", "n"] = _Value("Rows used", n_words(n), (n.get("used"), n.get("total"), n.get("missing")))
    for group, raw, rows in (
        ("Estimates", result.get("estimates") or [], made.estimates),
        ("Effect sizes", result.get("effect_sizes") or [], made.effect_sizes),
    ):
        for one, row in zip(raw, rows, strict=True):
            text = f"{row.value} ({row.interval})" if row.interval else row.value
            found[group, row.id] = _Value(row.label, text, (one.get("value"), *(one.get("ci") or [])))
    for (name, text), exact in zip(made.statistics, (result.get("statistics") or {}).values(), strict=True):
        found["Statistics", name] = _Value(name.replace("_", " "), text, exact)
    return found
