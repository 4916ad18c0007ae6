"""Columns are removed from data and from the stored file, by who may write (SPEC N1)."""

import csv
import io
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from openpyxl import Workbook

from analysis.datasets.deletion import KIND
from analysis.datasets.edit_dataset import confirm, reread_file, start_dataset
from analysis.datasets.storage import cells_of
from analysis.datasets.uploaded_copies import files_that_are_data
from analysis.models import Analysis, Dataset, DatasetVersion, Figure
from jobs.models import Job
from jobs.work import perform
from projects.models import Membership, Project, User
from tests.people import signed_in

CSV = """Ward 7;made by Asha Rao;;
;;;
nr;patient name;phone;hb
1;Mina Das;98480 11223;10,1
2;Ruth Ng;98480 11224;11,2

3;Rita Sen;98480 11225;9,8
4;Anna Paul;98480 11226;12,0
"""


def a_workbook() -> bytes:
    book = Workbook()
    book.active.title = "Data"
    for row in (
        ["nr", "patient name", "phone", "hb"],
        [1, "Mina Das", 9848011223, 10.1],
        [2, "Ruth Ng", 9848011224, 11.2],
    ):
        book.active.append(row)
    book.create_sheet("Key").append(["1 is Mina Das, 98480 11223"])
    stored = io.BytesIO()
    book.save(stored)
    return stored.getvalue()


def uploaded(project: Project, user: User, name: str, content: bytes, dataset: Dataset | None = None) -> DatasetVersion:
    version = start_dataset(project, user, name, SimpleUploadedFile(name, content), dataset=dataset)
    perform(str(version.job_id))
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.PROPOSED, version.error
    return version


def ids_of(version: DatasetVersion, *names: str) -> list[str]:
    return [one["id"] for one in version.columns if one["name"] in names]


def remove(client: Client, version: DatasetVersion, *names: str) -> None:
    page = reverse("analysis:drop_columns", args=[version.dataset.project_id, version.dataset_id])
    assert client.post(page, {"column": ids_of(version, *names)}).status_code == 302
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.READING
    perform(str(version.job_id))
    version.refresh_from_db()


def stored(version: DatasetVersion) -> bytes:
    with version.upload.open("rb") as upload, version.rows.open("rb") as rows:
        return bytes(upload.read() + rows.read())


def on_disk(version: DatasetVersion) -> bytes:
    """All files that lie in the folder of the dataset's versions."""
    storage = version.upload.storage
    folder = str(version.upload.name).rpartition("/")[0]
    contents = []
    for name in storage.listdir(folder)[1]:
        with storage.open(f"{folder}/{name}") as kept:
            contents.append(kept.read())
    return b"".join(contents)


@pytest.mark.parametrize(("name", "content"), [("a.csv", CSV.encode()), ("a.xlsx", a_workbook())])
def test_flagged_columns_go_from_rows_and_file(
    owner: User, project: Project, name: str, content: bytes, django_capture_on_commit_callbacks: Any
) -> None:
    version = uploaded(project, owner, name, content)
    client = signed_in(owner)
    shown = client.get(reverse("analysis:data", args=[project.pk, version.dataset_id])).content.decode()
    assert "2 columns look like personal data" in shown
    hb = cells_of(version, ids_of(version, "hb"))
    with django_capture_on_commit_callbacks(execute=True):
        remove(client, version, "patient name", "phone")
    assert version.state == DatasetVersion.State.PROPOSED
    assert [one["name"] for one in version.columns] == ["nr", "hb"]
    for text in (b"Mina", b"98480", b"9848011223"):
        assert text not in on_disk(version)
    assert cells_of(version, ids_of(version, "hb")) == hb
    assert not any("Mina" in str(one) for one in (version.columns, version.summary, version.remarks, version.reading))
    assert version.file_name == "a.csv"
    page = client.get(reverse("analysis:data", args=[project.pk, version.dataset_id])).content.decode()
    assert "Removed from the data and from the stored file: patient name, phone." in page
    assert "look like data of persons" not in page


def test_the_rows_keep_their_numbers_and_the_file_can_be_read_again(owner: User, project: Project) -> None:
    version = uploaded(project, owner, "a.csv", CSV.encode())
    numbers = version.reading["row_numbers"]
    remove(signed_in(owner), version, "patient name")
    remove(signed_in(owner), version, "phone")
    with version.upload.open("rb") as upload:
        rows = list(csv.reader(io.StringIO(upload.read().decode())))
    assert rows[3] == ["1", "", "", "10,1"]
    assert rows[5] == []
    again = reread_file(version, owner, version.reading)
    perform(str(again.job_id))
    again.refresh_from_db()
    assert again.reading["row_numbers"] == numbers
    assert [one["name"] for one in again.columns] == ["nr", "hb"]
    assert [*cells_of(again, ["c2"]).values()] == [*cells_of(version, ids_of(version, "hb")).values()]
    assert [one["columns"] for one in again.reading["dropped"]] == [["patient name"], ["phone"]]


def test_all_versions_lose_them_and_stay_what_they_were(owner: User, project: Project) -> None:
    first = uploaded(project, owner, "a.csv", CSV.encode())
    confirm(first, owner)
    newer = uploaded(project, owner, "b.csv", CSV.replace("10,1", "10,4").encode(), first.dataset)
    remove(signed_in(owner), newer, "patient name", "phone")
    first.refresh_from_db()
    assert first.state == DatasetVersion.State.READY
    assert [one["name"] for one in first.columns] == ["nr", "hb"]
    assert b"Mina" not in stored(first) + stored(newer)


def test_a_stop_leaves_the_data_usable_and_says_what_is_left(owner: User, project: Project) -> None:
    version = uploaded(project, owner, "a.csv", CSV.encode())
    before = stored(version)
    client = signed_in(owner)
    page = reverse("analysis:drop_columns", args=[project.pk, version.dataset_id])
    client.post(page, {"column": ids_of(version, "phone")})
    version.refresh_from_db()
    Job.objects.get(subject=version.pk, kind=KIND).ask("cancel")
    perform(str(version.job_id))
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.PROPOSED
    assert stored(version) == before
    assert "These columns were not removed: phone." in version.remarks[0]["text"]


@pytest.mark.parametrize(
    ("names", "says"),
    [([], "Choose the columns"), (["nr", "patient name", "phone", "hb"], "Delete the data instead")],
)
def test_what_cannot_be_removed(owner: User, project: Project, names: list[str], says: str) -> None:
    version = uploaded(project, owner, "a.csv", CSV.encode())
    page = reverse("analysis:drop_columns", args=[project.pk, version.dataset_id])
    answer = signed_in(owner).post(page, {"column": ids_of(version, *names)})
    assert answer.status_code == 422
    assert says in answer.content.decode()
    assert signed_in(owner).post(page, {"column": "c99"}).status_code == 422


def test_who_may(owner: User, project: Project, outsider: User) -> None:
    version = uploaded(project, owner, "a.csv", CSV.encode())
    page = reverse("analysis:drop_columns", args=[project.pk, version.dataset_id])
    assert signed_in(owner).get(page).status_code == 405
    assert signed_in(outsider).post(page, {"column": ids_of(version, "phone")}).status_code == 404
    Membership.objects.create(project=project, user=outsider, role="reader")
    assert signed_in(outsider).post(page, {"column": ids_of(version, "phone")}).status_code == 403
    version.refresh_from_db()
    assert version.state == DatasetVersion.State.PROPOSED


def test_by_the_api(owner: User, project: Project) -> None:
    version = uploaded(project, owner, "a.csv", CSV.encode())
    address = f"/api/projects/{project.pk}/datasets/{version.dataset_id}/drop-columns"
    answer = signed_in(owner).post(address, {"columns": ids_of(version, "phone")}, content_type="application/json")
    assert answer.status_code == 202
    perform(answer.json()["newest"]["job"])
    version.refresh_from_db()
    assert [one["name"] for one in version.columns] == ["nr", "patient name", "hb"]


def test_their_cells_go_from_errors_figures_and_remarks_too(owner: User, project: Project) -> None:
    rows = "who;age;hb\nA1;20;10\nA2;30;11\nA3;40;12\nA4;30;9\nZora Total;120;42\nMade by Zora Das\n"
    version = uploaded(project, owner, "a.csv", rows.encode())
    who, hb = (ids_of(version, name)[0] for name in ("who", "hb"))
    assert "Zora Total" in str(version.remarks)
    job = Job.objects.start(project=project, kind="analysis", subject=version.pk, user=owner, enqueue=False)
    job.change_state("failed", "who holds “Zora Total”.")  # type: ignore[arg-type]
    error = {"code": "not_numeric", "message": "“Zora Total” in row 10", "column": who, "hint": "Mend “Zora Total”."}
    said = {"project": project, "data": version, "title": "Hb?", "ended_at": job.ended_at}
    failed = Analysis.objects.create(number=1, name="t_test", job=job, error=error, **said)
    drawn = Analysis.objects.create(number=2, kind="figure", name="bar", params={"x": who}, result={}, **said)
    other = Analysis.objects.create(
        number=3, kind="figure", name="bar", params={"x": hb, "group": ["c2"]}, result={}, **said
    )
    for one in (drawn, other):
        Figure.objects.create(project=project, analysis=one, kind="bar", svg="<svg>Zora Total</svg>")
    remove(signed_in(owner), version, "who")
    for row in (failed, job):
        row.refresh_from_db()
    assert "Zora" not in f"{failed.error} {job.reason} {[*job.events.values_list('text', 'details')]} {version.remarks}"
    assert (failed.error or {})["code"] == "not_numeric"
    assert drawn.figures.get().svg == ""
    assert other.figures.get().svg, "it draws another column"
    [question] = [one for one in version.remarks if one["level"] == "question"]
    assert question["cells"] == [["120", "42"]], "the other columns, by which the row is known"


def test_the_file_that_still_has_them_is_known_as_data(owner: User, project: Project) -> None:
    """Under Files it can lie as the same bytes, whatever it is called, or as another export of the same table."""
    content = a_workbook()
    version = uploaded(project, owner, "ward 7.xlsx", content)
    same = {"name": "copy.xlsx", "sha256": version.sha256, "format": "xlsx"}
    remove(signed_in(owner), version, "patient name")
    remove(signed_in(owner), version, "phone")
    export = {"name": "Ward 7.XLSX", "sha256": "0" * 64, "format": "xlsx"}
    other = {"name": "ward 8.csv", "sha256": "1" * 64, "format": "csv"}
    text = {"name": "ward 7.pdf", "sha256": "2" * 64, "format": "pdf"}
    assert files_that_are_data(project, [same, export, other, text]) == ["copy.xlsx", "Ward 7.XLSX"]
