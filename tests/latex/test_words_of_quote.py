"""The words of a piece of LaTeX that a comment quotes (SPEC T2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.words_of_quote import words_of_quote


@pytest.mark.parametrize(
    ("latex", "words"),
    [
        ("plain words", "plain words"),
        (r"\section{Flow}\label{sec:flow}", "Flow"),
        (r"a 95\% CI ($\alpha=0.05$) of \cite[p.~4]{k}, see \ref{t} -- ``so'' don't",
         "a 95% CI (α=0.05) of [k], see … – “so” don’t"),
        (r"\begin{table}[htbp]\caption{Base \emph{line}}\label{t}\begin{tabular}{lr}A & B \\\\ 1 & 2\end{tabular}",
         "Base line A B 1 2"),
        (r"\begin{figure}\includegraphics[width=\textwidth]{fig.png}\caption{Growth}\end{figure}", "… Growth"),
        (r"\begin{equation}\alpha = 1\end{equation}", "α = 1"),
        (r"and \textbf{half", "and half"),
        (r"\footnote{A note}", "A note"),
        (r"\cite{smith2020}", "[smith2020]"),
        ("% mine\nwords", "words"),
        (r"\clearpage", r"\clearpage"),
    ],
)  # fmt: skip
def test_a_quote_is_read_without_commands(latex: str, words: str) -> None:
    assert words_of_quote(latex) == words


@given(st.text(alphabet="ab \\{}[]$%&~'`-\n1é"))
def test_any_piece_can_be_quoted(latex: str) -> None:
    """A piece of LaTeX that is cut anywhere gives words in one line, or is shown as it is."""
    words = words_of_quote(latex)
    assert words == latex or ("\n" not in words and words == words.strip() != "")
