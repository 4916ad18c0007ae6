"""The viewer of a built PDF: its pages with words over them, the way from these to the text and back (SPEC T6)."""

from functools import cache
from typing import Any

import pytest
from django.core.files.storage import default_storage

from jobs.work import perform
from projects.models import Project, User
from sections.models import Section
from tests.people import signed_in
from tests.thesis.build_rows import built
from tests.thesis.manuscripts import native_manuscript
from thesis.latex_build.retention import prune
from thesis.models import Build
from thesis.page_places.page_map import SectionText
from thesis.page_places.printed_words import store_words, words_name
from thesis.preview.typeset import render_preview
from untrusted.pdf_words import PrintedPage, words_of_pages

TEXT = "\n\n".join(
    f"\\section{{Part {name}}}\nThe {name} of the trial was measured by the {name} nurses in every ward."
    for name in ("weight", "height", "pressure", "temperature")
)


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    return section.write(TEXT, based_on=section.version, by=owner)


@cache
def typeset(text: str) -> tuple[bytes, list[PrintedPage]]:
    """A PDF of a thesis with `text`, and the words of its pages."""
    pdf = render_preview(native_manuscript(text)).pdf
    pages = words_of_pages(pdf)
    assert pages is not None
    return pdf, pages


def with_words(section: Section, user: User, *, stored: bool = True, text: str = TEXT) -> Build:
    """A PDF of the thesis with the text of one section, with its words stored or as an earlier version left it."""
    pdf, pages = typeset(text)
    build = built(section.project, user, output=pdf, pages=len(pages))
    if stored:
        store_words(build, pages, [SectionText(str(section.pk), text)])
    return build


@pytest.fixture
def build(results: Section, owner: User) -> Build:
    return with_words(results, owner)


def point_of(build: Build, words: str) -> dict[str, Any]:
    """The page, and the middle of the first of `words` on it, in parts of its size."""
    with build.output.open("rb") as blob:
        pages = words_of_pages(blob.read()) or []
    first, *rest = words.split()
    for number, page in reversed(list(enumerate(pages, 1))):
        for line in page.lines:
            for at, one in enumerate(line):
                if one.text == first and [each.text for each in line[at + 1 : at + 1 + len(rest)]] == rest:
                    x, y = (one.left + one.right) / 2 / page.width, (one.top + one.bottom) / 2 / page.height
                    return {"page": number, "x": round(x, 4), "y": round(y, 4)}
    raise AssertionError(f"{words} is not printed")


def test_a_word_leads_to_its_place_and_the_place_to_its_page(build: Build, results: Section, owner: User) -> None:
    client = signed_in(owner)
    point = point_of(build, "pressure nurses")
    found = client.get(f"/api/builds/{build.pk}/place", point).json()
    assert found["section"] == str(results.pk)
    assert TEXT[found["offset"] :].startswith("pressure nurses")
    assert found["latex"].startswith("pressure nurses in")
    assert found["before"].endswith("by the ")
    assert (found["words"], found["is_exact"], found["is_changed"]) == ("pressure", True, False)
    back = client.get(f"/api/builds/{build.pk}/page", {"section": str(results.pk), "offset": found["offset"]}).json()
    assert back["page"] == point["page"]
    assert "pressure nurses" in back["words"]
    assert back["top"] <= point["y"] <= back["top"] + back["height"]

    there: Any = client.get(f"/builds/{build.pk}/pages/{point['page']}/text/", {"x": point["x"], "y": point["y"]})
    assert there.url == f"/projects/{build.project_id}/sections/results/?at={found['offset']}"


def test_who_reads_is_led_to_the_manuscript(build: Build, reader: User) -> None:
    point = point_of(build, "height nurses")
    there: Any = signed_in(reader).get(f"/builds/{build.pk}/pages/{point['page']}/text/", point)
    at = TEXT.index("height nurses")
    assert there.url == f"/projects/{build.project_id}/read/?section=results&at={at}#s-results"
    page = signed_in(reader).get(f"/builds/{build.pk}/view/").content.decode()
    assert "Read here" in page
    assert "Edit" not in page


def test_the_page_with_its_pages_words_and_outline(build: Build, results: Section, owner: User) -> None:
    client = signed_in(owner)
    page = client.get(f"/builds/{build.pk}/view/").content.decode()
    assert page.count('class="pdf-page"') == build.pages
    assert f'src="/builds/{build.pk}/pages/1.png"' in page
    assert f'href="/builds/{build.pk}/file/" download' in page
    assert f'href="/builds/{build.pk}/pages/1/text/"' in page
    assert "Changed since" not in page
    point = point_of(build, "height nurses")
    words = client.get(f"/builds/{build.pk}/pages/{point['page']}/words/")
    assert "immutable" in words["Cache-Control"]
    assert ">height</tspan> <tspan" in words.content.decode()
    assert "style=" not in words.content.decode()
    outline = client.get(f"/builds/{build.pk}/view/outline/").content.decode()
    assert results.title in outline
    assert f'href="#page-{point_of(build, "weight of")["page"]}"' in outline
    at = TEXT.index("height nurses")
    opened = client.get(f"/builds/{build.pk}/view/?section=results&at={at}").content.decode()
    assert f'data-shown="{point["page"]} 0.' in opened


def test_what_was_changed_since_is_said_and_leads_to_the_nearest_place(
    build: Build, results: Section, owner: User
) -> None:
    now = "A new beginning of the section.\n\n" + TEXT.replace("measured by the pressure nurses", "not measured")
    results.write(now, based_on=results.version, by=owner)
    client = signed_in(owner)
    assert f"Changed since then: {results.title}." in client.get(f"/builds/{build.pk}/view/").content.decode()
    found = client.get(f"/api/builds/{build.pk}/place", point_of(build, "pressure nurses")).json()
    assert (found["is_exact"], found["is_changed"]) == (False, True)
    assert 0 <= found["offset"] - now.index("Part pressure") < 120
    point = point_of(build, "temperature nurses")
    found = client.get(f"/api/builds/{build.pk}/place", point).json()
    assert now[found["offset"] :].startswith("temperature nurses")
    there = client.get(f"/builds/{build.pk}/pages/{point['page']}/text/", point, follow=True)
    assert "This section was changed after the PDF was built" in there.content.decode()


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_long", [True, False])
def test_a_build_of_an_earlier_version_is_read_when_it_is_asked(
    results: Section, owner: User, *, is_long: bool
) -> None:
    old = with_words(results, owner, stored=False)
    if is_long:  # as the row says
        old.pages = 31
        old.save()
    client = signed_in(owner)
    page = client.get(f"/builds/{old.pk}/view/?section=results&at=9").content.decode()
    assert ("built by an earlier version of Scholium" in page) == is_long
    point = point_of(old, "height nurses")
    found = client.get(f"/api/builds/{old.pk}/place", point).json()
    assert TEXT[found["offset"] :].startswith("height nurses")
    assert ">height</tspan>" in client.get(f"/builds/{old.pk}/pages/{point['page']}/words/").content.decode()
    back = client.get(f"/api/builds/{old.pk}/page", {"section": str(results.pk)})
    assert (back.json() is None) == is_long


def test_the_newest_pdf_at_a_place(results: Section, owner: User) -> None:
    client = signed_in(owner)
    address = f"/projects/{results.project_id}/pdf/?section=results&at=40"
    none: Any = client.get(address)
    assert none.url == f"/projects/{results.project_id}/build/"
    build = with_words(results, owner)
    there: Any = client.get(address)
    assert there.url == f"/builds/{build.pk}/view/?section=results&at=40"
    odd: Any = client.get(f"/projects/{results.project_id}/pdf/?section=none&at=-1")
    assert odd.url == f"/builds/{build.pk}/view/"


def test_a_place_that_is_not_printed(build: Build, results: Section, owner: User) -> None:
    client = signed_in(owner)
    other = results.project.sections.get(slug="discussion")
    assert client.get(f"/api/builds/{build.pk}/page", {"section": str(other.pk)}).json() is None
    page = client.get(f"/builds/{build.pk}/view/?section=discussion&at=5").content.decode()
    assert f"“{other.title}” is not printed in this PDF." in page
    assert client.get(f"/builds/{build.pk}/view/?section=none").status_code == 404


@pytest.mark.sample(2)
@pytest.mark.parametrize("point", ["", "?x=2&y=nan", "?x=&y=1e999", "?x=0.5&y=0.5"])
def test_pages_without_words_and_odd_points(results: Section, owner: User, point: str) -> None:
    build = built(results.project, owner, output=b"%PDF-1.5 no more", pages=3)
    client = signed_in(owner)
    there: Any = client.get(f"/builds/{build.pk}/pages/2/text/{point}")
    assert there.url == f"/builds/{build.pk}/view/#page-2"
    assert client.get(f"/builds/{build.pk}/pages/2/words/").status_code == 404
    assert client.get(f"/builds/{build.pk}/view/").status_code == 200
    assert client.get(f"/api/builds/{build.pk}/place", {"page": 2}).json() is None
    odd: list[dict[str, Any]] = [{}, {"page": 0}, {"page": "x"}, {"page": 1, "x": "nan"}, {"page": 1, "y": 2}]
    for wrong in odd:
        assert client.get(f"/api/builds/{build.pk}/place", wrong).status_code == 422, wrong


def test_strangers_other_methods_and_builds_that_are_no_pdf(
    build: Build, results: Section, owner: User, outsider: User
) -> None:
    one = f"/builds/{build.pk}"
    paths = [f"{one}/view/", f"{one}/view/outline/", f"{one}/pages/1/words/", f"{one}/pages/1/text/"]
    paths += [f"/projects/{results.project_id}/pdf/", f"/api{one}/place?page=1"]
    paths += [f"/api{one}/page?section={results.pk}"]
    for path in paths:
        assert signed_in(outsider).get(path).status_code == 404, path
        assert signed_in(owner).post(path).status_code == 405, path
        assert signed_in(owner).get(path).status_code < 400, path
    for number in (0, 999, 10**9):
        assert signed_in(owner).get(f"{one}/pages/{number}/words/").status_code == 404
        assert signed_in(owner).get(f"{one}/pages/{number}/text/").status_code == 302
    word = built(results.project, owner, output=b"PK", pages=3, kind=Build.Kind.WORD)
    failed = built(results.project, owner)
    for none in (word, failed):
        assert signed_in(owner).get(f"/builds/{none.pk}/view/").status_code == 404
        assert signed_in(owner).get(f"/api/builds/{none.pk}/place?page=1").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_words_go_with_the_pdf(results: Section, owner: User) -> None:
    first = with_words(results, owner)
    second = with_words(results, owner)
    prune(results.project)
    assert not default_storage.exists(words_name(first))
    name = words_name(second)
    assert default_storage.exists(name)
    second.delete()
    assert not default_storage.exists(name)


def test_a_preview_is_clicked_and_scrolled_too(results: Section, owner: User, reader: User) -> None:
    address = f"/projects/{results.project_id}/sections/results/preview/"
    told = signed_in(owner).post(address).json()
    preview: Build = Build.objects.get(pk=told["id"])
    perform(str(preview.job_id))
    preview.refresh_from_db()
    found = signed_in(reader).get(f"/api/builds/{preview.pk}/place", point_of(preview, "temperature nurses")).json()
    assert TEXT[found["offset"] :].startswith("temperature nurses")
    end: dict[str, Any] = {"section": str(results.pk), "offset": len(TEXT)}
    back = signed_in(owner).get(f"/api/builds/{preview.pk}/page", end).json()
    assert "ward." in back["words"]
    assert signed_in(owner).get(f"/builds/{preview.pk}/view/").status_code == 404
