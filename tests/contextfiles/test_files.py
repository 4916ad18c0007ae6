"""The list of files, alone and inside the form that starts a run (SPEC X9)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from contextfiles.ingest import mark_read
from projects.models import Project, User
from tests.contextfiles.make_files import stored
from tests.people import signed_in


def url(project: Project) -> str:
    return reverse("contextfiles:list", args=[project.pk])


def test_the_page_lists_files_with_their_state(owner: User, project: Project) -> None:
    stored(project, "waiting.txt", b"a")
    mark_read(stored(project, "read.txt", b"b"))
    mark_read(stored(project, "<b>.txt", b"c"), "This PDF is damaged.")
    page = signed_in(owner).get(url(project)).content.decode()
    assert "<html" in page
    for words in ("Not read yet", "Read</span>", "Could not be read", "This PDF is damaged.", "Asha Menon"):
        assert words in page
    assert "&lt;b&gt;.txt" in page
    assert "<b>.txt" not in page


def test_htmx_gets_the_files_alone(owner: User, project: Project) -> None:
    answer = signed_in(owner).get(url(project), headers={"HX-Request": "true"})
    page = answer.content.decode()
    assert 'id="files"' in page
    assert "<html" not in page
    assert "HX-Request" in answer["Vary"]
    assert "Upload your protocol, notes or papers. Nothing is read until you start a research run with them." in page


def test_picking_has_ticked_boxes_and_no_form(owner: User, project: Project) -> None:
    file = stored(project)
    mark_read(stored(project, "broken.txt", b"x"), "Broken.")
    page = signed_in(owner).get(url(project), {"pick": 1}, headers={"HX-Request": "true"}).content.decode()
    assert f'<input type="checkbox" name="files" value="{file.pk}" checked>' in page
    assert page.count('type="checkbox"') == 1
    assert "<form" not in page
    assert "Broken." in page


def test_readers_see_and_do_not_change(reader: User, project: Project) -> None:
    stored(project)
    page = signed_in(reader).get(url(project)).content.decode()
    assert "notes.md" in page
    assert "data-drop" not in page
    assert "data-confirm" not in page


def test_strangers(outsider: User, project: Project) -> None:
    assert signed_in(outsider).get(url(project)).status_code == 404
    answer = Client().get(url(project))
    assert answer.status_code == 302
    assert "login" in answer["Location"]
    assert signed_in(outsider).post(url(project)).status_code == 405


@pytest.mark.parametrize("pick", [{}, {"pick": 1}])
def test_many_files_cost_no_more_queries(
    owner: User, project: Project, django_assert_max_num_queries: Any, pick: dict[str, int]
) -> None:
    for number in range(12):
        stored(project, f"{number}.txt", b"%d" % number)
    client = signed_in(owner)
    with django_assert_max_num_queries(6):
        client.get(url(project), pick)
