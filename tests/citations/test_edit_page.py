"""Editing a reference's BibTeX on its page (SPEC C5, C6, C9)."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from citations.importing.add_references import add
from citations.models import Citation
from projects.models import Project, User
from tests.citations.checked_rows import CODEX, cite
from tests.people import signed_in
from tests.servers.registry_works import Holdings

Status = Citation.Status
BIBTEX = """@article{tomazini2020,
  title = {TITLE},
  author = {Tomazini, Bruno M. and Maia, Israel S. and others},
  journal = {JAMA}, year = {2020}, volume = {324}, pages = {1307--1316}, doi = {10.1001/jama.2020.17021}
}""".replace("TITLE", CODEX.title)


@pytest.fixture
def row(project: Project, owner: User, holdings: Holdings) -> Citation:
    (one,) = add(project, owner, bibtex_entry=BIBTEX)
    assert one.citation.tier == "A"
    return one.citation


def address(row: Citation) -> str:
    return reverse("citations:edit", args=[row.project_id, row.pk])


def test_the_entry_stands_in_the_box(owner: User, project: Project, row: Citation) -> None:
    cite(project, "Results", "tomazini2020")
    page = signed_in(owner).get(address(row)).content.decode()
    assert "@article{tomazini2020," in page
    assert ">Results</a>" in page


def test_another_year_has_it_checked_again(editor: User, row: Citation) -> None:
    text = BIBTEX.replace("{2020}", "{2019}")
    response = signed_in(editor).post(address(row), {"bibtex": text.replace("\n", "\r\n")}, follow=True)
    assert response.redirect_chain[-1][0] == reverse("citations:detail", args=[row.project_id, row.pk])
    assert "Saved. The reference is being checked again." in response.content.decode()
    row.refresh_from_db()
    assert (row.status, row.tier, row.bibtex) == (Status.UNRESOLVED, "", text)


def test_a_note_leaves_the_proof_alone(owner: User, row: Citation) -> None:
    text = BIBTEX.replace("journal =", "note = {Read it twice.}, journal =")
    page = signed_in(owner).post(address(row), {"bibtex": text}, follow=True).content.decode()
    assert "Saved." in page
    assert "checked once more" not in page
    row.refresh_from_db()
    assert row.tier == "A"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "The BibTeX cannot be empty."),
        ("words", "No BibTeX entry was found."),
        (f"{BIBTEX}\n@book{{b, title = {{B}}}}", "more than one entry"),
        ("@article{k, title = {never closed", "Line 1:"),
        ("@article{k, title = {T" + "x" * 10_000 + "}}", "at most 10000 characters"),
    ],
)
def test_what_cannot_be_read_stays_in_the_box(owner: User, row: Citation, text: str, said: str) -> None:
    response = signed_in(owner).post(address(row), {"bibtex": text})
    page = response.content.decode()
    assert response.status_code == 422
    assert said in page.split('id="id_bibtex_error"')[1].split("</div>")[0]
    assert text[:60] in page
    row.refresh_from_db()
    assert (row.tier, row.bibtex) == ("A", BIBTEX)


def test_supervisors_strangers_and_wrong_methods(
    owner: User, outsider: User, supervisor: User, reader: User, row: Citation, client: Any
) -> None:
    to = address(row)
    for send in (Client.get, Client.post):
        assert send(signed_in(outsider), to).status_code == 404
        assert [send(signed_in(who), to).status_code for who in (supervisor, reader)] == [403, 403]
        assert send(client, to).status_code == 302
    assert signed_in(owner).delete(to).status_code == 405
    row.refresh_from_db()
    assert row.bibtex == BIBTEX
