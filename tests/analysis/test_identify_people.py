"""Which column identifies people: said on the page of the data, or by the API."""

from typing import Any

import pytest
from django.test import Client

from analysis.datasets.repeated_people import repeats_of
from analysis.models import DatasetVersion
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.people import signed_in

pytestmark = pytest.mark.django_db

VISITS = "patient_id,arm,crp\n" + "".join(f"P{n // 2},{'ab'[n % 2]},{n}\n" for n in range(40))


def place(version: DatasetVersion, page: str = "people/") -> str:
    return f"/projects/{version.dataset.project_id}/data/{version.dataset_id}/{page}"


def newest(version: DatasetVersion) -> DatasetVersion:
    found = version.dataset.versions.first()
    assert found is not None
    return found


def test_the_page_says_how_many_and_takes_that_it_is_no_id(project: Project, owner: User) -> None:
    version = a_dataset(project, owner, VISITS, state="ready")
    hers = signed_in(owner)
    page = hers.get(place(version, "")).content.decode()
    assert "20 of 20 patients have two rows (column “patient_id”)." in page
    hers.post(place(version), {"column": "c1", "identifies": "other"})
    assert (newest(version).number, newest(version).state) == (2, "ready")
    assert newest(version).columns[0]["identifies"] == "other"
    version.refresh_from_db()
    assert "identifies" not in version.columns[0]  # what was confirmed stays as it is
    assert "have two rows" not in hers.get(place(version, "")).content.decode()


def test_types_that_wait_go_on_waiting(project: Project, owner: User) -> None:
    version = a_dataset(project, owner, VISITS.replace("patient_id", "dog"))
    hers = signed_in(owner)
    assert repeats_of(version) is None
    hers.post(place(version), {"column": "c1", "identifies": "person"})
    version.refresh_from_db()
    assert (version.state, newest(version).number) == ("proposed", 1)
    repeats = repeats_of(version)
    assert repeats is not None
    assert repeats.is_said
    hers.post(place(version), {"column": "c3", "identifies": "person"})
    version.refresh_from_db()
    assert [one.get("identifies") for one in version.columns] == ["", None, "person"]


@pytest.mark.parametrize("sent", [{}, {"column": "c9", "identifies": "person"}, {"column": "c1", "identifies": "x"}])
def test_what_cannot_be_said(sent: dict[str, Any], project: Project, owner: User) -> None:
    version = a_dataset(project, owner, VISITS, state="ready")
    answer = signed_in(owner).post(place(version), sent)
    assert answer.status_code == 422
    assert b'role="alert"' in answer.content
    assert newest(version).number == 1


def test_the_api_says_it_too_and_a_newer_file_keeps_it(project: Project, owner: User) -> None:
    version = a_dataset(project, owner, VISITS, state="ready")
    api = f"/api/projects/{project.pk}/datasets/{version.dataset_id}"
    hers = signed_in(owner)
    told = hers.patch(api, {"columns": {"c1": {"identifies": "other"}}}, content_type="application/json").json()
    assert told["newest"]["repeats"] is None
    wrong = hers.patch(api, {"columns": {"c1": {"identifies": "dog"}}}, content_type="application/json")
    assert (wrong.status_code, wrong.json()["error"]["field"]) == (422, "columns.c1.identifies")


def test_who_may(project: Project, owner: User, outsider: User, reader: User, supervisor: User) -> None:
    version = a_dataset(project, owner, VISITS, state="ready")
    sent = {"column": "c1", "identifies": "other"}
    assert Client().post(place(version), sent).status_code == 302
    assert signed_in(outsider).post(place(version), sent).status_code == 404
    for one in (reader, supervisor):
        assert signed_in(one).post(place(version), sent).status_code == 403
        assert place(version) not in signed_in(one).get(place(version, "")).content.decode()
    assert signed_in(owner).get(place(version)).status_code == 405
    assert newest(version).number == 1
