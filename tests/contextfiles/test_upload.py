"""Bringing files: stored, never read (SPEC X1, X11)."""

from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import settings as checking
from hypothesis import strategies as st
from pytest_django import Settings

from contextfiles.formats import format_of
from contextfiles.models import ContextFile, Digest, FileText
from contextfiles.upload import store, store_path
from core.errors import Refused
from projects.models import Project, User
from tests.contextfiles.make_files import NOTES, pdf, slides, stored, uploaded, word, workbook, zipped
from tests.people import signed_in
from untrusted.file_names import MAX_NAME, cleaned


def blobs(media: Path) -> list[Path]:
    return [path for path in media.rglob("*") if path.is_file()]


def url(project: Project) -> str:
    return reverse("contextfiles:upload", args=[project.pk])


def test_upload_stores_and_reads_nothing(owner: User, project: Project, media: Path) -> None:
    """X1: only size and first bytes are looked at."""
    answer = signed_in(owner).post(url(project), {"files": [uploaded(), uploaded("a.pdf", pdf(["Alder."]))]})
    assert answer.status_code == 302
    file = ContextFile.objects.get(name="notes.md")
    assert (file.status, file.size, file.format, file.uploaded_by) == ("stored", len(NOTES), "md", owner)
    assert file.blob.read() == NOTES
    assert Path(file.blob.path) == media / "files" / str(project.pk) / str(file.pk)
    file.blob.close()
    assert ContextFile.objects.count() == 2
    assert not FileText.objects.exists()
    assert not Digest.objects.exists()


def test_one_bad_file_does_not_keep_its_neighbours_out(owner: User, project: Project, media: Path) -> None:
    files = [uploaded("a.txt", b"alder"), uploaded("b.pdf", b"no pdf"), uploaded("c.txt", b"birch")]
    answer = signed_in(owner).post(url(project), {"files": files}, headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert answer.status_code == 200
    assert 'id="files"' in page
    assert "<html" not in page
    assert "2 uploaded, 1 not." in page
    assert "b.pdf is named like a PDF, but is not one." in page
    assert {file.name for file in ContextFile.objects.all()} == {"a.txt", "c.txt"}
    assert len(blobs(media)) == 2


def test_without_htmx_what_was_refused_is_on_the_page(owner: User, project: Project) -> None:
    answer = signed_in(owner).post(url(project), {"files": [uploaded("b.pdf", b"no pdf")]})
    assert answer.status_code == 422
    assert "No file was uploaded." in answer.content.decode()
    assert "<html" in answer.content.decode()


def test_uploading_while_picking_keeps_what_was_ticked(owner: User, project: Project) -> None:
    first, second = stored(project, "a.txt", b"a"), stored(project, "b.txt", b"b")
    answer = signed_in(owner).post(
        f"{url(project)}?pick=1",
        {"files": str(second.pk), "new": uploaded("c.txt", b"c")},
        headers={"HX-Request": "true"},
    )
    page = answer.content.decode()
    third = ContextFile.objects.get(name="c.txt")
    ticked = {str(file.pk): f'value="{file.pk}" checked' in page for file in (first, second, third)}
    assert list(ticked.values()) == [False, True, True]


def test_no_file_chosen(owner: User, project: Project) -> None:
    assert signed_in(owner).post(url(project), {}).status_code == 302
    assert not ContextFile.objects.exists()


def test_who_may_upload(project: Project, editor: User, reader: User, supervisor: User, outsider: User) -> None:
    expected = {editor: 302, reader: 403, supervisor: 403, outsider: 404}
    for number, (user, status) in enumerate(expected.items()):
        data = {"files": uploaded(data=b"by %d" % number)}
        assert signed_in(user).post(url(project), data).status_code == status
    assert Client().post(url(project), {"files": uploaded()}).status_code == 302
    assert ContextFile.objects.count() == 1
    assert signed_in(editor).get(url(project)).status_code == 405


def test_same_content_is_already_here(owner: User, project: Project, media: Path) -> None:
    stored(project, "notes.md")
    with pytest.raises(Refused, match="other.md is uploaded already, as notes.md") as refused:
        store(project, owner, "other.md", uploaded())
    assert refused.value.status == 409
    assert len(blobs(media)) == 1
    assert stored(Project.objects.create_for(owner, title="Another")).name == "notes.md"


def test_same_name_gets_a_number(project: Project) -> None:
    names = [stored(project, "notes.md", b"%d" % number).name for number in range(3)]
    assert names == ["notes.md", "notes (2).md", "notes (3).md"]


def test_long_names_keep_their_ending(project: Project) -> None:
    names = [stored(project, "ø" * 3000 + ".md", b"%d" % number).name for number in range(2)]
    assert [len(name) for name in names] == [MAX_NAME, MAX_NAME]
    assert names[0].endswith("ø.md")
    assert names[1].endswith("ø (2).md")


@pytest.mark.parametrize("sign", ["a", "ø", "語", "😀"])
def test_a_very_long_name_comes_in_with_its_neighbours(owner: User, project: Project, sign: str) -> None:
    """As a browser sends it: the name stands in the request as it is."""
    parts = [
        f'--x\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n{name[:9]}\r\n'
        for name in (sign * 3000 + ".md", "b.md")
    ]
    body = "".join([*parts, "--x--\r\n"]).encode()
    answer = signed_in(owner).generic("POST", url(project), body, content_type="multipart/form-data; boundary=x")
    assert answer.status_code == 302
    names = sorted(ContextFile.objects.values_list("name", flat=True), key=len)
    assert names[0] == "b.md"
    assert (len(names[1]), names[1][-4:]) == (MAX_NAME, f"{sign}.md")


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("../../etc/passwd.txt", "passwd.txt"),
        ("C:\\Users\\asha\\Søknad 1.pdf", "Søknad 1.pdf"),
        ("प्रोटोकॉल.md", "प्रोटोकॉल.md"),
        ("a\r\nSet-Cookie: x.txt", "aSet-Cookie: x.txt"),
        ("gpj.\u202etxt", "gpj.txt"),
        ("  .md", ".md"),
        ("/", "file"),
    ],
)
def test_names_are_cleaned(given_name: str, kept: str) -> None:
    assert cleaned(given_name) == kept


@checking(deadline=None)
@given(st.text(max_size=400))
def test_a_cleaned_name_is_safe_and_stays(name: str) -> None:
    once = cleaned(name)
    assert 1 <= len(once) <= MAX_NAME
    assert not set(once) & set("/\\\n\r\0")
    assert cleaned(once) == once


def test_empty_and_oversized_files_leave_nothing(
    owner: User, project: Project, settings: Settings, media: Path
) -> None:
    settings.UPLOAD_MAX_BYTES = 1024
    with pytest.raises(Refused, match="empty"):
        store(project, owner, "a.txt", SimpleUploadedFile("a.txt", b""))
    with pytest.raises(Refused, match="larger than") as refused:
        stored(project, "big.txt", b"a" * 200_000)
    assert refused.value.status == 413
    assert not ContextFile.objects.exists()
    assert blobs(media) == []


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


@pytest.mark.parametrize(
    ("name", "head", "said"),
    [
        ("a.exe", b"MZ", "has the extension .exe, which is not supported. Scholium reads PDF, Word"),
        ("a", b"text", "no file extension"),
        ("a.doc", OLE, "old Word"),
        ("a.docm", b"PK\3\4", "macros"),
        ("a.xlsm", b"PK\3\4", "macros. Save it as .xlsx"),
        ("a.pptm", b"PK\3\4", "macros. Save it as .pptx"),
        (
            "a.xls",
            OLE,
            "old Excel workbook, which is not supported. Open it in Excel or LibreOffice and save it as .xlsx",
        ),
        ("a.ppt", OLE, "old PowerPoint file"),
        ("a.ods", b"PK\3\4", "OpenDocument spreadsheet"),
        ("a.odp", b"PK\3\4", "OpenDocument presentation"),
        ("a.xlsb", b"PK\3\4", "binary Excel workbook"),
        ("a.xlsx", b"PK\3\4", "another kind"),
        ("a.xlsx", OLE, "locked with a password, or is an old Excel workbook with a new extension"),
        ("a.xlsx", b"Plot;Height", "is not one"),
        ("a.xlsx", word(), "named like an Excel workbook, but is a Word document"),
        ("a.xlsx", zipped({"[Content_Types].xml": b"", "xl/vbaProject.bin": b""}), "macros"),
        ("a.pptx", OLE, "locked with a password, or is an old PowerPoint file"),
        ("a.pptx", workbook(), "is an Excel workbook"),
        ("a.csv", workbook(), "a ZIP archive or an Office document"),
        ("a.bib", pdf(["x"]), "a PDF"),
        ("a.ris", b"\0\1\2", "does not contain text"),
        ("a.docx", OLE, "password"),
        ("a.docx", b"hello", "is not one"),
        ("a.docx", zipped({"photo.jpg": b"x"}), "another kind"),
        ("a.docx", zipped({"[Content_Types].xml": b"", "xl/workbook.xml": b""}), "Excel"),
        ("a.docx", zipped({"[Content_Types].xml": b"", "ppt/slides.xml": b""}), "PowerPoint"),
        ("a.docx", zipped({"word/vbaProject.bin": b""}), "macros"),
        ("a.pdf", word(), "is not one"),
        ("a.txt", b"\x89PNG\r\n", "a picture"),
        ("a.md", pdf(["x"]), "a PDF"),
        ("a.txt", b"text\0text", "does not contain text"),
        ("a.csv", bytes(range(1, 9)) * 9, "does not contain text"),
    ],
)
def test_formats_that_are_not_taken(name: str, head: bytes, said: str) -> None:
    """X11: a clear error for each."""
    with pytest.raises(Refused, match=said.replace(".", r"\.")):
        format_of(name, head)


@pytest.mark.parametrize(
    ("name", "head", "key"),
    [
        ("a.PDF", b"\n%PDF-1.7", "pdf"),
        ("a.docx", word(), "docx"),
        ("a.txt", "Åse".encode("utf-16"), "txt"),
        ("a.markdown", b"# x", "md"),
        ("a.b.htm", b"<p>", "html"),
        ("a.tsv", b"a\tb", "csv"),
        ("a.csv", "Höhe;Größe\r\n".encode("utf-16-le"), "csv"),
        ("a.csv", "Höhe;Größe\r\n".encode("latin-1"), "csv"),
        ("a.xlsx", workbook(), "xlsx"),
        ("a.PPTX", slides(), "pptx"),
        ("a.bib", b"@book{a, title = {Alder}}", "bib"),
        ("a.ris", b"TY  - JOUR", "ris"),
    ],
)
def test_formats_that_are_taken(name: str, head: bytes, key: str) -> None:
    assert format_of(name, head) == key


def test_a_command_gives_a_path(owner: User, project: Project, tmp_path: Path) -> None:
    path = tmp_path / "protocol.md"
    path.write_bytes(NOTES)
    file = store_path(project, owner, path)
    assert (file.name, file.size) == ("protocol.md", len(NOTES))
    assert store_path(project, owner, path) == file
    with pytest.raises(Refused, match="cannot be read"):
        store_path(project, owner, tmp_path / "missing.md")


def test_a_file_far_too_large_is_refused_before_it_is_read(
    owner: User, project: Project, tmp_path: Path, media: Path
) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.truncate(200 * 1024 * 1024)  # sparse: takes no room
    with pytest.raises(Refused, match="huge.csv is larger than 50 MB, which is the limit here"):
        store_path(project, owner, path)
    assert blobs(media) == []


def test_the_page_names_what_is_taken(owner: User, project: Project) -> None:
    page = signed_in(owner).get(reverse("contextfiles:list", args=[project.pk])).content.decode()
    assert "PDF, Word (DOCX), PowerPoint (PPTX), Excel (XLSX), CSV, plain text, Markdown, HTML, BibTeX and RIS" in page
    assert ".xlsx," in page
    assert ".ris" in page
