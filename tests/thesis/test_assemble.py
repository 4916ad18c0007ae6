"""A thesis put together: which files, which references, what is said, which line is whose (SPEC T5, C2, C3)."""

import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.thesis.make_thesis import png
from tests.thesis.manuscripts import chapter, imported_manuscript, native_manuscript, picture, work
from thesis.assembly import bibtex_style
from thesis.assembly.assemble import Assembled, assemble
from thesis.assembly.latex_checks import Passage, unclosed
from thesis.assembly.references import in_ascii
from thesis.manuscript import LayoutValues

UNRESOLVED = "% UNRESOLVED: d — provide source or remove"


def text(made: Assembled, path: str) -> str:
    return made.files[path].decode()


@pytest.fixture(autouse=True)
def _no_vancouver(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """As on a machine without vancouver.bst, whatever this one has."""
    bibtex_style._vancouver.cache_clear()
    monkeypatch.setenv("PATH", str(tmp_path))
    yield
    bibtex_style._vancouver.cache_clear()


def test_the_files_of_a_thesis_that_was_begun_here() -> None:
    latex = "Words \\cite{a}.\n\\includegraphics{figures/flow.png}\n"
    made = assemble(
        native_manuscript(
            chapters=[
                chapter(0, "Thanks.", "Front matter", "front-matter"),
                chapter(1, "Short.", "Abstract", "abstract"),
                chapter(2, latex, "Aims & 5% more", "aims"),
                chapter(3, "\\chapter{Own heading}\nMore.", "Results", "results"),
                chapter(4, "A form.", "Consent", "consent"),
            ],
            files=[picture("figures/flow.png"), picture("figures/unused.png")],
            layout=LayoutValues(appendices=["id-4"]),
        )
    )
    main = text(made, "main.tex")
    expected = [
        "\\begin{document}", "\\frontmatter", "\\input{front/00-title}", "\\input{chapters/00-front-matter}",
        "\\tableofcontents",
        "\\chapter*{Abstract}", "\\input{chapters/01-abstract}", "\\mainmatter", "\\chapter{Aims \\& 5\\% more}",
        "\\input{chapters/02-aims}",
        "\\input{chapters/03-results}", "\\bibliographystyle{scholium-numbered}", "\\bibliography{references}",
        "\\appendix",
        "\\chapter{Consent}", "\\input{appendices/04-consent}", "\\end{document}",
    ]  # fmt: skip
    places = [main.index(one) for one in expected]
    assert places == sorted(places)
    assert "\\chapter{Results}" not in main
    assert text(made, "chapters/02-aims.tex") == latex
    assert made.chapter_paths["id-4"] == "appendices/04-consent.tex"
    assert {"README.txt", "references.bib", "scholium-numbered.bst", "figures/flow.png"} <= made.files.keys()
    assert "figures/unused.png" not in made.files
    assert "latexmk -pdf main.tex" in text(made, "README.txt")


def test_tier_d_goes_from_the_text_and_the_references() -> None:
    made = assemble(
        native_manuscript("One \\cite{a,d} two.\n\\citep{d}\nlast \\cite{b}\n", "no keys % \\cite{d}\n", works="abd")
    )
    expected = f"One \\cite{{a}} {UNRESOLVED}\n two.\n{UNRESOLVED}\nlast \\cite{{b}}\n"
    assert text(made, "chapters/02-section-2.tex") == expected
    assert text(made, "chapters/03-section-3.tex") == "no keys % \\cite{d}\n"
    assert made.stripped == [("d", ["id-2"])]
    bib = text(made, "references.bib")
    assert ("{a," in bib, "{b," in bib, "{d," in bib) == (True, True, False)
    assert "10.1/" not in bib
    assert "d: Section 2\n" in text(made, "README.txt")
    assert [made.place("chapters/02-section-2.tex", line) for line in range(1, 6)] == [
        ("id-2", n) for n in (1, 1, 2, 3, 4)
    ]
    assert made.place("main.tex", 1) is None
    assert made.place("./chapters/03-section-3.tex", 1) == ("id-3", 1)
    kept = assemble(native_manuscript("\\cite{a,d}", works="ad"), strip=False)
    assert (text(kept, "chapters/02-section-2.tex"), "{d," in text(kept, "references.bib")) == ("\\cite{a,d}", True)


def test_only_what_is_cited_is_in_the_references() -> None:
    assert "{b," not in text(assemble(native_manuscript("\\cite{a}", works="abd")), "references.bib")
    every = assemble(native_manuscript("\\nocite{*}", works="abd"))
    assert ("{b," in text(every, "references.bib"), "{d," in text(every, "references.bib")) == (True, False)
    none = assemble(native_manuscript("No keys.", works="ab"))
    assert (none.files["references.bib"], "\\bibliography{" in text(none, "main.tex")) == (b"", False)
    gone = assemble(native_manuscript("\\cite{d}", works="d"))
    assert "\\bibliography{" not in text(gone, "main.tex")


def test_the_table_wins_over_a_trailer_and_the_same_work_is_there_once() -> None:
    trailer = (
        "@article{a, title={Another title of a}, author={X, Y}, year={1900}}\n"
        "@article{other, title={A trial called b}, author={B, Jane A.}, year={2020}}\n"
        "@book{new, title={A new book {\\O}}, author={Roe, R}, year={2001}}\n"
        "@misc{uncited, title={U}}\n"
        "@article{gone, title={By another key}, author={D, E}, doi={10.1/D_X}, year={2020}}\n"
    )
    made = assemble(native_manuscript(f"\\cite{{a,other,new,gone}}\nline 2\n\n{trailer}", works="abd"))
    said = UNRESOLVED.replace(": d", ": gone")
    assert text(made, "chapters/02-section-2.tex").rstrip("\n") == f"\\cite{{a,b,new}} {said}\nline 2"
    bib = text(made, "references.bib")
    assert ("Another title" in bib, bib.count("trial called b"), "A new book {\\O}" in bib, "{uncited," in bib) == (
        False,
        1,
        True,
        False,
    )
    assert made.undefined == []
    assert any(note.startswith("new: this reference is not on the page References") for note in made.notes)


def test_what_follows_a_bare_trailer_is_text_and_keeps_its_lines() -> None:
    made = assemble(native_manuscript("one \\cite{x}\n@article{x,\n title={T {y}},\n}\n\nafter \\ref{nowhere}\n"))
    written = text(made, "chapters/02-section-2.tex").split("\n")
    assert written == ["one \\cite{x}", "", "", "after \\ref{nowhere}", ""]
    assert made.place("chapters/02-section-2.tex", 4) == ("id-2", 6)
    assert made.loose_refs == [("nowhere", "id-2", 6)]


def test_keys_and_labels_that_are_not_there() -> None:
    one = "\\label{a}\\ref{a} \\cref{b,c}\n% \\ref{x} \\verb|\\ref{y}|\n\\autoref{z}\\hyperref[q]{w}"
    made = assemble(native_manuscript(one, "\\cite{a,nope}\n\\label{b}\\label{a}\n\\cite{nope}", works="a"))
    assert made.loose_refs == [("c", "id-2", 1), ("z", "id-2", 3), ("q", "id-2", 3)]
    assert made.doubled_labels == [("a", "id-3", 2)]
    assert made.undefined == [("nope", "id-3", 1)]
    items = assemble(
        native_manuscript(
            "\\cite{own}\\begin{thebibliography}{9}\\bibitem[Roe(2000)]{own} R.\\end{thebibliography}", works=""
        )
    )
    assert items.undefined == []


@pytest.mark.parametrize(
    ("latex", "found"),
    [
        ("\\begin{table}\n\\begin{tabular}\n\\end{table}", [("tabular", 2, True)]),
        ("a\n\\end{itemize}", [("itemize", 2, False)]),
        ("\\begin{itemize}\n\\item a", [("itemize", 1, True)]),
        ("% \\begin{itemize}\n\\verb|\\begin{x}|\\\\begin{y}", []),
        ("\\begin{verbatim}\\begin{x}\\end{verbatim}", []),
        ("\\begin{spacing}{2}", []),
        ("\\begin{a}\\begin{b}\\end{a}\\end{b}", [("b", 1, True), ("b", 1, False)]),
        ("The odds $\\frac{a}{b$\nare \\emph{low}.", [("{", 1, True)]),
        ("One }\ntwo \\{ \\verb|{| % {\nthree", [("{", 1, False)]),
    ],
)
def test_environments_that_are_not_closed(latex: str, found: list[Any]) -> None:
    assert [(one.environment, one.line, one.is_open) for one in unclosed(Passage("s", latex))] == found


def test_pictures_are_looked_for_as_latex_does_and_named_so_that_it_finds_them() -> None:
    jpeg = b"\xff\xd8\xff\xe0" + b"0" * 20
    gif = _gif()
    latex = (
        "\\includegraphics{figures/flow}\n\\includegraphics[width=2cm]{figures/my "
        "plot.png}\n\\includegraphics{figures/wrong.png}\n"
        "\\includegraphics{figures/moving.gif}\n\\includegraphics{figures/none}\n"
        "\\includegraphics{draw.svg}\n% \\includegraphics{x}\n"
        "\\includegraphics*{flow.png}\\includegraphics{../../etc/passwd.png}"
    )
    files = [
        picture("figures/flow.png"),
        picture("figures/my plot.png"),
        picture("figures/wrong.png", jpeg),
        picture("figures/moving.gif", gif),
    ]
    made = assemble(native_manuscript(latex, files=files))
    written = text(made, "chapters/02-section-2.tex").split("\n")
    assert written[0] == "\\includegraphics{figures/flow}"
    assert written[1] == "\\includegraphics[width=2cm]{figures/my-plot.png}"
    assert written[2] == "\\includegraphics{figures/wrong.jpg}"
    assert written[3] == "\\includegraphics{figures/moving.png}"
    assert written[7].startswith("\\includegraphics*{figures/flow.png}")
    assert made.files["figures/moving.png"].startswith(b"\x89PNG")
    missing = [(one.path, one.line) for one in made.missing_pictures]
    assert missing == [("figures/none", 5), ("draw.svg", 6), ("../../etc/passwd.png", 8)]
    assert "SVG" in made.missing_pictures[1].why
    assert all(".." not in path for path in made.files)


def _gif() -> bytes:
    from io import BytesIO

    from PIL import Image

    made = BytesIO()
    Image.new("P", (3, 3)).save(made, "GIF")
    return made.getvalue()


def test_one_section_alone_keeps_its_number() -> None:
    manuscript = native_manuscript("\\cite{a} \\label{x}", "\\cite{b} \\ref{x}", "c", works="ab")
    made = assemble(manuscript, only="id-3")
    main = text(made, "main.tex")
    assert "\\setcounter{chapter}{1}" in main
    assert "\\tableofcontents\n" not in main
    assert made.chapter_paths == {"id-3": "chapters/03-section-3.tex"}
    assert ("{a," in text(made, "references.bib"), "{b," in text(made, "references.bib")) == (False, True)
    assert made.loose_refs == []
    with pytest.raises(KeyError):
        assemble(manuscript, only="other")


@pytest.mark.parametrize(
    ("style", "name"),
    [("vancouver", "scholium-numbered"), ("apa", "scholium-author-year"), ("nonsense", "scholium-numbered")],
)
def test_the_style_that_is_nearest(style: str, name: str) -> None:
    made = assemble(native_manuscript("\\cite{a}", style=style))
    assert f"\\bibliographystyle{{{name}}}" in text(made, "main.tex")
    assert f"{name}.bst" in made.files


def test_vancouver_of_the_machine_is_taken_along(tmp_path: Path) -> None:
    program = tmp_path / "kpsewhich"
    program.write_text(f"#!/bin/sh\necho {tmp_path}/vancouver.bst\n")
    program.chmod(0o755)
    (tmp_path / "vancouver.bst").write_bytes(b"ENTRY {} {} {}")
    made = assemble(native_manuscript("\\cite{a}"))
    assert made.files["vancouver.bst"] == b"ENTRY {} {} {}"
    assert "\\bibliographystyle{vancouver}" in text(made, "main.tex")
    textual = assemble(native_manuscript("\\citet{a} say"))
    assert "\\bibliographystyle{scholium-numbered}" in text(textual, "main.tex")
    assert "vancouver.bst cannot name authors" in text(textual, "README.txt")


def test_keys_that_bibtex_cannot_take() -> None:
    works = [work("Same"), work("same"), work("o'brien 2020"), work("ü")]
    made = assemble(native_manuscript("\\cite{same,Same} \\cite{o'brien 2020,ü}\n\\cite{SAME}", more=works))
    assert text(made, "chapters/02-section-2.tex") == "\\cite{same,Same-2} \\cite{o-brien-2020,u}\n\\cite{SAME-3}"
    bib = text(made, "references.bib")
    assert all(f"{{{key},\n" in bib for key in ("same", "Same-2", "o-brien-2020", "u"))
    assert bib.isascii()


@given(st.text(max_size=40))
def test_references_are_ascii_whatever_the_letters(words: str) -> None:
    made, odd = in_ascii(words)
    assert made.isascii()
    assert set(odd) <= set(unicodedata.normalize("NFC", words))
    assert in_ascii(made) == (made, "")


def test_fields_that_lead_elsewhere_and_odd_entries_do_no_harm() -> None:
    custom = {"bibtex": {"crossref": "nowhere", "file": ":x.pdf", "annote": "a } b", "eprint": "1234"}}
    works = [
        work("a", custom=custom, URL="https://x.org/ä b?c=%20", title="{odd"),
        work("b", title="", author=[], issued=None),
    ]
    bib = text(assemble(native_manuscript("\\cite{a,b}", more=works, style="apa")), "references.bib")
    assert ("crossref" in bib, "file =" in bib, "eprint" in bib) == (False, False, True)
    assert "https://x.org/%C3%A4" in bib
    assert "year = {n.d.}" in bib
    depth = bib.count("{") - bib.count("}")
    assert depth == 0


def test_the_same_thesis_gives_the_same_files() -> None:
    manuscript = native_manuscript("\\cite{a,d} ≥", "\\cite{b}", works="abd")
    assert assemble(manuscript).files == assemble(manuscript).files


_WORDS = st.sampled_from(
    [
        "word",
        "\n",
        "\r\n",
        "\\cite{d}",
        "\\cite{a,d}",
        "% c\n",
        "é",
        " ",
        "\\citep[x]{d}",
        "\\verb|x|",
        "\n\n",
        "\\includegraphics{a b}",
    ]
)


@given(st.lists(st.lists(_WORDS, max_size=12).map("".join), min_size=1, max_size=3))
def test_every_line_leads_back_to_its_own(texts: list[str]) -> None:
    marked = ["".join(f"{part}" for part in one) for one in texts]
    made = assemble(native_manuscript(*marked, works="ad"))
    for number, latex in enumerate(marked, start=2):
        path = f"chapters/{number:02d}-section-{number}.tex"
        theirs = latex.replace("\r\n", "\n").split("\n")
        written = text(made, path).replace("\r\n", "\n").split("\n")
        places = [made.place(path, line) for line in range(1, len(written) + 1)]
        assert all(place is not None and 1 <= place.line <= len(theirs) for place in places)
        lines = [place.line for place in places if place]
        assert lines == sorted(lines)
        assert (lines[0], lines[-1]) == (1, len(theirs))
        for line, words in zip(lines, written, strict=True):
            if words and "%" not in words and words in texts[number - 2]:
                assert words in theirs[line - 1]


_PARTS = st.lists(
    st.sampled_from(
        [
            "\\cite{",
            "}",
            "{",
            "a",
            "d",
            ",",
            "\\cite{d,a}",
            "\\begin{x}",
            "\\end{x}",
            "\\ref{q}",
            "\\label{q}",
            "%",
            "\n",
            "\r\n",
            "\r",
        ]
        + [
            "@article{k,\n title={T},\n}\n",
            "@book{",
            "<bibtex>",
            "</bibtex>",
            "\\includegraphics{",
            "\\bibliography{x}",
            "\\chapter{A}",
        ]
        + [
            "\\appendix",
            "\x00",
            "é",
            "e\u0301",
            "\\begin{verbatim}",
            "\\end{verbatim}",
            "\\input{b}",
            "#",
            "\\nocite{*}",
            "\\addbibresource{y}",
        ]
    ),
    max_size=20,
).map("".join)


@given(_PARTS, _PARTS, st.sampled_from([None, "id-1", "id-2"]), st.sampled_from(["utf-8", "latin-1"]))
def test_any_text_is_put_together(one: str, other: str, only: str | None, encoding: str) -> None:
    chapters = [chapter(1, one), chapter(2, other)]
    assert assemble(native_manuscript(chapters=chapters, works="ad"), only=only).files
    main = [f"\\documentclass{{book}}\\begin{{document}}{other}", 1, one]
    files = {"b.tex": [other, 2], "s.tex": one.encode()}
    assert assemble(imported_manuscript(main, files, chapters, works="ad", encoding=encoding), only=only).files


def test_a_thesis_of_120_pages_quickly() -> None:
    sentence = (
        "A claim about the trial that takes a line and is cited \\citep[p.~3]{k%d} with 5~mg, see Figure~\\ref{f%d}.\n"
        + "And no key at all. " * 12
    )
    figure = "\\begin{figure}\\includegraphics{figures/f%d.png}\\caption{F}\\label{f%d}\\end{figure}\n"
    chapters, number = [], 0
    for place in range(10):
        lines = []
        for _ in range(150):
            number += 1
            lines.append(sentence % (number % 200, number % 30))
        lines += [figure % (place * 3 + n, place * 3 + n) for n in range(3)]
        chapters.append(chapter(place, "".join(lines)))
    data = png() + b"0" * 200_000
    files = [picture(f"figures/f{n}.png", data) for n in range(30)]
    works = [
        work(f"k{n}", "D" if n % 20 == 0 else "A", author=[{"family": "Müller", "given": "Å"}]) for n in range(200)
    ]
    manuscript = native_manuscript(chapters=chapters, files=files, more=works)
    assemble(manuscript)
    made = assemble(manuscript)
    assert (len(made.stripped), len(made.missing_pictures), len(made.loose_refs)) == (10, 0, 0)
