"""The Build page: asking for a build, following it, what became of it, and taking away what was made (SPEC T6)."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from jobs.compute_slots import QUEUE, request_slots
from jobs.models import Job, State
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.build_rows import PDF, built, fault, job_of
from thesis.models import Build

HTMX = {"HX-Request": "true"}
WORD = {"kind": Build.Kind.WORD, "engine": Build.Engine.PANDOC}


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write("Three words here.\n", based_on=section.version, by=owner)


def at(project: Project) -> str:
    return f"/projects/{project.pk}/build/"


def page(user: User, project: Project) -> str:
    response = signed_in(user).get(at(project))
    assert response.status_code == 200
    return str(response.content.decode())


def visible_text(html: str) -> str:
    """What a page says, without its marks."""
    return " ".join(re.sub(r"<[^>]+>", " ", html.partition('id="main"')[2] or html).split())


# Before there is anything


def test_a_thesis_without_text_offers_to_write(project: Project, owner: User) -> None:
    project.sections.all().update(latex="", words=0)
    words = visible_text(page(owner, project))
    assert "Nothing to build yet" in words
    assert "Build the PDF" not in words


def test_headings_alone_can_be_built(project: Project, owner: User) -> None:
    project.sections.all().update(latex="", words=0)
    project.sections.filter(slug="results").update(latex="\\section{Flow of participants}\n")
    words = visible_text(page(owner, project))
    assert "Build the PDF" in words
    assert signed_in(owner).post(at(project), {"kind": "pdf"}).status_code == 302


def test_a_thesis_that_was_never_built_offers_to(results: Section, owner: User) -> None:
    words = visible_text(page(owner, results.project))
    assert "Build the PDF" in words
    assert "None yet." in words
    assert "Single chapter" in words
    assert "Results" in words.partition("Build chapter")[0].partition("Single chapter")[2]


# Asking


def test_asking_starts_a_build_which_the_page_then_follows(results: Section, owner: User) -> None:
    response = signed_in(owner).post(at(results.project), {"kind": "pdf"})
    assert (response.status_code, response.headers["Location"]) == (302, at(results.project))
    build = Build.objects.get()
    assert (build.kind, build.is_chapter, build.created_by, job_of(build).state) == ("pdf", False, owner, State.QUEUED)
    html = page(owner, results.project)
    assert f'hx-get="/builds/{build.pk}/progress/?seen=' in html
    assert "You can close this page." in visible_text(html)


def test_one_chapter_and_word_are_asked_for_likewise(results: Section, owner: User) -> None:
    client = signed_in(owner)
    client.post(at(results.project), {"kind": "pdf", "section": "results"})
    client.post(at(results.project), {"kind": "word"})
    assert set(Build.objects.values_list("kind", "section", "is_chapter")) == {
        ("pdf", results.pk, True),
        ("word", None, False),
    }
    assert client.post(at(results.project), {"kind": "pdf", "section": "nowhere"}).status_code == 404


def test_asking_twice_makes_one_build(results: Section, owner: User) -> None:
    client = signed_in(owner)
    assert [client.post(at(results.project), {"kind": "pdf"}).status_code for _ in range(2)] == [302, 302]
    assert Build.objects.count() == 1


def test_a_full_queue_and_an_odd_wish_are_refused_with_a_sentence(results: Section, owner: User) -> None:
    for _ in range(QUEUE):  # none of them has its place yet
        job = Job.objects.create(project=results.project, kind="other", subject=results.pk, created_by=owner)
        request_slots(job, 1)
    response = signed_in(owner).post(at(results.project), {"kind": "pdf"})
    assert response.status_code == 429
    assert "The queue is full" in visible_text(response.content.decode())
    assert signed_in(owner).post(at(results.project), {"kind": "cake"}).status_code == 422
    assert not Build.objects.exists()


# Following


def test_the_page_is_told_only_what_is_new(results: Section, owner: User) -> None:
    build = built(results.project, owner, state=State.RUNNING)
    job_of(build).emit("pass", "Running LaTeX, pass 1")
    client = signed_in(owner)
    first = client.get(f"/builds/{build.pk}/progress/", headers=HTMX)
    assert "Running LaTeX, pass 1" in visible_text(first.content.decode())
    seen = re.search(r"progress/\?seen=([^\"]+)", first.content.decode())
    assert seen
    assert client.get(f"/builds/{build.pk}/progress/?seen={seen[1]}", headers=HTMX).status_code == 204
    job_of(build).emit("pass", "Running LaTeX, pass 2")
    again = client.get(f"/builds/{build.pk}/progress/?seen={seen[1]}", headers=HTMX)
    assert "Running LaTeX, pass 2" in visible_text(again.content.decode())
    Job.objects.filter(build=build).update(state=State.DONE)
    ended = client.get(f"/builds/{build.pk}/progress/?seen={seen[1]}", headers=HTMX)
    assert (ended.headers["HX-Retarget"], ended.headers["HX-Reswap"]) == ("#built", "outerHTML")
    assert 'id="built"' in ended.content.decode()


def test_a_build_is_stopped(results: Section, owner: User) -> None:
    build = built(results.project, owner, state=State.QUEUED)
    assert "Stop" in visible_text(page(owner, results.project))
    assert signed_in(owner).post(f"/builds/{build.pk}/stop/").status_code == 302
    assert job_of(build).state == State.CANCELLED
    assert "Stopped. Nothing in your text has changed." in visible_text(page(owner, results.project))


# What became of it


def test_errors_stand_by_section_with_their_lines_and_the_old_pdf_stays(results: Section, owner: User) -> None:
    project = results.project
    good = built(project, owner, output=PDF, pages=94, words=1)
    problems = [fault(results, 118), fault(results, 131, "A command nobody defined: \\SI")]
    left_out = fault(None, 0, "Three citations were left out", level="warning", said="% UNRESOLVED: okafor2022")
    built(project, owner, state=State.FAILED, problems=problems, notes=[left_out], log="l.118")
    html = page(owner, project)
    words = visible_text(html)
    assert "The latest build failed with two errors." in words
    assert "Two lines in “Results” could not be built." in words
    assert "the second may go away with it" in words
    assert "94 pages" in words
    assert "2 words added since." in words
    assert f'href="/builds/{good.pk}/file/"' in html
    assert f'href="/projects/{project.pk}/sections/results/?line=118">Go to line 118</a>' in html
    assert "<code>\\SI</code>" in html
    assert '<mark><span class="ln">118</span> ($I^{2 = 15.6\\%$, $p = 0.31$).</mark>' in html
    assert "<b>after</b>" not in html  # text of a person is data
    assert html.index("Results</h2>") < html.index("Whole thesis</h2>")
    assert "TeX message: Missing } inserted." in words
    assert "what stood there" not in words  # that is in the log
    assert "2 errors" in words
    assert "1 note" in words
    assert "Download the Word file" not in words


def test_a_build_that_failed_without_a_line_says_why(results: Section, owner: User) -> None:
    built(results.project, owner, state=State.FAILED, reason="It took longer than 120 seconds.")
    words = visible_text(page(owner, results.project))
    assert "The PDF could not be built. It took longer than 120 seconds. Nothing in your text has changed." in words
    assert "There is no PDF of the whole thesis yet." in words


def test_a_section_that_is_gone_leaves_no_dead_link(results: Section, owner: User) -> None:
    built(results.project, owner, state=State.FAILED, problems=[fault(results, 4)])
    results.delete()
    html = page(owner, results.project)
    assert "Whole thesis</h2>" in html
    assert "?line=4" not in html


def test_a_preview_says_that_it_is_one(results: Section, owner: User) -> None:
    built(results.project, owner, output=PDF, pages=3, engine=Build.Engine.TYPST)
    words = visible_text(page(owner, results.project))
    assert "Preview: not the final layout" in words
    assert "This server has no LaTeX." in words


def test_word_and_a_chapter_are_offered_once_made(results: Section, owner: User) -> None:
    project = results.project
    chapter = built(project, owner, output=PDF, pages=3, section=results, is_chapter=True)
    assert "Results, 3 pages" in visible_text(page(owner, project))
    word = built(project, owner, output=b"PK", **WORD)
    html = page(owner, project)
    assert "The Word file is ready." in visible_text(html)
    for build in (word, chapter):
        assert f'href="/builds/{build.pk}/file/"' in html
    assert "There is no PDF of the whole thesis yet." in visible_text(html)


def test_a_preview_beside_the_editor_is_no_build_of_this_page(results: Section, owner: User) -> None:
    build = built(results.project, owner, output=PDF, kind=Build.Kind.PREVIEW, section=results)
    assert "None yet." in visible_text(page(owner, results.project))
    assert signed_in(owner).get(f"/builds/{build.pk}/progress/").status_code == 404


# Taking it away


def test_the_pdf_opens_in_the_browser_and_word_is_saved(results: Section, owner: User, reader: User) -> None:
    project = results.project
    pdf = built(project, owner, output=PDF)
    chapter = built(project, owner, output=PDF, section=results, is_chapter=True, engine=Build.Engine.TYPST)
    word = built(project, owner, output=b"PK", **WORD)
    client = signed_in(reader)

    def got(build: Build) -> tuple[bytes, Any]:
        response = client.get(f"/builds/{build.pk}/file/")
        return b"".join(response), response.headers

    data, headers = got(pdf)
    assert data == PDF
    assert headers["Content-Type"] == "application/pdf"
    assert headers["Content-Disposition"] == 'inline; filename="alder-and-soil.pdf"'
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert got(chapter)[1]["Content-Disposition"] == 'inline; filename="alder-and-soil-results-preview.pdf"'
    of_a_program = client.get(f"/api/builds/{chapter.pk}/pdf")
    assert b"".join(of_a_program) == PDF
    assert of_a_program["Content-Disposition"] == 'attachment; filename="alder-and-soil-results-preview.pdf"'
    assert got(word)[1]["Content-Disposition"] == 'attachment; filename="alder-and-soil.docx"'


def test_what_was_never_made_or_is_lost_is_not_found(results: Section, owner: User) -> None:
    client = signed_in(owner)
    assert client.get(f"/builds/{built(results.project, owner).pk}/file/").status_code == 404
    lost = built(results.project, owner, output=PDF)
    lost.output.storage.delete(str(lost.output.name))
    assert client.get(f"/builds/{lost.pk}/file/").status_code == 404


def test_the_log_is_text(results: Section, owner: User) -> None:
    build = built(results.project, owner, log="! <script>alert(1)</script>")
    client = signed_in(owner)
    alone = client.get(f"/builds/{build.pk}/log/")
    assert alone.headers["Content-Type"].startswith("text/plain")
    assert b"<script>" in alone.content
    assert b"<script>" not in client.get(f"/builds/{build.pk}/log/", headers=HTMX).content


# Who may


def test_a_reader_sees_and_takes_away_and_does_not_build(results: Section, owner: User, reader: User) -> None:
    project = results.project
    build = built(project, owner, output=PDF, pages=2)
    running = built(project, owner, state=State.RUNNING)
    words = visible_text(page(reader, project))
    assert "Open the PDF" in words
    assert "LaTeX project" in words
    for act in ("Build again", "Build chapter", "Stop"):
        assert act not in words
    client = signed_in(reader)
    assert client.post(at(project), {"kind": "pdf"}).status_code == 403
    assert client.post(f"/builds/{running.pk}/stop/").status_code == 403
    assert client.get(f"/builds/{build.pk}/log/").status_code == 200


def test_strangers_find_nothing(results: Section, owner: User, outsider: User) -> None:
    build = built(results.project, owner, output=PDF)
    client = signed_in(outsider)
    addresses = [at(results.project), f"{at(results.project)}before/"]
    addresses += [f"/builds/{build.pk}/{part}/" for part in ("progress", "file", "log")]
    assert {client.get(address).status_code for address in addresses} == {404}
    assert client.post(at(results.project)).status_code == 404
    assert client.post(f"/builds/{build.pk}/stop/").status_code == 404


def test_wrong_methods_are_refused(results: Section, owner: User) -> None:
    build = built(results.project, owner, output=PDF)
    client = signed_in(owner)
    assert client.delete(at(results.project)).status_code == 405
    assert client.get(f"/builds/{build.pk}/stop/").status_code == 405
    for part in ("progress", "file", "log"):
        assert client.post(f"/builds/{build.pk}/{part}/").status_code == 405
    assert client.post(f"{at(results.project)}before/").status_code == 405


def test_many_builds_and_sections_ask_no_more_than_few(results: Section, owner: User) -> None:
    project = results.project

    def queries() -> int:
        client = signed_in(owner)
        with CaptureQueriesContext(connection) as asked:
            assert client.get(at(project)).status_code == 200
        return len(asked)

    def some() -> None:
        built(project, owner, output=PDF)
        built(project, owner, output=PDF, section=results, is_chapter=True)
        built(project, owner, state=State.RUNNING)
        built(project, owner, output=b"PK", **WORD)
        built(project, owner, state=State.FAILED, problems=[fault(results, 3), fault(None)])

    some()
    few = queries()
    for _ in range(4):
        some()
    Section.objects.bulk_create(
        Section(project=project, number=20 + number, slug=f"more-{number}", title=f"More {number}", words=5)
        for number in range(9)
    )
    assert queries() == few


# Before it is handed in


def test_the_card_names_what_blocks_with_the_way_there(results: Section, owner: User, reader: User) -> None:
    project: Any = results.project
    results.write("See \\cite{ghost}.\n\\begin{table}\n", based_on=results.version, by=owner)
    card = signed_in(reader).get(f"{at(project)}before/", headers=HTMX)
    html = card.content.decode()
    words = visible_text(html)
    assert "ghost is not in the list of citations" in words
    assert "The environment table is not closed" in words
    assert f"/projects/{project.pk}/sections/results/?line=2" in html
    assert "Final export" not in words
    assert "<html" not in html
    assert "<html" in signed_in(reader).get(f"{at(project)}before/").content.decode()
    results.refresh_from_db()
    results.write("All is well.", based_on=results.version, by=owner)
    assert "Nothing blocks the export" in visible_text(signed_in(owner).get(f"{at(project)}before/").content.decode())
