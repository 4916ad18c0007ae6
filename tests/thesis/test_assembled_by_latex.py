"""What is assembled compiles elsewhere: three real runs of latexmk (SPEC T5)."""

from pathlib import Path
from shutil import which

import pytest

from tests.thesis.make_thesis import png
from tests.thesis.manuscripts import chapter, imported_manuscript, native_manuscript, picture, set_by_latex, work
from thesis.assembly.assemble import assemble
from thesis.manuscript import LayoutValues

pytestmark = pytest.mark.long

ODD = "é ü ß Ø ł ş ő Ž ≥ ≤ ≈ ± × − → µ α Ω ° ‰ ½ … “x” ‘y’ – — ﬁ 5\u00a0mg 5\u202fmg a\u200bb \ufeff ² ₂ e\u0301"


def test_letters_of_all_places_and_odd_names(tmp_path: Path) -> None:
    figures = [
        picture('figures/my figure’s "best" é.png'),
        picture("figures/plain.png"),
        picture("figures/a_b & c.v2.png"),
    ]
    text = "\n".join(
        [
            rf"\section{{Méthodes ≥ 5 {ODD[:20]}}}\label{{sec:é}}",
            (
                rf"{ODD} as \citet{{müller2020}} said \cite{{a,d}} and more "
                r"\cite[p.~3]{b} \cite{Same} \cite{same} \parencite{org}."
            ),
            r"See Section~\ref{sec:é} and Figure~\ref{fig:α}. \footcite[see][4]{a} \cites{a}{b}",
            r'\begin{figure}\includegraphics[width=2cm]{figures/my figure’s "best" é.png}',
            (
                r"\includegraphics{figures/plain} \includegraphics{figures/a_b & "
                r"c.v2.png}\caption{Übersicht α ≤ 5 µg}\label{fig:α}\end{figure}"
            ),
            r"\begin{table}\caption{Größe ± SD \cite{b}}\begin{tabular}{ll}≥ & é\\\end{tabular}\end{table}",
            "",
            (
                "@article{trailer2021, title={From a trailer: β-blockers ≥ 5}, "
                "author={Öz, Şule}, journal={J}, year={2021}}"
            ),
        ]
    )
    works = [
        work("a"), work("b"), work("d", "D"), work("same"), work("Same"),
        work("müller2020", title="Åre study: ≥ 5 µg of β-carotene – “new” 中文 & 100% {odd",
            author=[{"family": "Müller", "given": "Åsa Élise"}, {"family": "Đặng", "given": "Óscar"}]),
        work("org", author=[{"literal": "World Health Organization & others"}], title="पुस्तक",
            URL="https://who.int/ü?a=1%20b_c#d"),
    ]  # fmt: skip
    layout = LayoutValues(
        facts={"guide_name": "Dr Žofia Ångström ≥"},
        abbreviations="µg = micrograms ≤ α\nICU = unité",
        appendices=["id-9"],
    )
    manuscript = native_manuscript(
        chapters=[
            chapter(0, "Words of thanks to Çelik.", "Front matter", "front-matter"),
            chapter(1, "Résumé ≥ 5.", "Abstract", "abstract"),
            chapter(2, text, "Größe & Ziele: α ≥ β"),
            chapter(3, "See \\cite{trailer2021}.", "Résultats_100%"),
            chapter(9, "Proforma ½.", "Appendix A: Fragebögen"),
        ],
        files=figures,
        more=works,
        layout=layout,
    )
    made = assemble(manuscript)
    assert made.stripped[0].key == "d"
    assert [one.path for one in made.missing_pictures] == []
    assert all(path.isascii() and " " not in path for path in made.files)
    read, log = set_by_latex(made.files, tmp_path)
    assert "?" not in read.replace("ü?a=1", "").replace("%BC?a=1", "")
    for words in (
        "Alder & soil",
        "1 Größe & Ziele",
        "2 Résultats_100%",
        "1.1 Méthodes",
        "See Section 1.1 and Figure 1.1",
        "Appendix A: Frage",
    ):
        assert words in read, words
    for words in (
        "[1] Müller ÅÉ",
        "World Health Organization & others",
        "[1]",
        "From a trailer",
        "2020;12(3):1–9",
        "[...]",
    ):
        assert words in read, words
    assert "Citation `" not in log


NATBIB = [
    "\\documentclass{report}\r\n\\usepackage[latin1]{inputenc}\r\n"
    "\\usepackage[T1]{fontenc}\r\n\\usepackage{graphicx,natbib}\r\n"
    "\\graphicspath{{bilder/}}\r\n\\title{Böden}\\author{Roe}\r\n\\begin{document}\r\n"
    "\\maketitle\\tableofcontents\r\n\\input{text/intro}\r\n",
    2,
    "\r\n\\bibliographystyle{plainnat}\r\n\\bibliography{old/refs,more}\r\n\\end{document}\r\n",
]


def test_a_project_of_natbib_in_latin_1(tmp_path: Path) -> None:
    chapters = [
        chapter(1, "\\chapter{Größe}\\label{one}\r\nSee \\citet{a} and \\citep{d}.\r\n", "Größe"),
        chapter(
            2,
            (
                "\\chapter{Zweite}\\label{two}\r\n\\includegraphics{my plot} "
                "\\citep[p.~2]{b} \\ref{one}\r\n\\input{text/table}"
            ),
            "Zweite",
        ),
    ]
    files = {
        "text/intro.tex": [1],
        "text/table.tex": b"\\begin{tabular}{l}Gr\xf6\xdfe \\cite{a,d}\\\\\\end{tabular}\n",
        "old/refs.bib": b"@article{a, title={Old words}, author={Roe, J}, journal={J}, year=1999}\n",
        "bilder/my plot.png": png(),
        "latexmkrc": b"system('touch started');",
        ".latexmkrc": b"system('touch started');",
        "main.aux": b"\\relax \\undefinedthing",
    }
    manuscript = imported_manuscript(NATBIB, files, chapters, "abd", encoding="latin-1", path="my thesis/main.tex")
    manuscript.files[:] = [
        one if one.is_main else one._replace(path=f"my thesis/{one.path}") for one in manuscript.files
    ]
    made = assemble(manuscript)
    assert made.main == "main.tex"
    assert {"latexmkrc.txt", ".latexmkrc.txt"} <= made.files.keys()
    assert not {"latexmkrc", ".latexmkrc", "main.aux", "old/refs.bib"} & made.files.keys()
    assert b"Gr\xf6\xdfe \\cite{a}% UNRESOLVED: d - provide" in made.files["text/table.tex"]
    read, _ = set_by_latex(made.files, tmp_path / "whole")
    assert ("Chapter 1" in read, "Chapter 2" in read, "Größe" in read, "??" in read, "A trial called a" in read) == (
        True,
        True,
        True,
        False,
        True,
    )
    assert "Old words" not in read


BIBLATEX = [
    (
        "\\documentclass{article}\n\\usepackage[backend=biber,style=authoryear]{biblatex}\n\\usepackage[T1]{fontenc}\n"
        "\\input{setup}\n\\title{Soil}\n\\begin{document}\n"
    ),
    1,
    "\\appendix\n",
    2,
    "\\printbibliography[title={Works}]\n\\end{document}\n",
]


@pytest.mark.skipif(
    which("biber") is None, reason="biber is not installed: what biblatex makes of the project was not seen"
)
def test_a_project_of_biblatex_and_biber(tmp_path: Path) -> None:
    chapters = [
        chapter(1, "\\section{One}\nSee \\textcite{müller2020} and \\parencites[3]{a}{d}.\n"),
        chapter(2, "\\section{More}\n\\autocite{b}\n"),
    ]
    files = {
        "setup.tex": b"\\addbibresource{my refs.bib}\n\\addbibresource[label=x]{two.bib}\n",
        "my refs.bib": b"@misc{z, title={Z}}",
    }
    works = [work("a"), work("b"), work("d", "D"), work("müller2020", author=[{"family": "Müller", "given": "Åsa"}])]
    made = assemble(imported_manuscript(BIBLATEX, files, chapters, more=works))
    assert made.files["setup.tex"] == b"\\addbibresource{references.bib}\n\n"
    read, log = set_by_latex(made.files, tmp_path)
    for words in ("See Müller (2020)", "Works", "A trial called b", "A More"):
        assert words in read, words
    assert "called d" not in read
    assert "Empty bibliography" not in log
