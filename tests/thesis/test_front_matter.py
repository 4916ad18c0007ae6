r"""The title page and the forms: which are printed, what stands on them, and that no word of a person breaks LaTeX
(SPEC T5)."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.printable_characters import SYMBOLS, accented, can_be_set, escape_latex, unprintable_characters
from tests.examples import examples
from thesis.front_matter.page_fields import front_text, printed, read_abbreviations, unfilled, written_in_front
from thesis.front_matter.pages import BLANK, contents, front_pages
from thesis.front_matter.preamble import natbib_options, preamble
from thesis.front_matter.word_limits import limits
from thesis.manuscript import Chapter, LayoutValues, Manuscript

FACTS = {
    "author": "Dr Asha Menon-O’Brien",
    "degree": "DNB",
    "discipline": "Anaesthesiology",
    "institution": "St Mary’s Hospital, Kochi",
    "registration_number": "DNB/2023/17",
    "session": "2023–2026",
    "submitted": "June 2026",
    "guide_name": "Dr Meera Iyer",
    "head_name": "Dr Lund",
    "ethics_committee": "IEC Kochi",
    "ethics_number": "IEC/12",
    "ethics_date": "14 March 2024",
}
FLOATS = r"\begin{table}\caption{A}\begin{tabular}{l}a\end{tabular}\end{table} \begin{figure}\caption{F}\end{figure}"


def thesis(
    template: str = "nbems", *, text: str = "Text.", front: str = "", title: str = "Alder & soil", **layout: Any
) -> Manuscript:
    chapters = [
        Chapter("f", 0, "front-matter", "Front matter", front, 0),
        Chapter("i", 1, "introduction", "Introduction", text, 10),
    ]
    laid = LayoutValues(template, layout.pop("facts", FACTS), **layout)
    return Manuscript(title=title, author="Asha Menon", style="vancouver", chapters=chapters, layout=laid)


def page(manuscript: Manuscript, name: str) -> Any:
    return next(one for one in front_pages(manuscript) if one.name == name)


# Which pages


def test_the_pages_of_each_template() -> None:
    words = {"acknowledgements": "Thanks", "abbreviations": "ICU = intensive care unit"}
    assert printed(thesis("report")) == ["title", "contents"]
    assert printed(thesis("report", text=FLOATS, **words)) == [
        "title", "acknowledgements", "abbreviations", "contents", "tables", "figures",
    ]  # fmt: skip
    assert printed(thesis("nbems", facts={**FACTS, "co_guide_name": "Dr Roe"}, text=FLOATS, **words)) == [
        "title", "guide", "co_guide", "head", "declaration", "ethics", "acknowledgements", "abbreviations", "contents",
        "tables", "figures",
    ]  # fmt: skip
    assert "co_guide" not in printed(thesis("nbems"))
    assert printed(thesis("report", pages={"declaration": True, "title": False})) == ["declaration", "contents"]
    assert [one.name for one in contents(thesis(text=FLOATS))] == ["contents", "tables", "figures"]


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (r"\begin{longtable}{l}\caption{A}\\ a\end{longtable}", ["tables"]),
        (r"\begin{figure*}[h]\centering x\caption[S]{Long}\end{figure*}", ["figures"]),
        (r"\captionof{figure}{A}", ["figures"]),
        (r"\begin{table}\caption*{Not listed}\end{table}", []),
        (r"\begin{table}x\end{table} \caption{elsewhere}", []),
        ("% \\begin{table}\\caption{A}\\end{table}", []),
        (r"\begin{verbatim}\begin{table}\caption{A}\end{table}\end{verbatim}", []),
    ],
)
def test_a_list_comes_where_a_caption_stands_in_it(text: str, lists: list[str]) -> None:
    assert [one.name for one in contents(thesis(text=text))][1:] == lists


def test_what_stands_in_the_front_matter_is_not_printed_twice() -> None:
    front = (
        "\\section*{Declaration}\nI declare.\n\n\\section*{Certificates}\n\n\n\\section*{Abbreviations}\n% nothing\n"
    )
    manuscript = thesis(front=front)
    assert written_in_front(manuscript) == {"declaration"}
    assert "declaration" not in printed(manuscript)
    assert "guide" in printed(manuscript)
    assert "title" not in printed(thesis(front="\\begin{titlepage}Mine\\end{titlepage}"))
    assert "title" in printed(thesis(front="% \\maketitle"))


def test_headings_of_an_outline_with_nothing_below_are_not_printed() -> None:
    empty = "\\section*{Declaration}\n\n\n\\section*{Certificates}\n"
    assert front_text(empty) == ""
    text = front_text(empty + "\\section*{Dedication}\nTo \\emph{them}.\n")
    assert text.split("\n") == [
        "% \\section*{Declaration}", "", "", "% \\section*{Certificates}", "\\section*{Dedication}", "To \\emph{them}.",
        "",
    ]  # fmt: skip


# What stands on them


def test_what_nobody_typed_is_a_line_to_fill_in() -> None:
    manuscript = thesis(facts={"author": "Asha"})
    guide = page(manuscript, "guide")
    assert any(BLANK in block.text for block in guide.blocks)
    assert r"\formsignature{\formblank" in guide.latex
    assert BLANK not in guide.latex
    assert r"during the session \formblank{}, and is" in guide.latex  # a blank behind a line is not swallowed
    missing = {one.name: one.printed for one in unfilled(manuscript)}
    assert missing["guide_name"] == "Title page, Certificate of the guide, Declaration"
    assert {"institution", "session", "ethics_number", "head_name"} <= set(missing)
    assert not {"author", "place", "co_guide_name", "trial_registration"} & set(missing)
    assert unfilled(thesis()) == []


def test_the_thesis_itself_fills_in_what_it_knows() -> None:
    manuscript = replace(thesis("report", facts={}), degree="MSc", discipline="Forestry")
    words = " ".join(block.text for block in page(manuscript, "title").blocks)
    assert "MSc in Forestry" in words
    assert "Asha Menon" in words


def test_four_people_sign_the_declaration() -> None:
    signs = [
        block
        for block in page(thesis(facts={**FACTS, "co_guide_name": "Dr Roe"}), "declaration").blocks
        if block.kind == "signature"
    ]
    assert [block.text for block in signs] == [FACTS["author"], "Dr Meera Iyer", "Dr Roe", "Dr Lund"]


def test_abbreviations_are_sorted_and_the_same_twice_is_one() -> None:
    manuscript = thesis(abbreviations="MAC = minimum\n\nicu = unit\nICU = Unit\nMAC=minimum")
    pairs = [(one.text, one.more) for one in page(manuscript, "abbreviations").blocks if one.kind == "pair"]
    assert pairs == [("ICU", "Unit"), ("icu", "unit"), ("MAC", "minimum")]
    assert [said.partition(":")[0] for said in read_abbreviations("a = b\nc\n\n=d")[1]] == ["Line 2", "Line 4"]


# Rules


def test_the_limits_are_advice_with_their_source() -> None:
    chapters = [
        Chapter("1", 1, "introduction", "Introduction", ""),
        Chapter("2", 2, "rol", "Review of Literature", ""),
        Chapter("3", 3, "abstract", "Abstract", ""),
    ]
    manuscript = replace(thesis(), chapters=chapters)
    assert [(one.slug, one.least, one.most, one.rule) for one in limits(manuscript) if one.unit == "pages"] == [
        ("", None, 80, "T01"), ("introduction", None, 2, "T07"), ("rol", 10, 12, "T07"),
    ]  # fmt: skip
    assert [(one.slug, one.most, one.unit, one.certainty) for one in limits(manuscript) if one.unit == "words"] == [
        ("abstract", 300, "words", "uncertain")
    ]
    assert all(one.source and one.certainty for one in limits(manuscript))
    assert limits(replace(manuscript, layout=LayoutValues())) == []


def test_the_nbems_preamble_follows_its_rules() -> None:
    made = preamble(thesis())
    for line in (
        r"\usepackage[margin=1in]{geometry}",
        "12pt,a4paper,oneside,openany",
        r"\onehalfspacing",
        r"\usepackage{mathptmx}",
    ):
        assert line in made
    assert r"\begin{formtitle}{plain}" in page(thesis(), "title").latex  # every page is numbered (T02)
    assert "[margin=2.5cm]" in preamble(thesis("report"))
    assert natbib_options("apa") == "authoryear,round"
    assert natbib_options("vancouver") == "numbers,square,sort&compress"


def test_a_package_is_asked_for_where_the_text_needs_it() -> None:
    assert "siunitx" not in preamble(thesis())
    assert preamble(thesis(text=r"\cref{x}")).index("{cleveref}") > preamble(thesis(text=r"\cref{x}")).index(
        "{hyperref}"
    )
    assert r"\IfFileExists{siunitx.sty}{\usepackage{siunitx}}{}" in preamble(thesis(text=r"\SI{5}{mg}"))


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX here")
def test_what_the_pages_set_is_printed_without_asking_for_packages(tmp_path: Path) -> None:
    text = r"""\newtheorem{lemma}{Lemma}
    \begin{lemma}\label{l:one} At \num{37.0}\,\degree C, that is \celsius, for \textrupee{} 5 or \euro{} 6. \end{lemma}
    \begin{proof} By \cref{l:one,e:one}. \ding{51} \end{proof}
    \begin{equation}\label{e:one} \bm{a} = \cancel{b} \end{equation}
    \begin{algorithm}\caption{Sum}\begin{algorithmic}\State $a$ \end{algorithmic}\end{algorithm} \FloatBarrier
    \begin{multicols}{2} Left \SIlist{1;2}{\metre} \end{multicols} \Cref{l:one}"""
    source = f"{preamble(thesis(text=text))}\\begin{{document}}\n{text}\n\\end{{document}}\n"
    (tmp_path / "main.tex").write_text(source, "utf-8")
    call = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "main.tex"]
    for _ in range(2):
        run = subprocess.run(call, cwd=tmp_path, capture_output=True, timeout=120, check=False)
        assert run.returncode == 0, run.stdout[-2000:]
    pages = pypdfium2.PdfDocument(tmp_path / "main.pdf")
    printed = " ".join(" ".join(page.get_textpage().get_text_bounded() for page in pages).split())
    for words in ("lemma 1", "Lemma 1", "eq. (1)", "Proof", "Algorithm 1"):
        assert words in printed


# Letters


def test_special_letters_are_set_as_they_were_typed() -> None:
    assert (
        escape_latex("50% & {a_b} #1 $x$ ~^\\")
        == r"50\% \& \{a\_b\} \#1 \$x\$ \textasciitilde{}\textasciicircum{}\textbackslash{}"
    )
    assert escape_latex("a--b ''x'' ,,y") == "a-{}-b '{}'x'{}' ,{},y"
    assert escape_latex("e\u0301\x07") == "é"
    assert escape_latex("x" * 35) == "x" * 10 + r"\-" + "x" * 10 + r"\-" + "x" * 10 + r"\-" + "x" * 5


@given(st.text(max_size=80))
@examples(150)
def test_no_word_opens_a_group_or_a_command_of_its_own(words: str) -> None:
    made = escape_latex(words)
    known = (
        r"\\(?:textbackslash|textasciitilde|textasciicircum|textless|textgre"
        r"ater|textbar|textquotedbl|textasciigrave)\{\}"
    )
    rest = re.sub(rf"{known}|\\[{{}}#$%&_-]|\{{[\[\]]?\}}", "", made)
    assert not set(rest) & set('\\{}$&#^_~%[]<>|"`\n\r')


def test_letters_that_cannot_be_set_are_named_with_their_line() -> None:
    text = "Zoë Ñandú ≥ 5 µg – “x” ṛḥ ế\nडॉ x 李\nड"
    assert [(one.letter, one.line) for one in unprintable_characters(text)] == [("ế", 1), ("ड", 2), ("ॉ", 2), ("李", 2)]
    assert unprintable_characters(text)[1].called == "ड (U+0921)"
    assert accented("ṛ") == r"\d{r}"
    assert accented("ī") == r"\={\i}"
    assert not accented("ế")
    assert can_be_set("e")
    assert not can_be_set("ŋ")


# Real LaTeX

ODD_TITLE = 'Effect of 5% dextrose & "saline" on α-agonists: a_b #1 {x} ~100 \\y^2 <z> $5'


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("latexmk"), reason="no LaTeX here")
def test_latex_sets_all_pages_and_every_letter_we_know(tmp_path: Path) -> None:
    """One run for what only LaTeX can show: no error and no letter missing, the pages in their order,
    nothing outside the margins."""
    letters = " ".join(chr(code) for code in SYMBOLS if code not in (0x2028, 0x2029))
    latin = " ".join(chr(code) for code in (*range(0xA1, 0x180), *range(0x1E00, 0x1EF9)) if can_be_set(chr(code)))
    manuscript = thesis(
        title=ODD_TITLE,
        facts={**FACTS, "author": 'Zoë "Ñ" O\'Brien_#%&', "co_guide_name": "x" * 200, "head_name": ""},
        text=f"{FLOATS}\n\n{letters}\n\n{latin}\n\n$µ ≥ ± × α$ \\section{{β-blockers ≥ 5 µg}}",
        acknowledgements="[My] family\n*star\nśrī ṛṣi",
        abbreviations="[x] = [brackets] & 50%\nSpO₂ = saturation",
    )
    parts = [preamble(manuscript), "\\begin{document}\n\\frontmatter\n"]
    parts += [one.latex for one in (*front_pages(manuscript), *contents(manuscript))]
    parts += ["\\mainmatter\n\\chapter{Introduction}\n", manuscript.chapters[1].latex, "\n\\end{document}\n"]
    (tmp_path / "main.tex").write_text("".join(parts), "utf-8")
    run = subprocess.run(
        ["latexmk", "-norc", "-pdf", "-interaction=nonstopmode", "-file-line-error", "main.tex"],
        cwd=tmp_path, capture_output=True, timeout=100, check=False,
    )  # fmt: skip
    log = (tmp_path / "main.log").read_text("utf-8", errors="replace")
    assert run.returncode == 0, [line for line in log.splitlines() if re.match(r"\S*:\d+:|! ", line)][:10]
    assert "Missing character" not in log
    assert "Overfull" not in log

    document = pypdfium2.PdfDocument(tmp_path / "main.pdf")
    texts = [one.get_textpage().get_text_bounded() for one in document]
    starts = [" ".join(text.split())[:30] for text in texts]
    expected = [
        "Effect of 5% dextrose",
        "Certificate of the guide",
        "Certificate of the co-guide",
        "Certificate of the head",
    ]
    expected += [
        "Declaration",
        "Ethics approval",
        "Acknowledgements",
        "Abbreviations",
        "Contents",
        "List of tables",
        "List of figures",
    ]
    assert all(found.startswith(wanted) for found, wanted in zip(starts, expected, strict=False)), starts
    assert all(" ".join(text.split())[-1:].isalnum() for text in texts)  # each page is numbered
    assert document[0].get_size() == pytest.approx((595.28, 841.89), abs=0.1)
    assert document.get_metadata_dict()["Title"] == ODD_TITLE
    assert "β-blockers ≥ 5 µg" in [one.get_title() for one in document.get_toc()]
    pages = [one.get_textpage() for one in document]
    boxes = [one.get_rect(place) for one in pages for place in range(one.count_rects())]
    assert min(left for left, *_ in boxes) >= 69  # an inch is 72 points; signs may hang over by one or two
    assert max(right for _, _, right, _ in boxes) <= 595.3 - 69


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no LaTeX here")
def test_latex_tells_a_letter_that_it_cannot_set(tmp_path: Path) -> None:
    manuscript = thesis(facts={**FACTS, "guide_name": "डॉ"})
    text = f"{preamble(manuscript)}\\begin{{document}}\n{page(manuscript, 'title').latex}\nŋ\\end{{document}}\n"
    (tmp_path / "main.tex").write_text(text, "utf-8")
    subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "main.tex"], cwd=tmp_path, capture_output=True, timeout=60, check=False
    )
    log = (tmp_path / "main.log").read_text("utf-8", errors="replace")
    assert "Unicode character ड (U+0921)" in log
    assert "(U+014B)" in log
