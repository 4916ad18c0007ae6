"""The smallest blocks of a text that leave a brace or an environment open (SPEC T2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.open_parts import open_parts, part_at

LIST = "\\begin{itemize}\n\\item One\n\n\\item {Two\n\n\\item Three\n\\end{itemize}\n\n"


@pytest.mark.parametrize(
    ("latex", "blocks"),
    [
        ("One {two}.\n\nThree", []),
        ("\\section{A}\nOne {two\n\nThree\n\n\\section{B}\nFour",
         [("\nOne {two\n\n", "this brace { is never closed")]),
        ("A } b\n\nC", [("A } b\n\n", "this brace } closes nothing")]),
        ("A \\end{x} b\n\nC", [("A \\end{x} b\n\n", r"\end{x} has no \begin{x} before it")]),
        ("A\n\n\\begin{quote}\nB\n\nC", [("\\begin{quote}\nB\n\n", r"\begin{quote} is never closed")]),
        (f"A\n\n{LIST}B", [("\\item {Two\n\n", "this brace { is never closed")]),
        ("\\begin{table}\n{a\n\n\\end{table}\n\nB",
         [("\\begin{table}\n{a\n\n\\end{table}\n\n", "this brace { is never closed")]),
        ("A $x\n\nB $y$ $$z$$ \\(a\\) \\$5", [("A $x\n\n", "this formula is never closed")]),
        ("A % {\n\\verb|{| \\{ B", []),
        ("A {\n\nB {\n\nC\n\nD }}}\n\nE", [("A {\n\nB {\n\nC\n\nD }}}\n\n", "this brace } closes nothing")]),
    ],
)  # fmt: skip
def test_the_block_around_what_is_open(latex: str, blocks: list[tuple[str, str]]) -> None:
    assert [(latex[one.start : one.end], one.message) for one in open_parts(latex)] == blocks


PIECES = st.sampled_from(
    ["{", "}", "\\begin{itemize}", "\\end{itemize}", "\\begin{table}", "\\end{table}", "\\section{A}", "\n", "$",
     "\n\n", "a", "\\[", "\\]", "%", "\\", "\r\n", "\\item "]
)  # fmt: skip


@given(st.lists(PIECES, max_size=40).map("".join))
def test_without_its_blocks_a_text_leaves_nothing_open(latex: str) -> None:
    """The blocks are apart and in order, and what is left has no open brace or environment."""
    found = open_parts(latex)
    at, rest = 0, ""
    for one in found:
        assert at <= one.start < one.end <= len(latex)
        assert one.start <= one.at < one.end
        rest += f"{latex[at : one.start]}\n\n"
        at = one.end
    left = open_parts(rest + latex[at:])
    assert all("formula" in one.message or "empty line" in one.message for one in left)


@given(st.text(alphabet="a{}$\n\\", min_size=1), st.data())
def test_the_block_around_any_place_holds_it(latex: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(latex) - 1))
    assert part_at(latex, at, "this").start <= at < part_at(latex, at, "this").end
