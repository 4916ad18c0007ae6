"""A result prepared for display on a page, in a terminal and in print, with every number as rounded text (SPEC N2)."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from django.urls import reverse

from analysis.models import Analysis, Figure
from analysis.presentation.number_format import ONE_SIDED, as_number, cell, fixed, interval, number, p_value, p_words

_PIXELS = 96 / 25.4 * 1.2  # pixels per millimetre: figures are a little larger on the screen than in print


class Column(NamedTuple):
    """A column of a table."""

    key: str
    label: str
    align: str  # left, right or center


class Row(NamedTuple):
    """A row of a table: its cells in the order of the columns. `level` 1 is indented below its variable."""

    cells: list[str]
    level: int


@dataclass
class Table:
    """A table with its cells as text."""

    id: str
    title: str
    columns: list[Column]
    rows: list[Row]
    footnotes: list[str]

    @property
    def lines(self) -> list[tuple[list[tuple[str, str]], int]]:
        """Return the rows for a template: each as its cells with their alignment, and its level."""
        sides = [column.align for column in self.columns]
        return [(list(zip(row.cells, sides, strict=False)), row.level) for row in self.rows]


class Estimate(NamedTuple):
    """An estimate or effect size as text.

    `interval` is "0.53 to 0.82", "above 1.2" or ""; `level` is "95% CI" or "95% one-sided"; `p` is "0.031", or "" if no
    p value belongs to the interval.
    """

    id: str
    label: str
    value: str
    interval: str
    level: str
    p: str


class Check(NamedTuple):
    """The check of an assumption. `numbers` is "statistic 0.980, p = 0.702" or ""."""

    test: str
    text: str
    status: str  # ok, concern, not_run
    numbers: str


class Warned(NamedTuple):
    """A warning of a result, with the columns it is about."""

    text: str
    columns: list[str]  # names


class Drawn(NamedTuple):
    """A figure with the URLs of its formats; "" for a format that does not exist."""

    figure: Figure
    svg: str
    png: str
    pdf: str

    @property
    def shown(self) -> str:
        """Return the URL of the format that a page shows."""
        return self.svg or self.png

    @property
    def pixels(self) -> tuple[int, int]:
        """Return width and height on a page, so that the layout does not shift while it loads; 0 if not known."""
        return round(self.figure.width_mm * _PIXELS), round(self.figure.height_mm * _PIXELS)


@dataclass
class Shown:
    """All parts of a result as text; parts that the result does not have are empty."""

    method: str = ""
    reason: str = ""
    sentence: str = ""
    n_words: str = ""
    estimates: list[Estimate] = field(default_factory=list)
    statistics: list[tuple[str, str]] = field(default_factory=list)
    effect_sizes: list[Estimate] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    assumptions: list[Check] = field(default_factory=list)
    recommendation: str = ""
    alternative: str = ""  # the name of another analysis that is recommended
    strength: str = ""  # info or advise
    warnings: list[Warned] = field(default_factory=list)
    versions: str = ""
    figures: list[Drawn] = field(default_factory=list)


def shown(analysis: Analysis) -> Shown:
    """Return the result of `analysis` as text, with its figures. One query, or none if the figures are prefetched."""
    columns = analysis.request.get("data", {}).get("columns", []) if isinstance(analysis.request, dict) else []
    made = shown_result(analysis.result or {}, {one.get("id"): one.get("name", "") for one in columns})
    made.figures = [
        Drawn(
            one,
            figure_address(one, "svg") if one.svg else "",
            figure_address(one, "png") if one.png else "",
            figure_address(one, "pdf") if one.pdf else "",
        )
        for one in analysis.figures.all()
    ]
    return made


def figure_address(figure: Any, format: str) -> str:
    """Return the URL of a figure in a format: svg, png or pdf."""
    return reverse("analysis:figure", args=[figure.project_id, figure.pk, format])


def shown_result(result: dict[str, Any], names: dict[str, str] | None = None) -> Shown:
    """Return a raw answer of the R service as text; `names` are the names of the columns by id."""
    advice = result.get("recommendation") or {}
    return Shown(
        method=result.get("method") or "",
        reason=result.get("method_reason") or "",
        sentence=(result.get("sentence") or {}).get("plain") or "",
        n_words=n_words(result.get("n") or {}),
        estimates=[_estimate(one) for one in result.get("estimates") or []],
        statistics=[(name, _statistic(name, value)) for name, value in (result.get("statistics") or {}).items()],
        effect_sizes=[_estimate(one) for one in result.get("effect_sizes") or []],
        tables=[table_of(one) for one in result.get("tables") or []],
        assumptions=[_check(one) for one in result.get("assumptions") or []],
        recommendation=advice.get("text") or "",
        alternative=advice.get("alternative_analysis") or "",
        strength=advice.get("strength") or "",
        warnings=[
            Warned(one.get("message") or "", [(names or {}).get(column, column) for column in one.get("columns") or []])
            for one in result.get("warnings") or []
        ],
        versions=versions_words(result.get("versions") or {}),
    )


def n_words(n: dict[str, Any]) -> str:
    """Return how many rows were used: "180 of 182 rows, 2 left out for missing values"; "" if there are no data."""
    used, total, missing = (as_number(n.get(name)) for name in ("used", "total", "missing"))
    if not used and not total:
        return ""
    used = used or 0
    rows = f"{used:,.0f} of {total:,.0f}" if total is not None and total != used else f"{used:,.0f}"
    noun = "row" if rows == "1" else "rows"
    return f"{rows} {noun}, {f'{missing:,.0f}' if missing else 'none'} left out for missing values"


def versions_words(versions: dict[str, Any]) -> str:
    """Return the versions as text: "R 4.2.2, stats 4.2.2, metafor 3.8.1"."""
    packages = [f"{name} {version}" for name, version in (versions.get("packages") or {}).items()]
    return ", ".join([*([f"R {versions['r']}"] if versions.get("r") else []), *packages])


def table_of(table: dict[str, Any]) -> Table:
    """Return a table of a result with its cells as text."""
    described = [
        (str(one.get("key", "")), one.get("format") or "text", _digits(one.get("digits")))
        for one in table.get("columns") or []
    ]
    return Table(
        id=str(table.get("id", "")),
        title=table.get("title") or "",
        columns=[
            Column(key, one.get("label") or "", one.get("align") or "left")
            for (key, _, _), one in zip(described, table.get("columns") or [], strict=True)
        ],
        rows=[_row(row, described) for row in table.get("rows") or []],
        footnotes=list(map(str, table.get("footnotes") or [])),
    )


def _row(row: dict[str, Any], described: list[tuple[str, str, int]]) -> Row:
    """Return a row with its cells as text.

    A row may have its own `digits` and `formats` by column key; its format "percent" is for shares from 0 to 1.
    """
    own, formats = row.get("digits") or {}, row.get("formats") or {}
    cells = [
        _share(row.get(key))
        if formats.get(key) == "percent"
        else cell(row.get(key), format, _digits(own[key]) if key in own else digits)
        for key, format, digits in described
    ]
    return Row(cells, int(as_number(row.get("level")) or 0))


def _share(value: Any, digits: int = 1) -> str:
    found = as_number(value)
    return number(value) if found is None else f"{fixed(100 * found, digits)}%"


def _digits(value: Any) -> int:
    found = as_number(value)
    return 2 if found is None else max(0, min(10, int(found)))


def _estimate(one: dict[str, Any]) -> Estimate:
    low, high = [*(one.get("ci") or []), None, None][:2]
    side, open_end, digits = str(one.get("side") or ""), str(one.get("open") or ""), _digits_of(one)
    write = _share if one.get("format") == "percent" else fixed if "digits" in one else number
    inside = interval(low, high, digits, side=side, open_end=open_end, write=write)
    return Estimate(
        str(one.get("id", "")),
        one.get("label") or str(one.get("id", "")).replace("_", " ").capitalize(),
        write(one.get("value"), digits),
        inside,
        f"{100 * (as_number(one.get('conf_level')) or 0.95):g}% {'one-sided' if side in ONE_SIDED else 'CI'}"
        if inside
        else "",
        p_value(one.get("p")) if "p" in one and one.get("p_beside") is not False else "",
    )


def _digits_of(one: dict[str, Any]) -> int:
    """Return the number of decimals of an estimate.

    It is the number that the sentence of the R service uses, if it is known. Else percentages have one and counts
    (whole numbers without an interval) none; other numbers have two, or three between -1 and 1, and where an end of the
    interval would read as 1.
    """
    if "digits" in one:
        return _digits(one["digits"])
    if one.get("format") == "percent":
        return 1
    low, high = [*(one.get("ci") or []), None, None][:2]
    value = as_number(one.get("value"))
    if low is None and high is None and value is not None and value == round(value) and abs(value) < 1e6:
        return 0  # a count
    side = one.get("side")
    bounds = (low, high) if side not in ONE_SIDED else (low,) if side != "less" else (high,)
    return 3 if _is_small(one.get("value"), *bounds) or _is_beside_1(low, high) else 2


def _is_beside_1(*ends: Any) -> bool:
    """Return whether an end of the interval would be rounded to 1, the null value of a ratio, without being 1."""
    return any(end is not None and end != 1 and number(end, 2) == "1.00" for end in map(as_number, ends))


def _is_small(*values: Any) -> bool:
    """Return whether all values lie between -1 and 1, so that two decimals would hide much of them."""
    found = [value for one in values if (value := as_number(one)) is not None]
    return bool(found) and max(map(abs, found)) < 1


def _statistic(name: str, value: Any) -> str:
    if name == "p" or name.startswith("p_") or name.endswith("_p"):
        return p_value(value)
    found = as_number(value)
    return number(value, 0 if found is not None and found == round(found) and abs(found) < 1e6 else 3)


def _check(one: dict[str, Any]) -> Check:
    statistic = f"statistic {number(one['statistic'], 3)}" if as_number(one.get("statistic")) is not None else ""
    p = p_words(one["p"]) if as_number(one.get("p")) is not None else ""
    return Check(
        one.get("test") or "", one.get("text") or "", one.get("status") or "ok", ", ".join(filter(None, [statistic, p]))
    )
