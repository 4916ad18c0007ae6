"""SPEC T1: a new thesis starts with the sections of an outline that suits its discipline."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from latex.headings import headings_in
from projects.models import Project, User
from projects.section_templates import EMPTY, ORIGINAL, OUTLINES, UNCHOSEN, Outline
from sections.models import Section
from tests.people import signed_in

TITLED = {"title": "Alder and soil", "citation_style": "apa"}
every = pytest.mark.parametrize("outline", OUTLINES, ids=lambda outline: outline.slug)


def start(client: Client, **data: str) -> Any:
    return client.post("/projects/new/", {**TITLED, **data})


@every
def test_an_outline_is_well_made(outline: Outline) -> None:
    slugs = [part.slug for part in outline.parts]
    assert len(set(slugs)) == len(slugs)
    assert outline.whom.endswith(".")
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", slug) and len(slug) <= 80 for slug in slugs)
    if outline is not EMPTY:
        assert [part.title for part in outline.parts[:3]] == ["Front matter", "Abstract", "Introduction"]


@every
def test_what_a_section_starts_with_is_headings_and_nothing_else(outline: Outline) -> None:
    for part in outline.parts:
        assert len(headings_in(part.starter)) == part.starter.count("\\")
        assert re.sub(r"\\(sub)?section\*?\{[\w ',:-]+\}", "", part.starter).strip() == ""
        assert part.starter.isascii()


def test_there_is_one_for_each_discipline_and_the_usual_nine_come_first() -> None:
    assert OUTLINES[0] is ORIGINAL
    assert [part.title for part in ORIGINAL.parts] == [
        "Front matter", "Abstract", "Introduction", "Aims and objectives", "Review of literature",
        "Materials and methods", "Results", "Discussion", "Summary and conclusion",
    ]  # fmt: skip
    assert len({outline.slug for outline in OUTLINES}) == len(OUTLINES) >= 13


@pytest.mark.sample(4)
@every
def test_starting_from_it(owner: User, outline: Outline) -> None:
    response = start(signed_in(owner), outline=outline.slug)
    project = Project.objects.get()
    assert response["Location"] == f"/projects/{project.pk}/"
    assert project.outline == outline.slug
    made = Section.objects.filter(project=project).values_list("number", "slug", "title", "latex")
    assert list(made) == [(number, *part) for number, part in enumerate(outline.parts)]
    page = signed_in(owner).get(f"/projects/{project.pk}/").content.decode()
    printed = re.findall(r'<span class="n">(\d*)</span><span>([^<]+?) ?<', page)
    assert printed == [(str(number or ""), title) for number, title in outline.numbered], "as chosen, so numbered"
    assert ("No sections yet" in page) == (outline is EMPTY)


def test_headings_alone_are_no_progress(owner: User) -> None:
    start(signed_in(owner), outline="systematic-review")
    page = signed_in(owner).get("/").content.decode()
    assert "0 of 9 sections have text" in page
    assert "0 words" in page


def test_the_headings_a_section_began_with_are_in_its_history(owner: User) -> None:
    start(signed_in(owner), outline="original-study")
    section = Section.objects.get(slug="materials-and-methods")
    section.write("Nothing of it.", based_on=0, by=owner)
    assert r"\section{Sample size}" in section.versions.get(version=0).latex


def test_the_page_offers_them_all_with_their_sections(owner: User) -> None:
    page = signed_in(owner).get("/projects/new/").content.decode()
    for outline in OUTLINES:
        assert f'name="outline" value="{outline.slug}"' in page
        assert outline.name in page
        assert all(part.title in page for part in outline.parts)
    assert re.findall(r'value="([^"]*)"[^>]* checked', page) == ["original-study"]


def test_the_choice_stays_when_something_is_wrong(owner: User) -> None:
    page = start(signed_in(owner), title=" ", outline="nursing").content.decode()
    assert re.findall(r'value="([^"]*)"[^>]* checked', page) == ["nursing"]


@pytest.mark.parametrize("slug", ["astrology", "../etc", "<b>", "ORIGINAL-STUDY"])
def test_an_unknown_one_is_refused_with_the_list(owner: User, slug: str) -> None:
    response = start(signed_in(owner), outline=slug)
    assert response.status_code == 422
    assert "Choose one of: original-study, systematic-review" in response.content.decode()
    assert not Project.objects.exists()


def test_none_chosen_is_the_usual_nine_empty(owner: User) -> None:
    start(signed_in(owner))
    made = Section.objects.filter(project=Project.objects.get()).values_list("slug", "title", "latex")
    assert list(made) == [tuple(part) for part in UNCHOSEN.parts]
    assert not any(latex for _, _, latex in made)


def by_api(client: Client, method: str, path: str, payload: Any = None) -> Any:
    return getattr(client, method)(f"/api/projects{path}", json.dumps(payload), content_type="application/json")


def test_through_the_api(owner: User) -> None:
    client = signed_in(owner)
    listed = client.get("/api/projects/outlines").json()
    assert [row["slug"] for row in listed] == [outline.slug for outline in OUTLINES]
    assert listed[0]["parts"][0]["title"] == "Front matter"
    made = by_api(client, "post", "", {"title": "Alder", "outline": "engineering"}).json()
    assert (made["outline"], made["sections_total"], made["words"]) == ("engineering", 9, 0)
    wrong = by_api(client, "post", "", {"title": "Alder", "outline": "astrology"})
    assert wrong.status_code == 422
    assert wrong.json()["error"]["field"] == "outline"
    assert "engineering" in wrong.json()["error"]["message"]
    assert Project.objects.count() == 1


def test_changing_the_facts_makes_no_sections(owner: User) -> None:
    client = signed_in(owner)
    made = by_api(client, "post", "", {"title": "Alder", "outline": "case-report"}).json()
    by_api(client, "put", f"/{made['id']}", {"title": "Alder again"})
    project = Project.objects.get()
    assert (project.outline, project.sections.count()) == ("case-report", 7)


def test_signing_in_comes_first(db: Any) -> None:
    assert Client().get("/api/projects/outlines").status_code == 401
    assert start(Client(), outline="nursing")["Location"].startswith("/accounts/login/")


def test_other_methods(owner: User) -> None:
    assert by_api(signed_in(owner), "post", "/outlines", {}).status_code == 405
