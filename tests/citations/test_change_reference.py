"""Changing a reference by hand: its BibTeX, its key, or taking what a check offers (SPEC C5, C6), through the API."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from citations.editing.edit import attest, bibtex_for_editing
from citations.importing.add_references import add
from citations.models import Citation
from projects.models import Project, User
from sections.models import Section
from tests.citations.real_works import WORKS
from tests.people import signed_in
from tests.servers.registry_works import Holdings

Status = Citation.Status
CODEX = WORKS["codex"]
BIBTEX = """@article{tomazini2020,
  title = {%s},
  author = {Tomazini, Bruno M. and Maia, Israel S. and others},
  journal = {JAMA}, year = {2020}, volume = {324}, pages = {1307--1316}, doi = {10.1001/jama.2020.17021}
}"""


@pytest.fixture
def proven(project: Project, owner: User, holdings: Holdings) -> Citation:
    (one,) = add(project, owner, bibtex_entry=BIBTEX % CODEX.title)
    assert one.citation.tier == "A"
    return one.citation


def put(browser: Client, row: Citation, **data: Any) -> Any:
    address = f"/api/projects/{row.project_id}/citations/{row.pk}"
    return browser.put(address, data, content_type="application/json")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("{2020}", "{2019}"),
        ("Tomazini, Bruno M.", "Moss, D."),
        (CODEX.title, "Alder in mixed stands"),
        ("jama.2020.17021", "jama.2020.17022"),
        ("doi = {10.1001/jama.2020.17021}", "isbn = {9780306406157}"),
    ],
)
def test_another_work_goes_back_to_be_checked(owner: User, proven: Citation, old: str, new: str) -> None:
    text = (BIBTEX % CODEX.title).replace(old, new)
    told = put(signed_in(owner), proven, bibtex_entry=text).json()
    assert (told["status"], told["tier"], told["evidence"], told["diff"]) == ("unresolved", "", None, [])
    proven.refresh_from_db()
    assert proven.bibtex == text
    assert (proven.claimed, proven.verified_at, proven.source_doi) == ({}, None, "")
    assert proven.check_due_at is not None
    assert proven.check_due_at <= timezone.now()


@pytest.mark.parametrize(
    "change", [("journal =", "abstract = {Less.}, journal ="), ("2020},", "2020},  keywords={x},")]
)
def test_other_words_leave_the_proof_alone(owner: User, proven: Citation, change: tuple[str, str]) -> None:
    text = (BIBTEX % CODEX.title).replace(*change)
    told = put(signed_in(owner), proven, bibtex_entry=text).json()
    assert (told["status"], told["tier"], told["bibtex"]) == ("verified", "A", text)
    assert told["title"] == CODEX.title
    assert told["evidence"]["type"] == "doi"


def test_what_is_shown_to_edit_changes_nothing_when_it_is_saved(
    project: Project, owner: User, holdings: Holdings, proven: Citation
) -> None:
    (bare,) = add(project, owner, doi=str(WORKS["cape"].doi))
    for row in (proven, bare.citation):
        before = Citation.objects.get(pk=row.pk)
        told = put(signed_in(owner), row, bibtex_entry=bibtex_for_editing(row)).json()
        row.refresh_from_db()
        assert (told["status"], row.title, row.cite_key) == ("verified", before.title, before.cite_key)
    assert bibtex_for_editing(proven) == proven.bibtex


def test_words_a_person_vouched_for_are_not_others(owner: User, project: Project) -> None:
    row = Citation.objects.create(project=project, cite_key="a", csl={"type": "book", "title": "Alder"}, serial=1)
    attest(row, owner, "I have it.")
    put(signed_in(owner), row, bibtex_entry="@book{a, title={Alder}, publisher={River}}")
    row.refresh_from_db()
    assert (row.status, row.attestation) == (Status.ATTESTED, "I have it.")
    put(signed_in(owner), row, bibtex_entry="@book{a, title={Alder}, author={Ibe, C.}}")
    row.refresh_from_db()
    assert (row.status, row.attestation, row.attested_by, row.authors) == (Status.UNRESOLVED, "", None, "Ibe")


def test_another_key(owner: User, proven: Citation) -> None:
    told = put(signed_in(owner), proven, cite_key="codex2020").json()
    assert (told["cite_key"], told["status"]) == ("codex2020", "verified")
    assert "tomazini2020" in told["bibtex"]  # as it was brought in
    text = told["bibtex"].replace("tomazini2020,", "codex,")
    assert put(signed_in(owner), proven, bibtex_entry=text).json()["cite_key"] == "codex"


@pytest.mark.parametrize(
    ("key", "code", "words"),
    [
        ("a b", "unusable", "no spaces"),
        ("a,b", "unusable", "commas"),
        ("2020", "unusable", "letters"),
        ("a" * 201, "invalid", "200"),
        ("IBE2012", "taken", "Another reference already has the key"),
    ],
)
def test_keys_that_cannot_be(owner: User, project: Project, proven: Citation, key: str, code: str, words: str) -> None:
    Citation.objects.create(project=project, cite_key="ibe2012", serial=9)
    answer = put(signed_in(owner), proven, cite_key=key)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"], error["code"]) == (422, "cite_key", code)
    assert words in error["message"]


def test_a_key_that_is_cited_is_not_pulled_away(owner: User, project: Project, proven: Citation) -> None:
    Section.objects.filter(project=project, number__lte=2).update(latex=r"\citep[p.~3]{tomazini2020}")
    answer = put(signed_in(owner), proven, cite_key="codex")
    assert answer.json()["error"]["code"] == "in_use"
    assert "is cited in “" in answer.json()["error"]["message"]


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        ({}, "bibtex_entry", "exactly one"),
        ({"bibtex_entry": "@book{a, title={A}}", "cite_key": "b"}, "bibtex_entry", "exactly one"),
        ({"bibtex_entry": "alder"}, "bibtex_entry", "No BibTeX entry"),
        ({"bibtex_entry": "@book{a, title={A}"}, "bibtex_entry", "Line 1"),
        ({"bibtex_entry": "@book{a, title={A}}\n@book{b, title={B}}"}, "bibtex_entry", "more than one entry"),
        ({"bibtex_entry": "@book{a, title={" + "a" * 10_000 + "}}"}, "bibtex_entry", "10000"),
        ({"bibtex_entry": "@book{a, title={" + "a" * 2_001 + "}}"}, "bibtex_entry", "longer than 2,000"),
    ],
)
def test_what_cannot_be_saved_changes_nothing(
    owner: User, proven: Citation, data: dict[str, str], field: str, words: str
) -> None:
    before = Citation.objects.values().get()
    answer = put(signed_in(owner), proven, **data)
    assert (answer.status_code, answer.json()["error"]["field"]) == (422, field)
    assert words in answer.json()["error"]["message"]
    assert Citation.objects.values().get() == before


# What a check offers


def repair(browser: Client, row: Citation) -> Any:
    return browser.post(f"/api/projects/{row.project_id}/citations/{row.pk}/repair")


def test_the_work_that_is_meant_takes_the_place_of_a_wrong_identifier(
    project: Project, owner: User, holdings: Holdings
) -> None:
    text = (BIBTEX % CODEX.title).replace("jama.2020.17021", "jama.2020.17022")
    (one,) = add(project, owner, bibtex_entry=text)
    row = one.citation
    assert (row.status, row.repair["doi"]) == (Status.CONFLICT, CODEX.doi)
    told = repair(signed_in(owner), row).json()
    assert (told["status"], told["doi"], told["repair"]) == ("unresolved", CODEX.doi, None)
    assert told["bibtex"] == text  # is never lost
    assert told["cite_key"] == "tomazini2020"
    assert str(CODEX.doi) in bibtex_for_editing(Citation.objects.get())
    assert repair(signed_in(owner), row).status_code == 422


def test_a_preprint_becomes_its_published_version(project: Project, owner: User) -> None:
    row = Citation.objects.create(
        project=project, cite_key="ibe2020", serial=1, status=Status.VERIFIED, tier="A",
        published_doi="10.5555/final.1",
        csl={"type": "article", "title": "Alder", "issued": {"date-parts": [[2020]]}, "DOI": "10.1101/1"},
    )  # fmt: skip
    told = repair(signed_in(owner), row).json()
    assert (told["status"], told["doi"], told["csl"]["type"], told["year"]) == (
        "unresolved",
        "10.5555/final.1",
        "document",
        None,
    )


def test_a_vouched_reference_takes_no_repair(project: Project, owner: User) -> None:
    row = Citation.objects.create(project=project, cite_key="a", serial=1, published_doi="10.5555/1")
    attest(row, owner, "I have it.")
    assert repair(signed_in(owner), row).status_code == 422


def test_who_may(outsider: User, reader: User, supervisor: User, proven: Citation) -> None:
    one = f"/api/projects/{proven.project_id}/citations/{proven.pk}"
    for user, status in ((outsider, 404), (reader, 403), (supervisor, 403)):
        browser = signed_in(user)
        assert put(browser, proven, cite_key="b").status_code == status
        assert repair(browser, proven).status_code == status
        assert browser.post(f"{one}/check").status_code == status
        assert browser.delete(one).status_code == status
    assert put(Client(), proven, cite_key="b").status_code == 401
    assert signed_in(reader).patch(one).status_code == 405


def test_a_reference_of_another_thesis_is_not_found(owner: User, proven: Citation) -> None:
    other = Project.objects.create_for(owner, title="Another")
    answer = signed_in(owner).put(
        f"/api/projects/{other.pk}/citations/{proven.pk}", {"cite_key": "b"}, content_type="application/json"
    )
    assert answer.status_code == 404
