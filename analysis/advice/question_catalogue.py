"""The questions that can be asked of data, in plain words, with the variables that each needs (SPEC N4)."""

from dataclasses import dataclass

LEVELS = {
    "nominal": "Unordered categories",
    "ordinal": "Ordered categories",
    "numeric": "A number",
    "date": "A date",
    "text": "Free text",
}
EXAMPLES = {
    "nominal": "sex, treatment, yes or no",
    "ordinal": "a pain score, a stage, a grade",
    "numeric": "age, blood pressure, days",
}
# The levels that can be analysed; dates and free text cannot.
MEASURED = ("nominal", "ordinal", "numeric")


@dataclass(frozen=True)
class Role:
    """A role of variables in a question, which needs `least` to `most` variables.

    `accepts` are the allowed levels of measurement. `asks_level` is False when the level decides nothing. `missing` is
    the message when no variable is chosen, where that changes the question.
    """

    id: str
    title: str
    hint: str = ""
    least: int = 1
    most: int = 1
    accepts: tuple[str, ...] = MEASURED
    asks_level: bool = True
    missing: str = ""

    @property
    def is_many(self) -> bool:
        """Whether several variables can have this role."""
        return self.most > 1


@dataclass(frozen=True)
class Question:
    """A question: its `title`, an `example` from a thesis, and its heading `kind`.

    `beyond` names similar questions that it does not answer, which the rules may not have recognised in the words.
    """

    id: str
    kind: str
    title: str
    example: str
    roles: tuple[Role, ...]
    beyond: str = ""


NO_TIME = (
    "How long until something happens needs the time that each person was followed, as a number: days or months from "
    "the start to the event, or to when the person was last seen. Choose that column; if you have two dates, add a "
    "column with the days between them first. Without it, only whether it happened can be compared: “Do separate "
    "groups differ?”."
)
MOST_COLUMNS_OF_REQUEST = 30  # columns that one request to R may have
NUMBER = ("numeric",)
COUNTS = "The first group is the treated one."

STUDY = Role("study", "Name of the study", accepts=("nominal", "ordinal", "text"), asks_level=False)

QUESTIONS: dict[str, Question] = {
    question.id: question
    for question in (
        Question(
            "describe",
            "Describe",
            "What is in the data?",
            "How old were the patients, and how many were women?",
            (Role("columns", "What to describe", most=MOST_COLUMNS_OF_REQUEST),),
        ),
        Question(
            "characteristics",
            "Describe",
            "Who was studied?",
            "Table 1: characteristics by treatment group",
            (
                Role("columns", "Rows of the table", "What was known at the start.", most=MOST_COLUMNS_OF_REQUEST - 1),
                Role("group", "Groups side by side", "Leave it empty for one column for all.", least=0),
            ),
        ),
        Question(
            "normal",
            "Describe",
            "Is it normally distributed?",
            "Does C-reactive protein follow a normal curve?",
            (Role("columns", "What was measured", most=MOST_COLUMNS_OF_REQUEST, accepts=NUMBER),),
        ),
        Question(
            "differ",
            "Compare",
            "Do separate groups differ?",
            "Is the stay longer in one group? Do more people die in one?",
            (
                Role("outcome", "What is compared", "The measurement, score or answer."),
                Role("group", "Between which groups", accepts=MEASURED),
            ),
            "It asks only whether the groups differ. Whether they are equivalent, whether one is not inferior, whether "
            "an effect differs between kinds of people, and whether a change over time differs between groups are "
            "other questions, for which Scholium has no analysis.",
        ),
        Question(
            "paired",
            "Compare",
            "Did the same people change?",
            "Pain before and after; sleep under two drugs in the same people",
            (
                Role(
                    "measures",
                    "The measurements, in order",
                    "One column for each time.",
                    least=2,
                    most=MOST_COLUMNS_OF_REQUEST,
                ),
            ),
            "It asks only whether all people together changed. Whether one group changed more than another is another "
            "question, for which Scholium has no analysis.",
        ),
        Question(
            "known",
            "Compare",
            "Does it differ from a known value?",
            "Is the mean temperature 37 °C? Are the sexes equally frequent?",
            (Role("outcome", "What is compared with the value"),),
        ),
        Question(
            "relate",
            "Relate and predict",
            "Do two things go together?",
            "Does a higher body mass index go with a higher CRP?",
            (Role("x", "The first"), Role("y", "The second")),
            "It asks only whether the two go together. Whether a third variable mediates between them, or changes how "
            "closely they go together, are other questions, for which Scholium has no analysis.",
        ),
        Question(
            "predict",
            "Relate and predict",
            "What predicts the outcome?",
            "Is treatment associated with death once age and severity are accounted for?",
            (
                Role("outcome", "The outcome", "A number, or a yes or no."),
                Role(
                    "predictors",
                    "What may predict it",
                    "Also what is to be adjusted for.",
                    most=MOST_COLUMNS_OF_REQUEST - 1,
                ),
            ),
            "It gives one effect of each predictor for everybody. Whether an effect differs between kinds of people, "
            "or is mediated by another variable, are other questions, for which Scholium has no analysis.",
        ),
        Question(
            "survive",
            "Relate and predict",
            "How long until it happens?",
            "Survival to day 28 by treatment",
            (
                Role(
                    "time",
                    "Time in the study",
                    "Days or months to the event or the end.",
                    accepts=NUMBER,
                    asks_level=False,
                    missing=NO_TIME,
                ),
                Role(
                    "event",
                    "Whether it happened",
                    "0 and 1, or yes and no. If there are more values, choose which is the event.",
                    asks_level=False,
                ),
                Role(
                    "by",
                    "By what",
                    "Groups to compare, or what may predict it. May stay empty.",
                    least=0,
                    most=MOST_COLUMNS_OF_REQUEST - 2,
                ),
            ),
            "It counts the first event only. Another event after which this one can no longer happen (competing "
            "risks), and recurrent events, need methods that Scholium does not have.",
        ),
        Question(
            "detect",
            "Tests and agreement",
            "How well does a test find the condition?",
            "Sensitivity of a rapid test; how well a score tells who dies",
            (
                Role("test", "The test", "Positive or negative, or a score."),
                Role("reference", "The truth", "Who has the condition, by the reference standard.", asks_level=False),
            ),
            "It judges one test. Which of two tests is better is another question, for which Scholium has no analysis.",
        ),
        Question(
            "raters",
            "Tests and agreement",
            "Do raters agree?",
            "Two radiologists read the same films",
            (
                Role(
                    "raters",
                    "The raters",
                    "One column for each, a row for each case.",
                    least=2,
                    most=MOST_COLUMNS_OF_REQUEST,
                ),
            ),
        ),
        Question(
            "methods",
            "Tests and agreement",
            "Do two ways of measuring agree?",
            "Blood pressure by cuff and by arterial line",
            (Role("first", "The first way", accepts=NUMBER), Role("second", "The second way", accepts=NUMBER)),
        ),
        Question(
            "pool_counts",
            "Pool studies",
            "What do several trials say together?",
            "Deaths and patients in each arm of seven trials",
            (
                STUDY,
                Role("events_1", "Events, first group", COUNTS, accepts=NUMBER, asks_level=False),
                Role("n_1", "Patients, first group", accepts=NUMBER, asks_level=False),
                Role("events_2", "Events, second group", accepts=NUMBER, asks_level=False),
                Role("n_2", "Patients, second group", accepts=NUMBER, asks_level=False),
            ),
        ),
        Question(
            "pool_means",
            "Pool studies",
            "What do several studies of a mean say together?",
            "Mean and SD of the stay in each arm of five trials",
            (
                STUDY,
                Role("mean_1", "Mean, first group", COUNTS, accepts=NUMBER, asks_level=False),
                Role("sd_1", "SD, first group", accepts=NUMBER, asks_level=False),
                Role("n_1", "Patients, first group", accepts=NUMBER, asks_level=False),
                Role("mean_2", "Mean, second group", accepts=NUMBER, asks_level=False),
                Role("sd_2", "SD, second group", accepts=NUMBER, asks_level=False),
                Role("n_2", "Patients, second group", accepts=NUMBER, asks_level=False),
            ),
        ),
        Question(
            "pool_estimates",
            "Pool studies",
            "What do published estimates say together?",
            "A log hazard ratio and its standard error from each paper",
            (
                STUDY,
                Role(
                    "estimate",
                    "Estimate",
                    "On the scale it is pooled on: logarithms of ratios.",
                    accepts=NUMBER,
                    asks_level=False,
                ),
                Role("se", "Its standard error", accepts=NUMBER, asks_level=False),
            ),
        ),
    )
}

# The names of the analyses, for use without R's catalogue.
ANALYSIS_NAMES: dict[str, str] = {
    "descriptive": "Description",
    "table1": "Table 1",
    "normality": "Check of normality",
    "t_test": "Welch t test",
    "one_sample_t": "One-sample t test",
    "paired_t": "Paired t test",
    "mann_whitney": "Mann-Whitney U test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "anova": "Welch analysis of variance",
    "kruskal": "Kruskal-Wallis test",
    "friedman": "Friedman test",
    "chi_square": "Chi-square test",
    "chi_square_gof": "Chi-square test of given shares",
    "fisher": "Fisher's exact test",
    "mcnemar": "McNemar test",
    "correlation": "Correlation",
    "linear": "Linear regression",
    "logistic": "Logistic regression",
    "cox": "Cox regression",
    "kaplan_meier": "Kaplan-Meier survival",
    "roc": "ROC curve",
    "diagnostic": "Diagnostic accuracy",
    "kappa": "Kappa",
    "icc": "Intraclass correlation",
    "bland_altman": "Bland-Altman limits of agreement",
    "meta": "Meta-analysis",
}
