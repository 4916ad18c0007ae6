r"""The same number everywhere: what LaTeX prints, and outline, editor, preview and Word show (SPEC T2, T6).

Each thesis ends with a list of what \ref prints for each of its labels; the list is read from the PDF of LaTeX, from
the preview's and from the Word file. Run with -s, the test prints them side by side.
"""

import io
import re
from pathlib import Path

import pytest
from docx import Document as open_docx

from latex.numbering import counters_of, walk
from tests.thesis.manuscripts import chapter, imported_manuscript, native_manuscript, picture, set_by_latex
from tests.thesis.test_preview import words
from thesis.assembly.assemble import assemble
from thesis.manuscript import LayoutValues, Manuscript
from thesis.numbering import numbered_sections
from thesis.preview.typeset import render_preview
from thesis.word.docx import docx_of_thesis

pytestmark = pytest.mark.django_db  # printed references are kept


def deep(name: str, *levels: str) -> str:
    """A text with a heading of each of `levels`, and a figure, a table and an equation below the first."""
    made = [f"\\{level}{{The {level} of {name}}}\\label{{{name}-{level}}}\nSome words.\n" for level in levels]
    return "\n".join([*made, floats(name)])


def floats(name: str) -> str:
    return "\n".join(
        [
            (
                r"\begin{figure}[h]\centering\includegraphics[width=1cm]{dot}\caption{Dots of "
                rf"{name}}}\label{{{name}-figure}}\end{{figure}}"
            ),
            (
                rf"\begin{{table}}[h]\caption{{Cells of {name}}}\label{{{name}-table}}\begin{{tabular}}{{lr}}a & "
                r"1\\\end{tabular}\end{table}"
            ),
            rf"\begin{{equation}}\label{{{name}-equation}} x = 1 \end{{equation}}",
            "",
        ]
    )


def listed(*texts: str) -> str:
    labels = re.findall(r"\\label\{([^{}]*)\}", "".join(texts))
    return "\n\n".join(rf"Label {label.replace('-', 'X')} has \ref{{{label}}}z." for label in labels)


ALL = ("section", "subsection", "subsubsection", "paragraph")


def template(name: str) -> Manuscript:
    intro = deep("intro", *ALL) + "\\section*{No number here}\n" + deep("more", *ALL)
    methods = (
        deep("methods", *ALL)
        + "\\begin{longtable}{l}\\caption{Long}\\label{methods-long}\\\\ x\\\\\\end{longtable}\n"
        + "\\begin{longtable}{l}\\caption{Ruled}\\label{methods-ruled}\\\\ \\toprule a\\\\ \\midrule\\endhead\n"
        + "b\\\\ \\midrule c\\\\ \\bottomrule\\end{longtable}\n"
        + floats("later")
    )
    lines = r"\begin{align}a&=b\label{rows-a}\\c&=d\notag\\e&=f\label{rows-b}\end{align}" + "\n"
    consent = deep("consent", *ALL)
    abstract = "A summary."
    return native_manuscript(
        chapters=[
            chapter(0, "Thanks.", "Front matter", "front-matter"),
            chapter(1, abstract, "Abstract", "abstract"),
            chapter(2, intro, "Introduction"),
            chapter(3, methods + lines, "Methods"),
            chapter(4, listed(intro, methods, lines, consent), "Results"),
            chapter(5, consent, "Consent form"),
        ],
        files=[picture("figures/dot.png")],
        layout=LayoutValues(template=name, appendices=["id-5"]),
    )


def imported(head: str, front: str, texts: list[str], behind: str = "") -> Manuscript:
    chapters = [chapter(place, text) for place, text in enumerate([*texts, listed(*texts)], start=1)]
    whole = f"{head}\\usepackage{{graphicx,longtable,amsmath}}\n\\begin{{document}}\n{front}\n"
    pieces = [whole, *(part for one in chapters[:-2] for part in (one.number, "\n")), behind, chapters[-2].number, "\n"]
    pieces += [chapters[-1].number, "\n\\end{document}\n"]
    made = imported_manuscript(pieces, {}, chapters)
    made.files.append(picture("dot.png"))
    return made


def chaptered(name: str, *levels: str) -> str:
    return f"\\chapter{{Chapter of {name}}}\\label{{{name}-chapter}}\n" + deep(name, *levels)


THESES = {
    "report": template("report"),
    "nbems": template("nbems"),
    "book with parts of its own": imported(
        "\\documentclass{book}\n",
        "\\frontmatter\\chapter{Preface}Words.\n\\mainmatter\n\\setcounter{chapter}{2}\n",
        [
            chaptered("one", *ALL) + "\\chapter*{Interlude}\n\\setcounter{figure}{6}\n" + floats("inter"),
            chaptered("two", *ALL) + "\\addtocounter{section}{3}\n" + deep("jump", "section", "subsection"),
            chaptered("app", *ALL),
        ],
        "\\appendix\n",
    ),
    "report with Roman chapters": imported(
        "\\documentclass{report}\n\\setcounter{secnumdepth}{3}\n\\renewcommand{\\thechapter}{\\Roman{chapter}}\n"
        "\\renewcommand{\\thesection}{\\arabic{section}}\n\\renewcommand\\thefigure{\\arabic{figure}}\n",
        "",
        [chaptered("one", *ALL), chaptered("two", *ALL), chaptered("three", *ALL)],
    ),
    "article": imported(
        "\\documentclass{article}\n\\usepackage{amsmath}\\numberwithin{equation}{section}\n",
        "",
        [deep("one", *ALL), deep("two", *ALL), deep("app", *ALL)],
        "\\appendix\n",
    ),
}


def numbers_in(text: str) -> dict[str, str]:
    text = re.sub(r"\s+", "", text)
    return {
        label.replace("X", "-"): number for label, number in re.findall(r"Label([A-Za-z]+X[a-z]+)has([\w.]*?)z\.", text)
    }


def in_word(manuscript: Manuscript) -> str:
    document = open_docx(io.BytesIO(docx_of_thesis(manuscript).data))
    return "".join(node.text or "" for node in document.element.body.iter("{*}t"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", THESES)
def test_numbers_are_the_same_everywhere(name: str, tmp_path: Path) -> None:
    manuscript = THESES[name]
    made = assemble(manuscript)
    printed, _ = set_by_latex(made.files, tmp_path)
    by_latex = numbers_in(printed)
    wanted = {label for one in manuscript.chapters for label in re.findall(r"\\label\{([^{}]*)\}", one.latex)}
    assert wanted == set(by_latex)
    ours = {
        label: one.refers
        for part in numbered_sections(manuscript).values()
        for one in part.numbered
        for label in one.labels
    }
    preview = numbers_in(words(render_preview(manuscript)))
    word = numbers_in(in_word(manuscript))
    print(f"\n{name}\n{'':24} {'LaTeX':>10} {'outline':>10} {'preview':>10} {'Word':>10}")  # noqa: T201
    for label, number in by_latex.items():
        print(f"{label:24} {number:>10} {ours.get(label):>10} {preview.get(label):>10} {word.get(label):>10}")  # noqa: T201
    assert ours == by_latex
    assert preview == by_latex
    assert word == by_latex


@pytest.mark.parametrize(
    ("preamble", "latex", "numbers"),
    [
        (r"\documentclass{book}", r"\section{A}", ["0.1"]),
        (r"\documentclass{scrreprt}", r"\chapter{A}\addchap{B}\addsec{C}\section{D}\subsubsection{E}",
         ["1", "", "", "1.1", ""]),
        (r"\documentclass{memoir}\setsecnumdepth{subsection}", r"\chapter{A}\section{B}\subsection{C}",
         ["1", "1.1", "1.1.1"]),
        (r"\documentclass{article}", r"\chapterx\section{A}% \section{B}", ["1"]),
        (r"\documentclass{book}\renewcommand{\thechapter}{\odd{chapter}}", r"\chapter{A}\section{B}", ["", ""]),
        (r"\documentclass{book}\renewcommand{\thechapter}{\thechapter\thechapter\thechapter}", r"\chapter{A}", [""]),
        (r"\documentclass{report}\setcounter{chapter}{\value{pages}}", r"\chapter{A}", [""]),
        (r"\documentclass{article}", r"\begin{figure}\caption*{x}\end{figure}\begin{table}\caption{x}\end{table}",
         ["", "1"]),
        (r"\documentclass{article}",
         r"\begin{longtable}{l}x\end{longtable}\begin{longtable}{l}\caption{x}\end{longtable}", ["2"]),
        (r"\documentclass{article}",
         r"\begin{figure}\begin{subfigure}\caption{a}\end{subfigure}\caption{x}\end{figure}", ["1"]),
        (r"\documentclass{article}", r"\captionof{figure}{y}\begin{figure}\ContinuedFloat\caption{x}\end{figure}",
         ["1", "1"]),
    ],
)  # fmt: skip
def test_odd_ways_to_number(preamble: str, latex: str, numbers: list[str]) -> None:
    assert [one.number for one in walk(latex, counters_of(preamble, latex))] == numbers
