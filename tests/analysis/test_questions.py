"""The wizard's answers to questions of several fields: an analysis that fits exactly, none, or a question back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.advice.classify_question import UNSUPPORTED_BY_ID, classify_question
from analysis.advice.question_catalogue import QUESTIONS
from analysis.advice.question_rules import SAMPLE_SIZE
from analysis.advice.suggest import Facts, Variable, suggest
from core.errors import Refused
from tests.analysis.asked_questions import FORTY, LAST, LATER, LabelledQuestion, answered


@pytest.mark.parametrize("asked", [*FORTY, *LATER, *LAST], ids=lambda asked: asked.question[:60])
def test_a_question_is_answered_by_its_own_analysis_or_by_none(asked: LabelledQuestion) -> None:
    assert answered(asked) == asked.expected


def test_a_third_of_the_forty_has_no_analysis() -> None:
    assert len(FORTY) == 40
    assert sum(one.expected == "none" for one in FORTY) >= 14


@pytest.mark.parametrize(
    ("text", "absent"),
    [
        ("Is drug A not inferior to drug B?", "non_inferiority"),
        ("Is the new drug as safe and effective as warfarin?", "non_inferiority"),
        ("is A no worse than B", "non_inferiority"),
        ("non inferiorty of the short course", "non_inferiority"),
        ("We want to show that there is no difference between generic and brand", "equivalence"),
        ("Is there an interaciton of drug and age?", "interaction"),
        ("Is the association of smoking and cancer stronger in men than in women?", "interaction"),
        ("Do diabetics benefit more from statins than non-diabetics?", "interaction"),
        ("Does the vaccine work better in younger than in older people?", "interaction"),
        ("Is the treatment effect the same in smokers and non-smokers?", "interaction"),
        ("catheter infections per 1000 catheter days in two ICUs", "rate_ratio"),
        ("Did pain improve more in the exercise group than in the control group?", "change_between_groups"),
        ("Is there a difference in pain between the groups at 1, 6 and 24 hours?", "change_between_groups"),
        ("Which score predicts mortality better, APACHE or SOFA?", "compare_tests"),
        ("Does hospital volume affect mortality, with patients nested in hospitals?", "cluster"),
        ("Has the incidence of TB changed over the past ten years?", "time_series"),
        ("Is there a seasonal variation in asthma admissions?", "time_series"),
        ("Does sleep mediate the link of screen time and mood?", "mediation"),
        ("What are the adjusted means by ANCOVA?", "ancova"),
        ("What is the pooled prevalence of burnout over the studies?", "meta_other"),
        ("Which treatment works best: a network of 12 trials", "meta_other"),
        ("Which of the two scores discriminates better?", "compare_tests"),
        ("compare two correlation coefficients between men and women", "compare_correlations"),
        ("Is it a safe alternative, within a margin of 2 days?", "non_inferiority"),
    ],
)
def test_what_is_not_here_is_named(text: str, absent: str) -> None:
    found = classify_question(text)
    assert absent in {one.id for one in found.absent}
    assert found.intent is None
    with pytest.raises(Refused, match="Scholium has no analysis for") as refused:
        suggest(text, [])
    assert refused.value.code == "no_analysis"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Is lactate higher in survivors than in non-survivors?", "differ"),
        ("How many patients needed ventilation?", "describe"),
        ("How long do patients stay in hospital after hip fracture?", "describe"),
        ("Is blood loss different between the two techniques of hysterectomy?", "differ"),
        ("Does baseline CRP predict death?", "predict"),
        ("Which risk factors identify patients with sepsis?", "predict"),
        ("Is screen time associated with myopia in patients under 10?", "relate"),
        ("Is insulin sensitivity lower in obese women?", "differ"),
        ("Is the risk of stroke increased after COVID-19 compared with no infection?", "differ"),
        ("Does drug A work better than drug B in reducing pain?", "differ"),
        ("Does the effect of drug A differ from that of drug B?", "differ"),
        ("Does moderate exercise lower blood pressure?", "differ"),
        ("Is medication adherence associated with age?", "relate"),
        ("Is immediate loading associated with implant failure?", "relate"),
        ("is drug a better then drug b", "differ"),
        ("Is there a diffrence in pain beetween the groups?", "differ"),
        ("corelation of BMI and CRP", "relate"),
    ],
)
def test_words_that_only_look_like_something_else_are_not_taken_for_it(text: str, kind: str) -> None:
    assert classify_question(text).intent == kind


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Was mortality lower after introduction of the checklist than before?", "same people"),
        ("Is the questionnaire reliable?", "Cronbach"),
        ("Is there no difference between the two groups in pain?", "equivalence"),
    ],
)
def test_an_unclear_question_gets_a_question_back(text: str, says: str) -> None:
    found = classify_question(text)
    assert found.intent is None
    assert says in found.asks
    with pytest.raises(Refused) as refused:
        suggest(text, [])
    assert refused.value.code == "asks"


def test_every_absent_method_says_what_it_needs() -> None:
    for one in UNSUPPORTED_BY_ID.values():
        assert one.message.startswith("Scholium has no analysis for ")
        assert "It needs" in one.needs
        assert one.message.endswith(".")
        assert not one.is_in("is the stay longer in the control group?")


def variable(id: str, role: str, level: str, groups: int) -> Variable:
    return Variable(id, role, level, groups, name=id)


def test_an_ordinal_outcome_is_never_advised_to_be_cut_in_two() -> None:
    with pytest.raises(Refused, match="ordinal .proportional odds. regression") as refused:
        suggest("predict", [variable("mRS", "outcome", "ordinal", 7), variable("age", "predictors", "numeric", 50)])
    assert "two groups" not in refused.value.message
    assert "Do not reduce it to two categories" in refused.value.message
    with pytest.raises(Refused, match="multinomial"):
        suggest("predict", [variable("type", "outcome", "nominal", 4), variable("age", "predictors", "numeric", 50)])


def test_a_count_is_not_called_linear_without_a_note() -> None:
    variables = [variable("falls", "outcome", "numeric", 8), variable("age", "predictors", "numeric", 50)]
    assert suggest("predict", variables, Facts(smallest=100)).notes == ()
    noted = suggest("predict", variables, Facts(smallest=100, is_count=True)).notes
    assert "Poisson or negative binomial regression would fit" in noted[0]
    assert "Scholium has neither" in noted[0]
    compared = [variable("falls", "outcome", "numeric", 8), variable("arm", "group", "nominal", 2)]
    assert "Poisson" in suggest("differ", compared, Facts(is_count=True)).notes[0]


def test_a_status_of_three_values_is_asked_about_until_it_is_clear() -> None:
    variables = [variable("months", "time", "numeric", 60), variable("status", "event", "nominal", 3)]
    values = ("alive", "died of cancer", "died of other causes")

    def asked(**said: str) -> Refused:
        with pytest.raises(Refused) as refused:
            suggest("survive", variables, Facts(event_values=values, **said))  # type: ignore[arg-type]
        return refused.value

    assert (asked().code, asked().field) == ("asks", "event")
    assert "“died of other causes”" in asked().message
    assert asked(event="gone").code == "asks"
    assert "censored" in asked(event="died of cancer").message
    assert asked(event="died of cancer").code == "asks"
    competing = asked(event="died of cancer", others="competing")
    assert competing.code == "no_analysis"
    assert "cumulative incidence" in competing.message
    found = suggest("survive", variables, Facts(event_values=values, event="died of cancer", others="censored"))
    assert found.analysis == "kaplan_meier"
    assert found.params["options"] == {"event_value": "died of cancer"}
    assert "counts as censored, as you said" in found.notes[0]


def test_a_question_of_time_without_a_time_says_so() -> None:
    with pytest.raises(Refused, match="needs the time that each person was followed") as refused:
        suggest("survive", [variable("died", "event", "nominal", 2)])
    assert (refused.value.field, refused.value.code) == ("time", "asks")


def test_several_raters_on_an_ordered_scale_have_no_kappa_here() -> None:
    three = [variable(f"r{n}", "raters", "ordinal", 5) for n in range(3)]
    with pytest.raises(Refused, match="Krippendorff"):
        suggest("raters", three)
    assert suggest("raters", three[:2]).analysis == "kappa"


@given(st.text(max_size=1500))
def test_any_text_is_understood_or_not(text: str) -> None:
    found = classify_question(text)
    assert found.intent in (None, SAMPLE_SIZE, *QUESTIONS)
    assert bool(found.message) == bool(found.absent or found.asks)
