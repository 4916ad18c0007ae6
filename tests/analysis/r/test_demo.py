"""The demo's data and analyses: the published meta-analysis,
and an invented cohort with independently computed numbers.

The numbers of the cohort were computed from the same file with statsmodels, lifelines and scikit-learn.
"""

from typing import Any

import pytest

from analysis.models import Analysis, Dataset
from analysis.r_client.local_service import LocalService
from config.demo.install import QUESTIONS, install
from jobs.models import Job
from jobs.work import perform
from tests.analysis.r.oracle import at

EXPECTED: dict[str, dict[str, float]] = {
    "meta": {
        "estimates.or.value": 0.659303,
        "estimates.or.low": 0.532258,
        "estimates.or.high": 0.816672,
        "statistics.Q": 7.110376,
        "statistics.I2": 15.616282,
    },
    "logistic": {
        "n.used": 236,
        "estimates.c2.steroid.value": -0.723869,
        "estimates.c2.steroid.se": 0.291894,
        "estimates.intercept.value": -4.971473,
        "estimates.or.intercept.low": 0.001001,
    },
    "kaplan_meier": {
        "estimates.survival.steroid.28.value": 0.630563,
        "estimates.survival.steroid.28.low": 0.53711,
        "estimates.survival.control.28.value": 0.456186,
        "estimates.survival.control.7.value": 0.791667,
        "estimates.median.control.value": 27.0,
        "statistics.chi_squared": 6.314253,
        "statistics.p": 0.01197712,
    },
    "cox": {
        "estimates.hr.c2.steroid.value": 0.593852,
        "estimates.hr.c2.steroid.low": 0.399962,
        "estimates.hr.c2.steroid.high": 0.881735,
        "estimates.hr.c3.value": 1.042201,
        "statistics.concordance": 0.683491,
    },
    "roc": {
        "estimates.auc.value": 0.593396,
        "estimates.auc.low": 0.520855,
        "estimates.auc.high": 0.665938,
    },
}


@pytest.mark.long
@pytest.mark.r
def test_the_demo_brings_data_and_asks_r(db: Any, settings: Any, service: LocalService, tmp_path: Any) -> None:
    settings.R_PLUMBER_URLS, settings.R_PLUMBER_TOKEN = service.urls, service.token
    project = install()
    job = Job.objects.get(project=project, kind="demo_data")
    perform(str(job.pk))
    job.refresh_from_db()
    assert (job.state, job.reason) == ("done", "")
    assert list(Dataset.objects.values_list("name", flat=True)) == ["patients.csv", "trials.csv"]
    done = {analysis.name: analysis for analysis in Analysis.objects.all()}
    assert [done[asked.name].title for asked in QUESTIONS] == [asked.title for asked in QUESTIONS]
    assert not [analysis.error for analysis in done.values() if analysis.error]
    results = {name: analysis.result or {} for name, analysis in done.items()}
    for name, numbers in EXPECTED.items():
        for path, expected in numbers.items():
            assert at(results[name], path) == pytest.approx(expected, rel=2e-5, abs=1e-6), f"{name} {path}"
    assert {figure.kind for figure in done["meta"].figures.all()} >= {"forest"}
    assert "APACHE II score" in str(results["table1"]["tables"])
    sentence = results["kaplan_meier"]["sentence"]["plain"]
    assert "Time until Death by day 28 = 1" in sentence
    assert " days in control" in sentence


@pytest.mark.long  # tests/config/test_demo_copy.py makes a copy without R, too
def test_without_r_there_are_data_and_no_analyses(db: Any, settings: Any) -> None:
    settings.R_PLUMBER_URLS = []
    project = install()
    job = Job.objects.get(project=project, kind="demo_data")
    perform(str(job.pk))
    job.refresh_from_db()
    assert job.state == "done"
    assert Dataset.objects.filter(project=project).count() == 2
    assert not Analysis.objects.exists()
