"""A result as plain text for a terminal: sentence, numbers, tables, warnings and versions."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis.presentation.number_format import number
from analysis.presentation.result_view import Shown, Table, shown_result

WIDEST = 48  # characters of a cell
SHORT = {name: name.upper() for name in ("or", "rr", "rd", "hr", "md", "smd")}  # usual abbreviations of estimates


def plain_text(result: Mapping[str, Any], names: Mapping[str, str] | None = None) -> str:
    """Return a raw answer of the R service as text; `names` are the names of the columns by id."""
    shown = shown_result(dict(result), dict(names or {}))
    method = f"{shown.method} ({shown.reason})" if shown.reason else shown.method
    parts = [
        shown.sentence,
        "\n".join(lines_of(shown, result.get("statistics") or {})),
        *map(table_text, shown.tables),
        "\n".join(f"{check.test}: {check.text}" for check in shown.assumptions),
        shown.recommendation,
        "\n".join(f"Warning: {warned.text}" for warned in shown.warnings),
        "\n".join(filter(None, [method, shown.n_words, shown.versions])),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def lines_of(made: Shown, statistics: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each estimate and effect size, "OR 0.66 (0.53 to 0.82)", and each statistic, "Q 7.107"."""
    for one in [*made.estimates, *made.effect_sizes]:
        line = f"{SHORT.get(one.id) or one.label} {one.value}"
        if one.interval:
            line += f" ({'one-sided: ' if one.level.endswith('one-sided') else ''}{one.interval})"
        yield line + (f", p {one.p}" if one.p else "")
    for name, text in made.statistics:
        is_share = name.startswith("I2") and not name.endswith("_p")
        yield f"{name} {number(statistics[name], 1)} %" if is_share else f"{name} {text}"


def table_text(table: Table) -> str:
    """Return a table as text with aligned columns, and its notes below."""
    head = [column.label for column in table.columns]
    rows = [["  " * row.level + row.cells[0], *row.cells[1:]] if row.cells else [] for row in table.rows]
    cut = [[cell if len(cell) <= WIDEST else f"{cell[: WIDEST - 1]}…" for cell in row] for row in [head, *rows]]
    widths = [max(len(row[place]) for row in cut) for place in range(len(head))]
    lines = [
        "  ".join(
            cell.rjust(width) if column.align == "right" else cell.ljust(width)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        ).rstrip()
        for row in cut
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return "\n".join([table.title, rule, lines[0], rule, *lines[1:], rule, *table.footnotes])
