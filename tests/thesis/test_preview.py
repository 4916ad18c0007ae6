"""A thesis set without TeX: what stands on its pages, and that nothing in a text runs, reads or goes on for ever
(SPEC T6)."""

import io
import re
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image

from core.errors import Refused
from latex.counter_styles import roman
from tests.examples import examples
from tests.thesis.make_thesis import png
from tests.thesis.manuscripts import chapter, file, imported_manuscript, native_manuscript, picture
from tests.time_limits import HANGS
from thesis.manuscript import LayoutValues, Manuscript
from thesis.preview.formulas import maths_of
from thesis.preview.page_data import LABEL
from thesis.preview.typeset import RenderedPreview, render_preview

pytestmark = pytest.mark.django_db  # printed references are kept

METHODS = r"""\chapter{Methods}\label{ch:m}
\section{Search}\label{sec:s}
We searched twice \citep{a,b} and \citet{c} agreed, see Figure~\ref{fig:f}, Table~\ref{tab:t}, Equation~\eqref{eq:e} and
page~\pageref{ch:r}; nothing is at \ref{nowhere}.\footnote{A note on \emph{words}.} The mean was $\bar{x} \geq 3$.
\begin{equation}\label{eq:e} p = \frac{1}{2} \end{equation}
\begin{figure}\centering\includegraphics[width=5cm]{flow}\caption{The flow of records}\label{fig:f}\end{figure}
\begin{table}\caption{Baseline}\label{tab:t}\begin{tabular}{lr}\toprule Arm & Deaths \\ \midrule Treated & 4821 \\
\bottomrule\end{tabular}\end{table}
\SI{3}{mm} \begin{tikzpicture}\draw (0,0);\end{tikzpicture} \foo{bar} \input{/etc/passwd}
"""


def words(printed: RenderedPreview) -> str:
    """The words of all pages, one blank between them."""
    document = pypdfium2.PdfDocument(printed.pdf)
    assert len(document) == printed.pages
    text = " ".join(page.get_textpage().get_text_bounded() for page in document)
    return " ".join(text.replace("\u200b", "").split())


def preview_words(latex: str, **columns: Any) -> str:
    return words(render_preview(native_manuscript(latex, **columns)))


@pytest.fixture(scope="module")
def whole() -> Manuscript:
    return native_manuscript(
        METHODS,
        "Text of the results \\cite{b}.\\label{ch:r}",
        works="abcd",
        files=[picture("figures/flow.png")],
        layout=LayoutValues(facts={"institution": "The Institute"}),
    )


def test_a_thesis_has_its_front_pages_chapters_numbers_citations_and_references(whole: Manuscript) -> None:
    made = render_preview(whole)
    text = words(made)
    assert text.count(LABEL) == made.pages
    for expected in (
        "Alder & soil", "Asha Menon", "The Institute", "Contents", "List of tables", "List of figures", "Chapter 1",
        "1.1 Search", "twice [1, 2]", "C [3] agreed", "Figure 1.1, Table 1.1, Equation (1.1)", "nothing is at ??",
        "A note on words.", "Figure 1.1: The flow of records", "Table 1.1: Baseline", "Treated 4821", "Chapter 2",
        "Text of the results [2]", "References", "A trial called b", "3 mm bar",
    ):  # fmt: skip
        assert expected in text, expected
    assert "root:" not in text
    assert any("tikzpicture" in note for note in made.notes)
    assert any("nowhere" in note for note in made.notes)
    assert pypdfium2.PdfDocument(made.pdf)[0].get_size() == pytest.approx((595, 842), abs=1)
    assert render_preview(whole).pdf == made.pdf


def test_a_chapter_alone_keeps_its_numbers_and_knows_the_others(whole: Manuscript) -> None:
    results = whole.chapters[1]._replace(latex=r"See \ref{tab:t} and \ref{ch:m}. \cite{b}")
    alone = Manuscript(whole.title, whole.author, whole.style, [whole.chapters[0], results], whole.files, whole.works)
    text = words(render_preview(alone, only=results.id))
    assert "Chapter 2" in text
    assert "See 1.1 and 1. [1]" in text
    assert "searched" not in text
    assert "Contents" not in text
    assert "A trial called b" in text
    with pytest.raises(Refused, match="no longer in the thesis"):
        render_preview(alone, only="elsewhere")


def test_styles_with_author_and_year_cite_by_them() -> None:
    text = preview_words(
        r"So \citep[see][p.~3]{b,a}, \citet{a}, \citeyear{a}, \citep{d}, \citep{lost}.", works="abd", style="apa"
    )
    assert "(see B, 2020; A, 2020, p. 3), A (2020), 2020, (?d), (?lost)" in text
    assert text.index("A trial called a") < text.index("A trial called b")
    assert "A trial called d" not in text


def test_paragraphs_from_right_to_left_and_tables_of_many_columns() -> None:
    columns = r">{\footnotesize\raggedright\arraybackslash}p{0.1\linewidth}" * 8
    rows = " & ".join(["Creatinine"] * 8)
    table = rf"\begin{{longtable}}{{{columns}}} {rows} \\ \end{{longtable}}"
    made = render_preview(native_manuscript(f"Left.\n\nارتفاع ضغط الدم.\n\nלחץ דם (2).\n\n{table}"))
    pages = list(pypdfium2.PdfDocument(made.pdf))
    texts = [page.get_textpage() for page in pages]
    boxes = [(text, text.get_rect(place)) for text in texts for place in range(text.count_rects())]
    lefts = [box[0] for text, box in boxes if re.search("[\u0590-\u05ff]", text.get_text_bounded(*box))]
    assert lefts
    assert min(lefts) > pages[0].get_width() / 2
    assert words(made).count("Creatinine") == 8


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("latex", "said"),
    [
        ("One.\n\n\\begin{itemize}\n\\item two", r"\begin{itemize} is never closed (line 3). Lines 3 to 4 are shown"),
        ("One.\n\nOne } two", "This brace } closes nothing (line 3). Line 3 is shown as source"),
        ("One.\n\n\\emph{two", "This brace { is never closed (line 3)"),
        ("One.\n\na $x = 1\n\nLast.", "This formula is never closed (line 3)"),
        ("\\def\\a{\\a\\a}\\a", "Its LaTeX could not be parsed"),
    ],
)
def test_what_cannot_be_read_is_shown_as_source(latex: str, said: str) -> None:
    made = render_preview(native_manuscript(latex, "The next chapter is whole."))
    text = words(made)
    assert said in text
    assert "shown as source" in text
    assert "The next chapter is whole." in text
    assert any(said in note for note in made.notes)
    assert ("One." in text) == latex.startswith("One.")


HOSTILE = r"""Words. #read("/etc/passwd") #panic() $x #read("data.json")$ $std.read("data.json")$
$\text{#read("data.json")}$ $\operatorname{std}.\operatorname{read}$
\verb|#read("data.json")| `#read("data.json")` <label> @ref = Title
\input{CANARY} \include{CANARY} \verbatiminput{CANARY} \lstinputlisting{CANARY} \includegraphics{CANARY}
\includegraphics{../../../../CANARY} \write18{touch WRITTEN} \immediate\openout3=WRITTEN \href{file:///CANARY}{k}
\begin{lstlisting}
#import "@preview/cetz:0.2.0"
\end{lstlisting}
\cite{#read("CANARY")} \ref{#x} \label{"#x} \section{#read("data.json")} \caption{#x} \url{#x}
"""


def test_code_in_a_text_is_text_and_no_file_is_read_or_written(tmp_path: Path) -> None:
    canary, written = tmp_path / "canary.tex", tmp_path / "written"
    canary.write_text("CANARY-9c1f")
    made = render_preview(native_manuscript(HOSTILE.replace("CANARY", str(canary)).replace("WRITTEN", str(written))))
    text = words(made)
    assert "CANARY-9c1f" not in text
    assert text.count('#read("data.json")') >= 3
    assert '"contents"' not in text  # what data.json holds
    assert not written.exists()


@given(st.text(st.sampled_from(list('#$"\\`@<>/*()[]{}_^.;:,| abcdstreaxfnow\n01')), max_size=60))
@example('#read("x")')
@example('std.read("x")')
@example('a"\\"#read("x")"')
@example('"\\\\" #x "')
@example("\\\\#x")
@example("lr(#x)")
@example("read(x)")
@example("/* */ #x")
@examples(300)
def test_only_maths_passes_as_maths(written: str) -> None:
    """Whatever is written between dollars: outside strings no `#`, no word that names a function of files."""
    inside = maths_of(f"${written}$")
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", re.sub(r"\\\\|\\[^\w\s]|\\_", "", inside)) if '"' not in inside else ""
    assert "#" not in bare
    assert not re.search(r"(?<![A-Za-z])(?:std|read|eval|image|json|plugin|include|import)(?![A-Za-z])", bare)


def test_formulas_that_cannot_be_set_are_shown_as_source() -> None:
    made = render_preview(
        native_manuscript(r"$\ce{H2O}$ and $\frac{a}{b}$ and $\unknown{x}$ and $\begin{matrix} 1 \end{matrix}$ end")
    )
    text = words(made)
    assert "𝐻2𝑂" in text
    assert r"\unknown{x}" in text
    assert "end" in text


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "latex",
    [
        "word " * 130_000,  # more than a chapter is read
        "\\begin{tabular}{ll}" + "a & b \\\\\n" * 4_000 + "\\end{tabular}",
        "\\begin{quote}" * 800 + "x" + "\\end{quote}" * 800,
        "$" + "{" * 3_000 + "x" + "}" * 3_000 + "$",
        "\n\n".join(f"\\section{{S{n}}}\\label{{l{n}}} \\ref{{l{n}}}" for n in range(500)),
    ],
    ids=["long", "table", "nested", "deep-maths", "sections"],
)
@pytest.mark.timeout(HANGS)
def test_what_is_enormous_ends_within_its_limits(latex: str) -> None:
    try:
        assert render_preview(native_manuscript(latex, "Next."), only="id-2").pages >= 1
    except Refused as refused:
        assert "The text is safe" in refused.message  # noqa: PT017


@pytest.mark.long
def test_pictures_that_are_missing_or_hostile_are_said_in_their_place() -> None:
    bomb = io.BytesIO()
    Image.new("1", (30_000, 30_000)).save(bomb, "PNG")
    drawn = b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>"
    files = [picture("figures/bomb.png", bomb.getvalue()), file("d.svg", drawn), picture("broken.png", png()[:40])]
    files.append(
        file("plan.pdf", render_preview(native_manuscript("A plan.")).pdf, kind="picture", media_type="application/pdf")
    )
    shown = "\n\n".join(f"\\includegraphics{{{name}}}" for name in ("bomb", "d.svg", "broken.png", "plan", "gone.png"))
    made = render_preview(native_manuscript(shown, files=files))
    text = words(made)
    assert "bomb cannot be shown." in text
    assert "d.svg cannot be shown." in text
    assert "broken.png cannot be shown." in text
    assert "The picture gone.png is missing." in text
    assert "plan cannot be shown" not in text
    assert len(list(pypdfium2.PdfDocument(made.pdf).get_page(made.pages - 1).get_objects(filter=[3]))) <= 1


def test_a_thesis_that_was_brought_keeps_its_own_commands() -> None:
    preamble = "\\documentclass{book}\n\\newcommand{\\drug}[1]{Drug #1}\n\\def\\x{y}\\begin{document}"
    made = imported_manuscript([preamble, 2, "\\end{document}"], {}, [chapter(2, "\\chapter{One}\nGiven \\drug{X}.")])
    text = words(render_preview(made))
    assert "Given Drug X." in text


def test_letters_of_many_scripts_and_names_stand_there() -> None:
    text = preview_words("Zoë Ångström, ≥ 3 µg, α ≤ β, Жук, naïve “quoted” — dash")
    for expected in ("Zoë Ångström", "≥ 3 µg", "α ≤ β", "Жук", "“quoted”"):
        assert expected in text


def test_rows_of_a_formula_have_their_numbers() -> None:
    text = preview_words(
        "x \\begin{align} a &= b \\label{q} \\\\ c &= d \\nonumber \\\\ e &= f "
        "\\label{r} \\end{align} \\eqref{r} and \\ref{q}"
    )
    assert "(1.1) 𝑐 = 𝑑 𝑒 = 𝑓 (1.2)" in text
    assert "(1.2) and 1.1" in text
    assert [roman(number) for number in (1, 4, 9, 14)] == ["I", "IV", "IX", "XIV"]


def test_a_caption_is_on_the_page_of_its_table_or_figure() -> None:
    rows = r"\begin{tabular}{l}\toprule Head\\\midrule Cell\\\bottomrule\end{tabular}"
    table = rf"\begin{{table}}\caption{{Counts}}{rows}\end{{table}}"
    figure = r"\begin{figure}\includegraphics[width=3cm]{flow}\caption{Flow}\end{figure}"
    floats = [table if place % 2 else figure for place in range(60)]
    latex = "\n\n".join("\n\n".join([*["A line."] * (place % 7), one]) for place, one in enumerate(floats))
    preview = render_preview(native_manuscript(latex, files=[picture("flow.png")]))
    with pypdfium2.PdfDocument(preview.pdf) as document:
        for page in document:
            text = page.get_textpage().get_text_bounded()
            assert text.count(": Counts") == text.count("Head"), text
            assert text.count(": Flow") == len(list(page.get_objects(filter=[pypdfium2.raw.FPDF_PAGEOBJ_IMAGE]))), text
