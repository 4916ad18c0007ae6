"""An analysis without a title is named after its method, wherever it is listed (SPEC N2)."""

from importlib import import_module
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.test import Client
from django.urls import reverse

from analysis.models import Analysis
from analysis.r_client import local_service
from analysis.r_client.client import catalogue
from analysis.running.rerun import rerun_analysis
from analysis.running.start import AnalysisRequest, start_analysis
from analysis.running.titles import custom_title, default_title
from jobs.work import perform
from projects.models import Project, User
from tests.analysis.database_rows import RESULT, a_dataset, an_analysis
from tests.people import signed_in

pytestmark = pytest.mark.django_db

PROPER = {
    "roc": "ROC curve", "kaplan_meier": "Kaplan-Meier survival", "mann_whitney": "Mann-Whitney U test",
    "t_test": "Two-sample t-test", "icc": "Intraclass correlation", "meta": "Meta-analysis", "kappa": "Cohen's kappa",
    "chi_square": "Chi-square test", "fisher": "Fisher's exact test", "table1": "Table 1", "cox": "Cox regression",
}  # fmt: skip


@pytest.mark.long
@pytest.mark.r
def test_every_analysis_of_the_service_has_a_name_of_its_own(
    service: local_service.LocalService, settings: Any
) -> None:
    """None is called by its internal name, and no two alike."""
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    listed = async_to_sync(catalogue)()
    for part, kind in (("analyses", "run"), ("designs", "sample-size"), ("figures", "figure")):
        names = [one["name"] for one in listed[part] if one["name"] != "debug"]
        titles = {name: default_title(kind, name) for name in names}
        assert len(set(titles.values())) == len(names)
        assert [name for name, title in titles.items() if "_" in title or title == name] == []
    assert {name: default_title("run", name) for name in PROPER} == PROPER
    assert default_title("figure", "km") == "Kaplan-Meier curves"


def test_an_untitled_analysis_is_called_so_on_page_rail_and_api(project: Project, owner: User) -> None:
    data = a_dataset(project, owner, state="ready")
    params = {"outcome": "c8", "score": "c5"}
    row = start_analysis(
        project, owner, AnalysisRequest(name="roc", data=data, params=params, title="  "), enqueue=False
    )
    assert row.title == "ROC curve"
    client = signed_in(owner)
    page = client.get(reverse("analysis:result", args=[project.pk, row.pk])).content.decode()
    assert "<h1>ROC curve</h1>" in page
    assert "<title>ROC curve" in page
    assert "<span>ROC curve" in page.split('class="n"', 1)[1]
    assert client.get(f"/api/analyses/{row.pk}").json()["title"] == "ROC curve"


def test_what_ran_gives_the_title_and_another_method_does_not_inherit_it(project: Project, owner: User) -> None:
    data = a_dataset(project, owner, state="ready")
    fisher = {**RESULT, "method": "Fisher's exact test"}
    switched = an_analysis(
        project, owner, data, name="chi_square", title=default_title("run", "chi_square", fisher), result=fisher,
        params={"row": "c2", "column": "c8"},
    )  # fmt: skip
    assert (switched.title, custom_title(switched)) == ("Fisher's exact test", "")
    assert default_title("run", "t_test", RESULT) == "Welch two-sample t-test"
    assert rerun_analysis(switched, owner, enqueue=False).title == "Chi-square test"
    mine = an_analysis(
        project, owner, data, name="chi_square", title="Do more die?", params={"row": "c2", "column": "c8"}
    )
    assert custom_title(mine) == "Do more die?"
    client: Client = signed_in(owner)
    asked = client.get(reverse("analysis:wizard", args=[project.pk]), {"again": str(switched.pk)}).content.decode()
    assert "Fisher's exact test</" not in asked.split('name="question"', 1)[1][:300]


@pytest.mark.long
@pytest.mark.r
def test_r_says_which_method_ran(
    project: Project, owner: User, service: local_service.LocalService, settings: Any
) -> None:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    data = a_dataset(project, owner, state="ready")
    params = {"row": "c2", "column": "c8"}
    row = start_analysis(project, owner, AnalysisRequest(name="chi_square", data=data, params=params), enqueue=False)
    titled = start_analysis(
        project, owner, AnalysisRequest(name="chi_square", data=data, params=params, title="Mine"), enqueue=False
    )
    for one in (row, titled):
        perform(str(one.job_id))
        one.refresh_from_db()
        assert one.error is None
    assert (row.title, titled.title) == ("Fisher's exact test", "Mine")


def test_old_rows_get_the_name_of_their_method(project: Project, owner: User) -> None:
    old = an_analysis(project, owner, None, name="roc", title="Roc")
    figure = an_analysis(project, owner, None, name="km", kind="figure", title="Km")
    hers = an_analysis(project, owner, None, name="roc", title="Does S100b tell?")
    import_module("analysis.migrations.0002_titles_of_methods").rename(apps, None)
    assert [Analysis.objects.get(pk=one.pk).title for one in (old, figure, hers)] == [
        "ROC curve", "Kaplan-Meier curves", "Does S100b tell?",
    ]  # fmt: skip
