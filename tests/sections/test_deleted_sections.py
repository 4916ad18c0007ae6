"""SPEC T1: a section is removed into a bin, from which it comes back with everything; meanwhile nothing counts it."""

import json
import re
from typing import Any

import pytest
from django.test import Client

from citations.audit.key_uses import times_cited, uses_by_key
from projects.models import Project, User
from sections.models import MOST_SECTIONS, Section
from sections.outline import move_to_bin, restore_from_bin
from tests.people import signed_in

HTMX = {"HX-Request": "true"}
WORDS = r"Alder fixes nitrogen \cite{menon2021}."


@pytest.fixture
def results(project: Project, owner: User) -> Section:
    section: Section = project.sections.get(slug="results")
    section.write(WORDS, based_on=0, by=owner)
    section.comments.create(author=owner, body="Which plots?")
    return section


def act(client: Client, project: Project, path: str, headers: dict[str, str] | None = None) -> Any:
    return client.post(f"/projects/{project.pk}/sections/{path}", headers=headers)


def order(project: Project) -> list[tuple[str, int]]:
    return list(Section.objects.filter(project=project).values_list("slug", "number"))


def test_removing_takes_it_out_and_closes_the_gap(project: Project, owner: User, results: Section) -> None:
    response = act(signed_in(owner), project, "results/remove/")
    assert response["Location"] == f"/projects/{project.pk}/sections/discussion/?removed=results"
    assert [number for _, number in order(project)] == list(range(8))
    assert "results" not in dict(order(project))
    page = signed_in(owner).get(response["Location"]).content.decode()
    assert "“Results” was moved to the bin." in page
    assert "Bin, 1 section" in page
    assert signed_in(owner).get(f"/projects/{project.pk}/sections/results/").status_code == 404


def test_it_comes_back_with_its_place_text_history_and_comments(
    project: Project, owner: User, results: Section
) -> None:
    before, client = order(project), signed_in(owner)
    act(client, project, "results/remove/")
    response = act(client, project, "results/restore/")
    assert response["Location"] == f"/projects/{project.pk}/sections/results/"
    assert order(project) == before
    back = Section.objects.get(pk=results.pk)
    assert (back.latex, back.version, back.words) == (WORDS, 1, 3)
    assert back.versions.count() == back.comments.count() == 1


def test_beside_unsaved_text_only_the_outline_is_answered(project: Project, owner: User, results: Section) -> None:
    client = signed_in(owner)
    part = act(client, project, "results/remove/?open=abstract", HTMX).content.decode()
    assert "“Results” was moved to the bin." in part
    assert "<textarea" not in part
    assert re.search(r'sections/abstract/"[^>]* aria-current="page"', part)
    part = act(client, project, "results/restore/?open=abstract", HTMX).content.decode()
    assert 'data-focus="results"' in part
    assert "Bin," not in part
    assert re.search(r'sections/abstract/"[^>]* aria-current="page"', part)


def test_removing_the_open_one_opens_the_next(project: Project, owner: User) -> None:
    client = signed_in(owner)
    answer = act(client, project, "results/remove/?open=results", HTMX)
    assert answer["HX-Redirect"] == f"/projects/{project.pk}/sections/discussion/?removed=results"
    last = act(client, project, "summary-and-conclusion/remove/?open=summary-and-conclusion", HTMX)
    assert last["HX-Redirect"].startswith(f"/projects/{project.pk}/sections/discussion/")


def test_the_last_one_can_go_too(project: Project, owner: User) -> None:
    Section.objects.filter(project=project).exclude(slug="results").delete()
    client = signed_in(owner)
    response = act(client, project, "results/remove/")
    assert response["Location"] == f"/projects/{project.pk}/?removed=results"
    page = client.get(response["Location"]).content.decode()
    assert "No sections yet" in page
    assert "Undo" in page


def test_nothing_counts_it_meanwhile(project: Project, owner: User, results: Section) -> None:
    assert uses_by_key(Project.objects.get(pk=project.pk))
    assert times_cited(project)
    move_to_bin(results)
    assert uses_by_key(Project.objects.get(pk=project.pk)) == {}
    assert not times_cited(project)
    page = signed_in(owner).get("/").content.decode()
    assert "0 of 8 sections have text" in page
    assert "0 words" in page
    assert [row["slug"] for row in signed_in(owner).get(f"/api/projects/{project.pk}/sections").json()] == [
        slug for slug, _ in order(project)
    ]


def test_deleting_the_thesis_names_it_since_it_goes_as_well(project: Project, owner: User, results: Section) -> None:
    move_to_bin(results)
    page = signed_in(owner).get(f"/projects/{project.pk}/delete/").content.decode()
    assert "9 sections with 3 words" in page
    project.delete()
    assert not Section.everything.exists()


def test_its_address_stays_taken(project: Project, owner: User, results: Section) -> None:
    move_to_bin(results)
    added = Section.objects.add(project, "Results")
    assert added.slug == "results-2"
    restore_from_bin(results)
    assert len(order(project)) == 10


def test_what_was_typed_into_it_meanwhile_is_kept(project: Project, owner: User, results: Section) -> None:
    """Somebody else removes the section one is writing in: the words are saved, and in the bin with it."""
    move_to_bin(results)
    body = json.dumps({"latex": f"{WORDS} So does lupin."})
    answer = signed_in(owner).put(
        f"/api/sections/{results.pk}", body, content_type="application/json", headers={"If-Match": '"1"'}
    )
    assert answer.status_code == 200
    restore_from_bin(results)
    assert Section.objects.get(pk=results.pk).latex.endswith("So does lupin.")


def test_a_place_that_is_gone_is_the_end(project: Project, owner: User) -> None:
    last = project.sections.get(slug="summary-and-conclusion")
    move_to_bin(last)
    for slug in ("abstract", "introduction"):
        move_to_bin(project.sections.get(slug=slug))
    restore_from_bin(last)
    assert order(project)[-1] == ("summary-and-conclusion", 6)


def test_twice_is_once(project: Project, owner: User, results: Section) -> None:
    move_to_bin(results)
    stamp = Section.everything.get(pk=results.pk).removed_at
    move_to_bin(Section.everything.get(pk=results.pk))
    assert Section.everything.get(pk=results.pk).removed_at == stamp
    restore_from_bin(results)
    restore_from_bin(results)
    assert len(order(project)) == 9


def test_a_full_thesis_takes_nothing_back(project: Project, owner: User, results: Section) -> None:
    move_to_bin(results)
    Section.objects.bulk_create(
        Section(project=project, number=n, slug=f"s{n}", title=f"S{n}") for n in range(8, MOST_SECTIONS)
    )
    part = act(signed_in(owner), project, "results/restore/?open=abstract", HTMX).content.decode()
    assert "at most 200 sections" in part
    assert Section.everything.get(pk=results.pk).removed_at


def test_through_the_api(project: Project, owner: User, results: Section) -> None:
    client = signed_in(owner)
    assert client.delete(f"/api/sections/{results.pk}").status_code == 204
    assert client.get(f"/api/sections/{results.pk}").status_code == 404
    assert client.delete(f"/api/sections/{results.pk}").status_code == 404
    [listed] = client.get(f"/api/projects/{project.pk}/sections/bin").json()
    assert (listed["id"], listed["number"], listed["words"]) == (str(results.pk), 6, 3)
    back = client.post(f"/api/sections/{results.pk}/restore").json()
    assert (back["number"], back["latex"]) == (6, WORDS)
    assert client.get(f"/api/projects/{project.pk}/sections/bin").json() == []


PAGES = ["results/remove/", "results/restore/"]


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("who", ["supervisor", "reader"])
def test_those_who_read_change_nothing(
    project: Project, results: Section, path: str, who: str, request: pytest.FixtureRequest
) -> None:
    client, before = signed_in(request.getfixturevalue(who)), order(project)
    assert act(client, project, path).status_code == 403
    assert client.delete(f"/api/sections/{results.pk}").status_code == 403
    assert client.post(f"/api/sections/{results.pk}/restore").status_code == 403
    assert client.get(f"/api/projects/{project.pk}/sections/bin").status_code == 403
    assert order(project) == before
    move_to_bin(results)
    assert "Bin," not in client.get(f"/projects/{project.pk}/?removed=results").content.decode()


@pytest.mark.parametrize("path", PAGES)
def test_a_stranger_finds_nothing(project: Project, results: Section, outsider: User, path: str) -> None:
    client = signed_in(outsider)
    assert act(client, project, path).status_code == 404
    assert client.delete(f"/api/sections/{results.pk}").status_code == 404
    assert client.post(f"/api/sections/{results.pk}/restore").status_code == 404


@pytest.mark.parametrize("path", PAGES)
def test_signing_in_comes_first_and_posting_is_the_way(project: Project, owner: User, path: str) -> None:
    assert act(Client(), project, path)["Location"].startswith("/accounts/login/")
    assert signed_in(owner).get(f"/projects/{project.pk}/sections/{path}").status_code == 405
