"""Tests that count every row as a different person are refused if people have several rows,
on every way to start them."""

from typing import Any

import pytest

from analysis.models import Analysis, DatasetVersion
from analysis.running.rerun import rerun_analysis
from analysis.running.start import AnalysisRequest, start_analysis
from core.errors import Refused
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.analysis.wizard_page import address, answering, ids, r, shown, value, words  # noqa: F401
from tests.people import signed_in

pytestmark = pytest.mark.django_db

VISITS = "patient_id,arm,pain,crp,died,sex,months,status\n" + "".join(
    (
        f"P{n // 2:02d},{'a' if n // 2 % 2 else 'b'},{n % 5 + 1},{10 + n * 7 % 40},{n % 3 == 0:d},"
        f"{'m' if n // 2 % 4 else 'f'},{n % 20 + 1},{('alive', 'cancer', 'other')[n % 3]}\n"
    )
    for n in range(80)
)
TESTS: dict[str, dict[str, Any]] = {
    **{name: {"outcome": "crp", "group": "arm"} for name in ("t_test", "mann_whitney", "anova", "kruskal")},
    **{name: {"row": "arm", "column": "died"} for name in ("chi_square", "fisher")},
    "correlation": {"x": "crp", "y": "pain"}, "linear": {"outcome": "crp", "predictors": ["arm", "sex"]},
    "logistic": {"outcome": "died", "predictors": ["crp"]},
    "cox": {"time": "months", "event": "died", "predictors": ["crp"]},
    "kaplan_meier": {"time": "months", "event": "died"}, "roc": {"outcome": "died", "score": "crp"},
    "diagnostic": {"test": "sex", "reference": "died"}, "one_sample_t": {"outcome": "crp"},
    "chi_square_gof": {"column": "sex"},
    "table1": {"columns": ["crp"], "group": "arm", "options": {"p_values": True}},
    "paired_t": {"first": "crp", "second": "pain"},
    "kappa": {"raters": ["sex", "died"]}, "something_new": {"outcome": "crp"},
}  # fmt: skip


@pytest.fixture
def data(project: Project, owner: User) -> DatasetVersion:
    return a_dataset(project, owner, VISITS, name="visits.csv", state="ready")


def by_id(data: DatasetVersion, params: dict[str, Any]) -> dict[str, Any]:
    of = ids(data)
    return {
        name: value if name == "options" else [of[one] for one in value] if isinstance(value, list) else of[value]
        for name, value in params.items()
    }


def ask(project: Project, user: User, data: DatasetVersion, name: str, params: dict[str, Any], **more: Any) -> Analysis:
    return start_analysis(
        project, user, AnalysisRequest(name=name, data=data, params=by_id(data, params), **more), enqueue=False
    )


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", TESTS)
def test_every_test_is_refused_with_the_reason(name: str, project: Project, owner: User, data: DatasetVersion) -> None:
    with pytest.raises(Refused) as refused:
        ask(project, owner, data, name, TESTS[name])
    assert (refused.value.code, refused.value.field) == ("repeated_rows", "rows_independent")
    assert refused.value.message.startswith("40 of 40 patients have two rows (column “patient_id”).")
    assert not Analysis.objects.exists()
    said = ask(project, owner, data, name, TESTS[name], why={"said": {"rows_independent": True}})
    assert "stated that the rows are independent nevertheless" in said.why["notes"][0]
    assert rerun_analysis(said, owner, enqueue=False).why["notes"] == said.why["notes"]


@pytest.mark.parametrize(("name", "params"),
    [("descriptive", {"columns": ["crp"]}), ("normality", {"columns": ["crp"]}),
    ("table1", {"columns": ["crp"], "group": "arm"})])  # fmt: skip
def test_descriptions_are_made_and_say_that_they_count_rows(
    name: str, params: dict[str, Any], project: Project, owner: User, data: DatasetVersion
) -> None:
    assert ask(project, owner, data, name, params).why["notes"][0].startswith("Counts are rows, not people: 40 of 40")


def test_two_rows_each_are_a_paired_test_and_several_a_mixed_model(
    project: Project, owner: User, data: DatasetVersion
) -> None:
    with pytest.raises(Refused, match="a paired test"):
        ask(project, owner, data, "t_test", TESTS["t_test"])
    more = "patient_id,arm,crp\n" + "".join(f"P{n // 3},{'ab'[n // 3 % 2]},{n}\n" for n in range(60))
    thrice = a_dataset(project, owner, more, name="thrice.csv", state="ready")
    with pytest.raises(Refused, match="mixed model, which Scholium does not have"):
        ask(project, owner, thrice, "t_test", TESTS["t_test"])


def test_the_api_refuses_and_takes_what_is_said(project: Project, owner: User, data: DatasetVersion) -> None:
    client, place = signed_in(owner), f"/api/projects/{project.pk}/analyses"
    sent = {"name": "t_test", "data": str(data.pk), "params": by_id(data, TESTS["t_test"])}
    answer = client.post(place, sent, content_type="application/json")
    assert answer.status_code == 422
    assert answer.json()["error"]["code"] == "repeated_rows"
    answer = client.post(place, sent | {"rows_independent": True}, content_type="application/json")
    assert answer.status_code == 201
    assert answer.json()["why"]["said"] == {"rows_independent": True}
    newest = client.get(f"/api/projects/{project.pk}/datasets/{data.dataset_id}").json()["newest"]
    assert (newest["repeats"]["repeated"], newest["repeats"]["people"]) == (40, 40)


def test_a_status_of_three_values_is_not_taken_for_two(project: Project, owner: User, data: DatasetVersion) -> None:
    curve = {"time": "months", "event": "status"}
    said = {"rows_independent": True}
    with pytest.raises(Refused) as refused:
        ask(project, owner, data, "kaplan_meier", curve, why={"said": said})
    assert (refused.value.code, refused.value.field) == ("which_event", "params.options.event_value")
    assert "“alive”, “cancer”, “other”" in refused.value.message
    chosen = curve | {"options": {"event_value": "cancer"}}
    for name, kind in (("kaplan_meier", "run"), ("km", "figure")):
        with pytest.raises(Refused, match="Fine and Gray") as refused:
            ask(project, owner, data, name, chosen, kind=kind, why={"said": said})
        assert refused.value.field == "others_censored"
    made = ask(project, owner, data, "kaplan_meier", chosen, why={"said": said | {"others_censored": True}})
    assert "every other value of “status” counts as censored" in made.why["notes"][1]


def test_the_wizard_says_it_and_takes_a_tick(project: Project, owner: User, data: DatasetVersion, r: None) -> None:  # noqa: F811
    hers, of = signed_in(owner), ids(data)
    sent = {
        "question": "Is CRP higher in arm a?",
        "intent": "differ",
        "recognised": "differ",
        "data": str(data.pk),
        "v.outcome": of["crp"],
        "v.group": of["arm"],
    }
    page = shown(hers.post(address(project), sent))
    assert "40 of 40 patients" in words(page, "#several-rows")
    assert "count every row as a different person" in words(page, "#people")
    refused = shown(hers.post(address(project), sent | {"do": "run"}), 422)
    assert "40 of 40 patients" in words(refused, "#wizard-refused")
    assert value(refused, "v.outcome") == of["crp"]
    assert not Analysis.objects.exists()
    hers.post(address(project), sent | {"do": "run", "s.rows_independent": "1"})
    made = Analysis.objects.get()
    assert made.why["said"] == {"rows_independent": True}
    page = shown(hers.get(address(project), {"again": str(made.pk)}))
    assert page.css_first("[name='s.rows_independent'][checked]")


def test_data_with_one_row_for_each_person_are_left_alone(project: Project, owner: User, r: None) -> None:  # noqa: F811
    once = "\n".join(VISITS.splitlines()[:1] + VISITS.splitlines()[1::2])
    data = a_dataset(project, owner, once, name="once.csv", state="ready")
    assert "notes" not in ask(project, owner, data, "t_test", TESTS["t_test"]).why
    sent = {"intent": "differ", "data": str(data.pk), "v.outcome": ids(data)["crp"], "v.group": ids(data)["arm"]}
    page = shown(signed_in(owner).post(address(project), sent))
    assert not page.css("#several-rows, #people")
