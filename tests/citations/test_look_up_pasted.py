"""What a text that is typed or pasted to be cited is to a thesis (SPEC C8)."""

import json
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from citations.models import Citation, RetractionNotice
from projects.models import Project, User
from tests.people import signed_in
from tests.time_limits import HANGS


def look(client: Client, project: Project, text: Any) -> Any:
    address = f"/api/projects/{project.pk}/citations/look"
    return client.post(address, json.dumps({"text": text}), content_type="application/json")


def seen(owner: User, project: Project, text: str) -> Any:
    response = look(signed_in(owner), project, text)
    assert response.status_code == 200, response.content
    return response.json()


def entry(project: Project, key: str, title: str, **fields: Any) -> Citation:
    last = Citation.objects.next_serial(project)
    row: Citation = Citation.objects.create(project=project, cite_key=key, title=title, serial=last, **fields)
    return row


def keys(found: Any) -> list[str]:
    return [row["cite_key"] for row in found["citations"]]


def test_words_find_the_library_best_first(owner: User, project: Project) -> None:
    entry(project, "berg2001", "Menon reconsidered", authors="Berg", year=2001)
    entry(project, "menon2021", "Alder and soil", authors="Menon", year=2021)
    entry(project, "vidal2005", "Alder", authors="Menon and Vidal", year=2005)
    found = seen(owner, project, "menon")
    assert (keys(found), found["total"], found["picks"]) == (["menon2021", "vidal2005", "berg2001"], 3, [])
    assert keys(seen(owner, project, "menon alder")) == ["menon2021", "vidal2005"]
    assert keys(seen(owner, project, "elm")) == []


def test_no_words_show_what_was_added_last(owner: User, project: Project) -> None:
    for number in range(12):
        entry(project, f"key{number}", f"Work {number}")
    found = seen(owner, project, "  ")
    assert keys(found) == [f"key{number}" for number in range(11, 3, -1)]
    assert found["total"] == 12


def test_a_row_tells_tier_retraction_and_how_often_it_is_cited(owner: User, project: Project) -> None:
    row = entry(
        project,
        "menon2021",
        "Alder and soil",
        authors="Menon",
        year=2021,
        status="verified",
        tier="A",
        evidence_type="doi",
        retracted=True,
        csl={"container-title": "Forest Ecology"},
    )
    RetractionNotice.objects.create(citation=row, type="retraction", source="publisher", year=2023, doi="10.1/ret")
    for slug in ("results", "discussion"):
        project.sections.get(slug=slug).write("\\cite{menon2021} % \\cite{menon2021}", based_on=0, by=owner)
    shown = seen(owner, project, "alder")["citations"][0]
    assert (shown["tier"], shown["retracted"], shown["times"]) == ("A", True, 2)
    assert (shown["container"], shown["badge"]["words"]) == ("Forest Ecology", "Retracted")
    assert [(one["source"], one["year"], one["doi"]) for one in shown["notices"]] == [("publisher", 2023, "10.1/ret")]
    assert shown["page"] == f"/projects/{project.pk}/citations/{row.pk}/"


def test_a_conflict_tells_its_difference(owner: User, project: Project) -> None:
    differences = [
        {"field": "title", "claimed": "Alder", "found": "Beetles", "agrees": False},
        {"field": "year", "claimed": "2021", "found": "2021", "agrees": True},
    ]
    entry(project, "menon2021", "Alder", status="conflict", tier="D", reason="Another work.", diff=differences)
    shown = seen(owner, project, "alder")["citations"][0]
    assert shown["differences"] == [{"label": "Title", "claimed": "Alder", "found": "Beetles"}]


def test_a_preprint_names_its_published_version_and_its_key(owner: User, project: Project) -> None:
    entry(project, "pre2020", "Alder, a preprint", doi="10.1101/1", published_doi="10.1000/final")
    entry(project, "final2021", "Alder", doi="10.1000/FINAL")
    shown = seen(owner, project, "preprint")["citations"][0]
    assert (shown["published_doi"], shown["published_key"]) == ("10.1000/final", "final2021")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("10.1000/alder", ["doi"]),
        ("https://doi.org/10.1000/alder?utm_source=x", ["doi"]),
        ("PMID: 12345678", ["pmid"]),
        ("PMC7654321", ["pmcid"]),
        ("arXiv:1901.01234", ["arxiv"]),
        ("978-0-306-40615-7", ["isbn"]),
        ("https://example.org/page", ["url"]),
        ("10.1000/a\n10.1000/b\nPMID 7654321\n", ["doi", "doi", "pmid"]),
        ("10.1000/a 10.1000/b", ["doi", "doi"]),
        ("@misc{a, title={Ash}}\n@misc{b, title={Birch}}", ["bibtex", "bibtex"]),
        ("@article{never closed", ["bibtex"]),
        ("TY  - JOUR\nTI  - Ash\nER  - ", ["ris"]),
        ("Ash in spring\nBirch in autumn", ["words", "words"]),
    ],
)
def test_what_is_pasted_is_told_apart(owner: User, project: Project, text: str, kinds: list[str]) -> None:
    found = seen(owner, project, text)
    assert [pick["kind"] for pick in found["picks"]] == kinds
    assert found["citations"] == []


def test_entries_in_bibtex_are_shown_by_their_titles_and_kept_as_they_stand(owner: User, project: Project) -> None:
    first = "@misc{a, title={Ash}, author={Menon, Asha}, year=2020}"
    picks = seen(owner, project, f"{first}\n@misc{{b, title={{Birch}}}}")["picks"]
    assert [(pick["title"], pick["authors"], pick["year"]) for pick in picks] == [
        ("Ash", "Menon", 2020),
        ("Birch", "", None),
    ]
    assert picks[0]["value"] == first


def test_what_is_pasted_and_here_already_is_the_entry(owner: User, project: Project) -> None:
    entry(project, "menon2021", "Alder", doi="10.1000/Alder")
    entry(project, "lund2020", "Birch", doi="10.1000/birch", source_pmid="7654321", status="verified", tier="A")
    entry(project, "arxiv2019", "Ash", doi="10.48550/arXiv.1901.01234")
    picks = seen(owner, project, "10.1000/ALDER\nPMID 7654321\narXiv:1901.01234v2\n10.1000/new")["picks"]
    held = [pick["citation"] and pick["citation"]["cite_key"] for pick in picks]
    assert held == ["menon2021", "lund2020", "arxiv2019", None]


def test_the_doi_of_another_work_is_not_the_entry_that_claims_it(owner: User, project: Project) -> None:
    entry(project, "meduri2020", "Rationale", doi="10.1000/remap", status="conflict", tier="D")
    assert seen(owner, project, "10.1000/remap")["picks"][0]["citation"] is None


def test_another_thesis_is_not_searched(owner: User, project: Project) -> None:
    other = Project.objects.create_for(owner, title="Another")
    entry(other, "menon2021", "Alder", doi="10.1000/alder")
    assert keys(seen(owner, project, "alder")) == []
    assert seen(owner, project, "10.1000/alder")["picks"][0]["citation"] is None


@pytest.mark.parametrize("text", ["a\0b", "x" * 200_001, 7, None])
def test_what_cannot_be_read_is_refused(owner: User, project: Project, text: Any) -> None:
    response = look(signed_in(owner), project, text)
    assert (response.status_code, response.json()["error"]["field"]) == (422, "text")


@pytest.mark.timeout(HANGS)
def test_long_and_odd_texts_are_read(owner: User, project: Project) -> None:
    for text in ("{" * 190_000, "10." * 60_000, "@a{" * 60_000, "% " * 90_000, "\N{DECIDUOUS TREE}" * 50_000):
        assert look(signed_in(owner), project, text).status_code == 200


def test_readers_may_look_strangers_see_nothing(reader: User, outsider: User, project: Project) -> None:
    assert look(signed_in(reader), project, "alder").status_code == 200
    assert look(signed_in(outsider), project, "alder").status_code == 404
    assert look(Client(), project, "alder").status_code == 401


def test_only_post(owner: User, project: Project) -> None:
    assert signed_in(owner).get(f"/api/projects/{project.pk}/citations/look").status_code in (404, 405)


@pytest.mark.long
def test_a_large_library_costs_as_many_queries_as_a_small_one(owner: User, project: Project) -> None:
    """How long it takes is measured in tests/benchmarks/cite.py."""
    client = signed_in(owner)
    counts = []
    for numbers in (range(20), range(20, 2_000)):
        Citation.objects.bulk_create(
            Citation(
                project=project,
                cite_key=f"menon{n}",
                title=f"Alder and soil, part {n}",
                authors="Menon",
                doi=f"10.1/{n}",
            )
            for n in numbers
        )
        for text in ("m", "alder", "10.1/7"):
            look(client, project, text)
            with CaptureQueriesContext(connection) as asked:
                assert look(client, project, text).status_code == 200
            counts.append(len(asked))
    assert counts[:3] == counts[3:]
