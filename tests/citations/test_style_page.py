"""Choosing a citation style, with the thesis's own references to see it by (SPEC C12)."""

from typing import Any

import pytest
from django.urls import reverse

from citations.importing.file_import import import_entries
from citations.models import PrintedReference
from projects.models import Project, User
from tests.people import signed_in

ENTRIES = r"""
@article{menon2021, title = {Alder and soil}, author = {Menon, Asha}, journal = {Forest Ecology}, year = 2021,
 volume = 3}
@article{iyer2020, title = {Oak}, author = {Iyer, Ravi}, journal = {Forest Ecology}, year = 2020}
@article{a, title = {Ash}, author = {Vidal, Rosa}, year = 2011}
@article{b, title = {Beech}, author = {Vidal, Rosa}, year = 2012}
@article{c, title = {Cedar}, author = {Vidal, Rosa}, year = 2013}
@article{d, title = {Date palm}, author = {Vidal, Rosa}, year = 2014}
@book{lund2019, title = {<b>Birch</b>}, author = {Lund, Oskar}, publisher = {Wood Press}, year = 2019}
"""


@pytest.fixture
def full(project: Project) -> Project:
    import_entries(project, ENTRIES)
    return project


def page(project: Project, name: str = "style") -> str:
    return reverse(f"citations:{name}", args=[project.pk])


def test_the_list_says_how_references_are_printed(full: Project, owner: User) -> None:
    shown = signed_in(owner).get(page(full, "list")).content.decode()
    assert "Citation style: <b>APA 7</b>" in shown
    assert page(full) in shown


def test_a_style_is_looked_at_with_own_references(full: Project, reader: User) -> None:
    client = signed_in(reader)
    apa = client.get(page(full, "style_preview"), {"style": "apa"}).content.decode()
    assert "Menon, A. (2021). Alder and soil. <em>Forest Ecology</em>, <em>3</em>." in apa
    assert "Lund, O. (2019)." in apa, "of each kind one, though it is the last"
    assert apa.count("<li>") == 5
    assert "<b>Birch</b>" not in apa
    assert "<html" not in apa
    lancet = client.get(page(full, "style_preview"), {"style": "the-lancet"}).content.decode()
    assert "The Lancet" in lancet
    assert "Menon A. Alder and soil." in lancet


def test_a_thesis_without_references_sees_a_sample(project: Project, owner: User) -> None:
    shown = signed_in(owner).get(page(project, "style_preview"), {"style": "vancouver"}).content.decode()
    assert "Watson JD, Crick FHC." in shown
    assert "these are examples" in shown


def test_a_preview_is_kept(full: Project, owner: User) -> None:
    client = signed_in(owner)
    client.get(page(full, "style_preview"), {"style": "ieee"})
    assert PrintedReference.objects.count() == 5
    client.get(page(full, "style_preview"), {"style": "ieee"})
    assert PrintedReference.objects.count() == 5


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("lancet oncol", "The Lancet Oncology"),
        ("new england", "New England Journal of Medicine"),
        ("forest ecol", "Fo"),
    ],
)
def test_any_style_is_found_by_its_name(words: str, found: str, full: Project, owner: User) -> None:
    answer = (
        signed_in(owner)
        .get(page(full), {"q": words}, headers={"HX-Request": "true", "HX-Target": "styles"})
        .content.decode()
    )
    assert answer.count('type="radio"') >= 1
    assert found in answer
    assert "style-preview" not in answer.replace('hx-target="#style-preview"', "")


def test_nothing_found_says_what_to_do(full: Project, owner: User) -> None:
    answer = signed_in(owner).get(page(full), {"q": "zzzz"}).content.decode()
    assert "No style has these words in its name." in answer


def test_the_chosen_style_is_kept_and_used(full: Project, editor: User) -> None:
    client = signed_in(editor)
    answer = client.post(page(full), {"style": "the-lancet"}, follow=True).content.decode()
    full.refresh_from_db()
    assert full.citation_style == "the-lancet"
    assert "Citation style changed to The Lancet." in answer
    assert "Citation style: <b>The Lancet</b>" in answer
    row = full.citations.get(cite_key="menon2021")
    detail = client.get(reverse("citations:detail", args=[full.pk, row.pk])).content.decode()
    assert "Menon A. Alder and soil." in detail


@pytest.mark.parametrize("style", ["zzzz", "../../../etc/passwd", "x" * 500, "chicago-notes-no-url"])
def test_what_is_no_style_is_refused(style: str, full: Project, owner: User) -> None:
    answer = signed_in(owner).post(page(full), {"style": style})
    assert answer.status_code == 422
    assert "Choose a citation style from the list." in answer.content.decode()
    full.refresh_from_db()
    assert full.citation_style == "apa"
    assert signed_in(owner).get(page(full, "style_preview"), {"style": style}).status_code == 200


def test_the_whole_page_and_the_dialog(full: Project, owner: User) -> None:
    client = signed_in(owner)
    whole = client.get(page(full)).content.decode()
    assert "<html" in whole
    assert 'value="apa" checked' in whole
    part = client.get(page(full), headers={"HX-Request": "true", "HX-Target": "style-picker"}).content.decode()
    assert "<html" not in part
    assert "Use this style" in part


def test_who_may_only_read_may_look(full: Project, reader: User) -> None:
    client = signed_in(reader)
    assert "Use this style" not in client.get(page(full)).content.decode()
    assert client.post(page(full), {"style": "ieee"}).status_code == 403


def test_strangers_and_wrong_methods(full: Project, owner: User, outsider: User, client: Any) -> None:
    addresses = [page(full), page(full, "style_preview")]
    assert [signed_in(outsider).get(address).status_code for address in addresses] == [404, 404]
    assert signed_in(outsider).post(addresses[0], {"style": "ieee"}).status_code == 404
    assert [client.get(address).status_code for address in addresses] == [302, 302]
    assert [signed_in(owner).put(address).status_code for address in addresses] == [405, 405]
