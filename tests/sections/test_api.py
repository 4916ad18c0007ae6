"""SPEC T2, P4: sections through the JSON API, where an ETag guards every save."""

import json
from typing import Any

import pytest
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from projects.models import Project, User
from sections.models import Section
from tests.examples import examples
from tests.people import signed_in

TEXT = st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"]))


@pytest.fixture
def results(project: Project) -> Section:
    section: Section = project.sections.get(slug="results")
    return section


def put(client: Client, section: Section, latex: Any, if_match: str | None = '"0"') -> Any:
    headers = {} if if_match is None else {"If-Match": if_match}
    return client.put(
        f"/api/sections/{section.pk}", json.dumps({"latex": latex}), content_type="application/json", headers=headers
    )


def test_the_list_is_in_order_and_without_text(project: Project, reader: User) -> None:
    rows = signed_in(reader).get(f"/api/projects/{project.pk}/sections").json()
    assert [row["number"] for row in rows] == list(range(9))
    assert "latex" not in rows[0]


def test_reading_gives_the_version_as_etag(results: Section, owner: User) -> None:
    response = signed_in(owner).get(f"/api/sections/{results.pk}")
    assert response["ETag"] == '"0"'
    assert response.json()["slug"] == "results"


def test_saving_over_what_was_read(results: Section, owner: User) -> None:
    response = put(signed_in(owner), results, "One two\r\n")
    assert response.status_code == 200
    assert response["ETag"] == '"1"'
    assert (response.json()["latex"], response.json()["words"]) == ("One two\r\n", 2)


def test_without_if_match_nothing_is_saved(results: Section, owner: User) -> None:
    response = put(signed_in(owner), results, "Mine", if_match=None)
    assert response.status_code == 428
    assert response.json()["error"]["code"] == "precondition_required"
    assert Section.objects.get(pk=results.pk).version == 0


@pytest.mark.parametrize("if_match", ["*", "abc", "0", '"1', "", '"1", "2"'])
def test_an_if_match_that_names_no_version_is_refused(results: Section, owner: User, if_match: str) -> None:
    assert put(signed_in(owner), results, "Mine", if_match=if_match).status_code == 400


def test_a_stale_save_is_shown_what_stands_there(results: Section, owner: User, editor: User) -> None:
    results.write("Theirs", based_on=0, by=editor)
    response = put(signed_in(owner), results, "Mine")
    assert response.status_code == 412
    assert response["ETag"] == '"1"'
    assert response.json()["current"]["latex"] == "Theirs"
    assert response.json()["error"]["code"] == "stale"


@pytest.mark.parametrize("latex", ["a" * 6_000_001, "nul \x00", "half \ud800"])
def test_what_cannot_be_stored_is_refused_by_field(results: Section, owner: User, latex: str) -> None:
    response = put(signed_in(owner), results, latex)
    assert response.status_code == 422
    assert response.json()["error"]["field"] == "latex"
    assert Section.objects.get(pk=results.pk).version == 0


@pytest.mark.parametrize("latex", [None, 3, ["a"]])
def test_text_must_be_text(results: Section, owner: User, latex: Any) -> None:
    assert put(signed_in(owner), results, latex).status_code == 422


def test_adding_renaming_and_moving(project: Project, owner: User) -> None:
    client = signed_in(owner)
    made = client.post(
        f"/api/projects/{project.pk}/sections", json.dumps({"title": " Work plan "}), content_type="application/json"
    )
    assert made.status_code == 201
    assert (made.json()["title"], made.json()["number"]) == ("Work plan", 9)
    changed = client.patch(
        f"/api/sections/{made.json()['id']}",
        json.dumps({"title": "Plan", "number": 1}),
        content_type="application/json",
    ).json()
    assert (changed["title"], changed["number"], changed["slug"]) == ("Plan", 1, "work-plan")
    assert project.sections.get(slug="abstract").number == 2


@pytest.mark.parametrize("title", ["  ", "x" * 201, "half \ud800"])
def test_a_title_is_refused_by_field(project: Project, owner: User, title: str) -> None:
    response = signed_in(owner).post(
        f"/api/projects/{project.pk}/sections", json.dumps({"title": title}), content_type="application/json"
    )
    assert response.status_code == 422
    assert response.json()["error"]["field"] == "title"


def test_the_history(results: Section, owner: User, reader: User) -> None:
    results.write("First", based_on=0, by=owner)
    client = signed_in(reader)
    rows = client.get(f"/api/sections/{results.pk}/versions").json()
    assert [(row["version"], row["saved_by"]) for row in rows] == [(1, owner.email)]
    assert client.get(f"/api/sections/{results.pk}/versions/1").json()["latex"] == "First"
    assert client.get(f"/api/sections/{results.pk}/versions/2").status_code == 404
    owner.delete()
    assert client.get(f"/api/sections/{results.pk}/versions").json()[0]["saved_by"] is None


def test_who_may(results: Section, reader: User, outsider: User) -> None:
    assert put(signed_in(reader), results, "Mine").status_code == 403
    for client, status in ((signed_in(outsider), 404), (Client(), 401)):
        assert put(client, results, "Mine").status_code == status
        for path in ("", "/versions", "/versions/1"):
            assert client.get(f"/api/sections/{results.pk}{path}").status_code == status
        assert client.get(f"/api/projects/{results.project_id}/sections").status_code == status
    assert signed_in(reader).delete(f"/api/sections/{results.pk}").status_code == 403
    assert signed_in(reader).post(f"/api/sections/{results.pk}").status_code == 405


@pytest.mark.django_db(transaction=True)
def test_any_text_comes_back_character_for_character(results: Section, owner: User) -> None:
    client = signed_in(owner)

    @examples(30)
    @given(TEXT)
    def through_the_api(text: str) -> None:
        version = Section.objects.get(pk=results.pk).version
        assert put(client, results, text, f'"{version}"').status_code == 200
        assert client.get(f"/api/sections/{results.pk}").json()["latex"] == text

    through_the_api()
