r"""What a model sends in place of whole, plain LaTeX: cut off, fenced, Markdown, a document (SPEC T3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thesis.drafting.repair import AROUND, CONVERTED, FENCED, WHOLE, clean_answer, is_markdown, repair_cut_end
from thesis.drafting.streaming import TrailerFilter

CUT = [
    ("A \\cite{abc", "A"),
    ("A~\\cite{abc", "A"),
    ("A \\cite{", "A"),
    ("A \\cite{a,bc", "A \\cite{a}"),
    ("A \\citep[see", "A"),
    ("A \\citep[see][p. 3]{a,", "A \\citep[see][p. 3]{a}"),
    ("A b\\cit", "A b"),
    ("A b \\", "A b"),
    ("A \\begin{itemi", "A"),
    ("A \\ref{fig", "A"),
    ("A \\textbf{bo", "A \\textbf{bo}"),
    ("A \\footnote{see \\cite{x", "A \\footnote{see}"),
    ("A $x + ", "A"),
    ("\\begin{itemize}\n\\item a\n\\item ", "\\begin{itemize}\n\\item a\n\\end{itemize}"),
    ("A\n\\begin{tabular}{ll}\na & b", "A"),
    ("x\n\\begin{quote}\nQ \\begin{tabular}{l} c", "x\n\\begin{quote}\nQ\n\\end{quote}"),
]
WHOLE_ONES = [
    "A whole \\emph{b} \\cite{a}.\n", "Fine.\\\\", "50\\% % note \\cite{", "", "Done \\ldots",
    "\\begin{itemize}\n\\item a\n\\end{itemize}\n",
    "Costs \\$5 and $x$.", "\\verb|{|",
]  # fmt: skip


@pytest.mark.parametrize(("latex", "left"), CUT)
def test_cut_off(latex: str, left: str) -> None:
    made, notes = repair_cut_end(latex, is_cut=True)
    assert made == f"{left}\n"
    assert notes
    assert repair_cut_end(made, is_cut=True)[0] == made


@pytest.mark.parametrize("latex", WHOLE_ONES)
@pytest.mark.parametrize("is_cut", [True, False])
def test_whole_latex_stays_as_it_is(latex: str, is_cut: bool) -> None:
    assert repair_cut_end(latex, is_cut=is_cut) == (latex, [])


def test_what_came_to_its_end_loses_nothing() -> None:
    assert repair_cut_end("It costs $5 a year, he said.", is_cut=False)[0] == "It costs $5 a year, he said."
    made, _ = repair_cut_end("\\begin{table}\nA & B\n", is_cut=False)
    assert made == "\\begin{table}\nA & B\n\\end{table}\n"


@given(st.text("ab \\{}$%[]\n", max_size=60))
def test_any_end_is_mended_once(latex: str) -> None:
    made, _ = repair_cut_end(latex, is_cut=True)
    assert len(made) <= len(latex) + 60


BIB = "@article{a,\n  title = {T}\n}"


def test_latex_with_its_trailer_stays() -> None:
    for trailer in (f"%%% BIBTEX %%%\n{BIB}", f"<bibtex>\n{BIB}\n</bibtex>", f"```bibtex\n{BIB}\n```", BIB):
        assert clean_answer(f"A \\cite{{a}}.\n\n{trailer}\n") == ("A \\cite{a}.\n", BIB, [])
    assert clean_answer("A.\r\n\r\nB.\r\n") == ("A.\n\nB.\n", "", [])


def test_a_code_fence_is_taken_off() -> None:
    assert clean_answer(f"```latex\nA \\cite{{a}}.\n```\n\n```bibtex\n{BIB}\n```") == ("A \\cite{a}.\n", BIB, [FENCED])
    made = clean_answer(
        f"Here it is:\n\n```latex\nA \\cite{{a}}.\n\n%%% BIBTEX %%%\n{BIB}\n```\nTell me what to change."
    )
    assert made == ("A \\cite{a}.\n", BIB, [FENCED, AROUND])
    assert clean_answer("```\nCut off in its fence").latex == "Cut off in its fence\n"
    # A listing in a text is no fence around it
    text = "We ran this \\cite{a}:\n\n```\nfit <- lm(y ~ x)\n```\n"
    assert clean_answer(text).latex == text


def test_a_document_gives_its_text() -> None:
    made = clean_answer(
        "\\documentclass{article}\n\\begin{document}\n\\maketitle\nA.\n\\bibliography{x}\n\\end{document}\n"
    )
    assert made == ("A.\n", "", [WHOLE])


def test_markdown_becomes_latex() -> None:
    made = clean_answer(
        "# Nitrogen\n\nIt **rose** by 50% on a_b~\\cite{a,b_c} & more [@d; @e].\n\n## Growth\n\n- one\n- two\n\n"
        f"%%% BIBTEX %%%\n{BIB}"
    )
    assert made.notes == [CONVERTED]
    assert made.bibtex == BIB
    for part in (
        "\\section{Nitrogen}", "\\subsection{Growth}",
        "\\textbf{rose} by 50\\% on a\\_b~\\cite{a,b_c} \\& more \\cite{d,e}.",
        "\\begin{itemize}\n\\item\n  one",
    ):  # fmt: skip
        assert part in made.latex
    assert "label" not in made.latex


@pytest.mark.parametrize(
    "latex",
    ["A \\textbf{b}.", "2 ** 3", "\\section{A}\n\n**b**", "a_b__c__d", "- a dash alone\n", "# no heading \\begin{x}"],
)
def test_what_is_latex_is_left_alone(latex: str) -> None:
    assert not is_markdown(latex)


@given(st.lists(st.integers(1, 12), min_size=1, max_size=80))
def test_the_trailer_is_never_shown(cuts: list[int]) -> None:
    text = "A @ b <i> % c\n%% d\n`e`\n\nF \\cite{a}.\n"
    whole = f"{text}\n%%% BIBTEX %%%\n{BIB}\n"
    for said, shown in (
        (whole, f"{text}\n"),
        (f"{text}<bibtex>{BIB}</bibtex>", text),
        (f"{text}```bibtex\n", text),
        (text, text),
    ):
        filtered, at, out = TrailerFilter(), 0, []
        for cut in cuts:
            out.append(filtered.feed(said[at : at + cut]))
            at += cut
        out.append(filtered.feed(said[at:]))
        assert "".join([*out, filtered.rest()]) == shown


def test_a_word_that_says_cite_without_end_holds_nobody_up() -> None:
    word = "\\" + "cite" * 16_000
    assert word.removeprefix("\\") in clean_answer(f"# Heading\n\n{word} and more").latex
