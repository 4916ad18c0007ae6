"""From a question to an analysis that runs: the steps, what each asks, and that no answer is lost (SPEC N4)."""

import pytest
from django.test import Client

from analysis.advice.sample_size_designs import DESIGNS
from analysis.models import Analysis, Dataset, DatasetVersion
from jobs.models import Job
from projects.models import Project, User
from tests.analysis.database_rows import a_dataset, an_analysis
from tests.analysis.wizard_page import COHORT, address, answering, data, hers, ids, no_r, r, shown, stay, value, words
from tests.people import signed_in

__all__ = ["answering", "data", "hers", "no_r", "r"]

pytestmark = pytest.mark.django_db


def test_the_first_step_asks_in_words_and_offers_every_kind(hers: Client, project: Project) -> None:
    page = shown(hers.get(address(project)))
    assert len(page.css("input[name=intent]")) == 15
    assert value(page, "intent") is None
    assert not page.css("#which-data, #variables, #advice, #options")


def test_words_are_recognised_and_a_choice_by_hand_stays(hers: Client, project: Project) -> None:
    page = shown(hers.post(address(project), {"question": "Is age related to pain?"}))
    assert (value(page, "intent"), value(page, "recognised")) == ("relate", "relate")
    assert words(page, ".card-small:has(:checked)").endswith("From your words") or "From your words" in words(
        page, ".card-small"
    )
    by_hand = {"question": "Is age related to pain?", "recognised": "relate", "intent": "predict"}
    page = shown(hers.post(address(project), by_hand))
    assert value(page, "intent") == "predict"
    again = {"question": "Do the groups differ?", "recognised": "relate", "intent": "relate"}
    assert value(shown(hers.post(address(project), again)), "intent") == "differ"  # the words changed, no hand did
    other = {"question": "Do the groups differ?", "recognised": "relate", "intent": "predict"}
    assert value(shown(hers.post(address(project), other)), "intent") == "predict"


def test_a_sample_size_is_sent_to_its_page(hers: Client, project: Project) -> None:
    page = shown(hers.post(address(project), {"question": "How many patients do I need?"}))
    assert page.css_first(f'.notice a[href="{address(project, "sample-size")}"]')


def test_data_that_nobody_confirmed_is_not_offered_but_named(hers: Client, project: Project, owner: User) -> None:
    proposed = a_dataset(project, owner, COHORT, name="raw.csv")
    page = shown(hers.post(address(project), {"intent": "differ"}))
    assert not page.css("select[name=data]")
    assert page.css_first(f'#which-data a[href="/projects/{project.pk}/data/{proposed.dataset_id}/"]')
    page = shown(hers.post(address(project), stay(proposed)))
    assert not page.css("#advice")


def test_levels_are_shown_as_confirmed_and_can_be_said_otherwise(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    of = ids(data)
    page = shown(hers.post(address(project), stay(data)))
    assert value(page, f"l.{of['crp']}") == "numeric"
    assert "As confirmed with the data" in words(page, ".taken")
    assert "Welch t test" in words(page, "#advice h3")
    page = shown(hers.post(address(project), stay(data, **{f"l.{of['crp']}": "ordinal"})))
    assert value(page, f"l.{of['crp']}") == "ordinal"
    assert "Chosen here" in words(page, ".taken")
    assert "Mann-Whitney U test" in words(page, "#advice h3")
    assert "ordered categories" in words(page, "#advice .reason")


def test_a_level_that_nobody_said_is_asked(hers: Client, project: Project, data: DatasetVersion, r: None) -> None:
    of = ids(data)
    for column in data.columns:
        column["level_of_measurement"] = ""
    data.save()
    page = shown(hers.post(address(project), stay(data)))
    assert value(page, f"l.{of['crp']}") == ""
    assert not page.css("#advice")
    assert "Choose what" in words(page, "#variables .wrong")


def test_dates_and_free_text_are_not_offered_and_said(hers: Client, project: Project, data: DatasetVersion) -> None:
    page = shown(hers.post(address(project), {"intent": "differ", "data": str(data.pk)}))
    offered = {one.text() for one in page.css("#v-outcome option")}
    assert {"crp", "arm"} <= offered
    assert not {"id", "when"} & offered
    assert "when (a date)" in words(page, "#variables")
    assert not page.css("#variables .wrong")  # nothing was chosen yet: nothing is wrong yet


def test_options_are_renewed_only_where_they_ask_something_else(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    def how(**more: str) -> str | None:
        page = shown(hers.post(address(project), stay(data, **more)))
        asked = page.css_first("#options [hx-preserve]")
        assert asked is not None
        return asked.attributes["id"]

    assert how() == how(question="Is it higher?", **{"o.alternative": "less"})
    assert how() != how(analysis="mann_whitney")


def test_only_the_rest_of_the_page_is_sent_to_htmx(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    part = shown(hers.post(address(project), stay(data), headers={"HX-Request": "true"}))
    assert not part.css("#question, header.bar")
    assert "Suggested: Welch t test" in words(part, "[hx-swap-oob]")


def test_it_runs_with_its_answers_kept(hers: Client, project: Project, data: DatasetVersion, r: None) -> None:
    of = ids(data)
    sent = stay(
        data, do="run", analysis="t_test", options_of="t_test", conf_level="0.99", **{"o.alternative": "greater"}
    )
    response = hers.post(address(project), sent)
    made = Analysis.objects.get(project=project)
    assert response.headers["Location"] == f"/projects/{project.pk}/analyses/{made.pk}/"
    assert (made.name, made.title, made.data) == ("t_test", sent["question"], data)
    assert made.params == {
        "outcome": of["crp"],
        "group": of["arm"],
        "options": {"var_equal": False, "alternative": "greater"},
    }
    assert made.request["conf_level"] == 0.99
    assert made.why["intent"] == "differ"
    assert made.why["roles"] == {"outcome": [of["crp"]], "group": [of["arm"]]}
    assert "Welch" in made.why["reason"]
    assert made.why["would_change"]


def test_an_alternative_runs_where_it_was_chosen_and_nothing_else_does(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    hers.post(address(project), stay(data, do="run", analysis="mann_whitney"))
    hers.post(address(project), stay(data, do="run", analysis="meta"))
    assert list(Analysis.objects.order_by("number").values_list("name", flat=True)) == ["mann_whitney", "t_test"]


def test_who_took_what_was_suggested_takes_what_is_suggested_now(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    ordinal = {f"l.{ids(data)['crp']}": "ordinal"}
    page = shown(hers.post(address(project), stay(data, analysis="t_test", suggested="t_test", **ordinal)))
    assert (value(page, "suggested"), value(page, "analysis")) == ("mann_whitney", "mann_whitney")
    page = shown(hers.post(address(project), stay(data, analysis="mann_whitney", suggested="t_test")))
    assert (value(page, "suggested"), value(page, "analysis")) == ("t_test", "mann_whitney")  # chosen by hand: it stays


def test_what_counts_as_the_event_is_asked_where_r_cannot_know(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    of = ids(data)
    base = {"intent": "predict", "data": str(data.pk), "v.predictors": [of["crp"]], "question": "What predicts it?"}
    page = shown(hers.post(address(project), base | {"v.outcome": of["died"], f"l.{of['died']}": "nominal"}))
    assert {one.text() for one in page.css("#o-event_value option")} == {"Automatic", "0", "1"}
    arm = base | {"v.outcome": of["arm"]}
    page = shown(hers.post(address(project), arm))
    assert {one.text() for one in page.css("#o-event_value option")} == {"Choose…", "control", "steroid"}
    page = shown(hers.post(address(project), arm | {"do": "run", "options_of": "logistic"}), 422)
    assert "required" in words(page, "#o-event_value-wrong")
    hers.post(address(project), arm | {"do": "run", "options_of": "logistic", "o.event_value": "steroid"})
    assert Analysis.objects.get().params["options"] == {"event_value": "steroid"}


def test_the_advice_fills_options_and_a_wrong_one_is_shown_at_its_field(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    of = ids(data)
    pain = {"intent": "relate", "data": str(data.pk), "v.x": of["pain"], "v.y": of["crp"], f"l.{of['pain']}": "ordinal"}
    assert value(shown(hers.post(address(project), pain)), "o.method") == "spearman"
    known = {
        "intent": "known",
        "data": str(data.pk),
        "v.outcome": of["crp"],
        "options_of": "one_sample_t",
        "o.mu": "1,5x",
    }
    page = shown(hers.post(address(project), known | {"do": "run"}), 422)
    assert "“1,5x” is not a number" in words(page, "#o-mu-wrong")
    assert value(page, "o.mu") == "1,5x"
    hers.post(address(project), known | {"do": "run", "o.mu": "1,5"})
    assert Analysis.objects.get().params["options"] == {"mu": 1.5}


def test_busy_says_so_and_keeps_every_answer(
    hers: Client, project: Project, data: DatasetVersion, owner: User, r: None
) -> None:
    for _ in range(8):
        Job.objects.start(project=project, kind="analysis", subject=project.pk, user=owner, enqueue=False)
    sent = stay(data, do="run", options_of="t_test", conf_level="0.9", **{"o.var_equal": "on"})
    page = shown(hers.post(address(project), sent), 429)
    assert "Your answers are still here" in words(page, "#wizard-refused")
    kept = {name: value(page, name) for name in ("question", "intent", "data", "v.outcome", "v.group", "o.var_equal")}
    assert kept == {**{name: sent[name] for name in kept}, "o.var_equal": "on"}
    assert value(page, "conf_level") == "0.9"
    assert not Analysis.objects.exists()


def test_without_r_it_says_how_to_start_it_and_keeps_what_was_typed(
    hers: Client, project: Project, data: DatasetVersion, no_r: None
) -> None:
    sent = stay(data, options_of="t_test", conf_level="0.9", **{"o.alternative": "less"})
    page = shown(hers.post(address(project), sent))
    assert "not running" in words(page, ".notice")
    assert "docker/setup run" in words(page, ".notice")
    assert value(page, "o.alternative") == "less"
    assert value(page, "conf_level") == "0.9"
    assert not page.css("button[value=run]")
    assert shown(hers.post(address(project), sent | {"do": "run"}), 503).css("#advice")
    assert not Analysis.objects.exists()


def test_a_dataset_in_the_address_is_chosen(hers: Client, project: Project, data: DatasetVersion, owner: User) -> None:
    other = a_dataset(project, owner, COHORT, name="other.csv", state="ready")
    page = shown(hers.get(address(project), {"dataset": str(other.dataset_id), "intent": "differ"}))
    assert value(page, "data") == str(other.pk)
    page = shown(hers.get(address(project), {"dataset": str(other.dataset_id)}))
    assert value(page, "data") == str(other.pk)  # kept until it is asked about


def test_the_only_data_there_is_need_not_be_chosen(hers: Client, project: Project, data: DatasetVersion) -> None:
    assert value(shown(hers.post(address(project), {"intent": "differ"})), "data") == str(data.pk)
    assert not shown(hers.post(address(project), {"intent": "differ", "data": ""})).css("#variables")


def test_names_are_text(hers: Client, project: Project, owner: User, r: None) -> None:
    odd = a_dataset(
        project, owner, "<b>x</b>,`y`; system('id')\n" + "1,a\n2,b\n3,a\n4,b\n5,a\n6,b\n", name="<i>.csv", state="ready"
    )
    sent = {
        "intent": "differ",
        "data": str(odd.pk),
        "v.outcome": "c1",
        "v.group": "c2",
        "question": "<script>x</script>",
    }
    response = hers.post(address(project), sent)
    assert b"<b>x" not in response.content
    assert b"<script>x" not in response.content
    assert "“<b>x</b>”" in words(shown(response), "#advice .reason")


def test_a_sample_size_is_worked_out(hers: Client, project: Project, owner: User, r: None) -> None:
    place = address(project, "sample-size")
    page = shown(hers.get(place))
    assert len(page.css("input[name=design]")) == len(DESIGNS) == 9
    page = shown(hers.post(place, {"design": "two_means"}))
    assert (value(page, "o.power"), value(page, "o.sides")) == ("0.8", "2")
    sent = {
        "design": "two_means",
        "fields_of": "two_means",
        "o.delta": "5",
        "o.power": "0.9",
        "o.sides": "2",
        "do": "run",
    }
    page = shown(hers.post(place, sent | {"question": "For the pilot"}), 422)
    assert "required" in words(page, "#o-sd-wrong")
    assert (value(page, "o.delta"), value(page, "question")) == ("5", "For the pilot")
    assert "at most 2" in words(shown(hers.post(place, sent | {"o.sd": "1", "o.sides": "3"}), 422), "#o-sides-wrong")
    hers.post(place, sent | {"o.sd": "10"})
    made = Analysis.objects.get()
    assert (made.kind, made.name, made.title) == ("sample-size", "two_means", "Sample size: compare two means")
    assert made.params == {"delta": 5, "sd": 10, "power": 0.9, "sides": 2}
    response = hers.get(address(project), {"again": str(made.pk)}, follow=True)
    assert (value(shown(response), "o.power"), value(shown(response), "o.sd")) == ("0.9", "10")
    assert hers.get(place, {"again": str(an_analysis(project, owner, None).pk)}).status_code == 200


def test_a_sample_size_without_r_keeps_what_was_typed(hers: Client, project: Project, no_r: None) -> None:
    sent = {"design": "two_means", "fields_of": "two_means", "o.delta": "5", "do": "run"}
    page = shown(hers.post(address(project, "sample-size"), sent))
    assert "not running" in words(page, ".notice")
    assert value(page, "o.delta") == "5"


@pytest.mark.parametrize("page", ["new", "sample-size"])
def test_who_may(
    page: str, project: Project, data: DatasetVersion, outsider: User, reader: User, supervisor: User, r: None
) -> None:
    place = address(project, page)
    assert Client().get(place).status_code == 302
    stranger = signed_in(outsider)
    assert stranger.get(place).status_code == 404
    assert stranger.post(place, stay(data, do="run")).status_code == 404
    for one in (reader, supervisor):
        theirs = signed_in(one)
        assert not shown(theirs.get(place)).css("form#wizard, form#sample-size")
        assert theirs.post(place, stay(data, do="run")).status_code == 403
    assert signed_in(project.created_by if hasattr(project, "created_by") else reader).put(place).status_code in (
        403,
        405,
    )


@pytest.mark.parametrize("page", ["new", "sample-size"])
def test_other_methods_and_other_theses(page: str, hers: Client, project: Project, owner: User, outsider: User) -> None:
    assert hers.put(address(project, page)).status_code == 405
    theirs = Project.objects.create_for(outsider, title="Oaks", discipline="Forestry", degree="MSc")
    hidden = an_analysis(theirs, outsider, None)
    assert hers.get(address(project, page), {"again": str(hidden.pk)}).status_code == 404
    assert hers.get(address(project, page), {"again": "x"}).status_code == 200
    foreign = a_dataset(theirs, outsider, COHORT, state="ready")
    assert not shown(hers.post(address(project), stay(foreign))).css("#variables")
    assert Dataset.objects.count() == 1


def test_two_columns_where_one_is_meant_are_refused_in_words(
    hers: Client, project: Project, data: DatasetVersion, r: None
) -> None:
    both = [ids(data)["arm"], ids(data)["sex"]]
    page = hers.get(address(project), {**stay(data), "v.group": both, "step": "analysis"})
    assert page.status_code < 500
    assert "one column, not 2" in page.content.decode()
