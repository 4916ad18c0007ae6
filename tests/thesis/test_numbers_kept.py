r"""No number of a text is lost when pandoc reads it (SPEC T6): it takes one after an unknown command for an argument.

`\noindent 61 died` became "died" in the preview and in Word, and a cell after \addlinespace was empty.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from thesis.pandoc_ast.nodes import text_of_nodes
from thesis.pandoc_ast.normalise import normalise_latex
from thesis.pandoc_ast.read import read_latex

COMMANDS = [
    r"\noindent", r"\centering", r"\quad", r"\medskip", r"\newpage", r"\dag", r"\relax", r"\sffamily", r"\normalfont",
    r"\selectfont", r"\FloatBarrier", r"\linebreak[4]", r"\pagebreak[3]", r"\ownCommand", r"\small", r"\bfseries",
    r"\raggedleft", r"\par", r"\hfill", r"\protect",
]  # fmt: skip
RULES = [
    "", r"\hline", r"\midrule", r"\midrule[1pt]", r"\cmidrule(lr){1-2}", r"\cline{1-2}", r"\addlinespace",
    r"\addlinespace[3pt]", r"\specialrule{1pt}{2pt}{3pt}", r"\rowcolor{gray}", r"\noalign{\smallskip}", r"\hline\hline",
    "\\cmidrule{1-2}\n\\midrule", r"\cmidrule{1-1}\cmidrule{2-2}",
]  # fmt: skip
number = st.integers(10, 99_999).map(str) | st.sampled_from(["-3.5", "0.05", ".61", "12 of 40", "7.5\\%"])


def text(latex: str) -> str:
    read = read_latex(latex)
    assert read.why == ""
    return " ".join(paragraphs(read.blocks))


def paragraphs(tree: Any) -> Iterator[str]:
    """The text of each paragraph and cell."""
    if isinstance(tree, dict) and tree.get("t") in ("Para", "Plain"):
        yield text_of_nodes(tree["c"])
    elif isinstance(tree, dict | list):
        for one in tree.values() if isinstance(tree, dict) else tree:
            yield from paragraphs(one)


def digits(said: str) -> list[str]:
    return re.findall(r"\d+", said)


@pytest.mark.sample(8)
@pytest.mark.parametrize("command", COMMANDS)
def test_after_a_command(command: str) -> None:
    said = text(f"Of these {command} 61 died,\n\n{command} 7.5\\% of all, {command}\n12 more.")
    assert digits(said) == ["61", "7", "5", "12"]


def test_lengths_are_no_text() -> None:
    assert digits(text("A \\vskip 10pt plus 2pt \\parindent 0pt \\vspace{3mm} \\hspace*{1em} B 61.")) == ["61"]


@pytest.mark.parametrize("rule", RULES)
def test_in_a_table_after_each_rule(rule: str) -> None:
    rows = rf"1 & 2 \\ {rule} 3 & 4 \\ {rule}" + f"\n5 & 6 \\\\{rule}\n"
    assert digits(text(rf"\begin{{tabular}}{{ll}} {rows} \end{{tabular}}")) == ["1", "2", "3", "4", "5", "6"]


def test_in_columns_that_wrap() -> None:
    column = r">{\raggedright\arraybackslash}p{0.4\linewidth}"
    cells = rf"\begin{{tabular}}{{l{column}}} a & 61 (12) \\ b & -3.5 \\ c & word \\ \end{{tabular}}"
    assert digits(text(cells)) == ["61", "12", "3", "5"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (r"\toprule A & B \\ \midrule \endfirsthead \toprule A & B \\ \midrule \endhead \bottomrule \endfoot", ""),
        (r"\toprule A & B \\ \midrule \endhead 77 & more \\ \endfoot \bottomrule \endlastfoot", ""),
        (r"A & B \\ \hline \endhead", r"\hline"),
        ("", ""),
    ],
)
def test_in_a_table_over_several_pages(before: str, after: str) -> None:
    latex = f"\\begin{{longtable}}{{ll}}\n{before}\n1 & 2 \\\\\n3 & 4 \\\\ {after}\\end{{longtable}}"
    said = text(latex)
    assert digits(said) == ["1", "2", "3", "4"]
    assert said.count("A") == bool(before)
    assert normalise_latex(latex).count("\n") == latex.count("\n")


@pytest.mark.long
@examples(60)
@given(st.lists(st.tuples(st.sampled_from(COMMANDS), number), min_size=1, max_size=6))
def test_whatever_stands_before_it(pieces: list[tuple[str, str]]) -> None:
    said = text("Text " + " and ".join(f"{command} {one}" for command, one in pieces) + " end.")
    assert digits(said) == [part for _, one in pieces for part in digits(one)]


@pytest.mark.parametrize("command", [r"\cmidrule", r"\rowcolor", r"\resizebox{a}{b}", r"\scalebox{a}", r"\subfloat[a]"])
def test_blanks_after_a_command_take_linear_time(command: str) -> None:
    # The pattern for this was cubic: 5,000 blanks took minutes, and nothing stopped it.
    assert normalise_latex(f"{command}{' ' * 400_000}x").endswith("x")


def test_words_that_a_space_parts_stay_apart() -> None:
    assert text(r"One\quad two\hspace{1em}three $a\quad b$.").startswith("One two three")
