"""A heap of PDFs finds its references: by DOI, by title, as new ones; what cannot be matched is said (SPEC C9, X8)."""

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import CommandError, call_command
from pytest_django import Settings

from citations.models import Citation
from contextfiles.deletion import delete_file
from contextfiles.models import ContextFile
from core.errors import Refused
from jobs.models import Job, State
from jobs.work import perform
from projects.models import Project, User
from sources.work import Person, Work
from tests.people import signed_in
from tests.servers.registry_works import Holdings
from tests.thesis.pdf_papers import broken, locked, pages_of, paper, scan
from thesis.attached_pdfs.attach import detach
from thesis.attached_pdfs.batch import KIND, look_again, start_batch
from thesis.attached_pdfs.batch_report import headline, report_of, reported_files
from thesis.models import AttachedPdf, BatchedPdf, PdfBatch

TREES = [
    *("alder", "birch", "cedar", "elm", "fir", "hazel", "juniper", "larch"),
    *("maple", "oak", "pine", "rowan", "spruce", "willow", "yew", "aspen"),
]
NEW = Work(
    provider="crossref", provider_id="10.5555/new", title="Lichens on the bark of old limes in city parks",
    authors=(Person(family="Okafor", given="Ada"), Person(family="Moss", given="Pia")), year=2020,
    venue="Annals of Bark", type="article-journal", doi="10.5555/new",
)  # fmt: skip
STRANGE = Work(
    provider="crossref", provider_id="10.5555/strange", title="Deep water currents of the southern ocean",
    authors=(Person(family="Quist", given="Ole"),), year=2018, venue="Oceans", type="article-journal",
    doi="10.5555/strange",
)  # fmt: skip


@pytest.fixture(autouse=True)
def registries(settings: Settings) -> Iterator[Holdings]:
    with Holdings([NEW, STRANGE]) as served:
        served.serve(settings)
        yield served


def title_of(tree: str) -> str:
    return f"Growth of {tree} and nitrogen in the soil of young stands"


def reference(project: Project, tree: str, **more: Any) -> Citation:
    csl = {
        "type": "article-journal", "title": title_of(tree), "container-title": "Forest Journal",
        "author": [{"family": "Menon", "given": "Asha"}, {"family": "Lund", "given": "Oskar"}],
        "issued": {"date-parts": [[2021]]}, "DOI": f"10.1000/{tree}",
    } | more  # fmt: skip
    row: Citation = Citation.objects.create(
        project=project, cite_key=f"menon-{tree}", serial=Citation.objects.next_serial(project), csl=csl,
        title=csl["title"], authors="Menon and Lund", year=2021, doi=csl.get("DOI", ""),
    )  # fmt: skip
    return row


def paper_of(tree: str, **more: Any) -> bytes:
    return paper(title_of(tree), **{"authors": "Asha Menon, Oskar Lund", "doi": f"10.1000/{tree}", **more})


def heap(project: Project, **files: bytes) -> PdfBatch:
    """An upload of these files, by name without ending, whose job has run."""
    uploads = [SimpleUploadedFile(f"{name}.pdf", data) for name, data in files.items()]
    batch = start_batch(project, project.owner, uploads)
    assert batch.job is not None
    perform(str(batch.job.pk))
    batch.refresh_from_db()
    assert batch.job.state == State.DONE, batch.job.reason
    return batch


def found(batch: PdfBatch) -> dict[str, tuple[str, str]]:
    """The outcome of each file, and the key of its reference."""
    return {
        one.row.name.removesuffix(".pdf"): (one.outcome, one.citation.cite_key if one.citation else "")
        for one in reported_files(batch)
    }


def reason(batch: PdfBatch, name: str) -> str:
    return next(one.reason for one in reported_files(batch) if one.row.name == f"{name}.pdf")


@pytest.mark.long
def test_a_heap_of_forty(project: Project) -> None:
    for tree in TREES:
        reference(project, tree)
    reference(project, "lime", DOI="")
    files = {f"paper-{tree}": paper_of(tree) for tree in TREES}  # 16
    files |= {
        "masthead": paper_of("alder", journal="FOREST JOURNAL", journal_size=30, pages=5),  # of the same work
        "no-doi": paper_of("lime", doi=""),
        "new": paper(NEW.title, authors="Ada Okafor, Pia Moss", year=2020, doi="10.5555/new"),
        "new-again": paper(NEW.title, authors="Ada Okafor, Pia Moss", year=2020, doi="10.5555/new", pages=3),
        "nobodys": paper("A history of tea houses in the mountains", authors="Ravi Iyer"),
        "other-author": paper_of("oak", doi="", authors="Ravi Iyer"),
        "wrong-doi": paper("Songs of the fishing villages of the coast", authors="Ravi Iyer", doi="10.1000/pine"),
        "strange": paper("Songs of the mining villages inland", authors="Ravi Iyer", doi="10.5555/strange"),
        "unknown-doi": paper("Dances of the villages by the lake", authors="Ravi Iyer", doi="10.5555/nowhere"),
        "other-doi": paper_of("elm", doi="10.1000/preprint"),
        "copy": paper_of("alder"),
        "broken": broken(),
        "locked": locked(),
    }
    files |= {f"scan-{number}": scan(number) for number in range(10)}
    files["text"] = b"no PDF at all"
    assert len(files) == 40
    batch = heap(project, **files)
    told = found(batch)
    assert {name: told[name] for name in told if name.startswith("paper-")} == {
        f"paper-{tree}": ("attached", f"menon-{tree}") for tree in TREES
    }
    assert {name: told[name][0] for name in told if name.startswith("scan-")} == {
        f"scan-{number}": "scan" for number in range(10)
    }
    new = Citation.objects.get(doi="10.5555/new")
    assert {name: told[name] for name in list(files)[16:29]} == {
        "masthead": ("attached", "menon-alder"),
        "no-doi": ("attached", "menon-lime"),
        "new": ("added", new.cite_key),
        "new-again": ("attached", new.cite_key),
        "nobodys": ("unmatched", ""),
        "other-author": ("unmatched", ""),
        "wrong-doi": ("conflict", ""),
        "strange": ("conflict", ""),
        "unknown-doi": ("unmatched", ""),
        "other-doi": ("conflict", ""),
        "copy": ("copy", "menon-alder"),
        "broken": ("unreadable", ""),
        "locked": ("unreadable", ""),
    }
    assert told["text"] == ("refused", "")
    assert "OCR" in reason(batch, "scan-3")
    assert "password" in reason(batch, "locked")
    assert "damaged" in reason(batch, "broken")
    page = signed_in(project.owner).get(f"/pdfs/{batch.pk}/").content.decode()
    assert "Reference for scan" in page
    assert "Reference for broken" not in page, "what cannot be opened cannot be attached by hand either"
    assert "menon-pine" in reason(batch, "wrong-doi")
    assert "Deep water currents" in reason(batch, "strange")
    assert "no catalogue knows it" in reason(batch, "unknown-doi")
    assert "It may be menon-oak" in reason(batch, "other-author")
    assert Citation.objects.count() == len(TREES) + 2
    assert AttachedPdf.objects.count() == 16 + 4
    assert headline(report_of(batch)) == "19 attached, 1 added and attached, 19 not attached, 1 copy of another."

    again = heap(project, **files)
    assert {name: key for name, (_, key) in found(again).items()} == {name: key for name, (_, key) in told.items()}
    assert (Citation.objects.count(), AttachedPdf.objects.count()) == (len(TREES) + 2, 20)
    assert ContextFile.objects.count() == 40 - 2  # neither the copy nor the text


def test_a_doi_that_only_a_reference_without_title_has(project: Project) -> None:
    bare = Citation.objects.create(
        project=project, cite_key="ref1", serial=1, csl={"type": "document", "DOI": "10.5555/new"}, doi="10.5555/new"
    )
    pdf = paper(NEW.title, authors="Ada Okafor, Pia Moss", year=2020, doi="10.5555/new")
    batch = heap(project, new=pdf, other=paper("Songs of the villages of the coast", doi="10.5555/new"))
    assert [(one.outcome, one.citation and one.citation.pk) for one in reported_files(batch)] == [
        ("attached", bare.pk),
        ("conflict", None),
    ]


def test_the_catalogues_do_not_answer(project: Project, registries: Holdings, settings: Settings) -> None:
    pdf = paper(NEW.title, authors="Ada Okafor, Pia Moss", year=2020, doi="10.5555/new")
    for name in ("CROSSREF_BASE_URL", "DOI_BASE_URL", "DATACITE_BASE_URL"):
        setattr(settings, name, "http://127.0.0.1:9/nobody")
    batch = heap(project, new=pdf)
    assert found(batch)["new"] == ("unmatched", "")
    assert "did not answer" in reason(batch, "new")
    assert Citation.objects.count() == 0
    registries.serve(settings)
    look_again(batch, project.owner)
    assert batch.job is not None
    perform(str(batch.job.pk))
    assert found(batch)["new"][0] == "added"


def test_a_person_attaches_and_detaches(project: Project, owner: User) -> None:
    alder = reference(project, "alder")
    batch = heap(project, scan=scan(), unknown=paper("Dances of the villages", doi="10.5555/new", year=2020))
    browser = signed_in(owner)
    scanned, unknown = batch.rows.all()
    address = f"/pdfs/{batch.pk}/files/{scanned.pk}/attach/"
    refused = browser.post(address, {"key": "nobody"})
    assert (refused.status_code, "no reference with the key" in refused.content.decode()) == (422, True)
    assert browser.post(address, {"key": "menon-alder"}).status_code == 302
    assert browser.post(f"/pdfs/{batch.pk}/files/{unknown.pk}/attach/", {"add": "1"}).status_code == 302
    assert [key for _, key in found(batch).values()] == [
        "menon-alder",
        Citation.objects.get(doi="10.5555/new").cite_key,
    ]
    assert reason(batch, "scan") == "A person attached it."
    assert scanned.file is not None
    detach(alder, scanned.file.pk)
    assert found(batch)["scan"] == ("scan", "")
    page = browser.get(f"/pdfs/{batch.pk}/").content.decode()
    assert "Scan without text (1)" in page


def test_an_attached_file_that_is_detached_later_is_told_as_that(project: Project) -> None:
    alder = reference(project, "alder")
    batch = heap(project, alder=paper_of("alder"))
    detach(alder, ContextFile.objects.get().pk)
    assert (found(batch)["alder"], reason(batch, "alder")) == (
        ("unmatched", ""),
        "It was attached, and detached later.",
    )
    alder.delete()
    assert found(batch)["alder"] == ("unmatched", "")
    delete_file(ContextFile.objects.get(), None)
    assert found(batch) == {}  # what was read from a file goes with it


def test_stopped_and_continued(project: Project, owner: User) -> None:
    reference(project, "alder")
    uploads = [SimpleUploadedFile("a.pdf", paper_of("alder")), SimpleUploadedFile("b.pdf", scan())]
    batch = start_batch(project, owner, uploads)
    assert batch.job is not None
    with pytest.raises(Refused):
        look_again(batch, owner)
    browser = signed_in(owner)
    assert "Waiting to start" in browser.get(f"/pdfs/{batch.pk}/").content.decode()
    assert browser.post(f"/pdfs/{batch.pk}/stop/").status_code == 302
    perform(str(batch.job.pk))
    page = browser.get(f"/pdfs/{batch.pk}/").content.decode()
    assert "Stopped before all files were looked at." in page
    assert [one.outcome for one in reported_files(batch)] == ["waiting", "waiting"]
    assert browser.post(f"/pdfs/{batch.pk}/again/").status_code == 302
    batch.refresh_from_db()
    perform(str(batch.job.pk))
    assert [outcome for outcome, _ in found(batch).values()] == ["attached", "scan"]
    assert "Attached (1)" in browser.get(f"/pdfs/{batch.pk}/").content.decode()


def test_a_crash_goes_on_with_what_waits(project: Project, owner: User) -> None:
    reference(project, "alder")
    batch = start_batch(
        project, owner, [SimpleUploadedFile("a.pdf", paper_of("alder")), SimpleUploadedFile("b.pdf", scan())]
    )
    batch.rows.filter(name="a.pdf").update(outcome=BatchedPdf.Outcome.CONFLICT, reason="Looked at before the crash.")
    assert batch.job is not None
    perform(str(batch.job.pk))
    assert [outcome for outcome, _ in found(batch).values()] == ["conflict", "scan"]
    batch.job.refresh_from_db()
    assert (batch.job.progress, batch.job.progress_total) == (2, 2)


def test_nothing_to_upload(project: Project, owner: User) -> None:
    browser = signed_in(owner)
    address = f"/projects/{project.pk}/pdfs/"
    empty = browser.post(address)
    assert (empty.status_code, "Choose the PDFs" in empty.content.decode()) == (422, True)
    wrong = browser.post(address, {"files": [SimpleUploadedFile("a.txt", b"words"), SimpleUploadedFile("b.pdf", b"")]})
    assert wrong.status_code == 422
    assert "a.txt is not a PDF." in wrong.content.decode()
    assert (PdfBatch.objects.count(), ContextFile.objects.count()) == (0, 0)
    htmx = browser.post(address, headers={"HX-Request": "true"})
    assert "Choose the PDFs" in htmx.headers["HX-Trigger"]


def test_page_and_api(project: Project, owner: User) -> None:
    reference(project, "alder")
    browser = signed_in(owner)
    sent = browser.post(
        f"/api/projects/{project.pk}/pdf-batches", {"files": [SimpleUploadedFile("a.pdf", paper_of("alder"))]}
    )
    assert sent.status_code == 202
    job = Job.objects.get(kind=KIND)
    perform(str(job.pk))
    told = browser.get(f"/api/pdf-batches/{sent.json()['id']}").json()
    assert (told["state"], told["result"]) == ("done", "1 attached.")
    (one,) = told["files"]
    assert (one["outcome"], one["cite_key"], one["doi"]) == ("attached", "menon-alder", "10.1000/alder")
    (listed,) = browser.get(f"/api/projects/{project.pk}/pdf-batches").json()
    assert listed["id"] == told["id"]
    assert browser.post(f"/api/pdf-batches/{told['id']}/again").status_code == 409
    assert browser.post(f"/api/pdf-batches/{told['id']}/stop").status_code == 200
    assert "1 attached." in browser.get(f"/projects/{project.pk}/pdfs/").content.decode()
    assert browser.get(f"/projects/{project.pk}/pdfs/notice/").content.decode().strip() == ""
    assert "Add PDFs" in browser.get(f"/projects/{project.pk}/pdfs/drop/").content.decode()
    assert browser.get(f"/jobs/{job.pk}/").headers["Location"] == f"/pdfs/{told['id']}/"


def test_who_may(project: Project, outsider: User, reader: User) -> None:
    batch = heap(project, scan=scan())
    row = batch.rows.get()
    pages = [f"/pdfs/{batch.pk}/", f"/pdfs/{batch.pk}/progress/", f"/projects/{project.pk}/pdfs/"]
    acts = [f"/pdfs/{batch.pk}/stop/", f"/pdfs/{batch.pk}/again/", f"/pdfs/{batch.pk}/files/{row.pk}/attach/"]
    stranger, member = signed_in(outsider), signed_in(reader)
    assert {stranger.get(address).status_code for address in pages} == {404}
    assert {stranger.post(address).status_code for address in [*acts, pages[2]]} == {404}
    assert {member.get(address).status_code for address in pages} == {403}  # it quotes from uploaded files
    assert {member.post(address).status_code for address in [*acts, pages[2]]} == {403}
    assert {signed_in(project.owner).get(address).status_code for address in acts} == {405}
    assert member.get(f"/projects/{project.pk}/pdfs/notice/").content.decode().strip() == ""
    other = Project.objects.create_for(outsider, title="Oaks")
    theirs = start_batch(other, outsider, [SimpleUploadedFile("a.pdf", scan(3))])
    mine = f"/pdfs/{theirs.pk}/files/{row.pk}/attach/"
    assert stranger.post(mine, {"key": "x"}).status_code == 404  # a row of another upload


def test_by_command(project: Project, outsider: User, tmp_path: Path) -> None:
    reference(project, "alder")
    (tmp_path / "alder.pdf").write_bytes(paper_of("alder"))
    (tmp_path / "scan.pdf").write_bytes(scan())
    out, paths = StringIO(), [str(tmp_path / name) for name in ("alder.pdf", "scan.pdf")]
    call_command("attach_pdfs", str(project.pk), *paths, format="json", stdout=out, stderr=StringIO())
    told = [(one["name"], one["outcome"], one["cite_key"]) for one in json.loads(out.getvalue())]
    assert told == [("alder.pdf", "attached", "menon-alder"), ("scan.pdf", "scan", "")]
    text = StringIO()
    call_command("attach_pdfs", str(project.pk), paths[0], stdout=text, stderr=StringIO())
    assert text.getvalue() == "alder.pdf: attached menon-alder. It was attached before.\n"
    for wrong in ([str(tmp_path / "none.pdf")], [*paths, "--user", outsider.email]):
        with pytest.raises(CommandError) as refused:
            call_command("attach_pdfs", str(project.pk), *wrong, stdout=StringIO(), stderr=StringIO())
        assert refused.value.returncode == 2


def test_hostile_files_stop_nothing(project: Project) -> None:
    reference(project, "alder")
    plain = paper_of("alder", more=[(9, "A last line.")])
    batch = heap(
        project,
        **{
            "no-pages": plain.replace(b"/Count 2", b"/Count 0").replace(b"/Kids[4 0 R 6 0 R]", b"/Kids[]"),
            "wrong-count": plain.replace(b"/Count 2", b"/Count 99999999"),
            "circle": plain.replace(b"/Kids[4 0 R 6 0 R]", b"/Kids[2 0 R 2 0 R]"),
            "huge": plain.replace(b"[0 0 612 792]", b"[0 0 9999999 9999999]"),
            "many-words": pages_of([(20, "alder " * 2_000)] * 30),
            "many-dois": pages_of([(9, " ".join(f"10.5555/{n}{m}" for m in range(6))) for n in range(30)]),
            "markup": pages_of([(30, "<script>alert(1)</script> {{ 7*7 }} \\input{/etc/passwd}"), (9, "words")]),
            "<img src=x onerror=alert(1)>": scan(1),
            "last": paper_of("alder"),
        },
    )
    told = found(batch)
    assert told["last"] == ("attached", "menon-alder")
    assert {told[name][0] for name in ("no-pages", "circle")} <= {"unreadable", "scan"}
    assert {told[name][0] for name in ("many-words", "many-dois", "markup")} == {"unmatched"}
    page = signed_in(project.owner).get(f"/pdfs/{batch.pk}/").content.decode()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    for file in ContextFile.objects.all():
        view = signed_in(project.owner).get(f"/projects/{project.pk}/files/{file.pk}/view/")
        assert view.status_code == 200
        assert view.content.count(b'class="pdf-page"') <= 2_000
