r"""A LaTeX project is taken apart into sections and put together again, and no character is lost (SPEC T2, T5)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.encoding import NotText, decode
from sections.latex_project import LatexProject, NoMain, TexSection, read_project
from tests.examples import examples

BOOK = "\\documentclass{book}\n\\begin{document}\n"
END = "\n\\end{document}\n"

bits = st.sampled_from(
    [
        "\\chapter{A}",
        "\\chapter*{B {c}}",
        "\\section{S}",
        "\\input{a}",
        "\\include{b}",
        "\\input{missing}",
        "\\begin{document}",
    ]
    + [
        "\\end{document}",
        "\\documentclass{book}",
        "\\appendix",
        "\\bibliography{r}",
        "\\begin{verbatim}",
        "\\end{verbatim}",
        "%",
    ]
    + [
        "{",
        "}",
        "\\",
        "\\verb|",
        "|",
        "\\begin{x}",
        "\\end{x}",
        "\\iffalse",
        "\n",
        "\r\n",
        "\r",
        " ",
        "words of prose ",
        "é",
        "中",
        "\\part{P}",
    ]
    + [
        "\\begin{thebibliography}{9}",
        "\\end{thebibliography}",
        "\\clearpage",
        "\\input{../up}",
        "\\subfile{a}",
        "\\import{d/}{a}",
    ]
)
texts = st.lists(bits | st.text(max_size=6), max_size=40).map("".join)


def read(files: dict[str, str | bytes], most: int = 200) -> LatexProject:
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    return read_project({path: len(one) for path, one in data.items()}, data.__getitem__, most)


def joined(project: LatexProject, path: str) -> bytes:
    file = project.files[path]
    assert file.pieces is not None
    text = "".join(piece.latex if isinstance(piece, TexSection) else piece for piece in file.pieces)
    return text.encode(file.encoding)


def titles(project: LatexProject) -> list[str]:
    return [section.title for section in project.sections]


@given(main=texts, one=texts, two=texts)
@examples(150)
def test_whatever_it_holds_the_pieces_are_the_file(main: str, one: str, two: str) -> None:
    files = {
        path: text.encode("utf-8", "replace")
        for path, text in {
            "main.tex": f"\\documentclass{{a}}{main}",
            "a.tex": one,
            "d/b.tex": two,
            "b.tex": two,
        }.items()
    }
    try:
        project = read(dict(files))
    except (NotText, NoMain):
        return
    for path, file in project.files.items():
        if file.pieces is not None:
            assert joined(project, path) == files[path]
    assert sum(len(file.sections) for file in project.files.values()) == len(project.sections)


@given(st.binary(max_size=300))
def test_bytes_come_back_or_are_refused(data: bytes) -> None:
    try:
        text, encoding, _ = decode(data)
    except NotText:
        return
    assert text.encode(encoding) == data


def test_each_file_taken_in_is_a_section_and_inner_parts_too() -> None:
    project = read(
        {
            "main.tex": f"{BOOK}\\include{{ch/one}}\n\\subfile{{ch/two}}{END}",
            "ch/one.tex": "\\chapter{One}\nText. \\input{ch/deep}\\input{ch/table}",
            "ch/deep.tex": "\\section{Deep}\nMore text.",
            "ch/table.tex": "\\begin{tabular}{l}a\\end{tabular}",
            "ch/two.tex": "\\documentclass[../main]{subfiles}\\begin{document}\\chapter{Two}Text\\end{document}",
        }
    )
    assert titles(project) == ["One", "Deep", "Two"]
    assert project.files["ch/one.tex"].became == "section “One”"
    assert project.files["ch/table.tex"].became == "kept unchanged: ch/one.tex includes it"
    assert project.files["ch/table.tex"].pieces is None


def test_chapters_in_the_main_file_and_in_one_that_is_taken_in() -> None:
    project = read(
        {
            "main.tex": (
                f"{BOOK}\\begin{{abstract}}Some "
                f"words.\\end{{abstract}}\\chapter{{A}}a\n\\input{{rest}}\n\\bibliography{{r}}{END}"
            ),
            "rest.tex": "\\chapter{B}b\n\\chapter{C}c\n\\appendix\n\\chapter{D}d",
        }
    )
    assert titles(project) == ["Front matter", "A", "B", "C", "D"]
    assert [section.latex for section in project.sections][3] == "\\chapter{C}c\n"
    assert joined(project, "main.tex").decode().endswith(END)


def test_a_heading_in_the_main_file_names_the_text_in_another() -> None:
    project = read(
        {
            "main.tex": f"{BOOK}\\chapter{{Introduction}}\\input{{i}}\\chapter{{End}}\\input{{e}}{END}",
            "i.tex": "Words.",
            "e.tex": "More.",
        }
    )
    assert [(section.title, section.latex) for section in project.sections] == [
        ("Introduction", "Words."),
        ("End", "More."),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\\chapter[Short]{Long \\emph{words} \\& more\\label{x}}t", "Long words & more"),
        ("\\chapter{Caf\\'e \\textbf{$x^2$}\\footnote{no}}t", "Café x^2"),
        ("\\chapter*{\\texorpdfstring{$\\alpha$}{alpha} waves}t", "alpha waves"),
        ("\\chapter{}t", "Sole paper"),
        ("\\chapter{%\n A\n title\n}t", "A title"),
        ("\\chapter{\\'{E}t\\'e --- ``quoted''}t", "Été — “quoted”"),
    ],
)
def test_titles_in_plain_words(text: str, expected: str) -> None:
    assert titles(read({"01_sole-paper.tex": text})) == [expected]


def test_what_is_commented_out_or_verbatim_is_no_chapter() -> None:
    text = (
        f"{BOOK}\\chapter{{A}}%\\chapter{{No}}\n\\verb|\\chapter{{No}}|\\begin{{verbatim}}\n\\chapter{{No}}\n"
        f"\\end{{verbatim}}{END}\\chapter{{No}}"
    )
    assert titles(read({"main.tex": text})) == ["A"]


def test_sections_where_there_are_no_chapters() -> None:
    text = "\\documentclass{article}\\begin{document}\\section{A}a\\subsection{x}\\section{B}b\\end{document}"
    assert titles(read({"main.tex": text})) == ["A", "B"]
    assert titles(read({"paper.tex": "\\documentclass{article}\\begin{document}Only words.\\end{document}"})) == [
        "Paper"
    ]


def test_a_project_without_a_main_file() -> None:
    with pytest.raises(NoMain, match="documentclass"):
        read({"a.tex": "x", "b.tex": "y"})
    with pytest.raises(NoMain, match=r"no \.tex file"):
        read({"a.txt": "x"})


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("\\input{missing}", "there is no such file in the project"),
        ("\\input{../../etc/passwd}", "is outside the project"),
        ("\\input{/etc/passwd}", "is an absolute path"),
        ("\\include{C:/thesis/a}", "is an absolute path"),
        ("\\input{\\folder/a}", "names its file by a command"),
        ("\\input{|ls}", "would run a program"),
        ("\\input{main}", "includes a file that includes this one"),
    ],
)
def test_what_cannot_be_followed_is_told(command: str, says: str) -> None:
    project = read({"main.tex": f"{BOOK}\\chapter{{A}}a\n{command}{END}"})
    assert any(says in warning for warning in project.files["main.tex"].warnings), project.files["main.tex"].warnings
    assert titles(project) == ["A"]


def test_files_that_take_each_other_in() -> None:
    project = read(
        {
            "main.tex": f"{BOOK}\\include{{a}}\\include{{a}}{END}",
            "a.tex": "\\chapter{A}Words.\\input{b}",
            "b.tex": "\\section{B}\\input{a}",
        }
    )
    assert titles(project) == ["A", "B"]
    assert "includes a file that includes this one" in project.files["b.tex"].warnings[0]
    assert project.notes == ["a.tex is included more than once. Its text was imported once."]


def test_a_file_that_is_no_text_is_kept() -> None:
    project = read(
        {
            "main.tex": f"{BOOK}\\include{{a}}\\include{{b}}\\chapter{{C}}c{END}",
            "a.tex": b"\\chapter{A}\nx\0y",
            "b.tex": "\\chapter{B}".encode("utf-16"),
        }
    )
    assert titles(project) == ["C"]
    assert project.files["a.tex"].warnings == ["It has a NUL character on line 2, so it is not a text file."]
    assert "UTF-16" in project.files["b.tex"].warnings[0]
    assert project.files["a.tex"].pieces is None


def test_more_sections_than_a_thesis_holds_stay_in_the_file() -> None:
    text = BOOK + "".join(f"\\chapter{{C{number}}}text\n" for number in range(9)) + END
    project = read({"main.tex": text}, most=4)
    assert titles(project) == ["C0", "C1", "C2", "C3"]
    assert joined(project, "main.tex").decode() == text
    assert "at most" in project.notes[0]


def test_control_characters_are_told_by_line() -> None:
    project = read({"main.tex": f"{BOOK}\\chapter{{A}}\nx\x07y{END}"})
    assert project.files["main.tex"].warnings == [
        "There are control characters on line 4. They were kept, but LaTeX may reject them."
    ]


def test_references_that_the_text_names() -> None:
    text = f"{BOOK}\\chapter{{A}}a\\bibliography{{refs, more/other}}{END}"
    assert read({"t/main.tex": text, "t/refs.bib": "", "t/more/other.bib": "", "t/unused.bib": ""}).references == [
        "t/refs.bib",
        "t/more/other.bib",
    ]
    assert read({"main.tex": f"{BOOK}\\addbibresource{{refs.bib}}x{END}", "refs.bib": "", "z.bib": ""}).references == [
        "refs.bib"
    ]


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        (b"abc", "utf-8"),
        ("é".encode(), "utf-8"),
        ("\ufeffé".encode(), "utf-8-sig"),
        ("% !TEX encoding = IsoLatin\né".encode("latin-1"), "latin-1"),
        ("\\usepackage[latin9]{inputenc}€".encode("iso8859-15"), "iso8859-15"),
        ("\\usepackage[latin1]{inputenc}“x”".encode("cp1252"), "cp1252"),
        ("\\usepackage[utf8]{inputenc}é".encode("cp1252"), "cp1252"),
        ("\\usepackage[cp1251]{inputenc}Ж".encode("cp1251"), "cp1251"),
        (b"\x81\x8d", "latin-1"),
    ],
)
def test_encodings(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.encoding, decoded.text.encode(decoded.encoding)) == (encoding, data)
