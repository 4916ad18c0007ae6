r"""What a text is read as: the same words in the PDF of LaTeX, the preview and Word,
as one reader reads it for both."""

import io
import re
from pathlib import Path

import pypdfium2
import pytest
from django.utils import timezone
from docx import Document as open_docx

from tests.thesis.manuscripts import native_manuscript
from tests.thesis.minimal_latex import imported_manuscript, needs_latex, printed
from tests.time_limits import HANGS
from thesis.manuscript import Manuscript
from thesis.pandoc_ast import read
from thesis.pandoc_ast.read import read_latex
from thesis.preview.typeset import render_preview
from thesis.word.docx import docx_of_thesis

pytestmark = pytest.mark.django_db  # printed references are kept


def pdf_text(data: bytes) -> str:
    pages = pypdfium2.PdfDocument(data)
    text = " ".join(page.get_textpage().get_text_bounded() for page in pages).replace("\x02", "")  # of a broken word
    return " ".join(text.replace("\u200b", "").replace("\xa0", " ").split())


def in_word(manuscript: Manuscript) -> str:
    body = open_docx(io.BytesIO(docx_of_thesis(manuscript).data)).element.body
    text = " ".join("".join(node.text or "" for node in one.iter("{*}t")) for one in body.iter("{*}p"))
    return " ".join(text.replace("\xa0", " ").split())


REFERENCES = r"""\part{Beginnings}\label{pt}
\chapter{One}\label{ch}
\section{Two}\label{se}
\begin{figure}[h]x\caption{Fig}\label{fi}\end{figure}
\begin{table}[h]\caption{Tab}\label{ta}\begin{tabular}{l}x\end{tabular}\end{table}
\begin{equation}\label{eq} a = b \end{equation}
Ref \ref{pt} and \ref{fi} and \ref{se} and \ref{eq} done.

Eqref \eqref{eq} done.

Auto \autoref{fi} and \autoref{ta} and \autoref{eq} and \autoref{se} and \autoref{ch} done.

Low \cref{fi} and \cref{ta} and \cref{eq} and \cref{se} and \cref{ch} done.

Big \Cref{fi} and \Cref{ta} and \Cref{eq} and \Cref{se} and \Cref{ch} done.

Named \nameref{se} done.
"""


@needs_latex
def test_references_print_what_latex_prints(tmp_path: Path) -> None:
    thesis = imported_manuscript(REFERENCES, preamble="\\usepackage{amsmath,nameref,hyperref,cleveref}\n")
    made, problems, _, _ = printed(thesis, tmp_path / "set")
    assert made.pdf is not None, problems
    by_latex, by_preview, by_word = (
        re.findall(r"(?:Ref|Eqref|Auto|Low|Big|Named) .*? done\.", text)
        for text in (pdf_text(made.pdf), pdf_text(render_preview(thesis).pdf), in_word(thesis))
    )
    assert len(by_latex) == 6
    assert by_preview == by_latex
    assert by_word == by_latex


def test_a_part_is_no_chapter() -> None:
    thesis = imported_manuscript(REFERENCES)
    for text in (pdf_text(render_preview(thesis).pdf), in_word(thesis)):
        assert re.search(r"Part I\s+Beginnings", text)
        assert "1.1 Two" in text


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"So \unknown{these words} stand.", "So these words stand."),
        (r"\begin{weird}Inside \textbf{it}.\end{weird}", "Inside it."),
        (r"\resizebox{\textwidth}{!}{\begin{tabular}{lr}Arm & 12\\\end{tabular}}", "Arm 12"),
        (r"\begin{sidewaystable}\caption{Lying}\begin{tabular}{l}Cell\end{tabular}\end{sidewaystable}",
         "Table 1.1: Lying"),
        (r"\label{q}One.\section{A}\label{q} See \ref{q}.", "See 1.1."),
    ],
)  # fmt: skip
def test_nothing_that_is_for_reading_is_lost(latex: str, words: str) -> None:
    thesis = native_manuscript(latex)
    assert words in pdf_text(render_preview(thesis).pdf)
    assert words in in_word(thesis)


def test_parts_of_a_figure_have_letters_and_no_number_of_their_own() -> None:
    two = "".join(
        rf"\begin{{subfigure}}{{0.4\textwidth}}x\caption{{{one}}}\end{{subfigure}}" for one in ("Left", "Right")
    )
    thesis = native_manuscript(
        rf"\begin{{figure}}{two}\caption{{Both}}\end{{figure}} \begin{{figure}}y\caption{{Next}}\end{{figure}}"
    )
    for text in (pdf_text(render_preview(thesis).pdf), in_word(thesis)):
        for words in ("(a) Left", "(b) Right", "Figure 1.1: Both", "Figure 1.2: Next"):
            assert words in text


def test_what_only_latex_draws_is_said() -> None:
    made = render_preview(
        native_manuscript(r"\begin{figure}\begin{tikzpicture}\draw (0,0);\end{tikzpicture}\caption{A flow}\end{figure}")
    )
    assert "This figure is drawn by LaTeX" in pdf_text(made.pdf)
    assert any(r"\begin{tikzpicture}" in note for note in made.notes)


def test_a_formula_that_typst_refuses_costs_no_other() -> None:
    made = render_preview(native_manuscript(r"Before $\frac{}{}$ and \[\sqrt{}\] and $a+b$ behind."))
    text = pdf_text(made.pdf)
    assert r"\frac{}{}" in text
    assert r"\sqrt{}" in text
    assert "behind." in text
    assert any("2 formulas are shown as source" in note for note in made.notes)


def test_a_cite_command_without_a_key_costs_nothing_else() -> None:
    thesis = native_manuscript(r"Words \cite{} and \citep[see][p. 3]{} stay \cite{a}.")
    assert "stay [1]." in pdf_text(render_preview(thesis).pdf)
    assert "stay [1]." in in_word(thesis)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("latex", "words"),
    [
        (r"See page \pageref{elsewhere}, please.", "See page [number in the PDF], please."),
        (r"\textcolor{red}{\begin{equation}\label{e} a=b \end{equation}} See page \pageref{e}.", "See page"),
    ],
)
def test_a_reference_to_what_is_on_no_page_leads_nowhere(latex: str, words: str) -> None:
    other = r"\section{Elsewhere}\label{elsewhere}"
    thesis = native_manuscript(latex, other)
    assert words in pdf_text(render_preview(thesis, only=thesis.chapters[0].id).pdf)
    assert words.partition(",")[0].partition(" [")[0] in pdf_text(render_preview(thesis).pdf)


def test_a_label_that_is_nowhere_is_told_for_each_chapter() -> None:
    notes = render_preview(native_manuscript(r"See \ref{lost}.", r"See \ref{lost} too.")).notes
    assert sum("lost" in note for note in notes) == 2


def test_definitions_of_a_preamble_come_whole() -> None:
    preamble = (
        "\\newcommand{\\home}{\\url{https://a.example/b}} % a remark\n"
        "\\newcommand{\\two}[1]{% of two lines\n  Given #1}\n"
    )
    thesis = imported_manuscript("\\chapter{One}\nAt \\home{} and \\two{X}.", preamble=preamble)
    for text in (pdf_text(render_preview(thesis).pdf), in_word(thesis)):
        assert "At https://a.example/b and Given X." in text.replace("\u200b", "")


@pytest.mark.sample(1)
@pytest.mark.timeout(HANGS)
@pytest.mark.parametrize("depth", [10, 40, 470, 486, 900])
@pytest.mark.parametrize("item", ["", r"\item[a] "])
def test_a_chapter_that_nests_too_deeply_costs_no_other(depth: int, item: str) -> None:
    name = "description" if item else "quote"
    deep = f"\\begin{{{name}}}{item}" * depth + "deep" + f"\\end{{{name}}}" * depth
    thesis = native_manuscript(deep, "The next chapter is whole.")
    assert "The next chapter is whole." in pdf_text(render_preview(thesis).pdf)
    assert "The next chapter is whole." in in_word(thesis)


def test_today_is_the_day_on_which_it_is_read() -> None:
    days = []
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):  # never the same day
        with timezone.override(zone):
            days.append(read_latex(r"\today").blocks)
    assert days[0] != days[1]


def test_a_text_that_was_read_only_in_part_is_read_again() -> None:
    odd = r"\newcommand{\a"  # costs the first reading
    assert read_latex(r"Some \b{words}.", odd).why == ""
    assert read._kept.keys().isdisjoint({read.key_of(r"Some \b{words}.", odd)})
    read_latex(r"Some \b{words}.")
    assert read.key_of(r"Some \b{words}.", "") in read._kept
