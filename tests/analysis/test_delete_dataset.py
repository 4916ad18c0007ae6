"""A dataset is deleted: its cells go wherever they were kept, its results stay and say so."""

from pathlib import Path
from typing import Any

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import connection
from django.urls import reverse

from analysis.datasets.storage import delete_stored
from analysis.models import Analysis, DatasetVersion, Figure
from jobs.models import Job
from projects.models import Project, User
from tests.analysis.database_rows import RESULT, a_dataset, an_analysis
from tests.people import signed_in

ROWS = "id,group,hb\n" + "".join(f"QZ{n:03},{'steroid' if n % 2 else 'control'},{90 + n}\n" for n in range(20))
ODD = "QZ007"  # a cell that stands nowhere else

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def own_media(settings: Any, tmp_path: Path) -> None:
    """A disk of its own: what another test has left is none of this one's."""
    settings.MEDIA_ROOT = str(tmp_path / "media")


def stands_in(words: str) -> set[str]:
    """The columns of the whole database, and the files on the disk, in which `words` stand."""
    found = set()
    for model in apps.get_models():
        table = model._meta.db_table
        for field in model._meta.concrete_fields:
            with connection.cursor() as cursor:
                cursor.execute(
                    f'SELECT 1 FROM "{table}" WHERE CAST("{field.column}" AS TEXT) LIKE %s LIMIT 1', [f"%{words}%"]
                )
                if cursor.fetchone():
                    found.add(f"{table}.{field.column}")
    media = Path(settings.MEDIA_ROOT)
    return found | {
        str(one.relative_to(media)) for one in media.rglob("*") if one.is_file() and words.encode() in one.read_bytes()
    }


@pytest.fixture
def version(project: Project, owner: User) -> DatasetVersion:
    made = a_dataset(project, owner, ROWS, state="ready")
    made.remarks = [{"level": "warning", "code": "odd", "text": f"“{ODD}” is no number.", "column": "c1", "rows": [8]}]
    made.save()
    return made


def failed(project: Project, owner: User, version: DatasetVersion) -> Analysis:
    """An analysis that R refused, quoting a cell, as a worker leaves it."""
    job = Job.objects.start(project=project, kind="analysis", subject=version.pk, user=owner, enqueue=False)
    said = f"Row 8 of hb holds “{ODD}”."
    job.change_state("failed", said)  # type: ignore[arg-type]
    error = {"code": "not_numeric", "message": said, "field": "params", "column": "c3", "hint": f"Mend {ODD}."}
    made: Analysis = Analysis.objects.create(
        project=project,
        number=900,
        title="Hb?",
        name="t_test",
        data=version,
        job=job,
        error=error,
        ended_at=job.ended_at,
    )
    return made


def drawn(project: Project, version: DatasetVersion) -> Figure:
    """A figure that was asked for by itself; its points carry the ids."""
    asked = Analysis.objects.create(
        project=project, number=901, title="Hb", kind="figure", name="scatter", data=version, result={**RESULT}
    )
    figure: Figure = Figure.objects.create(project=project, analysis=asked, kind="scatter", svg=f"<svg>{ODD}</svg>")
    return figure


@pytest.mark.parametrize("way", ["page", "api"])
def test_its_cells_stand_nowhere_and_results_say_so(
    way: str, project: Project, owner: User, version: DatasetVersion
) -> None:
    result = an_analysis(project, owner, version)
    refused, figure = failed(project, owner, version), drawn(project, version)
    assert {"analysis_datasetversion.remarks", "analysis_analysis.error", "jobs_jobevent.text"} <= stands_in(ODD)
    sha256, client = version.sha256, signed_in(owner)
    if way == "page":
        client.post(reverse("analysis:remove_data", args=[project.pk, version.dataset_id]))
    else:
        assert client.delete(f"/api/projects/{project.pk}/datasets/{version.dataset_id}").status_code == 204
    assert stands_in(ODD) == set()
    result.refresh_from_db()
    refused.refresh_from_db()
    figure.refresh_from_db()
    assert (result.data, result.result is not None) == (None, True)
    assert result.request["data_version"]["sha256"] == sha256
    assert (refused.error or {})["code"] == "not_numeric"
    assert figure.svg == ""
    shown = client.get(reverse("analysis:result", args=[project.pk, result.pk])).content.decode()
    assert "The data of this analysis was deleted." in shown
    told: dict[str, Any] = client.get(f"/api/analyses/{result.pk}").json()
    assert told["data_deleted"] is True
    again = client.post(f"/api/analyses/{result.pk}/again", {}, content_type="application/json")
    assert (again.status_code, again.json()["error"]["code"]) == (409, "no_data")
    zipped = client.get(f"/api/analyses/{result.pk}/script")
    assert zipped.status_code == 409
    assert client.get(reverse("analysis:index", args=[project.pk]), follow=True).status_code == 200


def test_another_dataset_of_the_same_bytes_stays(project: Project, owner: User, version: DatasetVersion) -> None:
    twin = a_dataset(project, owner, ROWS, name="twin.csv", state="ready")
    signed_in(owner).delete(f"/api/projects/{project.pk}/datasets/{version.dataset_id}")
    answer = signed_in(owner).get(f"/api/projects/{project.pk}/datasets/{twin.dataset_id}/rows?start=8&count=1")
    assert answer.json()["rows"][0][0] == ODD


def test_a_thesis_that_is_deleted_leaves_nothing(project: Project, owner: User, version: DatasetVersion) -> None:
    an_analysis(project, owner, version)
    failed(project, owner, version)
    drawn(project, version)
    signed_in(owner).post(reverse("projects:delete", args=[project.pk]))
    assert stands_in(ODD) == set()


def test_a_file_that_cannot_be_deleted_is_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    default_storage.save("figures/7/one.png", ContentFile(b"x"))
    delete_stored(default_storage, "figures/7")  # a folder that is not empty
    assert "still on the disk: figures/7" in caplog.text
