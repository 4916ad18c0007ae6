"""A thesis that was brought as LaTeX, put together again: its own layout, our references (SPEC T5)."""

from typing import Any

from tests.thesis.manuscripts import chapter, imported_manuscript
from thesis.assembly.assemble import Assembled, assemble

UNRESOLVED = "% UNRESOLVED: d — provide source or remove"


def text(made: Assembled, path: str) -> str:
    return made.files[path].decode()


MAIN = [
    "\\documentclass{book}\n\\begin{document}\n\\include{a}\n",
    3,
    "\n\\bibliographystyle{plain}\n\\bibliography{x,y}\n\\end{document}",
]


def test_a_brought_thesis_keeps_its_layout() -> None:
    files: dict[str, Any] = {
        "a.tex": ["% head\n", 1, "\nbetween \\cite{d}\n", 2],
        "x.bib": b"@book{only, title={Only in the old file}, author={Roe, J}, year={1999}}\n@string{zz = 1}",
        "table.tex": b"\\cite{d} \\bibliography{x} % \\bibliography{y}\n",
        "latexmkrc": b"x", "sub/.latexmkrc": b"x", "texmf.cnf": b"x", "biber.conf": b"x", "main.aux": b"x",
        "main.pdf": b"%PDF-1.4",
        "notes.txt": b"kept", "a\\b.txt": b"x", "../up.txt": b"x", "README.txt": b"theirs", "x.fdb_latexmk": b"x",
    }  # fmt: skip
    chapters = [chapter(1, "One \\cite{a,d}\nz"), chapter(2, "Two"), chapter(3, "Three \\cite{only}\n\\label{l}")]
    made = assemble(imported_manuscript(MAIN, files, chapters, works="ad"))
    assert made.main == "main.tex"
    assert text(made, "main.tex") == "".join(str(one) if one != 3 else chapters[2].latex for one in MAIN).replace(
        "{x,y}", "{references}"
    )
    assert text(made, "a.tex") == f"% head\nOne \\cite{{a}} {UNRESOLVED}\nz\nbetween {UNRESOLVED}\nTwo"
    assert text(made, "table.tex") == f"{UNRESOLVED}\n \\bibliography{{references}} % \\bibliography{{y}}\n"
    assert "Only in the old file" in text(made, "references.bib")
    assert made.files["README.txt"] == b"theirs"
    told = text(made, "README-Scholium.txt")
    for words in (
        "latexmkrc was renamed to latexmkrc.txt",
        "x.bib: replaced by references.bib",
        "main.pdf: LaTeX creates it again",
        "up.txt",
    ):
        assert words in told, words
    names = {
        "latexmkrc",
        "sub/.latexmkrc",
        "texmf.cnf",
        "biber.conf",
        "main.aux",
        "main.pdf",
        "x.bib",
        "a\\b.txt",
        "../up.txt",
        "x.fdb_latexmk",
    }
    assert not names & made.files.keys()
    assert made.files["notes.txt"] == b"kept"
    assert [made.place("a.tex", line) for line in (1, 2, 3, 4, 5)] == [
        None,
        ("id-1", 1),
        ("id-1", 2),
        None,
        ("id-2", 1),
    ]
    assert made.place("main.tex", 4) == ("id-3", 1)
    assert made.stripped == [("d", ["id-1", ""])]


def test_nothing_cited_prints_no_references_in_a_brought_thesis() -> None:
    made = assemble(imported_manuscript([*MAIN], {}, [chapter(3, "Three \\cite{d}")], works="d"))
    assert "\\bibliography{" not in text(made, "main.tex")


def test_one_section_of_a_brought_thesis_alone() -> None:
    main = [
        "\\documentclass{book}\n\\begin{document}\n\\maketitle\n\\onehalfspacing\n"
        "\\input{one}\n\\input{two}\n\\appendix\n\\input{three}\n"
        "\\bibliographystyle{plain}\n\\bibliography{x}\n\\end{document}\n"
    ]
    chapters = [chapter(1, "\\chapter{A}\n"), chapter(2, "\\chapter{B} \\cite{a}\n"), chapter(3, "\\chapter{C}\n")]
    manuscript = imported_manuscript(main, {"one.tex": [1], "two.tex": [2], "three.tex": [3]}, chapters, works="a")
    made = assemble(manuscript, only="id-2")
    written = text(made, "main.tex")
    assert (
        written.index("\\onehalfspacing")
        < written.index("\\setcounter{chapter}{1}")
        < written.index("\\chapter{B}")
        < written.index("\\bibliography{r")
    )
    assert ("\\maketitle" in written, "\\appendix" in written, "one.tex" in made.files) == (False, False, False)
    assert made.place("main.tex", written[: written.index("\\chapter{B}")].count("\n") + 1) == ("id-2", 1)
    last = text(assemble(manuscript, only="id-3"), "main.tex")
    assert "\\appendix\n\\setcounter{chapter}{0}" in last
