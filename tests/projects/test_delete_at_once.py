"""SPEC T1, P3: a thesis is deleted while others work in it. It goes whole, and they are told that it is not there."""

import threading
from typing import Any

import pytest
from django.db import connection
from django.db.models.signals import pre_delete

from citations.models import Citation
from core.db_errors import is_deleted
from projects.models import Project, User
from sections.models import Comment, Section
from tests.concurrent_calls import Other, meeting
from tests.people import signed_in

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


def test_who_works_in_it_meanwhile_finds_nothing(project: Project, owner: User) -> None:
    clients = [signed_in(owner) for _ in range(4)]
    api, pages = f"/api/projects/{project.pk}", f"/projects/{project.pk}"
    for client in clients:  # so that all of them are in the middle of it at once
        client.get(f"{pages}/delete/")
        client.get(f"{api}/sections")
    with meeting(
        lambda: clients[0].post(f"{api}/sections", {"title": "Soil"}, content_type="application/json"),
        lambda: clients[1].post(f"{pages}/sections/", {"title": "Soil"}),
        lambda: clients[2].post(
            f"{api}/runs", {"question": "Does alder fix nitrogen?"}, content_type="application/json"
        ),
        lambda: clients[3].post(f"{pages}/delete/"),
    ) as met:
        Project.objects.get(pk=project.pk).delete()
    added, by_page, run, again = (other.outcome for other in met)
    assert (added.status_code, added.json()["error"]["code"]) == (404, "not_found")
    assert by_page.status_code == 404
    assert "Page not found" in by_page.content.decode()
    assert (run.status_code, run.json()["error"]["code"]) == (404, "not_found")
    assert again.status_code in (302, 404)  # either deletes it
    assert not Project.objects.exists()


def test_what_comes_in_at_the_last_moment_goes_with_it(project: Project, owner: User) -> None:
    """A row that is written after all rows were looked up, and before they are deleted."""
    section: Section = project.sections.get(slug="results")
    came: list[Other] = []

    def comment() -> Comment:
        made: Comment = section.comments.create(author=owner, body="Which plots?")
        return made

    def looked_up(sender: Any, **_: Any) -> None:
        if not came and threading.current_thread() is threading.main_thread():
            came.append(Other(comment))
            came[0].waits(10 if connection.vendor == "postgresql" else 0.1)  # on SQLite it waits for the deletion

    pre_delete.connect(looked_up, sender=Section)
    try:
        project.delete()
    finally:
        pre_delete.disconnect(looked_up, sender=Section)
    outcome = came[0].ended()
    assert isinstance(outcome, Comment) or is_deleted(outcome)
    assert isinstance(outcome, Comment) == (connection.vendor == "postgresql")
    assert not Project.objects.exists()
    assert not Comment.objects.exists()


def test_who_writes_a_row_of_it_meanwhile_is_told_that_it_went(project: Project, owner: User) -> None:
    results: Section = project.sections.get(slug="results")
    entry = Citation(project=project, cite_key="alder2020")
    with meeting(lambda: results.write("Words", based_on=0, by=owner), entry.save) as met:
        Project.objects.get(pk=project.pk).delete()
    assert [is_deleted(other.outcome) for other in met] == [True, True]
