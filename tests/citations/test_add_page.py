"""Adding works on the page of the references: one box for whatever identifies them (SPEC C5, C9)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from citations.models import Citation
from projects.models import Project, User
from tests.citations.checked_rows import CODEX, RECOVERY
from tests.people import signed_in
from tests.servers.registry_works import Holdings

HTMX = {"HX-Request": "true"}


def address(project: Project) -> str:
    return reverse("citations:add", args=[project.pk])


def test_a_doi_is_in_the_list_with_its_proof(owner: User, project: Project, holdings: Holdings) -> None:
    response = signed_in(owner).post(address(project), {"text": f"https://doi.org/{CODEX.doi}?utm=x"}, headers=HTMX)
    page = response.content.decode()
    assert response.status_code == 200
    assert response["HX-Replace-Url"] == reverse("citations:list", args=[project.pk])
    assert page.lstrip().startswith('<div class="page" id="citations"')
    assert "1 added." in page
    added = page.split('id="added"')[1].split('class="audit-place"')[0]
    assert "DOI and title" in added
    assert "tomazini2020" in added
    assert "autofocus" in added.split(">")[0], "the focus goes to what came of it"


def test_several_and_one_that_is_here(owner: User, project: Project, holdings: Holdings) -> None:
    client = signed_in(owner)
    client.post(address(project), {"text": CODEX.doi})
    page = client.post(address(project), {"text": f"{CODEX.doi}\n{RECOVERY.doi}"}).content.decode()
    assert "1 added, 1 already in your references." in page
    assert "Already in your references as" in page
    assert Citation.objects.count() == 2


def test_registries_that_do_not_answer_lose_nothing(owner: User, project: Project, holdings: Holdings) -> None:
    holdings.down = True
    page = signed_in(owner).post(address(project), {"text": CODEX.doi}, headers=HTMX).content.decode()
    assert "1 added." in page
    assert "Being looked up" in page
    assert "every 1s" in page
    assert Citation.objects.get().doi == CODEX.doi


@pytest.mark.parametrize("text", ["", " \n ", "@article{k, title = {never closed"])
def test_what_cannot_be_added_stays_in_the_box(owner: User, project: Project, text: str) -> None:
    response = signed_in(owner).post(address(project), {"text": text}, headers=HTMX)
    page = response.content.decode()
    assert response.status_code == 422
    assert response["HX-Retarget"] == "#add-form"
    assert 'id="add_text_error"' in page
    assert text.strip() in page
    response = signed_in(owner).post(address(project), {"text": text})
    assert response.status_code == 422
    assert "<html" in response.content.decode()
    assert not Citation.objects.exists()


def test_the_page_may_be_filled_by_a_link(owner: User, project: Project) -> None:
    page = signed_in(owner).get(address(project), {"text": "<b>villar2020"}).content.decode()
    assert "&lt;b&gt;villar2020" in page
    assert "hx-post" not in page.split('id="add-form"')[1].split(">")[0]


def test_no_two_fields_of_the_list_have_one_id(owner: User, project: Project, holdings: Holdings) -> None:
    client = signed_in(owner)
    for text in ("", CODEX.doi):
        page = client.post(address(project), {"text": text}).content.decode() if text else ""
        page = page or client.get(reverse("citations:list", args=[project.pk])).content.decode()
        ids = [part.split('"')[0] for part in page.split(' id="')[1:]]
        assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1]


def test_only_those_who_may_write(
    owner: User, outsider: User, supervisor: User, reader: User, project: Project, client: Any
) -> None:
    to = address(project)
    for send in (Client.get, Client.post):
        assert send(signed_in(outsider), to).status_code == 404
        assert [send(signed_in(who), to).status_code for who in (supervisor, reader)] == [403, 403]
        assert send(client, to).status_code == 302
    assert signed_in(owner).delete(to).status_code == 405
    assert to not in signed_in(reader).get(reverse("citations:list", args=[project.pk])).content.decode()
