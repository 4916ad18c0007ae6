"""Adding a reference by DOI, PMID, BibTeX, or whatever was pasted (SPEC C5), through the API."""

import json
from typing import Any

import pytest
from django.test import Client

from citations.importing import add_references
from citations.importing.add_references import add
from citations.models import Citation
from citations.resolution.check_job import CHECK
from core.errors import Refused
from jobs.models import Job
from projects.models import Project, User
from sections.models import Section
from tests.citations.real_works import WORKS
from tests.people import signed_in
from tests.servers.registry_works import Holdings

CODEX = WORKS["codex"]
BIBTEX = """@article{tomazini2020,
  title = {%s},
  author = {Tomazini, Bruno M. and Maia, Israel S. and others},
  journal = {JAMA}, year = {2020}, volume = {324}, pages = {1307--1316}, doi = {10.1001/jama.2020.17021}
}"""


@pytest.fixture
def browser(owner: User) -> Client:
    return signed_in(owner)


def post(browser: Client, project: Project, **data: Any) -> Any:
    return browser.post(f"/api/projects/{project.pk}/citations", data, content_type="application/json")


def added(browser: Client, project: Project, **data: Any) -> dict[str, Any]:
    answer = post(browser, project, **data)
    assert answer.status_code == 201, answer.content
    (one,) = answer.json()["citations"]
    return dict(one)


@pytest.mark.parametrize(
    "given",
    [
        {"doi": "https://doi.org/10.1001/JAMA.2020.17021?utm_source=x"},
        {"pmid": "PMID: 328 766 95"},
        {"text": "Tomazini BM. JAMA 2020. doi:10.1001/jama.2020.17021."},
    ],
)
def test_an_identifier_brings_the_work_with_its_proof(
    browser: Client, project: Project, holdings: Holdings, given: dict[str, str]
) -> None:
    one = added(browser, project, **given)
    assert (one["cite_key"], one["status"], one["tier"], one["existing"]) == ("tomazini2020", "verified", "A", False)
    assert (one["title"], one["year"], one["serial"]) == (CODEX.title, 2020, 1)
    assert one["evidence"]["type"] in ("doi", "pmid")
    row = Citation.objects.get()
    assert row.verified_at
    assert row.check_due_at is None
    assert row.claimed.keys() == {"type", "DOI"} or row.claimed.keys() == {"type", "PMID"}
    assert not Job.objects.exists()


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "again",
    [
        {"doi": "10.1001/jama.2020.17021"},
        {"pmid": "32876695"},
        {"text": "https://jamanetwork.com/x/10.1001/jama.2020.17021"},
        {"bibtex_entry": BIBTEX % CODEX.title},
        {"bibtex_entry": (BIBTEX % CODEX.title).replace("doi =", "note =")},
    ],
)
@pytest.mark.parametrize("first", [{"doi": CODEX.doi}, {"pmid": CODEX.pmid}])
def test_a_work_that_is_here_gives_its_key(
    browser: Client, project: Project, holdings: Holdings, first: dict[str, Any], again: dict[str, Any]
) -> None:
    """By DOI, PMID, then title, year and first author, whichever of them it came by first."""
    assert added(browser, project, **first)["existing"] is False
    one = added(browser, project, **again)
    assert (one["existing"], one["cite_key"]) == (True, "tomazini2020")
    assert one["added_as"] == "Already in your references as tomazini2020."
    assert Citation.objects.count() == 1


def test_one_doi_of_another_title_is_another_work(browser: Client, project: Project, holdings: Holdings) -> None:
    """A wrong identifier is common. It must not hide the entry behind another work."""
    added(browser, project, doi=CODEX.doi)
    one = added(browser, project, bibtex_entry=BIBTEX % "Alder in mixed stands")
    assert (one["existing"], one["cite_key"], one["status"]) == (False, "tomazini2020b", "conflict")


def test_bibtex_keeps_its_key_and_its_bytes(browser: Client, project: Project, holdings: Holdings) -> None:
    text = BIBTEX % CODEX.title.replace("&", "\\&")
    one = added(browser, project, bibtex_entry=text)
    assert (one["cite_key"], one["status"], one["tier"]) == ("tomazini2020", "verified", "A")
    row = Citation.objects.get()
    assert row.bibtex.strip() == text
    assert row.claimed["author"][0]["family"] == "Tomazini"
    assert len(row.csl["author"]) == len(CODEX.authors)


def test_a_key_that_another_work_has_becomes_another(browser: Client, project: Project, holdings: Holdings) -> None:
    first = "@book{Alder, title={Alder in mixed stands}, author={Ibe, C.}, year={2012}}"
    second = "@book{alder, title={The life of oaks}, author={Moss, D.}, year={1999}}"
    assert added(browser, project, bibtex_entry=first)["cite_key"] == "Alder"
    one = added(browser, project, bibtex_entry=second)
    assert one["cite_key"] == "alderb"
    assert one["added_as"] == "Added as alderb."


def test_the_same_key_with_new_words_updates_what_is_not_proven(
    browser: Client, project: Project, holdings: Holdings
) -> None:
    first = "@book{ibe2012, title={Alder in mixed stands}, author={Ibe, C.}, year={2012}}"
    added(browser, project, bibtex_entry=first)
    one = added(
        browser, project, bibtex_entry=first.replace("2012}}", "2012}, publisher={River}, isbn={9780306406157}}")
    )
    row = Citation.objects.get()
    assert (one["existing"], row.csl["ISBN"], row.status) == (True, "9780306406157", "unresolved")


def test_many_lines(browser: Client, project: Project, holdings: Holdings) -> None:
    text = f"1. {CODEX.doi}\n2. PMID {CODEX.pmid}\n3. {WORKS['recovery'].doi}\n4. Alder in mixed stands\n"
    answer = post(browser, project, text=text).json()["citations"]
    assert [(one["cite_key"], one["existing"]) for one in answer] == [
        ("tomazini2020", False),
        ("tomazini2020", True),
        ("recovery2021", False),
        ("aldernd", False),
    ]
    assert [one["serial"] for one in answer] == [1, 1, 2, 3]
    assert Job.objects.get().kind == CHECK


def test_broken_entries_are_told_and_their_neighbours_come_in(
    browser: Client, project: Project, holdings: Holdings
) -> None:
    text = BIBTEX % CODEX.title + "\n@book{broken, title = {Alder\n"
    answer = post(browser, project, text=text).json()
    assert [one["cite_key"] for one in answer["citations"]] == ["tomazini2020"]
    assert answer["problems"][0]["line"] == 6
    assert answer["problems"][0]["key"] == "broken"


@pytest.mark.parametrize("slow", [True, False])
def test_registries_that_do_not_answer_cost_a_second_and_lose_nothing(
    browser: Client, project: Project, holdings: Holdings, monkeypatch: pytest.MonkeyPatch, slow: bool
) -> None:
    monkeypatch.setattr(add_references, "REGISTRY_TIMEOUT", 0.3)
    holdings.down, holdings.delay = not slow, 5.0 if slow else 0.0
    one = added(browser, project, doi=CODEX.doi)
    assert (one["status"], one["tier"], one["doi"]) == ("unresolved", "", CODEX.doi)
    assert one["cite_key"] == "doi-10.1001-jama.2020.17021"  # it may be cited at once, so it lasts
    assert one["check_due_at"]
    assert Job.objects.get().kind == CHECK
    assert added(browser, project, doi=CODEX.doi)["existing"] is True


def test_a_page_may_give_a_key_for_the_time_being(
    project: Project, owner: User, holdings: Holdings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(add_references, "REGISTRY_TIMEOUT", 0.1)
    holdings.down = True
    (one,) = add(project, owner, doi=str(CODEX.doi))
    assert one.citation.cite_key == "ref1"


@pytest.mark.parametrize(
    ("data", "field", "words"),
    [
        ({}, "text", "exactly one"),
        ({"doi": "10.1/a", "pmid": "1"}, "pmid", "exactly one"),
        ({"doi": "alder"}, "doi", "“alder” is not a DOI"),
        ({"doi": "10.1000/" + "a" * 493}, "doi", "500"),
        ({"pmid": "alder"}, "pmid", "is not a PMID"),
        ({"pmid": "1" * 51}, "pmid", "50"),
        ({"bibtex_entry": "alder"}, "bibtex_entry", "No BibTeX entry"),
        ({"bibtex_entry": "@book{a, title={Alder}"}, "bibtex_entry", "Line 1"),
        ({"bibtex_entry": "@book{a, title={" + "a" * 10_000 + "}}"}, "bibtex_entry", "10"),
        ({"text": "  "}, "text", "nothing to add"),
        ({"text": "\n".join(f"Title of work {number}" for number in range(201))}, "text", "201 references"),
        ({"text": "a" * 2_001}, "text", "longer than 2,000"),
        ({"csl": {"title": "Alder"}}, "text", "exactly one"),
    ],
)
def test_what_cannot_be_added_is_refused_with_its_field(
    browser: Client, project: Project, holdings: Holdings, data: dict[str, Any], field: str, words: str
) -> None:
    answer = post(browser, project, **data)
    error = answer.json()["error"]
    assert (answer.status_code, error["field"]) == (422, field)
    assert words in error["message"]
    assert not Citation.objects.exists()


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("@misc{who, author={{World Health Organization}}, title={Guideline}, year={2020}}", "who"),
        ("@misc{, author={{World Health Organization}}, title={Guideline}, year={2020}}", "world2020"),
        ("@misc{a key, author={Ибе, К.}, title={Ольха}, year={in press}}", "ibend"),
        ("@misc{x#y, author={Ibe, C.}, title={A # B}, year={in press}}", "ibend"),
        ("@misc{2020, title={ALL CAPS}, year={2020}}", "all2020"),
        ("@misc{s, title={<script>alert(1)</script>}}", "s"),
    ],
)
def test_odd_entries_come_in(browser: Client, project: Project, holdings: Holdings, text: str, key: str) -> None:
    assert added(browser, project, bibtex_entry=text)["cite_key"] == key


def test_a_csl_item_that_was_pasted(project: Project, owner: User, holdings: Holdings) -> None:
    (one,) = add(project, owner, text=json.dumps([CODEX.csl()]))
    assert (one.citation.cite_key, one.citation.tier) == ("tomazini2020", "A")


def test_five_hundred_authors(project: Project, owner: User, holdings: Holdings) -> None:
    people = " and ".join(f"Name{number}, A." for number in range(500))
    (one,) = add(project, owner, bibtex_entry=f"@article{{many, title={{Alder}}, author={{{people}}}}}"[:9_990])
    assert one.citation.authors == "Name0, Name1 and others"


def test_nobody_else_adds(
    project: Project, owner: User, outsider: User, reader: User, supervisor: User, holdings: Holdings
) -> None:
    assert post(signed_in(outsider), project, doi=CODEX.doi).status_code == 404
    assert post(Client(), project, doi=CODEX.doi).status_code == 401
    for member in (reader, supervisor):
        assert post(signed_in(member), project, doi=CODEX.doi).status_code == 403
    assert not holdings.asked
    assert signed_in(owner).patch(f"/api/projects/{project.pk}/citations").status_code == 405


def test_no_project_hides_the_key_of_another(project: Project, owner: User, holdings: Holdings) -> None:
    other = Project.objects.create_for(owner, title="Another")
    add(other, owner, doi=str(CODEX.doi))
    (one,) = add(project, owner, doi=str(CODEX.doi))
    assert (one.existing, one.citation.cite_key, one.citation.project_id) == (False, "tomazini2020", project.pk)


def test_refused_is_a_sentence(project: Project, owner: User) -> None:
    with pytest.raises(Refused, match="exactly one"):
        add(project, owner)


def test_sections_are_no_obstacle(project: Project, owner: User, holdings: Holdings) -> None:
    """A key that a text cites already, and no reference has, is free: that is what is missing."""
    Section.objects.filter(project=project).update(latex="\\cite{tomazini2020}")
    (one,) = add(project, owner, doi=str(CODEX.doi))
    assert one.citation.cite_key == "tomazini2020"
