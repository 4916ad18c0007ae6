"""Every analysis is the answer to a plain question, with its reason and what would change it (SPEC N3, N4)."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.advice.question_catalogue import ANALYSIS_NAMES, LEVELS, QUESTIONS
from analysis.advice.suggest import Facts, Suggestion, Variable, suggest
from core.errors import Refused

Columns = dict[str, list[tuple[str, str, int]]]  # role -> (id, level, different values)

AGE, BMI, CRP = ("c3", "numeric", 55), ("c4", "numeric", 120), ("c5", "numeric", 200)
SEX, ARM, DIED = ("c6", "nominal", 2), ("c7", "nominal", 2), ("c8", "nominal", 2)
WARD, PAIN, PAIN_2, PAIN_3 = ("c9", "nominal", 4), ("c10", "ordinal", 5), ("c11", "ordinal", 5), ("c12", "ordinal", 5)
BEFORE, AFTER, LATER = ("c13", "numeric", 60), ("c14", "numeric", 60), ("c15", "numeric", 60)
SURE, SURE_2, RATED, RATED_2 = (
    ("c16", "nominal", 2),
    ("c17", "nominal", 2),
    ("c18", "nominal", 3),
    ("c19", "nominal", 3),
)
DAYS, STUDY = ("c20", "numeric", 28), ("c21", "text", 7)
N1, E1, N2, E2, M1, M2 = [(f"c{number}", "numeric", 7) for number in range(22, 28)]


def suggestion_for(question: str, columns: Columns, facts: Facts | None = None) -> Suggestion:
    variables = [
        Variable(id, role, level, groups, name=f"column {id}")
        for role, those in columns.items()
        for id, level, groups in those
    ]
    return suggest(question, variables, facts or Facts())


SKEWED_SMALL = Facts(smallest=12, skewed=True)
ANSWERS: list[tuple[str, Columns, Facts, str, dict[str, Any]]] = [
    ("What is in the data?", {"columns": [AGE, SEX]}, Facts(), "descriptive", {"columns": ["c3", "c6"]}),
    ("Who was studied?", {"columns": [AGE]}, Facts(), "table1", {"columns": ["c3"]}),
    ("Table 1 by arm", {"columns": [AGE, SEX], "group": [ARM]}, Facts(), "table1", {"columns": ["c3", "c6"], "group": "c7"}),
    ("Is CRP normally distributed?", {"columns": [CRP]}, Facts(), "normality", {"columns": ["c5"]}),
    ("Is BMI higher in women than in men?", {"outcome": [BMI], "group": [SEX]}, Facts(), "t_test", {"outcome": "c4", "group": "c6"}),
    ("Does BMI differ between wards?", {"outcome": [BMI], "group": [WARD]}, Facts(), "anova", {"outcome": "c4", "group": "c9"}),
    ("Is pain worse in one arm than the other?", {"outcome": [PAIN], "group": [ARM]}, Facts(), "mann_whitney", {"outcome": "c10", "group": "c7"}),
    ("Does pain differ between wards?", {"outcome": [PAIN], "group": [WARD]}, Facts(), "kruskal", {"outcome": "c10", "group": "c9"}),
    ("Does CRP differ by arm?", {"outcome": [CRP], "group": [ARM]}, SKEWED_SMALL, "mann_whitney", {"outcome": "c5", "group": "c7"}),
    ("Does CRP differ by ward?", {"outcome": [CRP], "group": [WARD]}, SKEWED_SMALL, "kruskal", {"outcome": "c5", "group": "c9"}),
    ("Do more people die in one arm than in the other?", {"outcome": [DIED], "group": [ARM]}, Facts(least_expected=5.0), "chi_square", {"row": "c7", "column": "c8"}),
    ("Do more people die in one arm than in the other?", {"outcome": [DIED], "group": [ARM]}, Facts(least_expected=4.99), "fisher", {"row": "c7", "column": "c8"}),
    ("Did sleep change in the same people?", {"measures": [BEFORE, AFTER]}, Facts(), "paired_t", {"first": "c13", "second": "c14"}),
    ("Sleep before and after", {"measures": [BEFORE, AFTER]}, SKEWED_SMALL, "wilcoxon", {"first": "c13", "second": "c14"}),
    ("Pain before and after", {"measures": [PAIN, PAIN_2]}, Facts(), "wilcoxon", {"first": "c10", "second": "c11"}),
    ("Pain at three visits", {"measures": [PAIN, PAIN_2, PAIN_3]}, Facts(), "friedman", {"columns": ["c10", "c11", "c12"]}),
    ("Weight at three times", {"measures": [BEFORE, AFTER, LATER]}, Facts(), "friedman", {"columns": ["c13", "c14", "c15"]}),
    ("Same people asked twice: paired answers", {"measures": [SURE, SURE_2]}, Facts(), "mcnemar", {"row": "c16", "column": "c17"}),
    ("Is the mean temperature different from the normal 37?", {"outcome": [BMI]}, Facts(), "one_sample_t", {"outcome": "c4"}),
    ("Are the sexes equally frequent?", {"outcome": [SEX]}, Facts(), "chi_square_gof", {"column": "c6"}),
    ("Does BMI go with CRP?", {"x": [BMI], "y": [CRP]}, Facts(), "correlation", {"x": "c4", "y": "c5", "options": {"method": "pearson"}}),
    ("Is pain related to age?", {"x": [PAIN], "y": [AGE]}, Facts(), "correlation", {"x": "c10", "y": "c3", "options": {"method": "spearman"}}),
    ("Is sex associated with death?", {"x": [SEX], "y": [DIED]}, Facts(), "chi_square", {"row": "c6", "column": "c8"}),
    ("Is sex associated with death?", {"x": [SEX], "y": [DIED]}, Facts(least_expected=2.0), "fisher", {"row": "c6", "column": "c8"}),
    ("Is sex linked to BMI?", {"x": [SEX], "y": [BMI]}, Facts(), "t_test", {"outcome": "c4", "group": "c6"}),
    ("Is pain linked to the ward?", {"x": [PAIN], "y": [WARD]}, Facts(), "kruskal", {"outcome": "c10", "group": "c9"}),
    ("What predicts BMI?", {"outcome": [BMI], "predictors": [AGE, SEX]}, Facts(), "linear", {"outcome": "c4", "predictors": ["c3", "c6"]}),
    ("What predicts death?", {"outcome": [DIED], "predictors": [ARM, AGE, CRP]}, Facts(), "logistic", {"outcome": "c8", "predictors": ["c7", "c3", "c5"]}),
    ("How long until death, by arm?", {"time": [DAYS], "event": [DIED], "by": [ARM]}, Facts(), "kaplan_meier", {"time": "c20", "event": "c8", "group": "c7"}),
    ("Survival", {"time": [DAYS], "event": [DIED]}, Facts(), "kaplan_meier", {"time": "c20", "event": "c8"}),
    ("Survival by arm and age", {"time": [DAYS], "event": [DIED], "by": [ARM, AGE]}, Facts(), "cox", {"time": "c20", "event": "c8", "predictors": ["c7", "c3"]}),
    ("Survival by age", {"time": [DAYS], "event": [DIED], "by": [AGE]}, Facts(), "cox", {"time": "c20", "event": "c8", "predictors": ["c3"]}),
    ("How well does the score tell who dies?", {"test": [CRP], "reference": [DIED]}, Facts(), "roc", {"outcome": "c8", "score": "c5"}),
    ("What is the sensitivity of the rapid test?", {"test": [SURE], "reference": [SURE_2]}, Facts(), "diagnostic", {"test": "c16", "reference": "c17"}),
    ("Do two radiologists agree?", {"raters": [RATED, RATED_2]}, Facts(), "kappa", {"raters": ["c18", "c19"]}),
    ("Do the raters agree on the grade?", {"raters": [PAIN, PAIN_2]}, Facts(), "kappa", {"raters": ["c10", "c11"], "options": {"weights": "quadratic"}}),
    ("Do the observers agree?", {"raters": [BEFORE, AFTER, LATER]}, Facts(), "icc", {"raters": ["c13", "c14", "c15"]}),
    ("Do two methods agree?", {"first": [BEFORE], "second": [AFTER]}, Facts(), "bland_altman", {"first": "c13", "second": "c14"}),
    ("What do seven trials say together?", {"study": [STUDY], "events_1": [E1], "n_1": [N1], "events_2": [E2], "n_2": [N2]}, Facts(), "meta",
     {"study": "c21", "events_1": "c23", "n_1": "c22", "events_2": "c25", "n_2": "c24", "options": {"measure": "OR"}}),
    ("Pool the mean stay", {"study": [STUDY], "mean_1": [M1], "sd_1": [E1], "n_1": [N1], "mean_2": [M2], "sd_2": [E2], "n_2": [N2]}, Facts(), "meta",
     {"study": "c21", "mean_1": "c26", "sd_1": "c23", "n_1": "c22", "mean_2": "c27", "sd_2": "c25", "n_2": "c24", "options": {"measure": "MD"}}),
    ("Pool published hazard ratios", {"study": [STUDY], "estimate": [M1], "se": [E1]}, Facts(), "meta",
     {"study": "c21", "estimate": "c26", "se": "c23", "options": {"measure": "GEN"}}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "columns", "facts", "analysis", "params"), ANSWERS)
def test_a_plain_question_finds_its_analysis(
    question: str, columns: Columns, facts: Facts, analysis: str, params: dict[str, Any]
) -> None:
    found = suggestion_for(question, columns, facts)
    assert (found.analysis, dict(found.params)) == (analysis, params)
    assert found.reason.endswith(".")
    assert len(found.reason) > 40
    assert found.would_change
    assert all(one.endswith(".") for one in [*found.would_change, *(other.when for other in found.alternatives)])
    assert analysis not in {other.analysis for other in found.alternatives}


def test_every_analysis_is_reached_by_a_question() -> None:
    assert {analysis for _, _, _, analysis, _ in ANSWERS} == set(ANALYSIS_NAMES)


def test_welch_is_never_chosen_by_a_look_at_the_variance_or_a_large_skew() -> None:
    """Strong skew in groups of 30 or more leaves Welch; so does a small group without skew."""
    for facts in (Facts(smallest=30, skewed=True), Facts(smallest=5, skewed=False), Facts(skewed=True)):
        found = suggestion_for("differ", {"outcome": [CRP], "group": [ARM]}, facts)
        assert found.analysis == "t_test"
        assert "Mann-Whitney" in " ".join(found.would_change)
        assert [one.analysis for one in found.alternatives] == ["mann_whitney"]
        assert "options" not in found.params  # Welch is what the test does by itself
    assert (
        suggestion_for("differ", {"outcome": [CRP], "group": [ARM]}, Facts(smallest=29, skewed=True)).analysis
        == "mann_whitney"
    )


def test_ranks_keep_the_way_back_to_means() -> None:
    found = suggestion_for("differ", {"outcome": [CRP], "group": [ARM]}, SKEWED_SMALL)
    assert "12 values" in found.reason
    assert "protocol names it" in found.alternatives[0].when


def test_fisher_names_the_count_that_forces_it() -> None:
    found = suggestion_for("differ", {"outcome": [DIED], "group": [ARM]}, Facts(least_expected=3.2))
    assert "3.2, below 5" in found.reason
    assert found.would_change[0] == "With every expected count at 5 or more: the chi-square test."


def test_table_1_of_groups_comes_without_p_values_and_says_why() -> None:
    found = suggestion_for("characteristics", {"columns": [AGE], "group": [ARM]})
    assert "options" not in found.params
    assert "randomised" in found.reason
    assert any("p values" in one for one in found.would_change)


def test_too_many_predictors_for_the_events_are_said() -> None:
    columns: Columns = {"outcome": [DIED], "predictors": [AGE, SEX, WARD]}
    assert suggestion_for("predict", columns, Facts(events=50)).notes == ()
    assert suggestion_for("predict", columns, Facts(events=49)).notes[0].startswith("There are 49 events; 50 or more")
    by: Columns = {"time": [DAYS], "event": [DIED], "by": [AGE, SEX]}
    assert suggestion_for("survive", by, Facts(events=19)).notes[0].startswith("There are 19 events; 20 or more")


def test_a_score_that_r_takes_as_a_number_is_one_parameter() -> None:
    outcome = Variable("c1", "outcome", "nominal", 2)
    score = Variable("c2", "predictors", "ordinal", 21, as_number=True)
    assert suggest("predict", [outcome, score], Facts(events=10)).notes == ()


def test_one_predictor_has_its_plain_test_beside_it() -> None:
    assert suggestion_for("predict", {"outcome": [DIED], "predictors": [ARM]}).alternatives[0].analysis == "chi_square"
    assert suggestion_for("predict", {"outcome": [DIED], "predictors": [CRP]}).alternatives[0].params == {
        "outcome": "c8",
        "score": "c5",
    }


REFUSED: list[tuple[str, Columns, str, str]] = [
    ("Does it?", {}, "intent", "closest to yours"),
    ("differ", {"group": [ARM]}, "outcome", "is missing"),
    ("differ", {"outcome": [BMI, CRP], "group": [ARM]}, "outcome", "one column, not 2"),
    ("differ", {"outcome": [BMI], "group": [("c1", "nominal", 1)]}, "group", "only one value"),
    ("differ", {"outcome": [BMI], "group": [("c1", "nominal", 0)]}, "group", "no values"),
    ("differ", {"outcome": [BMI], "group": [("c1", "numeric", 240)]}, "group", "240 different values"),
    ("differ", {"outcome": [("c1", "numeric", 1)], "group": [ARM]}, "outcome", "same for everybody"),
    ("differ", {"outcome": [STUDY], "group": [ARM]}, "outcome", "free text"),
    ("differ", {"outcome": [("c1", "", 4)], "group": [ARM]}, "outcome", "Choose what"),
    ("relate", {"x": [BMI], "y": [("c1", "numeric", 1)]}, "y", "same for everybody"),
    ("paired", {"measures": [BEFORE]}, "measures", "at least 2"),
    ("paired", {"measures": [BEFORE, BEFORE]}, "measures", "chosen twice"),
    ("paired", {"measures": [SURE, SURE_2, RATED]}, "measures", "Cochran's Q"),
    ("paired", {"measures": [RATED, RATED_2]}, "measures", "two values"),
    ("predict", {"outcome": [WARD], "predictors": [AGE]}, "outcome", "multinomial regression"),
    ("predict", {"outcome": [AGE], "predictors": [AGE]}, "predictors", "predict itself"),
    ("survive", {"time": [DAYS], "event": [WARD]}, "event", "which of them is the event"),
    ("survive", {"time": [DAYS], "event": [DIED], "by": [DIED]}, "by", "a different column for each"),
    ("detect", {"test": [CRP], "reference": [WARD]}, "reference", "needs two"),
    ("detect", {"test": [WARD], "reference": [DIED]}, "test", "positive or negative"),
    ("detect", {"test": [DIED], "reference": [DIED]}, "reference", "choose two"),
    ("raters", {"raters": [RATED, CRP]}, "raters", "same type"),
    ("methods", {"first": [BMI], "second": [BMI]}, "second", "choose two"),
    ("methods", {"first": [BMI], "second": [PAIN]}, "second", "must be a number"),
    ("characteristics", {"columns": [ARM], "group": [ARM]}, "columns", "from the rows"),
    ("normal", {"columns": [SEX]}, "columns", "must be a number"),
    ("pool_estimates", {"study": [STUDY], "estimate": [M1], "se": [M1]}, "study", "a different column for each"),
]  # fmt: skip


@pytest.mark.parametrize(("question", "columns", "field", "says"), REFUSED)
def test_what_cannot_be_answered_says_which_part_and_why(
    question: str, columns: Columns, field: str, says: str
) -> None:
    with pytest.raises(Refused) as refused:
        suggestion_for(question, columns)
    assert refused.value.field == field
    assert says in refused.value.message


any_variable = st.builds(
    lambda role, id, level, groups: Variable(f"c{id}", role, level, groups),
    st.sampled_from(sorted({role.id for one in QUESTIONS.values() for role in one.roles})),
    st.integers(1, 6), st.sampled_from([*LEVELS, ""]), st.integers(0, 40),
)  # fmt: skip
any_facts = st.builds(
    Facts, st.none() | st.integers(0, 60), st.booleans(), st.none() | st.floats(0, 50), st.none() | st.integers(0, 90)
)


@given(question=st.sampled_from(sorted(QUESTIONS)), variables=st.lists(any_variable, max_size=8), facts=any_facts)
def test_whatever_is_asked_is_answered_or_refused_in_words(
    question: str, variables: list[Variable], facts: Facts
) -> None:
    roles = {role.id for role in QUESTIONS[question].roles}
    mine = [one for one in variables if one.role in roles]
    found, refused = answered(question, mine, facts)
    if refused:
        assert refused.field in roles
        assert refused.message.endswith(".")
    if found:
        ids = {one.id for one in mine}
        named = [value for key, value in found.params.items() if key != "options"]
        assert {id for value in named for id in ([value] if isinstance(value, str) else value)} <= ids
        assert found.analysis in ANALYSIS_NAMES
        params = {one.analysis: one.params for one in reversed(found.alternatives)} | {found.analysis: found.params}
        assert all(params[one.analysis] == one.params for one in found.alternatives)


def answered(question: str, variables: list[Variable], facts: Facts) -> tuple[Suggestion | None, Refused | None]:
    try:
        return suggest(question, variables, facts), None
    except Refused as refused:
        return None, refused
