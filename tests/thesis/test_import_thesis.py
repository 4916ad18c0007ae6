"""Bringing a thesis: the page, the job with its progress and its report, what is refused, who may (SPEC T2, P1, P3)."""

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from django.urls import reverse

from citations.models import Citation
from core.errors import Refused
from jobs.models import Job, JobEvent, State
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section, TextImport, ThesisFile
from tests.people import signed_in
from tests.thesis.make_thesis import done, imported_file, png, project_files, zipped
from thesis.importing import import_job, read_upload

pytestmark = pytest.mark.django_db


def stored(media: Path) -> list[Path]:
    return [path for path in media.rglob("*") if path.is_file()]


def upload(user: User, name: str, data: bytes, title: str = "") -> Any:
    file = SimpleUploadedFile(name, data)
    return signed_in(user).post(reverse("thesis:bring"), {"file": file, "title": title})


def test_a_project_becomes_a_thesis_with_a_report(owner: User, media: Path) -> None:
    client = signed_in(owner)
    assert "<h1>Import a thesis</h1>" in client.get(reverse("thesis:bring")).content.decode()
    assert reverse("thesis:bring") in client.get(reverse("projects:create")).content.decode()
    answer = upload(owner, "alder.zip", zipped(project_files()))
    made, job = TextImport.objects.get(), Job.objects.get()
    address = reverse("thesis:brought", args=[made.pk])
    assert (answer.headers["Location"], job.kind) == (address, "bring_text")
    assert "Waiting to start" in client.get(address).content.decode()
    progress = reverse("thesis:progress", args=[made.pk])
    assert "<html" not in client.get(progress).content.decode()

    done(job)
    assert (job.state, job.reason) == (State.DONE, "")
    assert client.get(progress).headers["HX-Redirect"] == address
    page = client.get(address).content.decode()
    for words in (
        "Import of alder.zip",
        "3 sections, 11 files",
        "section “Methods &amp; materials”",
        "references: 2",
        "kept unchanged: main.tex includes it before the text begins",
        "kept unchanged: no other file includes it",
    ):
        assert words in page, words
    project = made.project
    assert (project.title, project.owner) == ("Alder & soil", owner)
    assert set(Citation.objects.filter(project=project).values_list("cite_key", flat=True)) == {"alder", "soil"}
    assert Citation.objects.filter(check_due_at=None).count() == 0, "they are looked up in the background"
    assert "Introduction" in client.get(reverse("sections:workspace", args=[project.pk])).content.decode()
    assert len(stored(media)) == ThesisFile.objects.exclude(blob="").count(), "the archive itself is dropped"


def test_an_import_that_ends_while_its_page_is_made_is_not_told_to_have_failed(owner: User) -> None:
    early = import_job.start_thesis_import(owner, SimpleUploadedFile("alder.zip", zipped(project_files())), "alder.zip")
    job = Job.objects.get(subject=early.pk)
    done(job)
    state = import_job.progress_of_import(early, job)  # the row was read before the end, the job after it
    assert (state["is_alive"], state["stage"], len(state["sections"])) == (False, "done", 3)


def test_a_title_that_was_given_stays(owner: User) -> None:
    made, _ = imported_file(owner, zipped(project_files()), "alder.zip", "My own")
    made.project.refresh_from_db()
    assert made.project.title == "My own"


def test_the_api_says_the_same(owner: User) -> None:
    client = signed_in(owner)
    answer = client.post(
        "/api/projects/bring", {"file": SimpleUploadedFile("a.tex", b"\\chapter{A}\nText"), "title": " Mine "}
    )
    assert answer.status_code == 202
    told = answer.json()
    assert client.get(f"/api/brought/{told['import_id']}").json()["stage"] == "waiting"
    perform(told["job"])
    state = client.get(f"/api/brought/{told['import_id']}").json()
    assert (state["stage"], state["state"], state["into"]) == ("done", "done", "thesis")
    assert state["rows"] == [
        {
            "path": "a.tex",
            "kind": "section",
            "became": "the main file, with section “A”",
            "warnings": [],
            "sections": [{"title": "A", "slug": "a"}],
        }
    ]
    assert Project.objects.get(pk=told["project_id"]).title == "Mine"
    export = client.get(f"/api/projects/{told['project_id']}/export?form=source")
    assert export.headers["Content-Disposition"] == 'attachment; filename="mine.zip"'
    assert zipfile.is_zipfile(BytesIO(export.getvalue()))
    assert client.get(f"/api/projects/{told['project_id']}/export?form=other").status_code == 422


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("", None, "Choose a file first."),
        ("a.tex", b"", "This file is empty."),
        ("a.pdf", b"%PDF-1.4", "upload the file it was made from"),
        ("a.doc", b"x", "save it as .docx"),
        ("a.zip", b"no archive", "is not a ZIP file"),
        ("a.docx", b"no archive", "is not a Word file"),
        ("a.tex", "\\chapter{A}".encode("utf-16"), "UTF-16"),
        ("a.tex", b"a\nb\0", "NUL character on line 2"),
    ],
)
def test_what_is_no_thesis_is_refused_at_once(
    owner: User, media: Path, name: str, data: bytes | None, says: str
) -> None:
    answer = upload(owner, name, data) if data is not None else signed_in(owner).post(reverse("thesis:bring"))
    assert answer.status_code == 422
    assert says in answer.content.decode().replace("&#x27;", "'")
    assert (Project.objects.count(), Job.objects.count(), stored(media)) == (0, 0, [])


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"a.txt": b"x"}, "It contains no .tex file."),
        ({"a.tex": b"x", "b.tex": b"y"}, "None of its .tex files begins with"),
        ({"main.tex": "\\documentclass{book}".encode("utf-16"), "b.tex": b"y"}, "UTF-16"),
    ],
)
def test_what_turns_out_to_be_none_says_so_and_leaves_nothing(
    owner: User, media: Path, files: dict[str, bytes], says: str
) -> None:
    made, job = imported_file(owner, zipped(files), "x.zip")
    assert job.state == State.FAILED
    page = signed_in(owner).get(reverse("thesis:brought", args=[made.pk])).content.decode()
    assert "Nothing was imported." in page
    assert says in page
    assert reverse("projects:delete", args=[made.project_id]) in page
    assert (Section.objects.count(), ThesisFile.objects.count(), stored(media)) == (0, 0, [])


def test_stopped_before_it_began(owner: User, media: Path) -> None:
    upload(owner, "alder.zip", zipped(project_files()))
    made = TextImport.objects.get()
    client = signed_in(owner)
    assert client.post(reverse("thesis:stop", args=[made.pk])).status_code == 302
    page = client.get(reverse("thesis:brought", args=[made.pk])).content.decode()
    assert "Stopped before anything was imported." in page
    perform(str(Job.objects.get().pk))
    assert Section.objects.count() == 0


def test_stopped_while_files_are_stored(owner: User, media: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_upload, "EVERY", 1)
    store = read_upload.store_files

    def stopped(made: TextImport, found: Any, user: User, look: Any) -> Any:
        def tick(done: int, total: int) -> None:
            if done == 3:
                assert len(stored(media)) == 4, "three files and the archive"
                Job.objects.get().ask("cancel")
            look(done, total)

        return store(made, found, user, tick)

    monkeypatch.setattr(import_job, "store_files", stopped)
    _, job = imported_file(owner, zipped(project_files()), "alder.zip")
    assert job.state == State.CANCELLED
    assert (Section.objects.count(), ThesisFile.objects.count()) == (0, 0)
    assert stored(media) == []


class Killed(BaseException):
    """As a machine that loses power: nothing is cleaned up."""


@pytest.mark.parametrize("where", ["save_rows", "import_in_batches"])
def test_killed_half_way_it_is_done_once(owner: User, media: Path, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    real = getattr(import_job, where)

    def dies(*args: Any, **more: Any) -> None:
        real(*args, **more)
        raise Killed

    with monkeypatch.context() as dying:
        dying.setattr(import_job, where, dies)
        dying.setattr(import_job, "delete_orphan_files", lambda project: None)
        with pytest.raises(Killed):
            imported_file(owner, zipped(project_files()), "alder.zip")
    job = Job.objects.get(kind="bring_text")
    Job.objects.filter(pk=job.pk).update(lease_until=job.created_at)
    done(job)
    assert job.state == State.DONE, job.reason
    assert Section.objects.count() == 3
    assert Citation.objects.count() == 2
    assert len(stored(media)) == ThesisFile.objects.exclude(blob="").count()
    assert JobEvent.objects.filter(job=job, kind="job_recovered").exists()


def test_broken_references_are_told_and_the_text_is_in(owner: User) -> None:
    files = {"main.tex": b"\\documentclass{book}\\begin{document}\\chapter{A}a\\bibliography{r}\\end{document}"}
    files["r.bib"] = b"@article{good, title={Good}}\n@article{broken, title={Never closed\n"
    made, job = imported_file(owner, zipped(files), "x.zip")
    row = next(row for row in (made.result or {})["rows"] if row["path"] == "r.bib")
    assert job.state == State.DONE
    assert row["became"] == "references: 1, 1 left out"
    assert "Line 2" in row["warnings"][0]


def test_a_picture_of_the_project_is_shown(owner: User) -> None:
    made, _ = imported_file(owner, zipped(project_files()), "alder.zip")
    shown = signed_in(owner).get(reverse("sections:file_by_path", args=[made.project_id, "figures/flow"]))
    assert (shown.headers["Content-Type"], shown.content) == ("image/png", png())


def test_the_page_lists_a_part_of_very_many_files(owner: User) -> None:
    files = {**project_files(), **{f"data/{number}.csv": b"1" for number in range(520)}}
    made, _ = imported_file(owner, zipped(files), "x.zip")
    page = signed_in(owner).get(reverse("thesis:brought", args=[made.pk])).content.decode()
    assert "And 31 more" in page


def test_who_may(owner: User, outsider: User, project: Project, reader: User, editor: User, supervisor: User) -> None:
    made, _ = imported_file(owner, b"\\chapter{A}\nText", "a.tex", into=project)
    one, progress, stop = (reverse(f"thesis:{name}", args=[made.pk]) for name in ("brought", "progress", "stop"))
    for address in (one, progress, f"/api/brought/{made.pk}"):
        assert signed_in(outsider).get(address).status_code == 404
        assert signed_in(reader).get(address).status_code == 200
        assert signed_in(owner).delete(address).status_code == 405
    assert signed_in(outsider).post(stop).status_code == 404
    assert signed_in(reader).post(stop).status_code == 403
    assert signed_in(owner).get(stop).status_code == 405
    into = reverse("thesis:bring_into", args=[project.pk])
    assert signed_in(outsider).get(into).status_code == 404
    for member in (reader, supervisor):
        assert signed_in(member).get(into).status_code == 403
        assert (
            signed_in(member)
            .post(f"/api/projects/{project.pk}/bring", {"file": SimpleUploadedFile("a.md", b"x")})
            .status_code
            == 403
        )
    assert signed_in(editor).get(into).status_code == 200
    assert signed_in(owner).delete(reverse("thesis:bring")).status_code == 405
    for address in (reverse("thesis:source", args=[project.pk]), f"/api/projects/{project.pk}/export"):
        assert signed_in(outsider).get(address).status_code == 404
        answer = signed_in(reader).get(address)
        assert answer.status_code == 200
        assert answer.getvalue()
        assert signed_in(owner).post(address).status_code == 405


def test_two_at_once_into_one_thesis(project: Project) -> None:
    file = SimpleUploadedFile("a.tex", b"\\chapter{A}")
    import_job.start_sections_import(project, project.owner, file, "a.tex")
    with pytest.raises(Refused, match="Another file is being imported"):
        import_job.start_sections_import(project, project.owner, file, "a.tex")


CHAPTER = b"\\documentclass{book}\\begin{document}\\chapter{%s}Words.\\end{document}"
SEVERAL = {"one.tex": CHAPTER.replace(b"%s", b"One"), "two.tex": CHAPTER.replace(b"%s", b"Two")}


def test_a_project_with_several_documents_asks_before_anything_is_made(owner: User, media: Path) -> None:
    before = Project.objects.count()
    answer = upload(owner, "x.zip", zipped(SEVERAL))
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Which file is the thesis?" in page
    assert [path in page for path in SEVERAL] == [True, True]
    assert (Project.objects.count(), TextImport.objects.count(), stored(media)) == (before, 0, [])


def test_the_chosen_document_is_imported(owner: User) -> None:
    client, data = signed_in(owner), zipped(SEVERAL)
    address = reverse("thesis:bring")
    # As the script sends it: only the answer is exchanged, so that the file stays chosen.
    asked = client.post(address, {"file": SimpleUploadedFile("x.zip", data)}, headers={"HX-Request": "true"})
    assert (asked.status_code, "<html" in asked.content.decode()) == (422, False)
    form = {"file": SimpleUploadedFile("x.zip", data), "main": "two.tex"}
    sent = client.post(address, form, headers={"HX-Request": "true"})
    made, job = TextImport.objects.get(), Job.objects.get()
    assert sent.headers["HX-Redirect"] == reverse("thesis:brought", args=[made.pk])
    done(job)
    assert [one.title for one in made.project.sections.all()] == ["Two"]
    result = TextImport.objects.get().result
    assert result
    rows = {row["path"]: row["became"] for row in result["rows"]}
    assert rows["one.tex"] == "kept unchanged: no other file includes it"


def test_programs_are_given_the_choices(owner: User, tmp_path: Path) -> None:
    client, data = signed_in(owner), zipped(SEVERAL)
    for main in ("", "three.tex"):
        form = {"file": SimpleUploadedFile("x.zip", data), "main": main}
        answer = client.post("/api/projects/bring", form)
        error = answer.json()["error"]
        assert (answer.status_code, error["code"], error["field"]) == (422, "which_main", "main")
        assert error["choices"] == ["one.tex", "two.tex"]
    made = client.post("/api/projects/bring", {"file": SimpleUploadedFile("x.zip", data), "main": "one.tex"})
    assert made.status_code == 202
    (path := tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(CommandError, match=r"one\.tex, two\.tex.* Name it with --main") as refused:
        call_command("import_thesis", str(path))
    assert refused.value.returncode == 2
