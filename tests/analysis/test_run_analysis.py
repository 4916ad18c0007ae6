"""Asking R: what is asked is checked and kept, R answers, and every part of the answer is kept (SPEC N2)."""

import subprocess
import threading
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.core.files.storage import default_storage
from django.db import connection

from analysis.models import Analysis, Figure
from analysis.r_client import local_service
from analysis.running.rerun import analyses_of, is_stale, rerun_analysis
from analysis.running.save_result import remove_analysis, save_result
from analysis.running.script_zip import script_zip
from analysis.running.start import AnalysisRequest, columns_named, start_analysis
from core.errors import Refused
from jobs.models import ComputeSlot, Job, LeaseLost, State
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.results import COLUMNS, answer, answered, data_of, drawn, requested_analysis, running

pytestmark = pytest.mark.django_db


@pytest.fixture
def engine(service: local_service.LocalService, settings: Any) -> local_service.LocalService:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    return service


def done(row: Analysis) -> Analysis:
    """`row` after a worker has done its job."""
    perform(str(row.job_id))
    found: Analysis = Analysis.objects.select_related("job", "data__dataset").get(pk=row.pk)
    return found


def job_of(row: Analysis) -> Job:
    assert row.job is not None
    return row.job


@pytest.mark.r
def test_r_answers_and_all_of_it_is_kept(project: Project, owner: User, engine: local_service.LocalService) -> None:
    row = done(requested_analysis(project, owner))
    assert (row.state, job_of(row).state, row.error) == ("done", State.DONE, None)
    assert row.result is not None
    assert row.result["method"] == "Welch two-sample t-test"
    assert row.result["n"] == {**row.result["n"], "total": 8, "used": 8}
    assert "figures" not in row.result
    assert row.script.startswith("# Welch")
    assert row.versions["r"]
    assert "set.seed" in row.script
    assert row.seconds > 0
    assert [column["name"] for column in row.request["data"]["columns"]] == ["height", "shade"]
    assert "values" not in str(row.request), "no value of a patient is kept twice"
    assert row.request["data_version"]["number"] == 1
    figure = row.figures.get(kind="box")
    assert figure.svg.startswith("<svg")
    assert "script" not in figure.svg
    with figure.pdf.open("rb") as pdf, figure.png.open("rb") as png:
        assert pdf.read(5) == b"%PDF-"
        assert png.read(4) == b"\x89PNG"
    assert not ComputeSlot.objects.exists()


@pytest.mark.r
def test_what_r_refuses_is_told_in_its_words(project: Project, owner: User, engine: local_service.LocalService) -> None:
    row = done(requested_analysis(project, owner, params={"outcome": "c2", "group": "c1"}))
    assert row.state == "failed"
    assert row.error is not None
    assert (row.error["code"], row.error["column"], row.error["field"]) == ("group_levels", "c1", "params.group")
    assert row.error["suggest"] == "anova"
    assert job_of(row).state == State.FAILED
    assert job_of(row).reason.startswith(row.error["message"])
    assert row.reason.startswith(row.error["message"])


@pytest.mark.r
def test_a_sample_size_needs_no_data(project: Project, owner: User, engine: local_service.LocalService) -> None:
    row = start_analysis(
        project,
        owner,
        AnalysisRequest(kind="sample-size", name="two_means", params={"delta": 5, "sd": 10}),
        enqueue=False,
    )
    row = done(row)
    if row.error and row.error["code"] == "unknown_analysis":
        pytest.fail("the service has no design two_means")
    assert row.state == "done", row.error
    assert row.title == "Sample size: compare two means"


def test_without_an_engine_it_says_how_to_start_one(project: Project, owner: User, settings: Any) -> None:
    settings.R_PLUMBER_URLS = []
    row = done(requested_analysis(project, owner))
    assert row.state == "failed"
    assert row.error is not None
    assert row.error["code"] == "absent"
    assert "docker/setup run" in row.error["hint"]
    assert job_of(row).state == State.FAILED


def test_a_stop_before_it_began_is_kept_as_such(project: Project, owner: User) -> None:
    row = requested_analysis(project, owner)
    assert row.job is not None
    assert row.job.ask("cancel")
    row = Analysis.objects.select_related("job").get(pk=row.pk)
    assert (row.state, row.error["code"] if row.error else "") == ("cancelled", "cancelled")
    assert not ComputeSlot.objects.exists(), "its place is free at once"


@pytest.mark.django_db(transaction=True)
def test_a_stop_is_obeyed_while_r_computes(project: Project, owner: User, settings: Any) -> None:
    row = requested_analysis(project, owner)

    def stop() -> None:
        assert job_of(row).ask("cancel")

    with silent(stop) as port:
        settings.R_PLUMBER_URLS = [f"http://127.0.0.1:{port}"]
        row = done(row)
    assert row.state == "cancelled"
    assert not ComputeSlot.objects.exists()


def test_an_answer_that_comes_too_late_changes_nothing(project: Project, owner: User) -> None:
    row = requested_analysis(project, owner)
    job = running(row)
    Job.objects.filter(pk=job.pk).update(lease_by="another")
    with pytest.raises(LeaseLost):
        save_result(row, job, answer(), 1)
    assert Analysis.objects.get(pk=row.pk).result is None
    assert not Figure.objects.exists()
    assert not _files(row), "no file is left of it either"


def test_asked_again_by_the_next_worker_its_figures_are_there_once(project: Project, owner: User) -> None:
    row = requested_analysis(project, owner)
    job = running(row)
    save_result(row, job, answer(), 1)
    save_result(row, job, answer(figures=drawn("qq")), 1)
    assert [one.kind for one in row.figures.all()] == ["qq"]


def test_a_figure_without_a_format_or_with_wrong_bytes(project: Project, owner: User) -> None:
    said = [
        *drawn("points", formats=("png",)),
        {**drawn("bad")[1], "base64": "bm90IGEgcGRm"},
        {**drawn("worse")[0], "base64": "%%%"},
        {"id": 4},
        "figure",
    ]
    row = answered(project, owner, answer(figures=said))
    (figure,) = row.figures.all()
    assert (figure.kind, figure.svg, bool(figure.pdf), bool(figure.png)) == ("points", "", False, True)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"name": "../health"}, "unknown_analysis"),
        ({"kind": "validate"}, "invalid"),
        ({"params": {"outcome": "c9", "group": "c2"}}, "unknown_column"),
        ({"params": {"outcome": "c1", "options": {"subgroup": "c8"}}}, "unknown_column"),
        ({"params": {"outcome": "a\0b"}}, "invalid"),
        ({"params": {"outcome": "c1", "x": float("nan")}}, "invalid"),
        ({"params": {"options": []}}, "invalid"),
        ({"params": {"counts": [[1] * 300] * 300}}, "too_large"),
        ({"params": {"a": [[[[[[[[[[1]]]]]]]]]]}}, "invalid"),
        ({"params": {"columns": [f"c{number}" for number in range(1, 40)]}}, "unknown_column"),
        ({"alpha": 0}, "invalid"),
        ({"conf_level": 95}, "invalid"),
        ({"title": "a\0"}, "invalid"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_and_nothing_is_kept(
    project: Project, owner: User, changes: dict[str, Any], code: str
) -> None:
    data = data_of(project)
    with pytest.raises(Refused) as refused:
        requested_analysis(project, owner, data, **changes)
    assert refused.value.code == code
    assert not Analysis.objects.exists()
    assert not Job.objects.exists()


def test_only_confirmed_data_of_the_same_thesis(project: Project, owner: User) -> None:
    with pytest.raises(Refused, match="First confirm what each column of alders.csv means"):
        requested_analysis(project, owner, data_of(project, state="proposed"))
    elsewhere = data_of(Project.objects.create_for(owner, title="Another"))
    with pytest.raises(Refused, match="another thesis"):
        requested_analysis(project, owner, elsewhere)
    with pytest.raises(Refused, match="Choose the data first"):
        start_analysis(project, owner, AnalysisRequest(name="t_test", params={"outcome": "c1"}), enqueue=False)


def test_which_params_are_columns() -> None:
    params = {
        "outcome": "c1", "predictors": ["c2", "c3", "c2"], "counts": [[1, 2], [3, 4]], "tp": 4,
        "options": {"subgroup": "c5", "event_value": "c7", "alternative": "less"},
    }  # fmt: skip
    assert columns_named(params) == ["c1", "c2", "c3", "c5"]


def test_analyses_are_numbered_in_a_thesis(project: Project, owner: User) -> None:
    data = data_of(project)
    numbers = [requested_analysis(project, owner, data).number for _ in range(3)]
    other = Project.objects.create_for(owner, title="Another")
    assert [*numbers, requested_analysis(other, owner).number] == [1, 2, 3, 1]


# Again, and stale


def test_newer_data_makes_a_result_stale_and_asking_again_takes_it(project: Project, owner: User) -> None:
    row = answered(project, owner)
    assert not is_stale(row)
    newer = data_of(project, number=2, state="proposed")
    assert not is_stale(row), "nobody has confirmed it yet"
    type(newer).objects.filter(pk=newer.pk).update(state="ready")
    assert is_stale(row)
    assert [is_stale(one) for one in analyses_of(project)] == [True]
    later = rerun_analysis(row, owner, enqueue=False)
    assert (later.data_id, later.again_of, later.title, later.params) == (newer.pk, row, row.title, row.params)
    assert not is_stale(later)


def test_asked_again_its_columns_are_found_by_their_names(project: Project, owner: User) -> None:
    row = answered(project, owner, params={"outcome": "c1", "group": "c2", "options": {"subgroup": "c2", "x": "c1"}})
    newer = data_of(project, number=2)
    newer.columns = [{**COLUMNS[1], "id": "c1"}, {**COLUMNS[0], "id": "c3"}]
    newer.save()
    later = rerun_analysis(row, owner, enqueue=False)
    assert later.params == {"outcome": "c3", "group": "c1", "options": {"subgroup": "c1", "x": "c1"}}
    newer.columns = [{**COLUMNS[1], "id": "c1"}]
    newer.save()
    with pytest.raises(Refused, match="Version 2 of alders.csv has no column “height”"):
        rerun_analysis(row, owner, enqueue=False)


def test_without_its_data_it_cannot_be_asked_again(project: Project, owner: User) -> None:
    row = answered(project, owner)
    assert row.data is not None
    row.data.dataset.delete()
    row.refresh_from_db()
    assert not is_stale(row)
    with pytest.raises(Refused, match="was deleted"):
        rerun_analysis(row, owner, enqueue=False)
    with pytest.raises(Refused, match="was deleted"):
        script_zip(row)


def test_a_list_takes_one_query_however_long(project: Project, owner: User, django_assert_num_queries: Any) -> None:
    data = data_of(project)
    for _ in range(3):
        answered(project, owner, data=data)
    with django_assert_num_queries(1):
        for row in analyses_of(project):
            assert (row.state, is_stale(row), str(row.data)) == ("done", False, "alders.csv version 1")


# Deleting, and what goes out


def test_a_deleted_analysis_takes_its_figures_along(
    project: Project, owner: User, django_capture_on_commit_callbacks: Any
) -> None:
    row = answered(project, owner)
    assert len(_files(row)) == 2
    with django_capture_on_commit_callbacks(execute=True):
        remove_analysis(row)
    assert not Figure.objects.exists()
    assert not _files(row)


@pytest.mark.r
def test_the_script_comes_with_the_data_and_gives_the_same_numbers(
    project: Project, owner: User, engine: local_service.LocalService, tmp_path: Path
) -> None:
    row = done(requested_analysis(project, owner))
    packed = zipfile.ZipFile(BytesIO(script_zip(row)))
    assert packed.namelist() == ["script.R", "data.csv", "README.txt"]
    assert packed.read("data.csv").decode().splitlines()[:2] == ["height,shade", "4.1,full"]
    assert packed.read("script.R").decode() == row.script
    assert "R 4" in packed.read("README.txt").decode()
    assert script_zip(row) == script_zip(row)
    packed.extractall(tmp_path)
    with (tmp_path / "script.R").open("a") as script:
        script.write('cat(sprintf("%.15g", result$t), file = "t.txt")\n')
    subprocess.run(["Rscript", "--vanilla", "script.R"], cwd=tmp_path, check=True, capture_output=True, timeout=60)
    assert row.result is not None
    assert float((tmp_path / "t.txt").read_text()) == pytest.approx(row.result["statistics"]["t"], abs=1e-9)


def test_no_script_yet(project: Project, owner: User) -> None:
    with pytest.raises(Refused, match="no R script yet"):
        script_zip(requested_analysis(project, owner))


def _files(row: Analysis) -> list[str]:
    try:
        return default_storage.listdir(f"figures/{row.project_id}")[1]
    except FileNotFoundError:
        return []


@contextmanager
def silent(asked: Callable[[], None]) -> Iterator[int]:
    """The port of a service that knows no catalogue, takes a request, calls `asked` and never answers."""

    class Silent(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(503)

        def do_POST(self) -> None:
            asked()
            connection.close()
            over.wait(20)

        def log_message(self, *_: Any) -> None: ...

    over = threading.Event()
    with ThreadingHTTPServer(("127.0.0.1", 0), Silent) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server.server_port
        finally:
            over.set()
            server.shutdown()
            thread.join()


@pytest.mark.long
@pytest.mark.r
def test_rows_that_were_left_out_stand_in_the_sentence_and_the_script(
    project: Project, owner: User, engine: local_service.LocalService
) -> None:
    data = data_of(project)
    data.reading = {**data.reading, "left_out": [{"rows": [99], "reason": "withdrew consent"}]}
    data.save()
    row = done(requested_analysis(project, owner, data=data))
    assert row.result is not None
    assert row.result["sentence"]["plain"].endswith("1 row was left out: withdrew consent.")
    assert row.request["data_version"]["left_out"] == data.reading["left_out"]
    assert "#   99: withdrew consent" in row.script
    readme = zipfile.ZipFile(BytesIO(script_zip(row))).read("README.txt").decode()
    assert "99: withdrew consent" in readme
