"""What the chips of the editor are told of the works a thesis cites (SPEC C9)."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from citations.models import Citation
from projects.models import Project, User
from tests.people import signed_in


def chips(client: Client, project: Project, **query: str) -> Any:
    return client.get(f"/api/projects/{project.pk}/citations/chips", query)


def chip_data(owner: User, project: Project, **query: str) -> Any:
    response = chips(signed_in(owner), project, **query)
    assert response.status_code == 200, response.content
    return response.json()


def entry(project: Project, key: str, **fields: Any) -> Citation:
    row: Citation = Citation.objects.create(
        **{"project": project, "cite_key": key, "title": f"Work of {key}", **fields}
    )
    return row


def test_a_chip_names_a_work_by_author_year_and_proof(owner: User, project: Project) -> None:
    row = entry(
        project,
        "sterne2020",
        authors="Sterne, Murthy and others",
        year=2020,
        status="verified",
        tier="A",
        evidence_type="doi",
    )
    assert chip_data(owner, project) == {
        "sterne2020": {
            "id": str(row.pk),
            "label": "Sterne 2020",
            "tier": "a",
            "letter": "A",
            "icon": "check",
            "words": "DOI and title",
            "status": "verified",
            "retracted": False,
            "pending": False,
        }
    }


def test_what_has_no_author_or_year_is_named_all_the_same(owner: User, project: Project) -> None:
    entry(project, "one", title="A report that nobody signed, with a title longer than any chip")
    entry(project, "two", title="", authors="")
    entry(project, "three", authors="Berg and Lund")
    entry(project, "four", authors="The Working Group on Everything That Has a Long Name", year=2001)
    labels = {key: chip["label"] for key, chip in chip_data(owner, project).items()}
    assert labels == {
        "one": "A report that nobody signed, with a tit…",
        "two": "two",
        "three": "Berg",
        "four": "The Working Group on Everything That Ha… 2001",
    }


def test_trouble_is_told_before_the_tier(owner: User, project: Project) -> None:
    entry(project, "away", status="not_found", tier="D")
    entry(project, "other", status="conflict", tier="D")
    entry(project, "gone", status="verified", tier="A", evidence_type="doi", retracted=True)
    found = chip_data(owner, project)
    assert {key: (chip["tier"], chip["letter"], chip["words"]) for key, chip in found.items()} == {
        "away": ("d", "D", "Not found"),
        "other": ("conflict", "", "Conflict"),
        "gone": ("retracted", "", "Retracted"),
    }
    assert [key for key, chip in found.items() if chip["retracted"]] == ["gone"]


def test_what_is_being_checked_is_told_from_what_nobody_asked_about(owner: User, project: Project) -> None:
    entry(project, "soon", check_due_at=timezone.now() + timedelta(seconds=1))
    entry(project, "never")
    found = chip_data(owner, project)
    assert {key: (chip["tier"], chip["words"], chip["pending"]) for key, chip in found.items()} == {
        "soon": ("wait", "Being looked up", True),
        "never": ("wait", "Not looked up yet", False),
    }


def test_only_the_keys_that_are_asked_for(owner: User, project: Project) -> None:
    for key in ("a", "b", "A", "c:1"):
        entry(project, key)
    assert list(chip_data(owner, project, keys="a, c:1,unknown")) == ["a", "c:1"]
    assert chip_data(owner, project, keys="unknown") == {}
    assert len(chip_data(owner, project, keys="")) == 4


def test_another_thesis_has_its_own(owner: User, project: Project) -> None:
    other = Project.objects.create_for(owner, title="Another")
    entry(other, "elsewhere")
    assert chip_data(owner, project) == {}


@pytest.mark.long
def test_two_thousand_are_one_query_and_quick(owner: User, project: Project) -> None:
    Citation.objects.bulk_create(
        Citation(project=project, cite_key=f"key{number}", title="Work", authors="Berg", year=2001, serial=number)
        for number in range(2_000)
    )
    client = signed_in(owner)
    chip_data(owner, project, keys="key1")
    with CaptureQueriesContext(connection) as asked:
        response = chips(client, project)
    assert len(response.json()) == 2_000
    assert sum("citations_citation" in one["sql"] for one in asked.captured_queries) == 2, "rows, and other keys"


def test_whoever_reads_the_thesis_sees_them_and_a_stranger_does_not(
    reader: User, supervisor: User, outsider: User, project: Project
) -> None:
    entry(project, "a")
    for member in (reader, supervisor):
        assert list(chip_data(member, project)) == ["a"]
    assert chips(signed_in(outsider), project).status_code == 404
    assert chips(Client(), project).status_code == 401
    project.pk = uuid4()
    assert chips(signed_in(reader), project).status_code == 404


def test_it_is_only_read_and_refuses_what_no_key_can_be(owner: User, project: Project) -> None:
    client = signed_in(owner)
    address = f"/api/projects/{project.pk}/citations/chips"
    assert client.post(address).status_code == 405
    assert client.delete(address).status_code == 405
    assert chips(client, project, keys="a\x00").status_code == 422
    assert chips(client, project, keys="a," * 20_000).status_code == 422
