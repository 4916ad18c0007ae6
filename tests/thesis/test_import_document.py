"""Word and Markdown become sections: headings, lists, tables, pictures, notes, and what is said of the rest
(SPEC T2)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section, SectionVersion, TextImport, ThesisFile
from tests.people import signed_in
from tests.thesis.make_thesis import done, exported, imported_file, unzipped, word, zipped

pytestmark = pytest.mark.django_db

MARKDOWN = """---
title: "Soil & alder"
---

# Introduction

Alder [@alder, p. 3] and \\gls{x}.^[A note.]

$$E = mc^2$$

# Methods

1. one
2. two

| Site | Trees |
|------|------:|
| A    |    12 |

: Plots {#tbl:plots}

![Flow](flow.png){width=50%}
"""


def texts(project: Project) -> dict[str, str]:
    return dict(Section.objects.filter(project=project).order_by("number").values_list("title", "latex"))


def test_a_word_document_becomes_a_thesis(owner: User) -> None:
    made, job = imported_file(owner, word(), "draft.docx")
    assert job.state == State.DONE, job.reason
    made.project.refresh_from_db()
    assert made.project.title == "Soil and alder"
    sections = texts(made.project)
    assert list(sections) == ["Front matter", "Introduction", "Methods"]
    assert "Alder fixes \\textbf{nitrogen}" in sections["Introduction"]
    assert "\\begin{itemize}\n\\item one\n\\item two\n\\end{itemize}" in sections["Introduction"]
    table = (
        "\\begin{tabular}{ll}\n\\toprule\nSite \\& plot & Trees \\\\\n"
        "\\midrule\nUpper & 12 \\\\\n\\bottomrule\n\\end{tabular}"
    )
    assert table in sections["Methods"]
    assert "\\includegraphics[width=2in]{figures/draft-1.png}" in sections["Methods"]
    shown = signed_in(owner).get(reverse("sections:file_by_path", args=[made.project_id, "figures/draft-1.png"]))
    assert shown.headers["Content-Type"] == "image/png"
    files, notes = exported(made.project)
    assert {"main.tex", "chapters/01-introduction.tex", "figures/draft-1.png"} <= files.keys()
    assert notes == []


def test_markdown_becomes_sections_of_a_thesis_that_is_there(editor: User, project: Project) -> None:
    before = list(Section.objects.filter(project=project).values_list("title", flat=True))
    client = signed_in(editor)
    address = reverse("thesis:bring_into", args=[project.pk])
    assert address in client.get(reverse("sections:workspace", args=[project.pk])).content.decode()
    answer = client.post(address, {"file": SimpleUploadedFile("chapter.md", MARKDOWN.encode())})
    made = TextImport.objects.get()
    assert answer.headers["Location"] == reverse("thesis:brought", args=[made.pk])
    done(Job.objects.get())
    project.refresh_from_db()
    assert project.title == "Alder and soil", "its own title stays"
    sections = list(Section.objects.filter(project=project).order_by("number"))
    assert [section.title for section in sections] == [*before, "Introduction", "Methods"]
    introduction, methods = (section.latex for section in sections[-2:])
    assert Section.objects.get(project=project, latex=introduction).slug == "introduction-2"
    for latex in ("\\citep[p.~3]{alder}", "\\gls{x}", "\\footnote{A note.}", "E = mc^2"):
        assert latex in introduction, latex
    for latex in (
        "\\item one",
        "\\caption{Plots}",
        "A & 12 \\\\",
        "\\includegraphics[width=0.50\\linewidth]{flow.png}",
    ):
        assert latex in methods, latex
    assert "pandocbounded" not in methods
    page = client.get(reverse("thesis:brought", args=[made.pk])).content.decode()
    assert "The picture flow.png is not in the file." in page
    assert "Open the new section" in page
    version = SectionVersion.objects.get(section__latex=introduction)
    assert (version.kind, version.version, version.saved_by) == ("imported", 1, editor)


def test_a_latex_file_becomes_sections_without_its_preamble(owner: User, project: Project) -> None:
    text = b"\\documentclass{book}\\begin{document}\\chapter{New \xc3\xa9}Text.\\end{document}"
    made, job = imported_file(owner, text, "new.tex", into=project)
    assert job.state == State.DONE
    assert texts(project)["New é"] == "\\chapter{New é}Text."
    assert ThesisFile.objects.count() == 0
    assert "this thesis has its own" in (made.result or {})["rows"][0]["warnings"][0]


def test_pictures_of_two_documents_do_not_meet(owner: User, project: Project) -> None:
    for _ in range(2):
        imported_file(owner, word(), "draft.docx", into=project)
    paths = set(ThesisFile.objects.values_list("path", flat=True))
    assert paths == {"figures/draft-1.png", "figures/draft-2-1.png"}
    assert "figures/draft-2-1.png" in Section.objects.filter(project=project).order_by("number").last().latex


def test_tracked_changes_are_accepted_and_told(owner: User) -> None:
    body = unzipped(word())["word/document.xml"].decode()
    changes = (
        '<w:p><w:ins w:id="1" w:author="x"><w:r><w:t>Put in.</w:t></w:r></w:ins>'
        '<w:del w:id="2" w:author="x"><w:r><w:delText>Taken out.</w:delText></w:r></w:del></w:p></w:body>'
    )
    data = zipped({**unzipped(word()), "word/document.xml": body.replace("</w:body>", changes).encode()})
    made, job = imported_file(owner, data, "draft.docx")
    assert job.state == State.DONE, job.reason
    told = (made.result or {})["rows"][0]["warnings"]
    assert "2 tracked changes were accepted: insertions (1) are in the text, deletions (1) are not." in told
    methods = texts(made.project)["Methods"]
    assert "Put in." in methods
    assert "Taken out" not in methods


def test_a_picture_that_latex_does_not_take_is_kept_and_told(owner: User) -> None:
    parts = unzipped(word())
    parts["word/media/image1.png"] = b"EMF, not a picture that anybody reads"
    made, _ = imported_file(owner, zipped(parts), "draft.docx")
    assert ThesisFile.objects.get().path == "figures/draft-1.png"
    assert any("is a picture that LaTeX cannot show" in one for one in (made.result or {})["rows"][0]["warnings"])
    address = reverse("sections:file_by_path", args=[made.project_id, "figures/draft-1.png"])
    assert signed_in(owner).get(address).status_code == 404


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({"x.txt": b"x"}, "is not a Word document"),
        ({"word/document.xml": b"<broken", "[Content_Types].xml": b"x"}, "could not be read"),
        ({"word/document.xml": b"x", "word/vbaProject.bin": b"x"}, "contains macros"),
        ({"word/document.xml": b"x" + bytes(20_000_000)}, "unpacks to far more"),
    ],
)
def test_hostile_word_files(owner: User, parts: dict[str, bytes], says: str) -> None:
    data = zipped(parts)
    answer: Any = signed_in(owner).post(reverse("thesis:bring"), {"file": SimpleUploadedFile("x.docx", data)})
    if answer.status_code == 422:
        assert says in answer.content.decode()
        return
    job = Job.objects.get()
    done(job)
    assert job.state == State.FAILED
    assert says in job.reason
    assert Section.objects.count() == 0


def test_a_whole_project_is_no_section(owner: User, project: Project) -> None:
    file = SimpleUploadedFile("x.zip", zipped({"main.tex": b"\\documentclass{book}"}))
    answer = signed_in(owner).post(reverse("thesis:bring_into", args=[project.pk]), {"file": file})
    assert answer.status_code == 422
    assert "is a LaTeX project" in answer.content.decode()


def test_more_sections_than_fit_are_refused_whole(owner: User, project: Project) -> None:
    text = "".join(f"# Part {number}\n\nText.\n\n" for number in range(195))
    made, job = imported_file(owner, text.encode(), "long.md", into=project)
    assert job.state == State.FAILED
    assert "has 195 sections, but this thesis can only have" in job.reason
    assert Section.objects.filter(project=project).count() == 9
    page = signed_in(owner).get(reverse("thesis:brought", args=[made.pk])).content.decode()
    assert "Try another file" in page


def test_an_empty_document(owner: User, project: Project) -> None:
    _, job = imported_file(owner, b"<!-- nothing -->\n", "empty.md", into=project)
    assert (job.state, job.reason) == (State.FAILED, "No text was found in empty.md. Nothing was imported.")


def test_a_document_that_names_files_of_this_machine(owner: User) -> None:
    """A link to a file of this machine stays a link: nothing outside is read."""
    made, _ = imported_file(owner, b"# A\n\n![x](/etc/hostname)\n\n\\input{/etc/passwd}\n", "x.md")
    latex = texts(made.project)["A"]
    assert "{/etc/hostname}" in latex
    assert ThesisFile.objects.count() == 0
