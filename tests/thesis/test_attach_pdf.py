"""A PDF is attached to a reference, opened at its pages, detached; it goes with its file and its reference (C9, X1)."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from citations.editing.duplicates import merge
from citations.library.bulk import change_several
from citations.models import Citation
from contextfiles.deletion import delete_file
from contextfiles.models import ContextFile
from core.errors import Refused
from projects.models import Project, User
from tests.contextfiles.make_files import stored
from tests.people import signed_in
from tests.thesis.pdf_papers import broken, locked, pages_of, paper
from thesis.attached_pdfs.attach import attach, detach, pdfs_of
from thesis.models import AttachedPdf

PAPER = paper("Alder and soil nitrogen", authors="Asha Menon", pages=3)
OTHER = paper("Birch and its leaves", authors="Oskar Lund")


def reference(project: Project, key: str, title: str = "Alder and soil nitrogen", **more: Any) -> Citation:
    row: Citation = Citation.objects.create(
        project=project, cite_key=key, serial=Citation.objects.next_serial(project), title=title,
        csl={"type": "article-journal", "title": title}, **more,
    )  # fmt: skip
    return row


@pytest.fixture
def alder(project: Project) -> Citation:
    return reference(project, "menon2021", doi="10.1000/alder")


def upload(name: str = "alder.pdf", data: bytes = PAPER) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, data)


def address_of(citation: Citation, rest: str = "") -> str:
    return f"/projects/{citation.project_id}/citations/{citation.pk}/pdfs/{rest}"


def names(citation: Citation) -> list[str]:
    return [one.file.name for one in pdfs_of(citation)]


def test_from_the_page_of_a_reference(alder: Citation, owner: User) -> None:
    browser = signed_in(owner)
    assert browser.post(address_of(alder, "attach/"), {"file": upload()}).status_code == 302
    row = AttachedPdf.objects.get()
    assert (row.file.name, row.file.format, row.pages, row.attached_by) == ("alder.pdf", "pdf", 3, owner)
    panel = browser.get(address_of(alder), headers={"HX-Request": "true"}).content.decode()
    view = f"/projects/{alder.project_id}/files/{row.file_id}/view/"
    assert view in panel
    assert "3 pages" in panel
    assert "<html" not in panel
    assert "<html" in browser.get(address_of(alder)).content.decode()
    assert address_of(alder) in browser.get(f"/projects/{alder.project_id}/citations/{alder.pk}/").content.decode()
    shown = browser.get(view).content.decode()
    assert 'id="page-3"' in shown
    assert "menon2021" in shown
    assert browser.post(address_of(alder, f"{row.file_id}/detach/")).status_code == 302
    assert names(alder) == []
    assert ContextFile.objects.filter(name="alder.pdf").exists()
    assert browser.post(address_of(alder, f"{row.file_id}/detach/")).status_code == 404
    chosen = browser.post(
        address_of(alder, "attach/"), {"file_id": str(row.file_id)}, headers={"HX-Request": "true"}
    ).content.decode()
    assert "alder.pdf is attached." in chosen


def test_pages_as_pictures_with_words(alder: Citation, owner: User, reader: User, outsider: User) -> None:
    file = stored(alder.project, "alder.pdf", PAPER)
    base = f"/projects/{alder.project_id}/files/{file.pk}"
    browser = signed_in(owner)
    png = browser.get(f"{base}/pages/3.png")
    assert png.content.startswith(b"\x89PNG")
    assert (png.headers["Content-Type"], png.headers["X-Content-Type-Options"]) == ("image/png", "nosniff")
    assert "sandbox" in png.headers["Content-Security-Policy"]
    assert ">nitrogen</tspan>" in browser.get(f"{base}/pages/1/words/").content.decode()
    for wrong in ("pages/4.png", "pages/0.png", "pages/4/words/", "pages/99999999999/words/"):
        assert browser.get(f"{base}/{wrong}").status_code == 404
    pages = ("view/", "pages/1.png", "pages/1/words/")
    assert {signed_in(outsider).get(f"{base}/{page}").status_code for page in pages} == {404}
    assert {signed_in(reader).get(f"{base}/{page}").status_code for page in pages} == {403}
    notes = stored(alder.project)
    assert browser.get(f"/projects/{alder.project_id}/files/{notes.pk}/view/").status_code == 404
    assert f"{base}/view/" in browser.get(f"{base}/").content.decode()
    assert f"{base}/view/" not in browser.get(f"/projects/{alder.project_id}/files/{notes.pk}/").content.decode()


@pytest.mark.sample(1)
@pytest.mark.parametrize("data", [locked(), broken()])
def test_a_pdf_that_cannot_be_opened(alder: Citation, owner: User, data: bytes) -> None:
    browser = signed_in(owner)
    answer = browser.post(address_of(alder, "attach/"), {"file": upload(data=data)})
    assert (answer.status_code, "locked with a password or damaged" in answer.content.decode()) == (422, True)
    assert not ContextFile.objects.exists()
    file = stored(alder.project, "bad.pdf", data)
    assert browser.post(address_of(alder, "attach/"), {"file_id": str(file.pk)}).status_code == 422
    page = browser.get(f"/projects/{alder.project_id}/files/{file.pk}/view/")
    assert "The pages of this file cannot be shown." in page.content.decode()
    assert browser.get(f"/projects/{alder.project_id}/files/{file.pk}/pages/1.png").status_code == 404


def test_what_is_no_pdf(alder: Citation, owner: User) -> None:
    browser = signed_in(owner)
    for sent in ({"file": upload("notes.md", b"# Alder")}, {"file": upload("a.pdf", b"")}, {}, {"file_id": "x"}):
        assert browser.post(address_of(alder, "attach/"), sent).status_code == 422
    notes = stored(alder.project)
    assert browser.post(address_of(alder, "attach/"), {"file_id": str(notes.pk)}).status_code == 422
    assert not AttachedPdf.objects.exists()


def test_a_file_belongs_to_one_reference(alder: Citation, owner: User) -> None:
    other = reference(alder.project, "lund2020", "Birch and its leaves")
    browser = signed_in(owner)
    for citation, status in ((alder, 302), (alder, 302), (other, 409)):
        assert browser.post(address_of(citation, "attach/"), {"file": upload()}).status_code == status
    assert (names(alder), names(other)) == (["alder.pdf"], [])
    assert ContextFile.objects.count() == 1


def test_it_goes_with_its_file_and_with_its_reference(alder: Citation, owner: User) -> None:
    file, other = stored(alder.project, "a.pdf", PAPER), stored(alder.project, "b.pdf", OTHER)
    attach(alder, file, owner)
    attach(alder, other, owner)
    delete_file(file, owner)
    assert names(alder) == ["b.pdf"]
    change_several(alder.project, owner, "delete", [alder.pk])
    assert not Citation.objects.exists()
    assert list(ContextFile.objects.values_list("name", flat=True)) == ["b.pdf"]
    with pytest.raises(Refused):
        attach(alder, other, owner)


def test_merging_duplicates_keeps_the_pdfs_of_both(alder: Citation, owner: User) -> None:
    twin = reference(alder.project, "alder2", doi="10.1000/ALDER")
    attach(alder, stored(alder.project, "a.pdf", PAPER), owner)
    attach(twin, stored(alder.project, "b.pdf", OTHER), owner)
    kept = merge(alder.project, owner, alder.pk, twin.pk)
    assert sorted(names(kept)) == ["a.pdf", "b.pdf"]


def test_by_api(alder: Citation, owner: User, outsider: User, reader: User) -> None:
    browser = signed_in(owner)
    api = f"/api/projects/{alder.project_id}/citations/{alder.pk}/pdfs"
    made = browser.post(api, {"file": upload()})
    assert (made.status_code, made.json()["name"], made.json()["pages"]) == (201, "alder.pdf", 3)
    other = stored(alder.project, "b.pdf", OTHER)
    assert browser.post(api, {"file_id": str(other.pk)}).status_code == 201
    assert [one["name"] for one in browser.get(api).json()] == ["alder.pdf", "b.pdf"]
    assert browser.post(api).status_code == 422
    assert browser.delete(f"{api}/{other.pk}").status_code == 204
    assert names(alder) == ["alder.pdf"]
    assert signed_in(outsider).get(api).status_code == 404
    assert signed_in(outsider).post(api, {"file": upload()}).status_code == 404
    assert signed_in(reader).post(api, {"file": upload()}).status_code == 403
    assert signed_in(reader).delete(f"{api}/{other.pk}").status_code == 403
    theirs = stored(Project.objects.create_for(outsider, title="Oaks"), "c.pdf", OTHER)
    assert browser.post(api, {"file_id": str(theirs.pk)}).status_code == 404


def test_who_may(alder: Citation, owner: User, outsider: User, reader: User) -> None:
    file = stored(alder.project, "alder.pdf", PAPER)
    attach(alder, file, owner)
    acts = ("attach/", f"{file.pk}/detach/")
    assert signed_in(outsider).get(address_of(alder)).status_code == 404
    assert {signed_in(outsider).post(address_of(alder, act)).status_code for act in acts} == {404}
    assert {signed_in(reader).post(address_of(alder, act)).status_code for act in acts} == {403}
    assert {signed_in(owner).get(address_of(alder, act)).status_code for act in acts} == {405}
    page = signed_in(reader).get(address_of(alder)).content.decode()
    assert "alder.pdf" in page
    assert f"/files/{file.pk}/view/" not in page  # this member may not open uploads
    assert "Detach" not in page


def test_detaching_another_references_file(alder: Citation, owner: User) -> None:
    other = reference(alder.project, "lund2020", "Birch and its leaves")
    file = stored(alder.project, "alder.pdf", PAPER)
    attach(alder, file, owner)
    with pytest.raises(Refused):
        detach(other, file.pk)
    assert names(alder) == ["alder.pdf"]


def test_a_hostile_name_and_words_stay_words(alder: Citation, owner: User) -> None:
    evil = pages_of([(18, "<script>alert(1)</script> & <b>alder</b>")])
    browser = signed_in(owner)
    browser.post(address_of(alder, "attach/"), {"file": upload('"><img src=x onerror=alert(1)>.pdf', evil)})
    file = ContextFile.objects.get()
    for address in (address_of(alder), f"/projects/{alder.project_id}/files/{file.pk}/view/"):
        assert "<img src=x" not in browser.get(address).content.decode()
    words = browser.get(f"/projects/{alder.project_id}/files/{file.pk}/pages/1/words/").content.decode()
    assert "<script" not in words
    assert "&lt;script&gt;" in words
