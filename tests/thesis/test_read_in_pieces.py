r"""A text that pandoc reads in pieces has the same tree as in one; an edit has only its piece read again (SPEC G1)."""

from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.benchmarks.printing import chapter
from thesis.pandoc_ast import read
from thesis.pandoc_ast.normalise import normalise_latex
from thesis.pandoc_ast.pieces import pieces_of
from thesis.pandoc_ast.read import read_latex

CORPUS = sorted((Path(__file__).parents[1] / "corpus").glob("*.tex"))
WORDS = "Of many words this paragraph is one. " * 140 + "\n\n"


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_tree_of_the_pieces_is_that_of_the_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    latex = path.read_text()
    apart = read_latex(latex)
    monkeypatch.setattr(read, "pieces_of", lambda text: [text])
    read._kept.clear()
    whole = read_latex(latex)
    assert _without_numbers(apart.blocks) == _without_numbers(whole.blocks)
    assert (apart.nocite, apart.unknown, apart.why) == (whole.nocite, whole.unknown, "")


def test_after_an_edit_one_piece_is_read_again() -> None:
    latex = chapter(Random(3), 1)
    pieces = pieces_of(normalise_latex(latex, ""))
    assert len(pieces) == 6
    read_latex(latex)
    before = set(read._kept)
    read_latex(latex.replace("found.", "found so.", 1))
    assert len(set(read._kept) - before) == 1


@pytest.mark.parametrize(
    "opened",
    [
        r"{\small ", r"\begin{quote} ", r"\newcommand{\mild}{not severe} ", r"\def\mild{x} ", r"\let\mild\relax ",
        r"\footnotemark ", r"\selectlanguage{german} ", r"\begingroup ", r"\iffalse ", "} ", r"\end{quote} ",
    ],
)  # fmt: skip
def test_a_text_in_which_something_goes_on_is_one_piece(opened: str) -> None:
    assert len(pieces_of(f"{opened}{WORDS}\\section{{Next}}\n{WORDS}")) == 1


def test_headings_in_groups_comments_and_listings_are_no_cuts() -> None:
    for latex in (
        f"{WORDS}{{\n\\section{{Next}}\n{WORDS}}}",
        f"{WORDS}% a comment\\\n%\\section{{Next}}\n{WORDS}",
        f"{WORDS}\\begin{{verbatim}}\n\\section{{Next}}\n\\end{{verbatim}}\n{WORDS}",
    ):
        assert len(pieces_of(latex)) == 1
    assert len(pieces_of(f"{WORDS}\\newpage $a \\iff b$\n\\section*{{Next}}\n{WORDS}")) == 2


def test_a_fault_is_said_with_its_line_in_the_whole_text() -> None:
    read_ = read_latex(f"{WORDS}\\section{{Next}}\n{WORDS}Some \\emph{{words\n\nand more.\n")
    assert read_.why == ""
    assert "line 6" in read_.unread[0]


def test_a_piece_that_cannot_be_read_has_the_whole_read() -> None:
    latex = f"{WORDS}\\section{{Next}}\n{WORDS}Some \\(x words.\n\nAnd more.\n"
    assert len(pieces_of(latex)) == 2
    read_ = read_latex(latex)
    assert read_.why == ""
    assert "line 6" in read_.unread[0]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from([WORDS, r"\section{A}", "\n", "{", "}", r"\begin{a}", r"\end{a}", "%", r"\\", "$"])))
def test_the_pieces_are_the_text(parts: list[str]) -> None:
    latex = "".join(parts)
    assert "".join(pieces_of(latex)) == latex


def _without_numbers(node: Any) -> Any:
    """Return a tree without the numbers that pandoc gives references; Scholium counts by LaTeX's counters."""
    if isinstance(node, list):
        return [_without_numbers(one) for one in node]
    if not isinstance(node, dict):
        return node
    if node.get("t") == "Link" and any(name == "reference" for name, _ in node["c"][0][2]):
        return node["c"][0]
    return {name: _without_numbers(one) for name, one in node.items()}
