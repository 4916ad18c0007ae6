"""SPEC T1, T8: your theses on one page, the last touched first, at a cost that does not grow with their number."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from projects.models import Membership, Project, User
from tests.people import signed_in


def test_a_card_says_what_the_thesis_is_and_how_far_its_text_is(project: Project, owner: User) -> None:
    results = project.sections.get(slug="results")
    results.write("Alder fixes nitrogen. " * 400, based_on=0, by=owner)
    page = signed_in(owner).get("/").content.decode()
    assert "MSc, Forestry" in page
    assert "<span>Owner</span>" in page
    assert "1 of 9 sections has text" in page
    assert "1,200 words" in page
    assert f'href="/projects/{project.pk}/"' in page


@pytest.mark.parametrize(
    ("role", "words"),
    [("editor", "<span>Editor</span>"), ("supervisor", "<span>Supervisor</span>"), ("reader", "<span>Reader</span>")],
)
def test_a_card_says_your_role_in_words(project: Project, outsider: User, role: str, words: str) -> None:
    project.memberships.create(user=outsider, role=role)
    assert words in signed_in(outsider).get("/").content.decode()


def test_words_are_counted_once_however_many_members(
    project: Project, owner: User, editor: User, reader: User, supervisor: User
) -> None:
    project.sections.get(slug="results").write("one two three", based_on=0, by=editor)
    assert "3 words" in signed_in(owner).get("/").content.decode()


def test_nothing_yet_offers_the_first_step(outsider: User, project: Project) -> None:
    page = signed_in(outsider).get("/").content.decode()
    assert "How would you like to start?" in page
    assert project.title not in page


def test_the_thesis_worked_on_last_comes_first(owner: User) -> None:
    first = Project.objects.create_for(owner, title="Older")
    Project.objects.create_for(owner, title="Newer")
    first.sections.get(slug="results").write("Something new.", based_on=0, by=owner)
    page = signed_in(owner).get("/").content.decode()
    assert page.index("Older") < page.index("Newer")


def test_a_title_is_shown_and_never_run(owner: User) -> None:
    Project.objects.create_for(owner, title="<script>alert(1)</script>")
    page = signed_in(owner).get("/").content.decode()
    assert "&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page


def many(owner: User, number: int) -> None:
    projects = Project.objects.bulk_create(Project(title=f"Thesis {n}") for n in range(number))
    Membership.objects.bulk_create(
        Membership(project=project, user=owner, role=Membership.Role.OWNER) for project in projects
    )


def test_200_theses_cost_the_queries_of_three(owner: User) -> None:
    client = signed_in(owner)
    many(owner, 3)
    client.get("/")
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get("/")
    many(owner, 197)
    with CaptureQueriesContext(connection) as lots:
        client.get("/")
    assert len(lots) == len(few) <= 9


def test_sixty_on_a_page_and_a_link_to_the_rest(owner: User) -> None:
    many(owner, 61)
    client = signed_in(owner)
    first, second = (client.get(address).content.decode() for address in ("/", "/?page=2"))
    assert first.count('class="card"') == 60
    assert 'href="?page=2"' in first
    assert second.count('class="card"') == 1
    assert client.get("/?page=nonsense").status_code == 200


def test_signing_in_comes_first(db: Any) -> None:
    response = Client().get("/")
    assert response.status_code == 302
    assert response["Location"].startswith("/accounts/login/")


def test_a_part_of_a_page_is_not_answered_with_the_sign_in_page(db: Any) -> None:
    """htmx would put the sign-in page beside unsaved text."""
    response = Client().get("/", headers={"HX-Request": "true"})
    assert response.status_code == 401


def test_only_reading(owner: User) -> None:
    assert signed_in(owner).post("/").status_code == 405
