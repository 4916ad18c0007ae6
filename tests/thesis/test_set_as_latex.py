r"""What LaTeX prints is what the manuscript, the preview and the Word file print: words of references, marks of lists,
numbers of theorems and rows, quantities (SPEC G1, T6).

Each line of a thesis begins with its name and ends in a z; the lines are read from the PDF of LaTeX and from the three.
"""

import io
import re
from html import unescape
from pathlib import Path
from uuid import uuid4

import pytest
from docx import Document as open_docx
from docx.oxml.ns import qn
from hypothesis import given
from hypothesis import strategies as st

from latex.list_marks import with_list_marks
from tests.examples import examples
from tests.thesis.manuscripts import chapter, imported_manuscript, native_manuscript, set_by_latex
from tests.thesis.test_preview import words
from thesis.assembly.assemble import assemble
from thesis.manuscript import Manuscript
from thesis.manuscript_page.document import Document
from thesis.pandoc_ast.normalise import normalise_latex
from thesis.pandoc_ast.siunitx import with_plain_quantities
from thesis.pandoc_ast.table_marks import plain_columns, with_table_marks
from thesis.preview.typeset import render_preview
from thesis.word.docx import docx_of_thesis
from thesis.word.list_styles import list_style

pytestmark = pytest.mark.django_db  # printed references are kept

TABLE = r"\begin{table}[h]\caption{Cells}\label{%s}\begin{tabular}{l}x\\\end{tabular}\end{table}"
FIGURE = r"\begin{figure}[h]x\caption{Dots}\label{%s}\end{figure}"
HEAD = r"""\documentclass{report}
\usepackage{amsmath,amsthm,enumitem,siunitx,booktabs,multirow,hyperref}
\usepackage{cleveref}
\newtheorem{theorem}{Theorem}[chapter]
\newtheorem{lemma}[theorem]{Lemma}
\newtheorem*{remark}{Remark}
\theoremstyle{definition}\newtheorem{defn}{Definition}
\crefname{defn}{definition}{definitions}
\DeclareSIUnit{\beat}{beats}
"""
ONE = "\n".join(
    [
        r"\chapter{The first}\label{c1}\section{P}\label{s1}\section{Q}\label{s2}\section{R}\label{s3}",
        r"\subsection{S}\label{ss}",
        *(TABLE % f"t{place}" for place in range(1, 6)),
        *(FIGURE % f"f{place}" for place in (1, 2)),
        r"\begin{align} a&=b\label{e1}\\ c&=d\nonumber\\ e&=f\label{e2}\\ g&=h\tag{*}\label{e3}\end{align}",
        r"\begin{subequations}\begin{align} a&=b\label{e4}\\ c&=d\label{e5}\end{align}\end{subequations}",
        r"\begin{equation}\label{e6} \begin{cases} x & \text{if } y_{\textsc{abc}}\\ z\end{cases}\end{equation}",
        r"\begin{theorem}[Gauss]\label{th1} Wa xz.\end{theorem}",
        r"\begin{lemma}\label{l1} Wb xz.\end{lemma}\begin{theorem}\label{th2} Wc xz.\end{theorem}",
        r"\begin{remark} Wd xz. \end{remark}\begin{defn}\label{d1} We xz.\end{defn}",
    ]
)
TWO = (
    r"\chapter{The second}\label{c2}"
    + TABLE % "u1"
    + r"""
\begin{enumerate}\item\label{i1} Ma xz\begin{enumerate}\item\label{i2} Mb xz\begin{enumerate}\item\label{i3} Mc xz
\begin{enumerate}\item\label{i4} Md xz\end{enumerate}\end{enumerate}\end{enumerate}\end{enumerate}
\begin{enumerate}[label=(\roman*), start=3]\item\label{i5} Me xz\item Mf xz\end{enumerate}
\begin{enumerate}[label=H\arabic*:]\item\label{i6} Mg xz\item[Mx] Mh xz\item Mi xz\end{enumerate}
\begin{enumerate}[resume]\item Mj xz\end{enumerate}
\begin{itemize}\item[--] Mk xz\end{itemize}
"""
)
LINES = [
    rf"A \cref{{{labels}}} z"
    for labels in (
        "t1,t3", "t1,t2,t3", "t3,t1,t2,t5", "t1,t2", "t1,f1", "t1,f1,e1", "t1,f1,t3", "e1,e2", "s1,s2,c2", "s1,ss",
        "t5,u1", "t1,t3,t5", "t1,t2,t4,t5", "th1,l1,th2", "d1", "i1", "i2", "c1,c2", "s1,s2,s3", "th1,e1,t1,t2",
    )
] + [
    r"B \Cref{t1,t3,f1} z", r"B \crefrange{t1}{t4} z", r"B \Crefrange{f1}{f2} z", r"B \labelcref{t1,t3} z",
    r"B \namecref{t1} \nameCref{t1} \namecrefs{t1} z", r"B \nameref{c1} z", r"B \nameref{t1} z", r"B \autoref{c1} z",
    r"B \autoref{th1} z", r"B \Cref{e1,e2} z", r"B \eqref{e3} \eqref{e4} \ref{e5} \ref{e6} z",
    r"B \ref{i1} \ref{i2} \ref{i3} \ref{i4} \ref{i5} \ref{i6} z", r"B \ref{th1} \ref{l1} \ref{d1} z",
]  # fmt: skip
QUANTITIES = [
    r"C \SI{3.5}{\milli\metre} z", r"C \SIrange{1}{5}{\kg} z", r"C \num{1234567} \num{1234} \num{0.12345} z",
    r"C \num{1e5} \num{-2.5e-3} \num{1,5} \num{.5} \num{1.50} z", r"C \num{1.23(4)} \num{1.23 +- 0.04} z",
    r"C \SI[separate-uncertainty=true]{12.3(4)}{\metre} z", r"C \qty{5}{\per\second} z",
    r"C \qtyrange{1}{2}{\metre\per\second\squared} z", r"C \ang{30} \ang{12.5} z", r"C \numlist{1;2;3} z",
    r"C \SIlist{1;2;3}{\cm} \numrange{1}{3} \numlist{1;2} z", r"C \si{\kilogram\per\metre\cubed} z",
    r"C \SI{95}{\percent} \SI{5}{mg/dL} \si{m.s^{-2}} z", r"C \SI[per-mode=symbol]{3}{\metre\per\second} z",
    r"C \si{\square\metre} \si{\cubic\centi\metre} \si{\metre\tothe{4}} z", r"C \num{>3} \num{<0.001} z",
    r"C \SI{5}{\ml} \SI{2}{\uH} \SI{3}{\MN} z",
    r"C \SI{2}{\litre\per\minute} \SI{5}{\mmHg} \SI{72}{\beat\per\minute} z", r"C $x = \SI{3}{\metre\per\second}$ z",
]  # fmt: skip


def thesis() -> Manuscript:
    """A thesis whose third chapter refers to what is in the first two."""
    lines = [line.replace(" ", f"{place} ", 1) for place, line in enumerate([*LINES, *QUANTITIES], start=100)]
    chapters = [chapter(1, ONE), chapter(2, TWO), chapter(3, r"\chapter{The third}" + "\n\n".join(lines))]
    pieces = [f"{HEAD}\\begin{{document}}\n", 1, "\n", 2, "\n", 3, "\n\\end{document}\n"]
    return imported_manuscript(pieces, {}, chapters)


def lines_of(text: str) -> dict[str, str]:
    """The lines of a text by name, without spaces; signs that fonts write in several ways as one."""
    bare = re.sub(r"[\s\u202f\u00a0\u200b]+", " ", text).translate(str.maketrans("−◦⋅µ∘𝑥", "-°·μ°x"))
    found = dict(re.findall(r"(?<![A-Za-z0-9])([ABC]\d{3}) (.*?) ?z(?![A-Za-z])", bare))
    before = re.findall(r"(\S+(?: \(Gauss\)\.?)?) (?:(M[a-k]|W[a-e])) xz", bare)
    return {name: shown.replace(" ", "") for name, shown in found.items()} | {name: mark for mark, name in before}


def page_words(manuscript: Manuscript) -> str:
    """The words of all chapters on the manuscript page."""
    document = Document(uuid4(), manuscript)
    pages = [page.html for one in document.chapters if (page := document.chapter(one)) is not None]
    html = re.sub(r"</(?:p|li|td|th|h\d|div)>|<li[^>]*>|<p[ >]", lambda found: f" {found[0]}", " ".join(pages))
    return unescape(re.sub(r"<[^>]+>", "", html))


def word_words(manuscript: Manuscript) -> str:
    """The words of the paragraphs of the Word file."""
    body = open_docx(io.BytesIO(docx_of_thesis(manuscript).data)).element.body
    return " ".join("".join(node.text or "" for node in one.iter("{*}t")) for one in body.iter(qn("w:p")))


def test_all_print_what_latex_prints(tmp_path: Path) -> None:
    manuscript = thesis()
    printed, _ = set_by_latex(assemble(manuscript).files, tmp_path)
    wanted = lines_of(printed)
    assert len(wanted) == len(LINES) + len(QUANTITIES) + 16
    shown = {"preview": lines_of(words(render_preview(manuscript))), "page": lines_of(page_words(manuscript))}
    shown["word"] = lines_of(word_words(manuscript))
    for where, lines in shown.items():
        # Word counts the marks of lists itself
        compared = {name: line for name, line in wanted.items() if where != "word" or name[0] != "M"}
        assert {name: lines.get(name) for name in compared} == compared, where


@pytest.mark.parametrize(
    ("marks", "style"),
    [
        (["(a)", "(b)"], [1, "LowerAlpha", "TwoParens"]),
        (["iii.", "iv."], [3, "LowerRoman", "Period"]),
        (["2)", "3)"], [2, "Decimal", "OneParen"]),
        (["H1:", "H2:"], None),
        (["a.", "c."], None),
        ([], None),
    ],
)
def test_word_counts_the_marks_that_it_knows(marks: list[str], style: list[object] | None) -> None:
    made = list_style(marks)
    assert (made and [made[0], made[1]["t"], made[2]["t"]]) == style


LATEX = st.lists(
    st.sampled_from(
        [
            r"\begin{enumerate}", r"\end{enumerate}", r"\item", "[", "]", "{", "}", r"\begin{tabular}{lS|c}", "&",
            r"\\", r"\midrule", r"\cmidrule{1-2}", r"\end{tabular}", r"\SI", r"\num{1}", "{3}", r"{\metre}", "%", "\n",
            r"\begin{table}", r"\end{table}", r"\caption{x}", "label=(\\alph*)", "words", "$", r"\hline",
            r"\multicolumn",
        ]
    ),
    max_size=40,
).map("".join)  # fmt: skip


@given(LATEX)
@examples(200)
def test_no_text_stops_the_reader_or_moves_lines(latex: str) -> None:
    for made in (with_list_marks(latex), with_plain_quantities(latex), with_table_marks(latex), normalise_latex(latex)):
        assert made.count("\n") == latex.count("\n")


@given(st.text(alphabet="lcrpSXD{}*3@|>.1 m[]", max_size=30))
@examples(200)
def test_any_columns_become_plain_ones(spec: str) -> None:
    made = plain_columns(spec, {"L": ">{x}p{#1}"})
    for _ in range(spec.count("{") + 1):
        made = re.sub(r"\{[^{}]*\}", "", made)
    assert not re.search(r"[SDX]", made)


def test_a_table_in_a_cell_has_neither_caption_nor_number() -> None:
    inner = r"\begin{tabular}{rr} 1 & 2 \\ 3 & 4 \end{tabular}"
    rows = rf"\begin{{tabular}}{{ll}}Outer & {inner} \\ Last & x \\ \end{{tabular}}"
    latex = rf"\begin{{table}}\caption{{Both}}\label{{tab:both}}{rows}\end{{table}} See \ref{{tab:both}}."
    page = Document(uuid4(), native_manuscript(latex))
    html = "".join(shown.html for one in page.chapters if (shown := page.chapter(one)) is not None)
    assert html.count("<table") == 2
    assert html.count("Both") == 1
    assert html.count('id="l-') == 1


def test_a_column_that_wraps_keeps_its_side() -> None:
    columns = r">{\raggedright\arraybackslash}p{0.3\linewidth}>{\raggedleft\arraybackslash}p{0.2\linewidth}"
    cells = r"Arm & Deaths & All \\ \midrule Treated & 4821 & 9999 \\"
    latex = rf"\begin{{tabular}}{{{columns}>{{\centering}}p{{2cm}}}}\toprule {cells} \bottomrule\end{{tabular}}"
    assert re.sub(r">\{.*?\}", "", plain_columns(columns + r">{\centering}p{2cm}l", {})) == (
        r"p{0.3\linewidth}r{0.2\linewidth}c{2cm}l"
    )
    quiet = r"@{}>{\footnotesize\raggedleft\arraybackslash}p{2cm}@{\hspace{6pt}}>{\small\bfseries}l<{\small}@{}"
    assert plain_columns(quiet, {}) == r"r{2cm}>{\bfseries}l"  # pandoc reads it again before each cell
    page = Document(uuid4(), native_manuscript(latex))
    html = "".join(shown.html for one in page.chapters if (shown := page.chapter(one)) is not None)
    sides = [(found[1] or "", found[2]) for found in re.finditer(r'<td(?: class="(\w+)")?[^>]*>([^<]*)</td>', html)]
    assert sides == [("", "Treated"), ("num", "4821"), ("mid", "9999")]


def test_what_was_set_has_its_place() -> None:
    manuscript = native_manuscript(
        r"""\begin{table}\caption{Two heads}\begin{tabular}{lSS}\toprule & \multicolumn{2}{c}{Arm}\\ \cmidrule(lr){2-3}
Outcome & {A} & {B}\\ \midrule Deaths & 1.5 & 2\\ \bottomrule\end{tabular}\par\footnotesize A note.\end{table}
\begin{figure}\caption{Above}\includegraphics{x}\end{figure}
\begin{table}\begin{tabular}{l}x\\\end{tabular}\caption{Below}\end{table}
\begin{table}\caption{A picture}\includegraphics{x}\end{table}
Words.\footnote{A note of the foot.} \[ \undefinedthing{x} \] more \begin{algorithm}\caption{Sort}\begin{algorithmic}
\For{$i$}\State stop\EndFor\end{algorithmic}\end{algorithm}"""
    )
    document = Document(uuid4(), manuscript)
    page = document.chapter(document.chapters[0])
    assert page is not None
    html = page.html
    head = html.partition("</thead>")[0]
    assert "Outcome" in head
    assert head.count('class="mid ruled" colspan="2"') == 1
    assert "Deaths" not in head
    assert re.search(r'<div class="table-notes"><p[^>]*>A note\.', html)
    assert re.search(r"<figure[^>]*><figcaption", html)
    assert 'class="booktabs below"' in html
    assert "Table 1.3:" in html
    assert re.search(r"A note of the foot\. <a [^>]*>↩</a></p></li>", html)
    assert "Only LaTeX can set this formula" in html
    assert "Algorithm 1:" in html
    assert "<strong>for</strong>" in html
    text = words(render_preview(manuscript))
    assert "Table 1.3: A picture" in text
    assert "more" in text
