"""Datasets over the API: brought, confirmed, read again, downloaded, deleted; and by whom."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from analysis.datasets.edit_dataset import start_dataset
from analysis.models import Dataset, DatasetVersion
from jobs.models import Job
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.tables import HOSPITAL, workbook
from tests.people import signed_in

State = DatasetVersion.State
CSV = b"age,sex,crp\n54,male,1.5\n61,female,2\n47,female,30\n70,male,4\n"


@pytest.fixture(autouse=True)
def media(tmp_path: Path, settings: Any) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"


def uploaded_dataset(
    project: Project, user: User, data: bytes = CSV, name: str = "patients.csv", **more: Any
) -> DatasetVersion:
    version = start_dataset(project, user, name, SimpleUploadedFile(name, data), enqueue=False, **more)
    perform(str(version.job_id))
    version.refresh_from_db()
    return version


def at(project: Project, dataset: Dataset | None = None, rest: str = "") -> str:
    return f"/api/projects/{project.pk}/datasets" + (f"/{dataset.pk}{rest}" if dataset else "")


def patch(client: Client, address: str, **changes: Any) -> Any:
    return client.patch(address, changes, content_type="application/json")


def test_a_file_is_brought_and_read_by_a_job(project: Project, owner: User) -> None:
    client = signed_in(owner)
    answer = client.post(at(project), {"file": SimpleUploadedFile("patients.csv", CSV)})
    assert answer.status_code == 201
    told = answer.json()
    assert (told["name"], told["state"], told["newest"]["number"]) == ("patients.csv", "reading", 1)
    job = Job.objects.get(pk=told["newest"]["job"])
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == "done"
    newest = client.get(at(project, Dataset.objects.get())).json()["newest"]
    assert newest["state"] == "proposed"
    assert newest["row_count"] == 4
    assert [one["type"] for one in newest["columns"]] == ["numeric", "factor", "numeric"]
    assert newest["summary"]["c1"]["median"] == 57.5
    [listed] = client.get(at(project)).json()
    assert (listed["state"], listed["column_count"], listed["row_count"]) == ("proposed", 3, 4)


def test_types_are_confirmed_and_changed_later_as_a_new_version(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner)
    client, address = signed_in(owner), at(project, version.dataset)
    told = patch(client, address, confirm=True, columns={"c2": {"label": "Sex", "levels": ["male", "female"]}}).json()
    assert (told["newest"]["number"], told["newest"]["state"]) == (1, "ready")
    assert told["newest"]["columns"][1]["levels"] == ["male", "female"]
    assert told["newest"]["confirmed_by"] == str(owner)
    assert patch(client, address, confirm=True).json()["newest"]["number"] == 1  # nothing was changed
    told = patch(client, address, columns={"c1": {"type": "ordered", "missing": ["47"]}}).json()
    assert told["newest"]["number"] == 2
    assert told["newest"]["columns"][0]["levels"] == ["54", "61", "70"]
    assert told["newest"]["summary"]["c1"]["missing"] == 1
    first, second = reversed(client.get(f"{address}/versions").json())
    assert first["columns"][0]["type"] == "numeric"
    assert second["columns"][1]["label"] == "Sex"
    assert client.get(f"{address}/download?version=1").content.splitlines()[3] == b"47,female,30"
    assert client.get(f"{address}/download").content.splitlines()[3] == b",female,30"


@pytest.mark.parametrize(
    ("columns", "field"),
    [
        ({"c9": {"type": "text"}}, "columns.c9"),
        ({"c1": {"type": "colour"}}, "columns.c1.type"),
        ({"c2": {"type": "numeric"}}, "columns.c2.type"),
        ({"c2": {"type": "date"}}, "columns.c2.type"),
        ({"c2": {"type": "logical"}}, "columns.c2.type"),
        ({"c1": {"level_of_measurement": "date"}}, "columns.c1.level_of_measurement"),
        ({"c2": {"levels": ["male"]}}, "columns.c2.levels"),
        ({"c2": {"levels": ["male", "female", "other"]}}, "columns.c2.levels"),
        ({"c1": {"label": "x" * 201}}, "columns.c1.label"),
        ({"c1": {"missing": [""]}}, "columns.c1.missing"),
        ({"c1": {"label": "a\0b"}}, "columns.c1.label"),
    ],
)
def test_what_a_column_cannot_mean(project: Project, owner: User, columns: Any, field: str) -> None:
    version = uploaded_dataset(project, owner)
    answer = patch(signed_in(owner), at(project, version.dataset), columns=columns)
    assert answer.status_code == 422
    assert answer.json()["error"]["field"] == field
    version.refresh_from_db()
    assert version.state == State.PROPOSED


def test_cells_that_are_no_numbers_must_be_marked_first(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, HOSPITAL.encode())
    client, address = signed_in(owner), at(project, version.dataset)
    patch(client, address, leave_out=[{"rows": [12], "reason": "total row"}])
    answer = patch(client, address, confirm=True)
    assert answer.status_code == 422
    assert "“<5” in row 7" in answer.json()["error"]["message"]
    crp = next(one for one in version.columns if one["name"] == "CRP")
    told = patch(client, address, columns={crp["id"]: {"missing": [*crp["missing"], "<5"]}})
    assert told.json()["newest"]["state"] == "ready"


def test_a_text_becomes_numbers_as_people_write_them(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, b'a,b\n"1,200",x\nfew,y\nmany,z\n"2,500",u\nnone,v\n')
    told = patch(
        signed_in(owner),
        at(project, version.dataset),
        columns={"c1": {"type": "numeric", "missing": ["few", "many", "none"]}},
    ).json()
    assert told["newest"]["summary"]["c1"]["max"] == 2500
    assert told["newest"]["columns"][0]["level_of_measurement"] == "numeric"
    rows = signed_in(owner).get(at(project, version.dataset, "/rows")).json()
    assert rows["rows"][0] == ["1200", "x"]


def test_a_file_is_read_again_in_another_way(project: Project, owner: User) -> None:
    data = workbook(("One", [["a", "b"], [1, 2], [3, 4]]), ("Two", [["c", "d"], [5, 6], [7, 8], [9, 1]]))
    version = uploaded_dataset(project, owner, data, "book.xlsx")
    client, address = signed_in(owner), at(project, version.dataset)
    answer = client.post(f"{address}/versions", {"sheet": "Two"}, content_type="application/json")
    assert answer.status_code == 201
    perform(answer.json()["job"])
    newest = client.get(address).json()["newest"]
    assert (newest["number"], newest["row_count"], newest["reading"]["sheet"]) == (2, 3, "Two")
    busy = client.post(f"{address}/versions", {"sheet": "One"}, content_type="application/json").json()
    assert client.post(f"{address}/versions", {}, content_type="application/json").status_code == 409
    assert patch(client, address, confirm=True).status_code == 409
    perform(busy["job"])
    wrong = client.post(f"{address}/versions", {"sheet": "Nine"}, content_type="application/json").json()
    perform(wrong["job"])
    told = client.get(address).json()["newest"]
    assert told["state"] == "error"
    assert "Available: One, Two" in told["error"]


def test_zeros_and_ones_may_be_a_yes_or_no_and_words_may_not(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, b"died,sex\n0,male\n1,female\n1,male\n,male\n")
    client, address = signed_in(owner), at(project, version.dataset)
    refused = patch(client, address, columns={"c2": {"type": "logical"}})
    assert refused.status_code == 422
    assert "not true or false" in refused.json()["error"]["message"]
    told = patch(client, address, columns={"c1": {"type": "logical"}}).json()
    assert (told["newest"]["columns"][0]["type"], told["newest"]["state"]) == ("logical", "ready")
    assert told["newest"]["summary"]["c1"]["counts"] == [{"label": "false", "count": 1}, {"label": "true", "count": 2}]


def test_what_was_confirmed_is_proposed_for_a_newer_file(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner)
    client, address = signed_in(owner), at(project, version.dataset)
    patch(client, address, columns={"c1": {"label": "Age", "unit": "years"}, "c2": {"levels": ["male", "female"]}})
    newer = uploaded_dataset(project, owner, CSV + b"99,male,7\n", dataset=version.dataset)
    assert newer.number == 2
    assert newer.columns[0]["unit"] == "years"
    assert newer.columns[1]["levels"] == ["male", "female"]
    assert "version 1" in newer.columns[1]["proposed"]["reason"]


def test_rows_come_a_few_at_a_time(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner)
    told = signed_in(owner).get(at(project, version.dataset, "/rows?start=2&count=2")).json()
    assert told == {
        "columns": ["c1", "c2", "c3"],
        "start": 2,
        "total": 4,
        "rows": [["61", "female", "2"], ["47", "female", "30"]],
        "numbers": [3, 4],
    }


def test_a_download_has_no_formula_in_it(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, b"=a,b\n=cmd|' /C calc'!A0,-5.2\n@x,+3\nx,+\n")
    answer = signed_in(owner).get(at(project, version.dataset, "/download"))
    assert answer.content.decode().splitlines()[:3] == ["'=a,b", "'=cmd|' /C calc'!A0,-5.2", "'@x,+3"]
    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "patients version 1.csv" in answer["Content-Disposition"]


def test_two_files_of_one_name_and_another_name(project: Project, owner: User) -> None:
    first, second = uploaded_dataset(project, owner), uploaded_dataset(project, owner)
    assert second.dataset.name == "patients (2).csv"
    client = signed_in(owner)
    assert patch(client, at(project, second.dataset), name="Cohort").json()["name"] == "Cohort"
    assert patch(client, at(project, first.dataset), name="Cohort").status_code == 409
    assert patch(client, at(project, first.dataset), name=" ").status_code == 422


@pytest.mark.parametrize(
    ("name", "data", "status"),
    [
        ("a.csv", b"", 422),
        ("a.csv", b"<html><body>Sign in</body></html>", 422),
        ("a.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1xxxx", 422),
        ("a.xlsx", b"PK\x03\x04" + b"\0" * (5 * 1024 * 1024), 413),
        ("a.csv", b"a,b\n" * 7_000_000, 413),
    ],
)
def test_what_is_refused_at_the_door_leaves_nothing(
    project: Project, owner: User, media: Path, name: str, data: bytes, status: int
) -> None:
    answer = signed_in(owner).post(at(project), {"file": SimpleUploadedFile(name, data)})
    assert answer.status_code == status
    assert not Dataset.objects.exists()
    assert not Job.objects.exists()
    assert not [path for path in media.rglob("*") if path.is_file()]


def test_what_cannot_be_read_says_so_and_is_kept(project: Project, owner: User) -> None:
    version = uploaded_dataset(project, owner, b"a,b\n1," + b"x" * 10_001 + b"\n")
    assert version.state == State.ERROR
    assert "Row 2" in version.error
    assert Job.objects.get(subject=version.pk).state == "failed"
    assert version.upload.size


def test_a_reading_that_is_stopped_says_so(project: Project, owner: User) -> None:
    version = start_dataset(project, owner, "a.csv", SimpleUploadedFile("a.csv", CSV), enqueue=False)
    Job.objects.get(subject=version.pk).ask("cancel")
    perform(str(version.job_id))
    version.refresh_from_db()
    assert version.state == State.ERROR
    assert "stopped" in version.error


@pytest.mark.django_db(transaction=True)
def test_bytes_go_with_their_rows(project: Project, owner: User, media: Path) -> None:
    version = uploaded_dataset(project, owner)
    patch(client := signed_in(owner), at(project, version.dataset), confirm=True)
    patch(client, at(project, version.dataset), columns={"c1": {"unit": "years"}})
    assert len([path for path in media.rglob("*") if path.is_file()]) == 4  # upload and rows of both
    assert client.delete(at(project, version.dataset)).status_code == 204
    assert not [path for path in media.rglob("*") if path.is_file()]
    assert not DatasetVersion.objects.exists()


def test_strangers_readers_and_wrong_methods(project: Project, owner: User, reader: User, outsider: User) -> None:
    version = uploaded_dataset(project, owner)
    one = at(project, version.dataset)
    for address in (at(project), one, f"{one}/versions", f"{one}/rows", f"{one}/download"):
        assert signed_in(outsider).get(address).status_code == 404
        is_open = not address.endswith(("/rows", "/download"))
        assert signed_in(reader).get(address).status_code == (200 if is_open else 403)
        assert Client().get(address).status_code == 401
        assert signed_in(owner).put(address).status_code == 405
    for client, status in ((signed_in(reader), 403), (signed_in(outsider), 404)):
        assert client.post(at(project), {"file": SimpleUploadedFile("a.csv", CSV)}).status_code == status
        assert patch(client, one, confirm=True).status_code == status
        assert client.post(f"{one}/versions", {}, content_type="application/json").status_code == status
        assert client.delete(one).status_code == status
    other = Project.objects.create_for(outsider, title="Another", discipline="", degree="")
    assert signed_in(outsider).get(at(other, version.dataset)).status_code == 404
