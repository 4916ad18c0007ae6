"""What is brought in and taken out untouched is the same, byte for byte (SPEC T2, T5)."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from projects.models import Project, User
from sections.models import Section, SectionVersion, ThesisFile
from tests.thesis.make_thesis import MAIN, exported, imported_file, project_files, zipped
from thesis.project_export import write_source

pytestmark = pytest.mark.django_db

CORPUS = sorted((Path(__file__).resolve().parent.parent / "corpus").glob("*.tex"))
ODD = {
    "crlf.tex": b"\\documentclass{book}\r\n\\begin{document}\r\n\\chapter{A}\r\nOne.\r\nTwo.\r\n\\end{document}\r\n",
    "mark.tex": b"\xef\xbb\xbf\\documentclass{book}\\begin{document}\\chapter{\xc3\xa9}x\\end{document}",
    "latin1.tex": (
        b"\\documentclass{book}\\usepackage[latin1]{inputenc}\\begin{document}\\chapter{\xe9t\xe9}x\xe8\\end{document}"
    ),
    "guessed.tex": b"\\documentclass{book}\\begin{document}\\chapter{\x93A\x94}x\\end{document}",
    "mac.tex": b"\\documentclass{book}\\usepackage[applemac]{inputenc}\\begin{document}\\chapter{\x8e}x\\end{document}",
    "no-end.tex": b"\\chapter{A}\ntext\n\\chapter{B}\n\n\n",
    "broken.tex": (
        b"\\documentclass{book}\\begin{document}\\chapter{A {x}\\begin{x}\n\\chapter{B}}}}\\verb|\\chapter{C}|"
    ),
    "article.tex": (
        b"\\documentclass{article}\\begin{document}Front.\\section{A}a\\section{B}b\\end{document}\ntrailing"
    ),
    "old-mac.tex": b"\\chapter{A}\rtext\r\\chapter{B}\rtext",
    "controls.tex": b"\\chapter{A}\x0c text \x07 \x7f",
}


@pytest.mark.sample(4)
@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.name)
def test_each_file_of_the_corpus_alone(owner: User, path: Path) -> None:
    made, _ = imported_file(owner, path.read_bytes(), path.name)
    assert exported(made.project) == ({path.name: path.read_bytes()}, [])
    assert Section.objects.filter(project=made.project).exists()


def test_the_corpus_as_the_chapters_of_one_project(owner: User) -> None:
    includes = "\n".join(f"\\include{{chapters/{path.stem}}}" for path in CORPUS)
    files = {f"chapters/{path.name}": path.read_bytes() for path in CORPUS}
    files["main.tex"] = f"\\documentclass{{book}}\n\\begin{{document}}\n{includes}\n\\end{{document}}\n".encode()
    made, _ = imported_file(owner, zipped(files), "thesis.zip")
    assert exported(made.project) == (files, [])


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", ODD)
def test_files_that_are_odd(owner: User, name: str) -> None:
    made, job = imported_file(owner, ODD[name], name)
    assert job.state == "done", job.reason
    assert exported(made.project) == ({name: ODD[name]}, [])
    assert Section.objects.filter(project=made.project).exists()


def test_a_project_of_many_files(owner: User) -> None:
    files = project_files()
    made, job = imported_file(owner, zipped(files), "alder.zip")
    assert job.state == "done", job.reason
    assert exported(made.project) == (files, [])
    titles = list(Section.objects.filter(project=made.project).values_list("number", "title"))
    assert titles == [(0, "Introduction"), (1, "Methods & materials"), (2, "More")]
    kinds = dict(ThesisFile.objects.filter(project=made.project).values_list("path", "kind"))
    assert kinds["main.tex"] == kinds["chapters/table.tex"] == "tex"
    assert (kinds["figures/flow.png"], kinds["refs.bib"], kinds["style/my.cls"]) == ("picture", "bib", "other")
    assert ThesisFile.objects.get(project=made.project, is_main=True).path == "main.tex"
    assert set(SectionVersion.objects.values_list("version", "kind")) == {(1, "imported")}


def test_a_project_in_a_folder_of_its_own(owner: User) -> None:
    files = {f"my thesis/{path}": data for path, data in project_files().items()}
    made, _ = imported_file(owner, zipped(files), "alder.zip")
    assert exported(made.project) == (files, [])
    assert Section.objects.filter(project=made.project).count() == 3


def test_the_same_thesis_gives_the_same_archive(owner: User) -> None:
    made, _ = imported_file(owner, zipped(project_files()), "alder.zip")
    first, second = BytesIO(), BytesIO()
    write_source(made.project, first)
    write_source(made.project, second)
    assert first.getvalue() == second.getvalue()
    with zipfile.ZipFile(first) as archive:
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert archive.namelist() == sorted(archive.namelist())


def changed(project: Project, title: str, latex: str) -> None:
    section = Section.objects.get(project=project, title=title)
    section.write(latex, based_on=section.version, by=project.owner)


def test_one_changed_section_changes_its_file_alone(owner: User) -> None:
    files = project_files()
    made, _ = imported_file(owner, zipped(files), "alder.zip")
    changed(made.project, "More", "\\chapter{More}\nother words")
    files["chapters/extra.tex"] = b"\\chapter{More}\nother words"
    assert exported(made.project) == (files, [])


def test_a_changed_section_is_written_in_the_encoding_of_its_file(owner: User) -> None:
    made, _ = imported_file(owner, ODD["latin1.tex"], "latin1.tex")
    section = Section.objects.get(project=made.project)
    changed(made.project, section.title, section.latex + "ü")
    files, notes = exported(made.project)
    assert files["latin1.tex"] == ODD["latin1.tex"].replace(b"x\xe8", b"x\xe8\xfc")
    assert notes == []
    changed(made.project, section.title, section.latex + "ő")
    files, notes = exported(made.project)
    assert "xèő" in files["latin1.tex"].decode()
    assert "latin1.tex: latin-1 cannot encode 'ő' on line 1" in notes[0]


def test_sections_moved_and_binned_and_added(owner: User) -> None:
    files = project_files()
    made, _ = imported_file(owner, zipped(files), "alder.zip")
    project = made.project
    Section.objects.get(project=project, title="More").move_to(0)
    one, two, three = b"\\include{chapters/intro}", b"\\include{chapters/methods}", b"\\input{chapters/extra.tex}"
    files["main.tex"] = (
        MAIN.replace(one, b"@1").replace(two, b"@2").replace(three, two).replace(b"@2", one).replace(b"@1", three)
    )
    made_files, notes = exported(project)
    assert made_files == files
    assert notes == ["main.tex: the sections in this file were reordered as in the outline."]

    Section.objects.get(project=project, title="More").move_to(2)
    new = Section.objects.add(project, "Results & more")
    new.move_to(1)
    changed(project, "Results & more", "\\chapter{R}")
    binned = Section.objects.get(project=project, title="Methods & materials")
    Section.objects.filter(pk=binned.pk).update(removed_at=binned.updated_at)
    made_files, notes = exported(project)
    assert made_files["chapters/01-results-more.tex"] == b"\\chapter{R}"
    assert b"\\include{chapters/intro}\n\\input{chapters/01-results-more}\n\n\\include" in made_files["main.tex"]
    assert made_files["chapters/methods.tex"] == b"% This section is in the bin in Scholium.\n"
    assert [note.partition(":")[0] for note in notes] == ["chapters/methods.tex", "chapters/01-results-more.tex"]


def test_a_thesis_that_was_begun_here(owner: User, project: Project) -> None:
    changed(project, "Introduction", "Alder & soil.\n")
    changed(project, "Results", "\\chapter{Results}\n")
    files, notes = exported(project)
    main = files["main.tex"].decode()
    assert notes == []
    assert "\\documentclass[12pt,a4paper]{book}" in main
    assert "\\title{Alder and soil}" in main
    assert "\\chapter{Introduction}\n\\input{chapters/02-introduction}" in main
    assert "\\chapter{Results}\n" not in main
    assert files["chapters/02-introduction.tex"] == b"Alder & soil.\n"
    assert len(files) == 1 + Section.objects.filter(project=project).count()
