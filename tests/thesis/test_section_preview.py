"""The preview beside the editor: asked for, made by a worker, the newest wins;
pages as pictures to members only (SPEC T6)."""

from pathlib import Path

import pytest

from jobs.models import Job, State
from jobs.registry import page_of
from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.build_rows import built
from thesis.models import Build
from thesis.preview.typeset import render_preview

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write("\\section{Deaths}\nThree words here.\n", based_on=section.version, by=owner)


def start(user: User, section: Section, **data: object) -> dict[str, object]:
    response = signed_in(user).post(f"/projects/{section.project_id}/sections/{section.slug}/preview/", data)
    assert response.status_code in (200, 202), response.content
    told: dict[str, object] = response.json()
    return told


def make(told: dict[str, object]) -> Build:
    build: Build = Build.objects.get(pk=str(told["id"]))
    assert build.job is not None
    perform(str(build.job.pk))
    build.refresh_from_db()
    return build


def test_a_section_is_shown_and_followed_through_its_saves(
    results: Section, owner: User, reader: User, media: Path
) -> None:
    first = start(owner, results)
    assert first["state"] == "waiting"
    assert start(owner, results)["id"] == first["id"]  # nobody has begun it: it will show the same
    build = make(first)
    state = signed_in(owner).get(f"{first['at']}preview/").json()
    assert (state["state"], state["pages"], build.pages, build.kind) == ("done", 1, 1, "preview")
    assert start(owner, results)["id"] == first["id"]  # nothing has changed

    for number, expected in ((1, 200), (2, 404), (0, 404)):
        response = signed_in(reader).get(f"{first['at']}pages/{number}.png")
        assert response.status_code == expected
    page = signed_in(reader).get(f"{first['at']}pages/1.png")
    assert build.job is not None
    way_back = signed_in(reader).get(page_of(build.job) or "")
    assert way_back["Location"] == f"/projects/{results.project_id}/sections/results/"
    assert page.content.startswith(PNG)
    assert page["Content-Type"] == "image/png"
    assert "immutable" in page["Cache-Control"]

    results.write("Other words.", based_on=results.version, by=owner)
    second = start(owner, results)
    assert second["id"] != first["id"]
    assert len(list(media.rglob("*page-1.png"))) == 1
    make(second)
    assert list(Build.objects.values_list("pk", flat=True)) == [Build.objects.get(pk=str(second["id"])).pk]


@pytest.mark.django_db(transaction=True)
def test_bytes_go_with_the_preview_that_is_replaced(results: Section, owner: User, media: Path) -> None:
    make(start(owner, results))
    results.write("Other words.", based_on=results.version, by=owner)
    make(start(owner, results))
    left = sorted(path.name for path in media.rglob("*") if path.is_file())
    assert len(left) == 2, left  # a PDF and its page; the words of a short one are read when somebody asks
    results.project.delete()
    assert [path for path in media.rglob("*") if path.is_file()] == []


def test_one_that_a_newer_took_the_place_of_leads_to_it(results: Section, owner: User) -> None:
    first = start(owner, results)
    Job.objects.filter(build__pk=str(first["id"])).update(state=State.RUNNING)
    newer = start(owner, results)
    assert newer["id"] != first["id"]
    Job.objects.filter(build__pk=str(first["id"])).update(state=State.QUEUED)
    make(first)
    make(newer)
    assert not Build.objects.filter(pk=str(first["id"])).exists()
    assert signed_in(owner).get(f"{first['at']}preview/").status_code == 404


def test_what_cannot_be_read_is_shown_as_source_and_said(results: Section, owner: User) -> None:
    results.write("Words.\n\n\\begin{tabular}{l}\na", based_on=results.version, by=owner)
    told = start(owner, results)
    make(told)
    state = signed_in(owner).get(f"{told['at']}preview/").json()
    assert state["state"] == "done"
    assert r"\begin{tabular} is never closed (line 3)" in state["notes"][0]


def test_a_preview_that_stopped_says_why(results: Section, owner: User) -> None:
    told = start(owner, results)
    Job.objects.filter(build__pk=str(told["id"])).update(state=State.FAILED, reason="The preview takes too long.")
    state = signed_in(owner).get(f"{told['at']}preview/").json()
    assert (state["state"], state["said"]) == ("failed", "The preview takes too long.")


def test_the_pages_of_a_built_pdf_are_drawn_too(project: Project, owner: User) -> None:
    from tests.thesis.manuscripts import native_manuscript

    pdf = render_preview(native_manuscript("Words.")).pdf
    build = built(project, owner, output=pdf, pages=3)
    assert signed_in(owner).get(f"/builds/{build.pk}/pages/2.png").content.startswith(PNG)
    broken = built(project, owner, output=b"%PDF-1.5 no more", pages=3)
    assert signed_in(owner).get(f"/builds/{broken.pk}/pages/1.png").status_code == 404
    word = built(project, owner, output=b"PK", pages=3, kind=Build.Kind.WORD)
    assert signed_in(owner).get(f"/builds/{word.pk}/pages/1.png").status_code == 404
    assert signed_in(owner).get(f"/builds/{build.pk}/preview/").status_code == 404


def test_who_may_what(results: Section, owner: User, reader: User, outsider: User) -> None:
    address = f"/projects/{results.project_id}/sections/results/preview/"
    assert signed_in(outsider).post(address).status_code == 404
    assert signed_in(reader).post(address).status_code == 403
    assert signed_in(owner).get(address).status_code == 405
    assert signed_in(owner).post(address.replace("results/p", "nothing/p")).status_code == 404
    assert Build.objects.count() == 0
    told = start(owner, results, page="x")
    make(told)
    for part in ("preview/", "pages/1.png"):
        assert signed_in(outsider).get(f"{told['at']}{part}").status_code == 404
        assert signed_in(reader).get(f"{told['at']}{part}").status_code == 200
        assert signed_in(owner).post(f"{told['at']}{part}").status_code == 405
