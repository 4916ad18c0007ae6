"""Reading, checking and deleting references through the API (SPEC C4, C5)."""

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from citations.models import Citation
from jobs.models import Job
from projects.models import Project, User
from tests.people import signed_in

NAMES = (
    *(
        "id",
        "serial",
        "cite_key",
        "title",
        "authors",
        "year",
        "container",
        "doi",
        "pmid",
        "url",
        "note",
        "status",
        "tier",
    ),
    *("reason", "file_name", "file_id", "evidence", "source_doi", "source_pmid", "verified_at", "checked_at"),
    *("check_due_at", "attestation", "diff", "repair", "published_doi", "open_access_url", "retracted"),
    *("retraction_reason", "notices", "created_at", "updated_at", "other_keys", "tags"),
)


@pytest.fixture
def row(project: Project, owner: User) -> Citation:
    citation: Citation = Citation.objects.create(
        project=project, cite_key="ibe2012", serial=2, title="Alder", status="conflict", tier="D",
        reason="It is another.",
        diff=[{"field": "year", "claimed": "2012", "found": "2013", "agrees": False}],
        repair={"doi": "10.5555/1", "title": "Oak", "csl": {"title": "Oak"}},
    )  # fmt: skip
    citation.notices.create(type="retraction", doi="10.5555/ret", source="publisher", year=2020)
    return citation


def many(project: Project, count: int) -> None:
    for number in range(count):
        row = Citation.objects.create(project=project, cite_key=f"k{number}", serial=number + 10)
        row.notices.create(type="retraction")


def get(browser: Client, project: Project, rest: str = "") -> Any:
    return browser.get(f"/api/projects/{project.pk}/citations{rest}").json()


def test_all_that_is_known_is_told(owner: User, project: Project, row: Citation) -> None:
    (told,) = get(signed_in(owner), project)
    assert tuple(told) == NAMES
    assert told["diff"] == [{"field": "year", "claimed": "2012", "found": "2013", "agrees": False}]
    assert told["repair"] == {"doi": "10.5555/1", "title": "Oak"}
    assert told["notices"] == [
        {"type": "retraction", "doi": "10.5555/ret", "pmid": "", "source": "publisher", "year": 2020, "note": ""}
    ]
    assert told["evidence"] is None
    assert {*get(signed_in(owner), project, f"/{row.pk}")} == {*NAMES, "csl", "claimed", "record", "bibtex"}


def test_listed_by_serial_then_age(owner: User, project: Project, row: Citation) -> None:
    for key, serial in (("last", 3), ("first", 1), ("second", 1)):
        Citation.objects.create(project=project, cite_key=key, serial=serial)
    assert [one["cite_key"] for one in get(signed_in(owner), project)] == ["first", "second", "ibe2012", "last"]


def test_the_list_takes_as_many_queries_for_many(owner: User, project: Project, row: Citation) -> None:
    browser = signed_in(owner)
    get(browser, project)
    with CaptureQueriesContext(
        connection,
    ) as few:
        get(browser, project)
    many(project, 20)
    with CaptureQueriesContext(connection) as more:
        assert len(get(browser, project)) == 21
    assert len(more) == len(few)


def check(browser: Client, project: Project, data: dict[str, Any]) -> Any:
    return browser.post(f"/api/projects/{project.pk}/citations/check", data, content_type="application/json")


def test_looking_again(owner: User, project: Project, row: Citation) -> None:
    """One, some, or all that rest on no proof."""
    browser = signed_in(owner)
    verified = Citation.objects.create(project=project, cite_key="v", status="verified", tier="A", serial=5)
    other = Citation.objects.create(project=project, cite_key="o", status="not_found", tier="D", serial=6)
    answer = browser.post(f"/api/projects/{project.pk}/citations/{row.pk}/check")
    assert (answer.status_code, answer.json()["job"]) == (202, str(Job.objects.get().pk))
    row.refresh_from_db()
    assert (row.status, row.tier) == ("unresolved", "")
    assert row.check_due_at
    assert check(browser, project, {}).status_code == 202
    due = {one.cite_key for one in Citation.objects.due()}
    assert due == {"ibe2012", "o"}
    assert check(browser, project, {"citations": [str(verified.pk)]}).status_code == 202
    verified.refresh_from_db()
    assert (verified.tier, bool(verified.check_due_at)) == ("A", True)  # proven until there is another verdict
    assert check(browser, project, {"citations": []}).status_code == 422
    assert check(browser, project, {"citations": ["x"]}).status_code == 422
    other.refresh_from_db()
    assert other.status == "unresolved"
    assert Job.objects.count() == 1


def test_deleting(owner: User, project: Project, row: Citation) -> None:
    address = f"/api/projects/{project.pk}/citations/{row.pk}"
    assert signed_in(owner).delete(address).status_code == 204
    assert signed_in(owner).delete(address).status_code == 404
    assert not Citation.objects.exists()


def test_nobody_else(outsider: User, reader: User, project: Project, row: Citation) -> None:
    for rest in ("", f"/{row.pk}"):
        assert signed_in(outsider).get(f"/api/projects/{project.pk}/citations{rest}").status_code == 404
        assert signed_in(reader).get(f"/api/projects/{project.pk}/citations{rest}").status_code == 200
    assert check(signed_in(outsider), project, {}).status_code == 404
    assert check(signed_in(reader), project, {}).status_code == 403
    assert signed_in(reader).put(f"/api/projects/{project.pk}/citations").status_code == 405
