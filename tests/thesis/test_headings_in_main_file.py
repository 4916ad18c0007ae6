r"""A thesis whose main file has the heading of each chapter, and whose chapters are files of their own (SPEC T2, G1).

\chapter{Results}\label{res}\input{results}: outline, editor, manuscript page, preview and the PDF of one section show
this heading with its number, and sections that are moved take it with them.
"""

import pytest
from django.test import Client

from latex.headings import opening_before, shown
from projects.models import Project, User
from sections.models import Section
from sections.outline import move_to_bin, restore_from_bin
from sections.printed_numbers import compute_printed_numbers
from tests.thesis.make_thesis import exported, imported_file, zipped
from thesis.assembly.assemble import assemble
from thesis.manuscript_data import manuscript_of

pytestmark = pytest.mark.django_db
MAIN = r"""\documentclass{report}
\begin{document}
\tableofcontents
\chapter{Introduction}
\input{ch/intro}
% the second
\clearpage
\chapter[Methods]{Patients \emph{and} methods}
\label{ch:methods}
\input{ch/methods}
\chapter*{Afterword}\input{ch/end}
\end{document}
"""
FILES = {
    "main.tex": MAIN.encode(),
    "ch/intro.tex": b"As chapter~\\ref{ch:methods} says.\n\\section{Aim}\nAn aim.\n\\subsection{Small}\nDetail.\n",
    "ch/methods.tex": b"\\section{People}\\label{people}\nMany people.\n",
    "ch/end.tex": b"Thanks to all.\n",
}


@pytest.fixture
def thesis(owner: User) -> Project:
    made, _ = imported_file(owner, zipped(FILES), "thesis.zip")
    project: Project = made.project
    return project


def test_the_outline_has_the_numbers_of_the_chapters(thesis: Project) -> None:
    rows = list(Section.objects.filter(project=thesis).order_by("number"))
    numbers = compute_printed_numbers(thesis, rows[1])
    assert [(numbers.sections[str(row.pk)], row.title) for row in rows] == [
        ("1", "Introduction"),
        ("2", "Patients and methods"),
        ("", "Afterword"),
    ]
    assert [one.number for one in numbers.here] == ["2.1"]
    assert numbers.labels["ch:methods"].refers == "2"


def test_the_manuscript_page_shows_the_headings(client: Client, owner: User, thesis: Project) -> None:
    client.force_login(owner)
    rows = Section.objects.filter(project=thesis).order_by("number")
    pages = [
        client.get(f"/projects/{thesis.pk}/read/{row.slug}/", headers={"HX-Request": "true"}).content.decode()
        for row in rows
    ]
    assert "Introduction</h2>" in pages[0]
    assert ">2</a>" in pages[0]
    assert "Aim</h3>" in pages[0]
    assert "Small</h4>" in pages[0]
    assert "methods</h2>" in pages[1]
    assert "Afterword</h2>" in pages[2]


def test_one_section_is_printed_with_its_heading(thesis: Project) -> None:
    section = Section.objects.get(project=thesis, slug="patients-and-methods")
    files = assemble(manuscript_of(thesis), only=str(section.pk)).files
    main = files["main.tex"].decode()
    assert main.index(r"\setcounter{chapter}{1}") < main.index(r"\chapter[Methods]{Patients \emph{and} methods}")


def test_a_moved_section_takes_its_heading_with_it(thesis: Project) -> None:
    assert exported(thesis)[0]["main.tex"].decode() == MAIN
    Section.objects.get(project=thesis, slug="introduction").move_to(1)
    files, _ = exported(thesis)
    moved = files["main.tex"].decode()
    methods = "\\chapter[Methods]{Patients \\emph{and} methods}\n\\label{ch:methods}\n\\input{ch/methods}"
    introduction = "\\chapter{Introduction}\n\\input{ch/intro}"
    assert moved.replace(methods, "").replace(introduction, "") == MAIN.replace(methods, "").replace(introduction, "")
    assert moved.index(methods) < moved.index(introduction)
    assert {path: files[path] for path in FILES if path != "main.tex"} == {
        path: data for path, data in FILES.items() if path != "main.tex"
    }


def test_a_deleted_section_takes_its_heading_with_it_and_brings_it_back(thesis: Project) -> None:
    methods = Section.objects.get(project=thesis, slug="patients-and-methods")
    move_to_bin(methods)
    files, _ = exported(thesis)
    heading = "\\chapter[Methods]{Patients \\emph{and} methods}\n\\label{ch:methods}\n"
    assert files["main.tex"].decode() == MAIN.replace(heading, "")
    first = Section.objects.get(project=thesis, slug="introduction")
    assert "ch:methods" not in compute_printed_numbers(thesis, first).labels
    restore_from_bin(methods)
    assert exported(thesis)[0]["main.tex"].decode() == MAIN


def test_a_heading_is_of_the_text_that_follows_it() -> None:
    for text, rest in {
        "\\chapter{A}\n\\label{a}\n": "",
        "\\section*{A} words ": None,
        "\\chapter{A}\\chapter{B {c}}": "",
        "\\part{P}\\chapter{A}": "\\part{P}",
        "\\chapter{A}\\appendix ": None,
        "\\chapter{A}\\input{gone}": None,
        "\\chapter{A} words\\section[b]{B}": "\\chapter{A} words",
        "": "",
    }.items():
        assert text[: opening_before(shown(text))] == (text if rest is None else rest)
