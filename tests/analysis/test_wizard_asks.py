"""The wizard says that it has no analysis, or asks back; it never suggests the test of another question (SPEC N4)."""

import pytest

from analysis.models import Analysis, DatasetVersion
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset
from tests.analysis.wizard_page import COHORT, address, answering, ids, r, shown, value, words  # noqa: F401
from tests.people import signed_in

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("r")]

NOT_WORSE = "Is the steroid not inferior to the control for CRP?"
STATUS = "months,status,arm\n" + "".join(
    f"{n % 20 + 1},{('alive', 'cancer', 'other')[n % 3]},{'ab'[n % 2]}\n" for n in range(60)
)


@pytest.fixture
def data(project: Project, owner: User) -> DatasetVersion:
    return a_dataset(project, owner, COHORT, name="cohort.csv", state="ready")


def test_what_is_not_here_is_named_and_nothing_is_chosen(project: Project, owner: User, data: DatasetVersion) -> None:
    page = shown(signed_in(owner).post(address(project), {"question": NOT_WORSE}))
    assert "Scholium has no analysis for non-inferiority" in words(page, "#absent")
    assert value(page, "intent") is None
    assert not page.css("#variables, #advice")


def test_words_that_change_their_question_lose_the_kind_they_gave(
    project: Project, owner: User, data: DatasetVersion
) -> None:
    sent = {"question": NOT_WORSE, "recognised": "differ", "intent": "differ", "data": str(data.pk)}
    page = shown(signed_in(owner).post(address(project), sent))
    assert value(page, "intent") is None
    assert page.css("#absent")


def test_who_chooses_a_kind_by_hand_gets_it_and_the_result_says_what_it_answers(
    project: Project, owner: User, data: DatasetVersion
) -> None:
    of = ids(data)
    sent = {
        "question": NOT_WORSE,
        "recognised": "",
        "intent": "differ",
        "data": str(data.pk),
        "v.outcome": of["crp"],
        "v.group": of["arm"],
    }
    hers = signed_in(owner)
    page = shown(hers.post(address(project), sent))
    assert "asks for non-inferiority. This analysis answers another question" in words(page, "#beside")
    hers.post(address(project), sent | {"do": "run"})
    made = Analysis.objects.get()
    assert made.title == "Do separate groups differ?"
    assert made.why["question"] == NOT_WORSE
    assert "asks for non-inferiority" in made.why["notes"][0]


def test_an_unclear_question_is_asked_back(project: Project, owner: User, data: DatasetVersion) -> None:
    unclear = {"question": "Was CRP lower after introduction of the guideline than before?"}
    page = shown(signed_in(owner).post(address(project), unclear))
    assert "Were the same people measured" in words(page, "#asks")
    assert value(page, "intent") is None


def test_a_status_of_three_values_is_asked_about(project: Project, owner: User) -> None:
    data = a_dataset(project, owner, STATUS, name="status.csv", state="ready")
    of, hers = ids(data), signed_in(owner)
    sent = {
        "question": "Survival by arm",
        "intent": "survive",
        "recognised": "survive",
        "data": str(data.pk),
        "v.time": of["months"],
        "v.event": of["status"],
        "v.by": [of["arm"]],
    }
    page = shown(hers.post(address(project), sent))
    assert {one.text() for one in page.css("#e-value option")} == {"Choose…", "alive", "cancer", "other"}
    assert "Choose which of them is the event" in words(page, "#wrong-event")
    assert not page.css("#advice")
    page = shown(hers.post(address(project), sent | {"e.value": "cancer"}))
    assert "(censored)" in words(page, "#wrong-event")
    page = shown(hers.post(address(project), sent | {"e.value": "cancer", "e.others": "competing"}))
    assert "competing risks" in words(page, "#wrong-event")
    assert not page.css("#advice")
    told = sent | {"e.value": "cancer", "e.others": "censored"}
    page = shown(hers.post(address(project), told))
    assert "counts as censored, as you said" in words(page, "#advice .noted")
    hers.post(address(project), told | {"do": "run"})
    made = Analysis.objects.get()
    assert made.params["options"]["event_value"] == "cancer"
    assert made.why["said"] == {"others_censored": True}
    page = shown(hers.get(address(project), {"again": str(made.pk)}))
    assert (value(page, "e.value"), value(page, "e.others")) == ("cancer", "censored")


def test_a_question_of_time_without_a_time_says_so(project: Project, owner: User) -> None:
    data = a_dataset(project, owner, "died,arm\n" + "yes,a\nno,b\nyes,b\nno,a\n" * 9, name="deaths.csv", state="ready")
    sent = {"question": "Survival by arm", "intent": "survive", "recognised": "survive", "data": str(data.pk)}
    page = shown(signed_in(owner).post(address(project), sent))
    assert "needs the time that each person was followed" in words(page, "#wrong-time")


def test_a_count_is_noted(project: Project, owner: User) -> None:
    falls = "falls,age,arm\n" + "".join(f"{(0, 0, 0, 1, 2, 5)[n % 6]},{60 + n},{'ab'[n % 2]}\n" for n in range(60))
    data = a_dataset(project, owner, falls, name="falls.csv", state="ready")
    of = ids(data)
    sent = {
        "question": "Which factors predict it?",
        "intent": "predict",
        "recognised": "predict",
        "data": str(data.pk),
        "v.outcome": of["falls"],
        "v.predictors": [of["age"]],
        f"l.{of['falls']}": "numeric",
    }
    page = shown(signed_in(owner).post(address(project), sent))
    assert "Linear regression" in words(page, "#advice h3")
    assert "Poisson or negative binomial" in words(page, "#advice .noted")
    age = sent | {"v.outcome": of["age"], "v.predictors": [of["falls"]]}
    assert "Poisson" not in words(shown(signed_in(owner).post(address(project), age)), "#advice")
