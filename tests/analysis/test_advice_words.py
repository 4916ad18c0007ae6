"""A question in free words is recognised, or left to the person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.advice.classify_question import classify_question
from analysis.advice.question_catalogue import QUESTIONS
from analysis.advice.question_rules import SAMPLE_SIZE

ASKED = [
    ("How many patients do I need?", SAMPLE_SIZE),
    ("What sample size is needed for two means", SAMPLE_SIZE),
    ("how many women must be enrolled for a power analysis", SAMPLE_SIZE),
    ("Meta-analysis of seven trials", "pool_counts"),
    ("Do corticosteroids change mortality in the pooled trials?", "pool_counts"),
    ("forest plot", "pool_counts"),
    ("Pool the mean differences of five studies", "pool_means"),
    ("Meta-analysis of SMDs across studies: depression scores", "pool_means"),
    ("Combine the hazard ratios of the papers", "pool_estimates"),
    ("Do two devices agree?", "methods"),
    ("Bland-Altman of cuff and arterial line", "methods"),
    ("Does the new monitor agree with the old one?", "methods"),
    ("Do two radiologists agree on the films?", "raters"),
    ("inter-rater reliability of the score", "raters"),
    ("Cohen's kappa", "raters"),
    ("Sensitivity and specificity of the rapid test", "detect"),
    ("How well does APACHE II tell who dies? An area under the curve", "detect"),
    ("Can CRP distinguish patients with sepsis?", "detect"),
    ("What is the best cut-off of ferritin?", "detect"),
    ("Survival to day 28 by group", "survive"),
    ("How long until relapse?", "survive"),
    ("time to discharge", "survive"),
    ("Kaplan-Meier by sex", "survive"),
    ("hazard of death after adjusting for age", "survive"),
    ("Baseline characteristics by arm", "characteristics"),
    ("Who was studied?", "characteristics"),
    ("table 1", "characteristics"),
    ("Is the age normally distributed?", "normal"),
    ("Which factors predict death?", "predict"),
    ("Is treatment associated with death after adjusting for age?", "predict"),
    ("risk factors for ventilation", "predict"),
    ("Is it independently associated with outcome", "predict"),
    ("Does pain fall after the injection, before and after?", "paired"),
    ("Did the same patients improve?", "paired"),
    ("Blood pressure at three visits", "paired"),
    ("change from baseline", "paired"),
    ("Is the mean birth weight different from the national mean?", "known"),
    ("Are the blood groups equally frequent?", "known"),
    ("Does BMI go with CRP?", "relate"),
    ("Is there a correlation of age and stay?", "relate"),
    ("Is smoking associated with cancer?", "relate"),
    ("The older the patient, the longer the stay?", "relate"),
    ("Is the stay longer in the control group?", "differ"),
    ("Do steroids reduce mortality?", "differ"),
    ("Do men and women have the same BMI", "differ"),
    ("Compare CRP between groups", "differ"),
    ("Effect of dexamethasone on deaths", "differ"),
    ("steroid vs control: died", "differ"),
    ("How old were the patients?", "describe"),
    ("Summarise the data", "describe"),
    ("Prevalence of diabetes", "describe"),
    ("", None),
    ("?", None),
    ("Alder", None),
    ("कितने", None),
]


@pytest.mark.parametrize(("text", "intent"), ASKED)
def test_what_is_asked_is_recognised(text: str, intent: str | None) -> None:
    assert classify_question(text).intent == intent


@pytest.mark.parametrize(
    "question", [one for one in QUESTIONS.values() if one.id not in ("pool_means", "pool_estimates")]
)
def test_each_question_is_recognised_by_its_own_words(question: object) -> None:
    known = {one.id: one for one in QUESTIONS.values()}
    assert any(
        known[one.id] is question and classify_question(one.title).intent == one.id for one in QUESTIONS.values()
    )


def test_every_question_can_be_asked_in_words() -> None:
    assert {intent for _, intent in ASKED if intent} == {*QUESTIONS, SAMPLE_SIZE}


@given(st.text(max_size=3000))
def test_any_text_is_known_or_not(text: str) -> None:
    assert classify_question(text).intent in (None, SAMPLE_SIZE, *QUESTIONS)
    assert classify_question(text.upper()).intent in (None, SAMPLE_SIZE, *QUESTIONS)
