"""Questions typed in a hurry: short forms, typos, Indian English, two in one.
None gets the test of another question."""

import pytest

from analysis.advice.classify_question import UNSUPPORTED_BY_ID, classify_question
from analysis.advice.question_catalogue import QUESTIONS
from analysis.advice.question_rules import SAMPLE_SIZE
from analysis.advice.spelling import correct_spelling
from analysis.advice.suggest import Variable, suggest

ASKS = "asks"
# What may be answered, of several where they say the same: an absent analysis, a kind of question, or a question back.
ROUGH = [
    ("whether inj. dexa is no worse then betamethasone for fetal lung maturity", "non_inferiority"),
    ("to prove new antibiotic regimen 5 days is comparable to 7 days in CAP", "equivalence"),
    ("Is PRP injection on par with steroid injection in plantar fasciitis", "non_inferiority"),
    ("early feeding after cesarean doesn't increase ileus compared with delayed feeding", ASKS),
    ("effect of statin on CRP is it same in diabetics and non diabetics", "interaction"),
    ("does gender change how much smoking raises bp", "interaction"),
    ("does the OR for smoking change according to alcohol use", "interaction"),
    ("metformin helps in obese PCOS but does it help lean PCOS also", "interaction"),
    ("how many needle stick injuries per 100 health worker years in interns n nurses", "rate_ratio"),
    ("relapse rate per year in MS pts on drug A vs drug B", "rate_ratio"),
    ("events per 100 pt-yrs on warfarin and NOAC", "rate_ratio"),
    ("Did HbA1c come down more in yoga grp than control grp after 3 month", "change_between_groups"),
    ("compare VAS at 0, 2, 6, 12 and 24 hr b/w the bupivacaine & ropivacaine group", "change_between_groups"),
    ("gain in weight in intervention and control children from enrolment to 6 mths", "change_between_groups"),
    ("improvement in KOOS from baseline to 6 mo in PRP v/s HA group", "change_between_groups"),
    ("serum creatinine day 1 day 3 day 7 in AKI pts did it fall", "paired"),
    ("anova for 3 groups repeated", "mixed"),
    ("Left eye got drug right eye placebo, IOP difference", "paired"),
    ("each case was matched with 2 controls for age. Odds of COVID with smoking?", "matched"),
    ("controls matched for age, is hs-CRP higher in psoriasis patients", ASKS),
    ("does BMI explain the link b/w sleep and HTN", "mediation"),
    ("is effect of poverty on stunting via diarrhoea", "mediation"),
    ("10 villages randomised to ASHA counselling or usual, is anemia less", "cluster"),
    ("bone loss around implants, 2-4 implants in one patient, smokers vs nonsmokers", "cluster"),
    ("time to relapse where death before relapse can happen", "competing_risks"),
    ("does death compete with amputation in CLI", "competing_risks"),
    ("USG vs CT which one picks up appendicitis better, HPE as gold standard", "compare_tests"),
    ("APACHE II versus SOFA for predicting icu mortality", "compare_tests"),
    ("is NLR or PLR the better marker of severe dengue", "compare_tests"),
    ("does anaemia prevalence increase from SES class I to V", "trend"),
    ("chi square for trend", "trend"),
    ("incidence of PPH in 2019 2020 2021 has it increased", "time_series"),
    ("relative risk of stroke in AF", "risk_ratio"),
    ("how many pts i need for my thesis prevalence is 30% error 5%", SAMPLE_SIZE),
    ("what shud be n for comparing two means", SAMPLE_SIZE),
    ("agreement of glucometer with lab sugar", "methods"),
    ("does NIBP agree with IBP", ASKS),
    ("prevalence of depression among residents and its risk factors", ASKS),
    ("does the association b/w vit d and depression persists after adj for age", "predict"),
    ("what test should i use", ""),
]  # fmt: skip
MORE = [
    ("Does SGLT2i help more if EF is low", "interaction"),
    ("asthma exacerbations/yr on biologics vs none", "rate_ratio"),
    ("serial lactate at 0 6 12 24 hrs survivors vs non survivors", "change_between_groups"),
    ("PSM for early vs late tracheostomy and VAP", "causal"),
    ("Does hospital stay help more than rest?", "differ"),
    ("Is pain lower at 12 months in the drug group than in the control group?", "differ"),
    ("mg/day of iron in men and women: is it higher in men?", "differ"),
]
# What looks like something special and is a plain question.
PLAIN = [
    ("Are patients without insurance more likely to die?", "differ"),
    ("mean MELD score in alcoholics compared with nonalcoholics", "differ"),
    ("is vaccine response different in HIV patients with CD4 <200", "differ"),
    ("Does heart rate variability differ in anxious students", "differ"),
    ("Do the groups differ at 5 and 10 mg of nalbuphine?", "differ"),
    ("hb before n after iron tabs", "paired"),
    ("sens spec of RAT keeping RTPCR gold std", "detect"),
    ("is urine dipstick good enough to detect UTI", "detect"),
    ("baseline comparison of two arms", "characteristics"),
    ("corelation b/w bmi n sugar", "relate"),
    ("How many patients needed ventilation?", "describe"),
]


def test_there_are_forty() -> None:
    assert len(ROUGH) == 40


@pytest.mark.parametrize(("text", "expected"), [*ROUGH, *MORE, *PLAIN])
def test_a_rough_question_is_not_answered_by_another_questions_test(text: str, expected: str) -> None:
    found = classify_question(text)
    if expected in UNSUPPORTED_BY_ID:
        assert found.absent[0].id == expected
        assert found.intent is None
    elif expected == ASKS:
        assert found.asks
        assert not found.absent
        assert found.intent is None
    else:
        assert not found.absent
        assert not found.asks
        assert (found.intent or "") == expected


@pytest.mark.parametrize(
    ("short", "long"),
    [
        ("diff b/w grp A & grp B w.r.t. pain", "difference between group a and group b with regard to pain"),
        ("VAS at 6 hr and 24h", "vas at 6 hours and 24 hours"),
        ("HR of death", "hr of death"),
        ("what should be n", "what should be n"),
        ("n = 40 men n women", "n = 40 men and women"),
        ("no. of falls per pt yr", "number of falls per patient-years"),
    ],
)
def test_short_forms_are_written_out(short: str, long: str) -> None:
    assert correct_spelling(short) == long


def test_two_questions_are_both_named() -> None:
    asks = classify_question("Is CRP higher in the steroid group? And does CRP correlate with age?").asks
    assert f"“{QUESTIONS['differ'].title}” or “{QUESTIONS['relate'].title}”" in asks


def test_two_sentences_of_one_kind_are_one_question() -> None:
    assert classify_question("Is CRP higher in the steroid group? Is it lower in the control group?").intent == "differ"


def test_an_answer_says_which_questions_it_does_not_answer() -> None:
    outcome, group = Variable("c1", "outcome", "numeric", 40, "CRP"), Variable("c2", "group", "nominal", 2, "arm")
    last = suggest("differ", [outcome, group]).would_change[-1]
    assert "whether one is not inferior" in last
    assert "Scholium has no analysis" in last
