r"""Sentence, tables and figures of a result as LaTeX (SPEC N2, T7).

Labels of columns and levels come from users: all their characters are escaped, so they never become commands. The
output uses only the LaTeX packages that the thesis loads, as `packages` says.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable
from typing import Any

from analysis.models import Figure
from analysis.presentation.column_widths import BREAK_EVERY, LONG_WORD, SMALLER, TEXT_MM, fit_columns, small_columns
from analysis.presentation.result_view import Column, Row, Table, table_of

LONG = 30  # rows of a table that fits on one page
ALL = frozenset({"booktabs", "longtable", "array", "graphicx"})  # packages that every thesis created here loads
_MOST_CAPTION = 400

_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$", "|": "$|$", "[": "{[}", "]": "{]}",
    "*": "{*}", "`": r"\textasciigrave{}", '"': "''", "−": "$-$", "≥": r"$\geq$", "≤": r"$\leq$", "×": r"$\times$",
    "±": r"$\pm$", "∞": r"$\infty$", "²": "$^2$", "χ": r"$\chi$", "τ": r"$\tau$", "κ": r"$\kappa$", "ρ": r"$\rho$",
    "α": r"$\alpha$", "β": r"$\beta$", "η": r"$\eta$", "ω": r"$\omega$", "“": "``", "”": "''", "‘": "`", "’": "'",
    "–": "--", "—": "---",
}  # fmt: skip
_GONE = {"Cc", "Cf", "Co", "Cs", "Cn"}  # Unicode categories that are removed: controls, direction marks, unassigned
_PAIRS = (("'’”\"", "'’”\""), ("-–—", "-–—"), (",", ","), ("?!‘“", "‘“"))  # pairs that LaTeX would join into one sign


def tex(text: str) -> str:
    r"""Return `text` escaped for LaTeX, on one line. Very long words get hyphenation points."""
    plain = "".join(
        " " if letter.isspace() else letter
        for letter in unicodedata.normalize("NFC", text)
        if letter.isspace() or unicodedata.category(letter) not in _GONE
    )
    return " ".join("".join(_word(word)) for word in plain.split())


def _word(word: str) -> Iterable[str]:
    before = ""
    for place, letter in enumerate(word):
        if len(word) > LONG_WORD and place and place % BREAK_EVERY == 0 and not unicodedata.combining(letter):
            yield r"\-"
        elif before and any(before in first and letter in second for first, second in _PAIRS):
            yield "{}"
        yield _SPECIAL.get(letter, letter)
        before = letter


def sentence_latex(result: dict[str, Any]) -> str:
    """Return the sentence of a result as LaTeX on one line, as the R service wrote it; "" if it has none."""
    sentence = result.get("sentence") or {}
    return " ".join(str(sentence.get("latex") or tex(sentence.get("plain") or "")).split())


def table_latex(
    result: dict[str, Any], table_id: str, label: str, caption: str = "", *, packages: Collection[str] = ALL
) -> str:
    r"""Return the table `table_id` of a result as a float with its notes below; as a longtable if it has over 30 rows.

    `label` is for \ref; the default `caption` is the title of the table. Raises LookupError for an unknown table.
    """
    found = next((one for one in result.get("tables") or [] if one.get("id") == table_id), None)
    if found is None:
        raise LookupError(f"This result has no table {table_id}.")
    table = table_of(found)
    named = rf"\caption{{{tex((caption or table.title)[:_MOST_CAPTION])}}}"
    if len(table.rows) > LONG and "longtable" in packages:
        return _longtable(table, named, label, packages)
    # No braces after \smallskip: pandoc, which converts the thesis to Word, would read them as its argument.
    notes = [rf"\par\smallskip\footnotesize {said}"] if (said := _notes(table)) else []
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            named,
            rf"\label{{{label}}}",
            *_tabular(table, packages),
            *notes,
            r"\end{table}",
            "",
        ]
    )


def figure_latex(path: str, figure: Figure, label: str, caption: str = "") -> str:
    r"""Return a float with the image at `path` among the files of the thesis, never wider than the text."""
    share = min(1.0, figure.width_mm / TEXT_MM) if figure.width_mm else 1.0
    width = r"\linewidth" if share > 0.97 else rf"{share:.2f}\linewidth"
    return "\n".join(
        [
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width={width}]{{{path}}}",
            rf"\caption{{{tex((caption or figure.caption or figure.alt)[:_MOST_CAPTION])}}}",
            rf"\label{{{label}}}",
            r"\end{figure}",
            "",
        ]
    )


def _tabular(table: Table, packages: Collection[str]) -> list[str]:
    top, middle, bottom = _rules(packages)
    head = [_head(table.columns), middle] if table.columns else []
    spec, is_small = fit_columns(table, has_array="array" in packages, may_be_small=True)
    return [
        *([SMALLER] if is_small else []),
        rf"\begin{{tabular}}{{{spec}}}",
        *(top, *head, *map(_row, table.rows), bottom),
        r"\end{tabular}",
    ]


def _longtable(table: Table, caption: str, label: str, packages: Collection[str]) -> str:
    top, middle, bottom = _rules(packages)
    head = _head(table.columns)
    has_array = "array" in packages
    spec, is_small = fit_columns(table, has_array=has_array, may_be_small=has_array)
    spec = small_columns(spec) if is_small else spec
    notes = [rf"{{\footnotesize {said}\par}}"] if (said := _notes(table)) else []
    return "\n".join(
        [
            rf"\begin{{longtable}}{{{spec}}}",
            rf"{caption}\label{{{label}}}\\",
            *(top, head, middle, r"\endfirsthead"),
            *(top, head, middle, r"\endhead"),
            *(bottom, r"\endfoot"),
            *map(_row, table.rows),
            r"\end{longtable}",
            *notes,
            "",
        ]
    )


def _rules(packages: Collection[str]) -> tuple[str, str, str]:
    return (r"\toprule", r"\midrule", r"\bottomrule") if "booktabs" in packages else (r"\hline",) * 3


def _head(columns: list[Column]) -> str:
    return " & ".join(tex(column.label) for column in columns) + r" \\"


def _row(row: Row) -> str:
    cells = [tex(one) for one in row.cells]
    if row.level > 0 and cells:
        cells[0] = f"~~~~{cells[0]}"  # pandoc and LaTeX both know this space; pandoc does not know wider ones
    return " & ".join(cells) + r" \\"


def _notes(table: Table) -> str:
    """Return the notes below a table, each ending in a full stop; "" if it has none."""
    return " ".join(tex(one if re.search(r"[.!?]$", one) else f"{one}.") for one in table.footnotes if one.strip())
