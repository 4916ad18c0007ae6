"""A thesis as a Word file: real pandoc makes it, and pandoc and python-docx say what is in it (SPEC T6)."""

import io
import re
import subprocess
import zipfile
from typing import Any

import pypandoc
import pytest
from docx import Document as open_docx
from docx.oxml.ns import qn
from PIL import Image

from thesis.manuscript import Chapter, File, LayoutValues, Manuscript, Work
from thesis.word.docx import Word, docx_of_thesis

INTRODUCTION = r"""\section{Background}\label{sec:background}
Shock is common \citep{asha2019}, as \citet{bose2020} found.\footnote{In adults with $p<0.05$.}
Methods follow in chapter~\ref{ch:methods}; see \autoref{fig:flow} and Table~\ref{tab:ages}. % a remark
\section*{Without a number}
Words of \unheardof{an unknown command} stay. It was \citeauthor{asha2019} who said so \citep{gone2021}.
"""
METHODS = r"""\chapter{Methods \& materials}\label{ch:methods}
\begin{equation}\label{eq:n} n = \frac{Z^2 p q}{d^2} \end{equation}
Equation~\eqref{eq:n} gives the number.
\begin{figure}[htbp]\centering\includegraphics[width=0.5\linewidth]{flow}
\caption[Flow]{Flow of patients \citep{asha2019}.}\label{fig:flow}\end{figure}
\begin{sidewaystable}\caption{Ages}\label{tab:ages}\begin{tabular}{lr}\toprule Group & Age\\\midrule Cases & 41\\
Controls & 43\\\bottomrule\end{tabular}\end{sidewaystable}
\begin{figure}\includegraphics{drawing.pdf}\caption{A drawing}\end{figure}
As section~\ref{sec:background} says, and \ref{nowhere} does not.
"""
CONSENT = r"\section{Form}\label{sec:form} I consent, see \ref{sec:form}."


def picture(kind: str) -> bytes:
    made = io.BytesIO()
    Image.new("RGB", (400, 300), "navy").save(made, kind)
    return made.getvalue()


def work(key: str, family: str, year: int, tier: str = "A") -> Work:
    title = f"Outcomes of {key}"
    author = [{"family": family, "given": "Mira K."}]
    csl = {"type": "article-journal", "title": title, "author": author, "container-title": "Shock", "volume": "12"}
    return Work(key, {**csl, "page": "1-9", "issued": {"date-parts": [[year]]}, "DOI": "10.1/x"}, tier)


def manuscript(**changes: Any) -> Manuscript:
    chapters = [
        Chapter("0", 0, "front-matter", "Front matter", "\\chapter*{Dedication}\nTo my teachers.\n"),
        Chapter("1", 1, "abstract", "Abstract", "A short summary."),
        Chapter("2", 2, "introduction", "Introduction", INTRODUCTION),
        Chapter("3", 3, "methods", "Methods", METHODS),
        Chapter("4", 4, "consent", "Consent form", CONSENT),
    ]
    files = [
        File("figures/flow.png", "picture", media_type="image/png", read=lambda: picture("PNG")),
        File("drawing.pdf", "picture", media_type="application/pdf", read=lambda: picture("PDF")),
    ]
    works = [work("asha2019", "Asha", 2019), work("bose2020", "Bose", 2020), work("gone2021", "Gone", 2021, "D")]
    layout = LayoutValues("nbems", {}, {}, "Thanks to all.", "ICU = intensive care unit", ["4"])
    given: dict[str, Any] = {"chapters": chapters, "files": files, "works": works, "layout": layout, **changes}
    return Manuscript("Shock in <adults> & children", "Meera Iyer", given.pop("style", "vancouver"), **given)


def pandoc(data: bytes, to: str) -> str:
    command = [pypandoc.get_pandoc_path(), "--sandbox", "--from=docx", f"--to={to}", "--wrap=none"]
    return subprocess.run(command, input=data, capture_output=True, check=True, timeout=60).stdout.decode()


@pytest.fixture(scope="module")
def word() -> Word:
    return docx_of_thesis(manuscript())


@pytest.fixture(scope="module")
def markdown(word: Word) -> str:
    return pandoc(word.data, "markdown-smart-simple_tables-multiline_tables-grid_tables+pipe_tables")


def xml(data: bytes, part: str = "word/document.xml") -> str:
    return zipfile.ZipFile(io.BytesIO(data)).read(part).decode()


def test_each_heading_is_there_once_and_in_order(markdown: str) -> None:
    found = re.findall(r"^(#+) (.*?)(?: \{.*\})?$", markdown, re.MULTILINE)
    chapters = [re.sub(r"\[\]\{.*?\}", "", title).replace("\\", "") for _, title in found]
    lists = {"Contents", "List of tables", "List of figures"}
    assert lists < set(chapters)
    chapters = [title for title in chapters if title not in lists]
    wanted = ["Dedication", "Abstract", "Introduction", "Background", "Without a number", "Methods & materials"]
    assert chapters[chapters.index("Dedication") :] == [*wanted, "References", "Consent form", "Form"]
    assert [len(level) for level, _ in found][-9:] == [1, 1, 1, 2, 2, 1, 1, 1, 2]
    assert {"Declaration", "Ethics approval", "Acknowledgements", "Abbreviations"} <= set(chapters)


def test_paragraphs_numbers_and_references_agree(word: Word) -> None:
    text = pandoc(word.data, "plain")
    for said in (
        "To my teachers.",
        "A short summary.",
        "Shock is common [1], as Bose [2] found.",
        "Methods follow in chapter 2; see Figure 2.1 and Table 2.1.",
        "Words of an unknown command stay. It was Asha who said so.",
        "Equation (2.1) gives the number.",
        "As section 1.1 says, and ?? does not.",
        "I consent, see A.1.",
        "1. Asha MK. Outcomes of asha2019. Shock. 2019;12:1–9.",
        "2. Bose MK. Outcomes of bose2020. Shock. 2020;12:1–9.",
        "In adults with p < 0.05.",
        "Cases",
        "Thanks to all.",
        "intensive care unit",
        "for the degree of ________________ in ________________",
    ):
        assert said in text.replace("\xa0", " ").replace("\u2004", " "), said
    assert "remark" not in text
    assert "Gone" not in text
    assert "gone2021" not in text


def test_word_counts_captions_and_headings_itself(word: Word) -> None:
    body = xml(word.data)
    assert " STYLEREF 1 \\s " in body
    assert " SEQ Figure \\* ARABIC \\s 1 " in body
    assert " SEQ Table " in body
    places = set(re.findall(r'bookmarkStart[^>]* w:name="([^"]+)"', body))
    asked = re.findall(r" (?:PAGEREF|REF) (\w+) ", body) + re.findall(r'w:anchor="([^"]+)"', body)
    assert len(asked) > 15
    assert set(asked) <= places
    ids = re.findall(r'bookmarkStart[^>]*w:id="(\d+)"', body)
    assert len(ids) == len(set(ids))
    assert "x-scholium" not in body
    made: Any = open_docx(io.BytesIO(word.data))
    headings = [paragraph for paragraph in made.paragraphs if paragraph.style.name.startswith("Heading")]
    numbering = {paragraph.text: paragraph._p.pPr.numPr for paragraph in headings}
    assert numbering["Introduction"] is None  # by its style
    assert made.styles["Heading 1"].element.pPr.numPr is not None
    assert numbering["Abstract"].numId.val == 0
    assert numbering["Without a number"].numId.val == 0
    assert numbering["Form"].numId.val == numbering["Consent form"].numId.val > 0
    assert numbering["Form"].ilvl.val == 1
    assert "#(2.1)" in body  # at the right of its formula


def test_contents_and_lists_are_fields_with_their_entries(word: Word) -> None:
    made: Any = open_docx(io.BytesIO(word.data))
    entries = {"toc 1": [], "toc 2": [], "table of figures": []}  # type: dict[str, list[str]]
    for paragraph in made.paragraphs:
        if paragraph.style.name in entries:
            entries[paragraph.style.name].append("".join(part.text or "" for part in paragraph._p.iter(qn("w:t"))))
    assert entries["toc 1"][-5:] == [
        "Abstract",
        "1  Introduction",
        "2  Methods & materials",
        "References",
        "A  Consent form",
    ]
    assert entries["toc 2"] == ["1.1  Background", "Without a number", "A.1  Form"]
    assert entries["table of figures"] == ["Table 2.1: Ages", "Figure 2.1: Flow", "Figure 2.2: A drawing"]
    assert ' TOC \\o "1-3" \\h \\z \\u ' in xml(word.data)
    assert "w:updateFields" in xml(word.data, "word/settings.xml")


def test_the_template_sets_margins_font_and_spacing(word: Word) -> None:
    made: Any = open_docx(io.BytesIO(word.data))
    front, main = made.sections
    for section in (front, main):
        margins = (section.left_margin, section.right_margin, section.top_margin, section.bottom_margin)
        assert {margin.inches for margin in margins if margin} == {1.0}
        assert "PAGE" in section.footer._element.xml
    body = made.styles["Body Text"]
    assert (body.font.name, body.font.size.pt, body.paragraph_format.line_spacing) == ("Times New Roman", 12, 1.5)
    assert made.styles["Heading 1"].paragraph_format.page_break_before
    assert 'w:fmt="lowerRoman"' in front._sectPr.xml
    assert 'w:fmt="decimal"' in main._sectPr.xml


def test_readers_of_all_kinds_are_told_what_is_there(word: Word) -> None:
    body = xml(word.data)
    assert sorted(re.findall(r'<wp:docPr descr="([^"]*)"', body)) == ["A drawing", "Flow of patients."]
    core = open_docx(io.BytesIO(word.data)).core_properties
    assert (core.title, core.author, core.language) == ("Shock in <adults> & children", "Meera Iyer", "en-GB")
    assert 'w:val="en-GB"' in xml(word.data, "word/styles.xml")
    assert "<w:tblHeader" in body


def test_pictures_are_those_of_the_thesis_and_a_pdf_is_drawn(word: Word) -> None:
    archive = zipfile.ZipFile(io.BytesIO(word.data))
    media = [archive.read(name) for name in archive.namelist() if name.startswith("word/media/")]
    sizes = sorted(Image.open(io.BytesIO(data)).size for data in media)
    assert all(data.startswith(b"\x89PNG") for data in media)
    assert sizes[0] == (400, 300)
    assert sizes[1][0] > 400
    inches = [int(wide) / 914_400 for wide in re.findall(r'<wp:extent cx="(\d+)"', xml(word.data))]
    assert inches[0] == pytest.approx((210 / 25.4 - 2) / 2, abs=0.01)  # half of the line


def test_what_is_missing_is_told(word: Word) -> None:
    told = " ".join(word.notes)
    assert "Unknown labels (shown as “??”): nowhere" in told
    assert "update fields" in told


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("style", "cited", "listed"),
    [
        ("apa", "Shock is common (Asha, 2019), as Bose (2020) found.", "Asha, M. K. (2019)."),
        ("vancouver", "Shock is common [1], as Bose [2] found.", "1. Asha MK."),  # as in the PDF
        (
            "chicago-notes-bibliography",
            "Mira K. Asha, “Outcomes of Asha2019,”",
            "Asha, Mira K. “Outcomes of Asha2019.”",
        ),
    ],
)
def test_the_style_of_the_thesis_cites_and_lists(style: str, cited: str, listed: str) -> None:
    made = docx_of_thesis(
        manuscript(style=style, chapters=[Chapter("2", 0, "introduction", "Introduction", INTRODUCTION)])
    )
    text = pandoc(made.data, "plain").replace("\xa0", " ")
    assert cited in text
    assert listed in text


def test_pages_stand_with_the_number_of_a_style_that_has_no_place_for_them() -> None:
    seen = Chapter("2", 0, "introduction", "Introduction", "Seen~\\cite[p.~403]{asha2019}, \\cite{asha2019,bose2020}.")
    made = docx_of_thesis(manuscript(style="vancouver", chapters=[seen]))
    assert "Seen [1, p. 403], [1,2]." in pandoc(made.data, "plain").replace("\xa0", " ")


def test_the_name_of_an_uploaded_file_keeps_its_letters() -> None:
    named = Work("trial", {"type": "document", "title": "trial_data & notes.csv"}, "", "file")
    seen = Chapter("2", 0, "introduction", "Introduction", "Seen~\\cite{trial}.")
    made = docx_of_thesis(manuscript(style="apa", chapters=[seen], works=[named]))
    text = pandoc(made.data, "plain").replace("\xa0", " ")
    assert "Seen (trial_data & notes.csv, n.d.)." in text
    assert "trial_data & notes.csv. (n.d.)." in text


def test_a_brought_thesis_keeps_its_order_macros_and_appendix() -> None:
    head = (
        "\\documentclass{book}\n\\newcommand{\\drug}[1]{\\emph{#1}}\n"
        "\\graphicspath{{pics/}}\n\\begin{document}\n\\frontmatter\n"
    )
    pieces = [
        {"text": head + "\\maketitle\n\\chapter{Preface}\nA word before.\n\\mainmatter\n"},
        {"section": "1"},
        {"text": "\\input{parts/two}\n\\appendix\n"},
        {"section": "3"},
        {"text": "\\bibliography{old}\n\\end{document}\n"},
    ]
    files = [
        File("thesis.tex", "tex", is_main=True, pieces=pieces),
        File("parts/two.tex", "tex", pieces=[{"section": "2"}]),
        File("pics/x.jpg", "picture", media_type="image/jpeg", read=lambda: picture("JPEG")),
    ]
    chapters = [
        Chapter("1", 0, "one", "One", "\\chapter{One}\\label{one}\nGive \\drug{aspirin} \\cite{asha2019}.\n"),
        Chapter(
            "2",
            1,
            "two",
            "Two",
            "\\chapter{Two}\n\\begin{figure}\\includegraphics{x}\\caption{X}\\label{x}\\end{figure}\n",
        ),
        Chapter("3", 2, "last", "Last", "\\chapter{Last}\\label{last}\nSee \\ref{one}, \\ref{x} and \\ref{last}.\n"),
    ]
    made = docx_of_thesis(manuscript(files=files, chapters=chapters, layout=LayoutValues()))
    text = pandoc(made.data, "markdown")
    body = text[text.rindex("A word before.") :]
    assert re.findall(r"^# (\w+)", body, re.MULTILINE) == ["One", "Two", "Last", "References"]
    assert "Give *aspirin* " in text
    plain = pandoc(made.data, "plain")
    assert "Give aspirin [1]." in plain
    assert "See 1, 2.1 and A." in plain
    assert "1. Asha MK." in plain
    assert "word/media/" in " ".join(zipfile.ZipFile(io.BytesIO(made.data)).namelist())


def test_a_brought_article_begins_with_sections() -> None:
    text = (
        "\\documentclass{article}\n\\begin{document}\n"
        "\\section{First}\\label{a}\n\\subsection{Below}\\label{b}\nSee \\ref{b}.\n"
    )
    figure = "\\begin{figure}\\includegraphics{none}\\caption{F}\\label{f}\\end{figure} And \\ref{f}."
    files = [File("a.tex", "tex", is_main=True, pieces=[{"text": f"{text}{figure}\n\\end{{document}}"}])]
    made = docx_of_thesis(manuscript(files=files, chapters=[], layout=LayoutValues()))
    assert re.findall(r"^(#+) (First|Below)", pandoc(made.data, "markdown"), re.MULTILINE) == [
        ("#", "First"),
        ("##", "Below"),
    ]
    plain = pandoc(made.data, "plain")
    assert "See 1.1." in plain
    assert "And 1." in plain


def test_no_word_of_the_source_is_lost(word: Word) -> None:
    source = "\n".join(chapter.latex for chapter in manuscript().chapters)
    command = [pypandoc.get_pandoc_path(), "--sandbox", "--from=latex", "--to=plain"]
    read = subprocess.run(command, input=source.encode(), capture_output=True, check=True, timeout=60).stdout.decode()
    wanted, there = (set(re.findall(r"[^\W\d_]{3,}", text)) for text in (read, pandoc(word.data, "plain")))
    keys = set(re.findall(r"\w+", "label none image asha bose gone nowhere flow drawing pdf tab ages equation"))
    assert wanted - there <= keys
