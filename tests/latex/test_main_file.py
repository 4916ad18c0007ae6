r"""Which files of a LaTeX project can be the main one: by structure, never by name (SPEC T2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from latex.includes import TEX, documents
from sections.latex_project import read_project

DOC = "\\documentclass{book}\n\\begin{document}\n\\chapter{A}\nWords.\n\\end{document}\n"


def mains(files: dict[str, str | bytes]) -> list[str]:
    data = {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}
    found = documents({path: len(text) for path, text in data.items()}, data.__getitem__)
    return [one.path for one in found]


def with_inputs(*names: str) -> str:
    return DOC.replace("Words.", "\n".join(f"\\input{{{name}}}" for name in names))


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"chapter1.tex": DOC, "chapter2.tex": DOC, "chapter3.tex": DOC},
         ["chapter1.tex", "chapter2.tex", "chapter3.tex"]),
        ({"dissertation.ltx": DOC, "test.tex": DOC}, ["dissertation.ltx", "test.tex"]),
        ({"a.tex": DOC, "thesis.tex": DOC, "old/main.tex": DOC}, ["thesis.tex", "a.tex", "old/main.tex"]),
        # Chapters that compile alone are taken in by the thesis, directly or through another file
        ({"thesis.tex": with_inputs("one"), "one.tex": DOC}, ["thesis.tex"]),
        ({"thesis.tex": with_inputs("all"), "all.tex": "\\input{one}", "one.tex": DOC}, ["thesis.tex"]),
        ({"build/x.tex": with_inputs("../one"), "one.tex": DOC}, ["build/x.tex"]),
        ({"main.tex": DOC, "c/one.tex": DOC.replace("{book}", "[../main.tex]{subfiles}")}, ["main.tex"]),
        ({"main.tex": DOC, "c/one.tex": f"% !TeX root = ../main.tex\n{DOC}"}, ["main.tex"]),
        ({"main.tex": DOC, "c/one.tex": f"% !TeX root = gone.tex\n{DOC}"}, ["main.tex", "c/one.tex"]),
        # The class stands in a file that the main one takes in
        ({"main.tex": "\\input{pre}\\begin{document}x\\end{document}", "pre.tex": "\\documentclass{book}"},
         ["main.tex"]),
        # Both take each other in: neither is the other's part
        ({"a.tex": with_inputs("b"), "b.tex": with_inputs("a")}, ["a.tex", "b.tex"]),
        # Slides, a letter and a picture beside a thesis, and slides alone
        ({"t.tex": DOC, "talk.tex": DOC.replace("book", "beamer"), "p.tex": DOC.replace("book", "standalone")},
         ["t.tex"]),
        ({"talk.tex": DOC.replace("book", "beamer")}, ["talk.tex"]),
        ({"a.tex": DOC, "b.tex": DOC.replace("\\", "%\\"),
         "c.tex": "\\begin{verbatim}\n\\documentclass{x}\n\\end{verbatim}"}, ["a.tex"]),
        ({"a.tex": "\\documentstyle[12pt]{report}\\begin{document}", "b.tex": b"\xff\xfe\x00\x00"}, ["a.tex"]),
        ({"a.txt": DOC}, []),
    ],
)  # fmt: skip
def test_documents_of_a_project(files: dict[str, str | bytes], expected: list[str]) -> None:
    assert mains(files) == expected


def test_what_a_person_chose_is_the_main_file() -> None:
    files = {"a.tex": DOC.encode(), "b.tex": DOC.replace("{A}", "{B}").encode()}
    project = read_project({path: len(data) for path, data in files.items()}, files.__getitem__, 100, "b.tex")
    assert (project.main, [one.title for one in project.sections]) == ("b.tex", ["B"])
    assert project.files["a.tex"].became == "kept unchanged: no other file includes it"


def test_many_documents_take_no_longer_than_they_are_long() -> None:
    names = [f"f{number}.tex" for number in range(3_000)]
    files: dict[str, str | bytes] = {name: with_inputs(*names[max(0, at - 5) : at]) for at, name in enumerate(names)}
    assert len(mains(files)) == 3_000


PARTS = st.sampled_from(
    ["\\documentclass{book}", "\\begin{document}", "\\input{a}", "\\input{b.tex}", "\\title{", "}", "%", "\n"]
)


@given(
    st.dictionaries(st.sampled_from([f"{name}{end}" for name in "abc" for end in TEX]), st.lists(PARTS).map("".join))
)
def test_any_project_has_its_documents_or_none(files: dict[str, str]) -> None:
    found = mains(dict(files))
    assert set(found) <= files.keys()
    assert bool(found) == any(mains({path: text}) for path, text in files.items())
