"""/api/jobs/{id}: for members, as it stands; for everybody else it is not there (SPEC P3, P4)."""

from uuid import uuid4

import pytest
from django.test import Client

from jobs.models import State
from projects.models import User
from tests.jobs.conftest import StartJob
from tests.people import signed_in


def test_a_member_reads_how_a_job_stands(start: StartJob, reader: User) -> None:
    job = start(progress=2, progress_total=5)
    job.emit("number", "1", counters={"told": 1})
    answer = signed_in(reader).get(f"/api/jobs/{job.pk}").json()
    assert answer["id"] == str(job.pk)
    assert answer["subject"] == str(job.subject)
    assert (answer["state"], answer["progress"], answer["progress_total"]) == (State.QUEUED, 2, 5)
    assert (answer["last_seq"], answer["counters"]) == (1, {"told": 1})


def test_events_after_a_number_in_order(start: StartJob, owner: User) -> None:
    job = start()
    for number in range(1, 6):
        job.emit("number", str(number), node="1.2", details={"n": number})
    client = signed_in(owner)
    assert [event["seq"] for event in client.get(f"/api/jobs/{job.pk}/events").json()] == [1, 2, 3, 4, 5]
    some = client.get(f"/api/jobs/{job.pk}/events?after=2&limit=2").json()
    assert [(event["seq"], event["text"]) for event in some] == [(3, "3"), (4, "4")]
    assert some[0]["node"] == "1.2"
    assert some[0]["details"] == {"n": 3}
    assert client.get(f"/api/jobs/{job.pk}/events?after=5").json() == []


@pytest.mark.parametrize("query", ["after=-1", "after=x", "limit=0", "limit=1001"])
def test_numbers_that_cannot_be_are_named(start: StartJob, owner: User, query: str) -> None:
    response = signed_in(owner).get(f"/api/jobs/{start().pk}/events?{query}")
    assert response.status_code == 422
    assert response.json()["error"]["field"] == query.split("=")[0]


@pytest.mark.parametrize("path", ["", "/events"])
def test_strangers(start: StartJob, outsider: User, path: str) -> None:
    """A job of somebody else's and one that does not exist look the same."""
    job = start()
    there = signed_in(outsider).get(f"/api/jobs/{job.pk}{path}")
    nowhere = signed_in(outsider).get(f"/api/jobs/{uuid4()}{path}")
    assert there.status_code == nowhere.status_code == 404
    assert there.content == nowhere.content
    anonymous = Client().get(f"/api/jobs/{job.pk}{path}")
    assert anonymous.status_code == 401
    assert anonymous.json()["error"]["code"] == "not_signed_in"


@pytest.mark.parametrize("path", ["", "/events"])
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_nothing_is_written_here(start: StartJob, owner: User, path: str, method: str) -> None:
    assert getattr(signed_in(owner), method)(f"/api/jobs/{start().pk}{path}").status_code == 405


def test_the_way_back_from_a_job(start: StartJob, owner: User, outsider: User) -> None:
    """/jobs/{id}/ leads to what the job works on."""
    job = start("research")
    response = signed_in(owner).get(f"/jobs/{job.pk}/")
    assert (response.status_code, response["Location"]) == (302, f"/runs/{job.subject}/")
    assert signed_in(owner).get(f"/jobs/{start().pk}/").status_code == 404  # a kind without a page
    assert signed_in(outsider).get(f"/jobs/{job.pk}/").status_code == 404
    assert Client().get(f"/jobs/{job.pk}/")["Location"].startswith("/accounts/login/")
    assert signed_in(owner).post(f"/jobs/{job.pk}/").status_code == 405
