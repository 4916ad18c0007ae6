"""Sentence, tables and figures of a result as LaTeX: words of people stay words (SPEC N2, T7)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.models import Figure
from analysis.presentation.latex import ALL, figure_latex, sentence_latex, table_latex, tex
from tests.analysis.results import answer, table

_COMMAND = re.compile(r"\\[A-Za-z]+|\\.")
_OURS = {
    r"\textbackslash", r"\{", r"\}", r"\$", r"\&", r"\#", r"\%", r"\_", r"\textasciitilde", r"\textasciicircum",
    r"\textasciigrave", r"\-", r"\geq", r"\leq", r"\times", r"\pm", r"\infty", r"\chi", r"\tau", r"\kappa", r"\rho",
    r"\alpha", r"\beta", r"\eta", r"\omega",
}  # fmt: skip


def latex_of_rows(rows: list[str], **more: object) -> str:
    made = table([{"group": one, "n": 1} for one in rows], **more)
    return table_latex({"tables": [made]}, "main", "tab:x")


def test_a_table_is_a_float_with_rules_and_its_notes_below() -> None:
    assert table_latex(answer(), "main", "tab:analysis-4-main") == (
        "\\begin{table}[htbp]\n\\centering\n\\caption{Height by shade}\n\\label{tab:analysis-4-main}\n"
        "\\begin{tabular}{lrrr}\n\\toprule\nShade & n & Mean & p \\\\\n\\midrule\n"
        "full & 4 & 4.25 & 0.002 \\\\\n~~~~half & 4 & 5.42 &  \\\\\n\\bottomrule\n\\end{tabular}\n"
        "\\par\\smallskip\\footnotesize Welch two-sample t-test. No values were missing.\n\\end{table}\n"
    )


def test_a_caption_of_ones_own() -> None:
    assert r"\caption{Trees \& light}" in table_latex(answer(), "main", "tab:x", "Trees & light")


def test_a_long_table_goes_over_pages_with_its_head_on_each() -> None:
    latex = latex_of_rows([f"level {number}" for number in range(31)])
    assert latex.startswith("\\begin{longtable}")
    assert r"\caption{Height by shade}\label{tab:x}\\" in latex
    assert latex.count("Shade & n & Mean & p") == 2
    assert latex.index(r"\endfirsthead") < latex.index(r"\endhead") < latex.index(r"\endfoot") < latex.index("level 0")
    assert "longtable" not in latex_of_rows([f"level {number}" for number in range(30)])


def test_a_thesis_without_the_packages_gets_plain_lines() -> None:
    rows = [{"group": "x" * 60, "n": 1}] * 40
    latex = table_latex({"tables": [table(rows)]}, "main", "tab:x", packages=set())
    assert r"\hline" in latex
    assert not re.search(r"toprule|longtable|arraybackslash", latex)


def test_text_that_is_long_breaks_its_line() -> None:
    assert re.search(
        r"\\begin\{tabular\}\{>\{\\raggedright\\arraybackslash\}p\{0\.\d\d\\linewidth\}rrr\}",
        latex_of_rows(["A label " * 9]),
    )


def test_a_long_table_that_is_too_wide_has_smaller_letters_and_gaps() -> None:
    columns = [{"key": str(place), "label": f"Creatinine {place}", "align": "right"} for place in range(9)]
    rows = [dict.fromkeys(map(str, range(9)), "1.04") for _ in range(200)]
    made = {"tables": [{"id": "main", "columns": columns, "rows": rows}]}
    spec = spec_of(table_latex(made, "main", "tab:x"))
    assert spec.count(r">{\footnotesize") == 9
    assert spec.count(r"@{\hspace{6pt}}") == 8
    widths = [float(width) for width in re.findall(r"p\{(\d\.\d\d)\\linewidth\}", spec)]
    assert sum(widths) * 160 + 8 * 6 / 72.27 * 25.4 < 160
    assert r"\footnotesize" not in spec_of(table_latex(made, "main", "tab:x", packages=["longtable"]))


CELLS = st.text("abW 019.%()&-é", max_size=90)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS, CELLS, CELLS, CELLS, CELLS), min_size=1, max_size=40), st.booleans())
def test_columns_that_wrap_have_room(rows: list[tuple[str, ...]], has_packages: bool) -> None:
    columns = [{"key": str(place), "label": "A", "align": "left" if place < 2 else "right"} for place in range(7)]
    made = {"id": "main", "columns": columns, "rows": [{str(n): cell for n, cell in enumerate(row)} for row in rows]}
    latex = table_latex({"tables": [made]}, "main", "tab:x", packages=ALL if has_packages else ())
    widths = [float(width) for width in re.findall(r"p\{(\d\.\d\d)\\linewidth\}", latex)]
    assert sum(widths) < 1
    assert len(widths) + len(re.findall(r"[lr]", re.sub(r">\{[^{}]*\}|p\{[^{}]*\}", "", spec_of(latex)))) == 7


def spec_of(latex: str) -> str:
    return re.search(r"\\begin\{(?:tabular|longtable)\}\{(.*)\}\n", latex)[1]  # type: ignore[index]


def test_a_table_there_is_not() -> None:
    with pytest.raises(LookupError, match="no table other"):
        table_latex(answer(), "other", "tab:x")


def test_a_sentence_is_as_the_service_wrote_it_or_its_plain_words() -> None:
    assert sentence_latex(answer()).endswith(r"\emph{p} = 0.002).")
    assert sentence_latex({"sentence": {"plain": "50% & more"}}) == r"50\% \& more"
    assert sentence_latex({}) == ""


def test_a_figure_is_never_wider_than_the_text() -> None:
    drawn = Figure(kind="box", caption="Height & shade", width_mm=80)
    latex = figure_latex("figures/analysis-4-box.pdf", drawn, "fig:x")
    assert r"\includegraphics[width=0.50\linewidth]{figures/analysis-4-box.pdf}" in latex
    assert r"\caption{Height \& shade}" in latex
    assert r"[width=\linewidth]" in figure_latex("a.pdf", Figure(width_mm=300), "fig:x")
    assert r"[width=\linewidth]" in figure_latex("a.pdf", Figure(), "fig:x")


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        (r"\input{/etc/passwd}", r"\textbackslash{}input\{/etc/passwd\}"),
        ("50% of x_1 & #2 ~ ^", r"50\% of x\_1 \& \#2 \textasciitilde{} \textasciicircum{}"),
        ("[1] *", "{[}1{]} {*}"),
        ("a -- b", "a -{}- b"),
        ("''", "'{}'"),
        ("?‘ !“", "?{}` !{}``"),
        ("−5 ≤ χ² < ∞", r"$-$5 $\leq$ $\chi$$^2$ $<$ $\infty$"),
        ("one\ntwo\tthree\x00\x1b\u202e\ufeff", "one two three"),
        ("x" * 31, "xxxxxxxxxx\\-xxxxxxxxxx\\-xxxxxxxxxx\\-x"),
        ("", ""),
    ],
)
def test_words_become_latex_that_sets_them(text: str, latex: str) -> None:
    assert tex(text) == latex


@given(st.text(max_size=80))
def test_no_word_is_ever_a_command(text: str) -> None:
    """Every command is one of ours, every brace has its other one, and no line ends or column begins in a word."""
    made = tex(text)
    assert set(_COMMAND.findall(made)) <= _OURS
    bare = _COMMAND.sub("", made)
    assert not re.search(r"[%#&~^_\n\r]", bare.replace("$^2$", ""))
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    assert bare.count("$") % 2 == 0
    assert "--" not in made.replace("–", "") or "–" in text or "—" in text


@given(st.lists(st.text(max_size=40), min_size=1, max_size=40))
def test_a_table_has_as_many_rows_and_cells_as_it_should(labels: list[str]) -> None:
    latex = latex_of_rows(labels)
    body = latex[latex.rindex("\\midrule") if len(labels) <= 30 else latex.index("\\endfoot") :]
    rows = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert len(rows) == len(labels)
    assert all(len(re.findall(r"(?<!\\)&", row)) == 3 for row in rows)
