"""Analyses and figures for programs, and what of a result goes out as a file (SPEC N2, P3)."""

import io
import zipfile
from typing import Any

import pytest
from django.urls import reverse

from analysis.models import Analysis, Figure
from analysis.running.compare import NO_VALUE, compare
from jobs.compute_slots import CAPACITY, QUEUE
from jobs.models import Job
from projects.models import Project, User
from tests.analysis.results import SVG, answer, answered, data_of, drawn, requested_analysis, table
from tests.people import signed_in

pytestmark = pytest.mark.django_db

JSON = "application/json"


@pytest.fixture
def analysis(project: Project, owner: User) -> Analysis:
    return answered(project, owner)


def at(project: Project) -> str:
    return f"/api/projects/{project.pk}/analyses"


def test_a_program_asks_and_reads(project: Project, owner: User) -> None:
    data = data_of(project)
    client = signed_in(owner)
    body = {"name": "t_test", "data": str(data.pk), "params": {"outcome": "c1", "group": "c2"}, "title": "Height?"}
    made = client.post(at(project), body, JSON)
    assert made.status_code == 201
    assert (made.json()["number"], made.json()["state"], made.json()["result"]) == (1, "queued", None)
    by_dataset = client.post(at(project), {**body, "data": None, "dataset": str(data.dataset_id)}, JSON)
    assert by_dataset.json()["data"] == str(data.pk)
    listed = client.get(at(project)).json()
    assert [(one["number"], one["dataset"], one["version"]) for one in listed] == [
        (2, "alders.csv", 1),
        (1, "alders.csv", 1),
    ]
    assert [one["number"] for one in client.get(at(project) + "?limit=1&offset=1").json()] == [1]


def test_a_result_has_every_number(analysis: Analysis, owner: User) -> None:
    said = signed_in(owner).get(f"/api/analyses/{analysis.pk}").json()
    assert (said["state"], said["is_stale"], said["error"]) == ("done", False, None)
    assert said["result"]["statistics"] == answer()["statistics"]
    assert said["sentence"].startswith("Height was")
    (figure,) = said["figures"]
    assert figure["svg"].endswith(".svg")
    assert [one["id"] for one in signed_in(owner).get(f"/api/projects/{analysis.project_id}/figures").json()] == [
        figure["id"]
    ]


@pytest.mark.parametrize(
    ("changes", "status", "field"),
    [
        ({"params": {"outcome": "c9"}}, 422, "params"),
        ({"name": "NOPE"}, 404, "name"),
        ({"kind": "other"}, 422, "kind"),
        ({"data": "00000000-0000-0000-0000-000000000000"}, 422, "data"),
        ({"alpha": 3}, 422, "alpha"),
        ({"params": []}, 422, "params"),
    ],
)
def test_what_cannot_be_asked(project: Project, owner: User, changes: dict[str, Any], status: int, field: str) -> None:
    body = {"name": "t_test", "data": str(data_of(project).pk), "params": {"outcome": "c1", "group": "c2"}} | changes
    said = signed_in(owner).post(at(project), body, JSON)
    assert (said.status_code, said.json()["error"]["field"]) == (status, field)
    assert not Analysis.objects.exists()


def test_busy_says_so_and_keeps_nothing(project: Project, owner: User) -> None:
    data = data_of(project)
    for _ in range(CAPACITY + QUEUE):
        requested_analysis(project, owner, data)
    body = {"name": "t_test", "data": str(data.pk), "params": {"outcome": "c1", "group": "c2"}}
    said = signed_in(owner).post(at(project), body, JSON)
    assert (said.status_code, said.json()["error"]["code"]) == (429, "busy")
    assert "Try again" in said.json()["error"]["message"]
    assert Analysis.objects.count() == Job.objects.count() == CAPACITY + QUEUE
    last: Analysis = Analysis.objects.get(number=CAPACITY + QUEUE)  # it waits
    assert last.job is not None
    assert last.job.ask("cancel")
    assert signed_in(owner).post(at(project), body, JSON).status_code == 201, "who leaves makes room"


def test_again_stop_and_delete(analysis: Analysis, owner: User) -> None:
    client = signed_in(owner)
    again = client.post(f"/api/analyses/{analysis.pk}/again", {"alpha": 0.01, "title": "Once more"}, JSON)
    assert again.status_code == 201
    made = again.json()
    assert (made["again_of"], made["title"], made["request"]["alpha"]) == (str(analysis.pk), "Once more", 0.01)
    assert made["params"] == analysis.params
    stopped = client.post(f"/api/analyses/{made['id']}/stop").json()
    assert (stopped["state"], stopped["error"]["code"]) == ("cancelled", "cancelled")
    assert client.delete(f"/api/analyses/{made['id']}").status_code == 204
    assert client.get(f"/api/analyses/{made['id']}").status_code == 404
    assert Analysis.objects.get() == analysis


def test_the_catalogue_without_an_engine(owner: User, settings: Any) -> None:
    settings.R_PLUMBER_URLS = []
    said = signed_in(owner).get("/api/analyses/catalogue")
    assert (said.status_code, said.json()["error"]["code"]) == (503, "absent")


def test_lists_ask_as_often_however_long(project: Project, owner: User, django_assert_max_num_queries: Any) -> None:
    data = data_of(project)
    for _ in range(6):
        answered(project, owner, data=data)
    client = signed_in(owner)
    for address in (at(project), f"/api/projects/{project.pk}/figures"):
        with django_assert_max_num_queries(5):
            assert len(client.get(address).json()) == 6


# Comparing


def test_two_results_side_by_side(project: Project, owner: User) -> None:
    left = answered(project, owner, answer(effect_sizes=[]))
    said = answer(statistics={"t": -5.094, "df": 6, "p": 0.0023}, method="Student two-sample t-test")
    right = answered(
        project,
        owner,
        said,
        data=data_of(project, number=2),
        params={"outcome": "c1", "group": "c2", "options": {"var_equal": True}},
    )
    lines = {(one.group, one.id): one for one in compare(left, right)}
    data = lines["Settings", "data"]
    assert (data.left, data.right, data.change, data.is_same) == (
        "alders.csv, version 1",
        "alders.csv, version 2",
        "",
        False,
    )
    assert (lines["Settings", "outcome"].left, lines["Settings", "outcome"].is_same) == ("height", True)
    assert (lines["Settings", "var_equal"].left, lines["Settings", "var_equal"].right) == (NO_VALUE, "yes")
    assert lines["Statistics", "df"].change == "0.080"
    assert lines["Statistics", "t"].is_same
    assert lines["Estimates", "mean_difference"].left == "−1.18 (−1.74 to −0.61)"
    assert (lines["Effect sizes", "cohens_d"].left, lines["Effect sizes", "cohens_d"].is_same) == (NO_VALUE, False)
    shown = signed_in(owner).get(f"/api/analyses/{left.pk}/compare/{right.pk}").json()
    assert [(one["group"], one["id"]) for one in shown] == list(lines)


def test_a_difference_behind_the_last_digit_is_one(project: Project, owner: User) -> None:
    left = answered(project, owner)
    right = answered(project, owner, answer(statistics={"t": -5.0940000001, "df": 5.92, "p": 0.0023}), data=left.data)
    line = next(one for one in compare(left, right) if one.id == "t")
    assert (line.left, line.is_same) == (line.right, False)


# Files


def figure_url(figure: Figure, format: str) -> str:
    return reverse("analysis:figure", args=[figure.project_id, figure.pk, format])


def test_a_figure_in_three_formats(analysis: Analysis, owner: User) -> None:
    figure = analysis.figures.get()
    client = signed_in(owner)
    svg = client.get(figure_url(figure, "svg"))
    assert (svg.headers["Content-Type"], svg.content.decode()) == ("image/svg+xml", figure.svg)
    assert svg.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert svg.headers["X-Content-Type-Options"] == "nosniff"
    assert client.get(figure_url(figure, "pdf")).content.startswith(b"%PDF-")
    png = client.get(figure_url(figure, "png") + "?download")
    assert png.headers["Content-Disposition"] == 'attachment; filename="analysis-1-box.png"'
    assert client.get(figure_url(figure, "exe")).status_code == 404


def test_a_hostile_figure_is_clean_when_it_is_served(project: Project, owner: User) -> None:
    hostile = SVG.replace("<g ", "<script>alert(1)</script><g onload='alert(1)' ")
    row = answered(project, owner, answer(figures=drawn(svg=hostile)))
    text = signed_in(owner).get(figure_url(row.figures.get(), "svg")).content.decode()
    assert "alert" not in text
    assert "Height, cm" in text


def test_a_figure_that_the_disk_has_lost_or_never_was(project: Project, owner: User) -> None:
    row = answered(project, owner, answer(figures=drawn(formats=("svg", "png"))))
    figure = row.figures.get()
    figure.png.storage.delete(str(figure.png.name))
    assert [signed_in(owner).get(figure_url(figure, one)).status_code for one in ("png", "pdf")] == [404, 404]


def test_the_script_and_the_tables_as_files(analysis: Analysis, owner: User) -> None:
    client = signed_in(owner)
    ids = [analysis.project_id, analysis.pk]
    packed = client.get(reverse("analysis:script", args=ids))
    assert packed.headers["Content-Disposition"] == 'attachment; filename="analysis-1.zip"'
    assert "script.R" in zipfile.ZipFile(io.BytesIO(packed.content)).namelist()
    assert client.get(f"/api/analyses/{analysis.pk}/script").content == packed.content
    tex = client.get(reverse("analysis:table", args=ids)).content.decode()
    assert r"\label{tab:analysis-1-main}" in tex
    assert client.get(reverse("analysis:table", args=ids) + "?table=none").status_code == 404


def test_before_there_is_a_script(project: Project, owner: User) -> None:
    row = requested_analysis(project, owner)
    said = signed_in(owner).get(reverse("analysis:script", args=[project.pk, row.pk]))
    assert (said.status_code, said.content.decode()) == (409, "This analysis has no R script yet.")


def test_a_table_of_hostile_names_is_latex_too(project: Project, owner: User) -> None:
    row = answered(project, owner, answer(tables=[table([{"group": "\\input{x} & %"}], id='a/b"\n')]))
    tex = signed_in(owner).get(reverse("analysis:table", args=[project.pk, row.pk])).content.decode()
    assert r"\textbackslash{}input\{x\} \& \%" in tex
    assert r"\label{tab:analysis-1-ab}" in tex


def test_the_job_leads_to_its_page_and_stops_from_there(project: Project, owner: User, supervisor: User) -> None:
    row = requested_analysis(project, owner)
    client = signed_in(owner)
    page = reverse("analysis:result", args=[project.pk, row.pk])
    assert client.get(reverse("analysis:analysis", args=[row.pk])).headers["Location"] == page
    stop = reverse("analysis:stop", args=[project.pk, row.pk])
    assert signed_in(supervisor).post(stop).status_code == 403
    assert client.post(stop).headers["Location"] == page
    row.refresh_from_db()
    assert row.error is not None
    assert row.error["code"] == "cancelled"
    assert client.get(stop).status_code == 405


# Who may


def addresses(row: Analysis) -> list[str]:
    figure, ids = row.figures.get(), [row.project_id, row.pk]
    named = [reverse(f"analysis:{name}", args=ids) for name in ("script", "table")]
    api = [f"/api/analyses/{row.pk}", f"/api/analyses/{row.pk}/script", f"/api/analyses/{row.pk}/compare/{row.pk}"]
    lists = [f"/api/projects/{row.project_id}/{name}" for name in ("analyses", "figures")]
    return [
        *named,
        *api,
        *lists,
        *(figure_url(figure, one) for one in ("svg", "png", "pdf")),
        reverse("analysis:analysis", args=[row.pk]),
    ]


def test_a_reader_reads_and_a_stranger_finds_nothing(analysis: Analysis, reader: User, outsider: User) -> None:
    for address in addresses(analysis):
        assert signed_in(reader).get(address).status_code in (200, 302), address
        assert signed_in(outsider).get(address).status_code == 404, address


def test_only_who_writes_asks_stops_and_deletes(analysis: Analysis, supervisor: User, outsider: User) -> None:
    body = {"name": "t_test"}
    for user, status in ((supervisor, 403), (outsider, 404)):
        client = signed_in(user)
        assert client.post(at(analysis.project), body, JSON).status_code == status
        assert client.post(f"/api/analyses/{analysis.pk}/again", {}, JSON).status_code == status
        assert client.post(f"/api/analyses/{analysis.pk}/stop").status_code == status
        assert client.delete(f"/api/analyses/{analysis.pk}").status_code == status
    assert Analysis.objects.get() == analysis


def test_figures_and_analyses_of_another_thesis(analysis: Analysis, owner: User) -> None:
    other = Project.objects.create_for(owner, title="Another")
    figure = analysis.figures.get()
    assert signed_in(owner).get(reverse("analysis:figure", args=[other.pk, figure.pk, "svg"])).status_code == 404
    elsewhere = answered(other, owner)
    compared = signed_in(owner).get(f"/api/analyses/{analysis.pk}/compare/{elsewhere.pk}")
    assert compared.status_code == 404
    body = {"name": "t_test", "data": str(analysis.data_id)}
    assert signed_in(owner).post(at(other), body, JSON).status_code == 422


def test_wrong_method(analysis: Analysis, owner: User) -> None:
    client = signed_in(owner)
    assert client.put(at(analysis.project)).status_code == 405
    assert client.post(figure_url(analysis.figures.get(), "svg")).status_code == 405


def test_an_offset_beyond_all_databases_is_refused(project: Project, owner: User) -> None:
    answer = signed_in(owner).get(f"{at(project)}?offset=999999999999999999999")
    assert answer.status_code == 422
