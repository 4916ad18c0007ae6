"""The entries of a stored file, for programs (SPEC P4, X1, C10)."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from citations.importing.file_import import import_entries
from citations.models import Citation
from contextfiles.models import ContextFile
from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from tests.citations.sample_files import FOUR, api, json_of, long_text, readings, stored
from tests.people import signed_in


def post(client: Client, address: str, data: Any = None) -> Any:
    return client.post(address, {} if data is None else data, content_type="application/json")


def test_reading_lists_entries_and_what_is_wrong(owner: User, project: Project) -> None:
    import_entries(project, "@misc{here, title={Cedar}, year=2019}")
    file = stored(project, f"{FOUR}@misc{{, title={{Yew}}, title={{Ash}}}}")
    found = json_of(post(signed_in(owner), api(file)))
    assert [entry["key"] for entry in found["entries"]] == ["menon2021", "lund2020", "cedar", "yewnd"]
    assert found["entries"][0] == {
        "key": "menon2021",
        "new_key": "menon2021",
        "line": 1,
        "type": "article-journal",
        "title": "Alder and soil",
        "authors": "Menon",
        "year": 2021,
        "doi": "10.1000/alder",
        "pmid": "321",
        "here": "",
        "twin": "",
        "why": "",
    }
    cedar = found["entries"][2]
    assert (cedar["here"], cedar["why"], cedar["new_key"]) == ("here", "same title and year", "")
    (broken,) = found["unreadable"]
    assert (broken["line"], broken["key"]) == (9, "broken")
    assert broken["text"].startswith("@article{broken, title = {Never closed")
    assert any("appears twice" in note["message"] for note in found["notes"])
    assert any("has no key" in note["message"] for note in found["notes"])
    assert list(Citation.objects.values_list("cite_key", flat=True)) == ["here"]


def test_importing_some_and_all(owner: User, project: Project) -> None:
    file = stored(project)
    client = signed_in(owner)
    post(client, api(file))
    some = json_of(post(client, api(file, "/import"), {"keys": ["cedar", "nobody"]}))
    assert some == {
        "imported": ["cedar"],
        "skipped": [{"key": "nobody", "why": "This file has no entry with this key."}],
        "renamed": [],
        "notes": [],
    }
    Citation.objects.filter(cite_key="cedar").update(cite_key="menon2021")
    rest = json_of(post(client, api(file, "/import"), {"keys": "all"}))
    assert rest["imported"] == ["menon2021b", "lund2020"]
    assert rest["renamed"] == [{"key": "menon2021", "new_key": "menon2021b"}]
    why = "Already in your references as menon2021: same title and year."  # "Cedar" is too short a title to say more
    assert rest["skipped"] == [{"key": "cedar", "why": why}]
    assert set(Citation.objects.values_list("status", "tier")) == {("unresolved", "")}


@pytest.mark.parametrize(
    ("data", "status"),
    [
        ({"keys": "some"}, 422),
        ({"keys": None}, 422),
        ({}, 422),
        ({"keys": [1]}, 422),
        ({"keys": ["x"] * 1_001}, 422),
        ({"keys": []}, 200),
    ],
)
def test_a_request_that_names_no_entries(data: Any, status: int, owner: User, project: Project) -> None:
    file = stored(project)
    client = signed_in(owner)
    post(client, api(file))
    assert post(client, api(file, "/import"), data).status_code == status
    assert not Citation.objects.exists()


def test_importing_before_reading_is_refused(owner: User, project: Project, media: Path) -> None:
    answer = post(signed_in(owner), api(stored(project), "/import"), {"keys": "all"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "not_read")
    assert readings(media) == []


@pytest.mark.parametrize("act", ["", "/import"])
def test_other_formats_get_a_sentence(act: str, owner: User, project: Project) -> None:
    file = stored(project, "x", "notes.md")
    answer = post(signed_in(owner), api(file, act), {"keys": "all"})
    assert answer.status_code == 400
    assert answer.json()["error"]["message"] == (
        "notes.md is not a file of references. Entries can be read from BibTeX (.bib) and RIS (.ris) files."
    )


@pytest.mark.django_db(transaction=True)
def test_a_long_file_is_answered_with_a_job(owner: User, project: Project) -> None:
    file = stored(project, long_text())
    client = signed_in(owner)
    answer = post(client, api(file))
    assert answer.status_code == 202
    assert post(client, api(file)).json() == answer.json() == {"job": str(Job.objects.get().pk)}
    waiting = post(client, api(file, "/import"), {"keys": ["k1"]})
    assert (waiting.status_code, waiting.json()) == (202, answer.json())
    perform(answer.json()["job"])
    assert len(json_of(post(client, api(file)))["entries"]) == 136


def test_who_may(owner: User, outsider: User, reader: User, supervisor: User, project: Project, client: Client) -> None:
    file = stored(project)
    for act in ("", "/import"):
        address = api(file, act)
        assert post(signed_in(outsider), address, {"keys": "all"}).status_code == 404
        for member in (reader, supervisor):
            assert post(signed_in(member), address, {"keys": "all"}).status_code == 403
        assert post(client, address, {"keys": "all"}).status_code == 401
        for method in ("get", "put", "delete", "patch"):
            assert getattr(signed_in(owner), method)(address).status_code == 405
    assert not Citation.objects.exists()
    mine = Project.objects.create_for(outsider, title="Another")
    elsewhere = api(ContextFile(pk=file.pk, project=mine))
    assert post(signed_in(outsider), elsewhere).status_code == 404
