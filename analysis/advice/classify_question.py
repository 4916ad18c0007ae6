"""Classification of a question in free words: a known kind, a method that is not available, or unclear.

It combines cues in the words (analysis.advice.question_cues) with rules for special methods.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from analysis.advice.question_catalogue import QUESTIONS
from analysis.advice.question_cues import QuestionCues, cues_in
from analysis.advice.question_rules import METHOD_WORDS, RATER_WORDS, SAMPLE_SIZE, kinds_in
from analysis.advice.spelling import correct_spelling
from analysis.advice.unsupported import UNSUPPORTED_DESIGNS, UnsupportedMethod
from analysis.advice.unsupported_methods import UNSUPPORTED_METHODS

LONGEST = 1000  # characters that are read
UNSUPPORTED_BY_ID = {one.id: one for one in (*UNSUPPORTED_DESIGNS, *UNSUPPORTED_METHODS)}
_POOLED = ("pool_counts", "pool_means", "pool_estimates")
# Methods that questions about pooling mention without asking for them.
_OF_POOLING = {"interaction", "mixed", "cluster", "equivalence", "rate_ratio", "other_regression", "stratified"}


@dataclass(frozen=True)
class Classification:
    """The meaning of a question in free words.

    `kind` is a key of QUESTIONS, SAMPLE_SIZE, or "" when unknown; `absent` are methods that it needs and that are not
    available; `asks` is a question back to the user. The first of absent, asks and kind that is set counts.
    """

    kind: str = ""
    absent: tuple[UnsupportedMethod, ...] = ()
    asks: str = ""
    signals: QuestionCues = QuestionCues()

    @property
    def intent(self) -> str | None:
        """The kind of question, a key of QUESTIONS or SAMPLE_SIZE; None when it is unclear or cannot be answered."""
        return None if self.absent or self.asks else self.kind or None

    @property
    def message(self) -> str:
        """Why there is no intent; "" when there is one, or when nothing was recognised."""
        if len(self.absent) > 1 and self.kind == SAMPLE_SIZE:
            return f"{self.absent[-1].message} {self.absent[0].needs}"
        return self.absent[0].message if self.absent else self.asks


SIZE = UnsupportedMethod(
    "sample_size",
    "the size of such a study",
    "It needs a calculation for this design, by a statistician or in other software.",
    "Scholium calculates the size for two means, two shares, the same people twice, several means, survival, one mean, "
    "one share, a correlation and the accuracy of a test.",
)
_OTHER_SIZES = re.compile(
    r"regression|predictors|kappa|\bicc\b|agreement|interact|cluster|cross-?over|repeated measure|"
    r"several (times|visits)|matched|odds ratio|"
    r"case.?control|\brates?\b (of|per)|count|roc curves|two (auc|roc|tests)|qualitative|cronbach|factor analysis|"
    r"validation|bland|equivalen|adaptive|stepped"
)
_CLARIFICATIONS: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = (
    (
        re.compile(
            r"(before|after|since|prior to)[^.?]*\b(introduc\w+|implement\w+|policy|lockdown|pandemic|covid era|"
            r"guidelines?|programme was|program was|protocol|reform|law\b|checklist|bundle)|"
            r"(introduc\w+|implement\w+) of [^.?]*(reduc|improv|chang|lower|increas|decreas)"
        ),
        re.compile(
            r"same (patients|people|wards?|nurses|students)|different patients|paired|separate (patients|people|groups)"
        ),
        "Were the same people measured before and after, or are they different people in the two periods? For the same "
        "people: choose “Did the same people change?”. For different people: choose “Do separate groups differ?”, with "
        "the period as the group.",
    ),
    (
        re.compile(
            r"reliab(le|ility)[^.?]*\b(questionnaire|scale|instrument|inventory|survey|score)\b|"
            r"\b(questionnaire|scale|instrument|inventory|survey)\b[^.?]*\breliab(le|ility)\b"
        ),
        re.compile(r"test.?retest|inter.?rater|raters?|observers?|twice|repeat"),
        "Is it about the items of the scale, or about the scale used twice or by several raters? Internal consistency "
        "needs Cronbach's alpha, for which Scholium has no analysis. If it was used twice, or by several raters: "
        "choose “Do raters agree?”.",
    ),
    (
        re.compile(
            r"\b(no|not)\b[^.?]{0,25}\bdiffer(ence|ences|ent|s)?\b|n't differ\b|"
            r"\bnot? (any )?(significantly )?different|\b(is|are|be|was|were|remains?) (\w+ )?comparable (to|with)\b|"
            r"\bcomparable (efficacy|effects?|effectiveness|safety|outcomes?|results?)\b|"
            r"\b(does|do|did|is|are|was|will|would|can)(n't| not) (\w+ )?(increas|rais|worsen|affect|chang|reduc|lower|"
            r"alter|prolong|delay|caus|influenc|impair)\w*"
        ),
        re.compile(r"whether or not|or not\b|\bif not\b|or no difference|difference or no"),
        "Are you looking for a difference, or do you want to show that there is none? For a difference: choose “Do "
        "separate groups differ?”. To show that there is none you need a test of equivalence with margins fixed "
        "beforehand, for which Scholium has no analysis; a large p value does not show it.",
    ),
    (
        re.compile(r"\b(dis)?agree(s|ment)?\b|\bconcordan(t|ce)\b"),
        re.compile(
            rf"{RATER_WORDS}|{METHOD_WORDS}|rater|kappa|\bicc\b|intra.?class|bland|limits of|agreed to|test.?retest"
        ),
        "Do people judge the same cases, or are two ways of measuring compared? For people, or one person twice: "
        "choose “Do raters agree?”. For two ways of measuring that give numbers: choose “Do two ways of measuring "
        "agree?”.",
    ),
    (
        re.compile(
            r"\bmatched\b[^.?]*\b(controls?|healthy|comparison)\b|\b(controls?|healthy|comparison)\b[^.?]*\bmatched\b"
        ),
        re.compile(r"frequency.?matched|pairs?\b|paired|not matched|group.?matched"),
        "Was each control matched to one person, or were only the groups as a whole made similar? If matched one to "
        "one, with both in one row of the data: choose “Did the same people change?”. Several controls for one "
        "person need a model of the matched sets, which Scholium does not have. If only the groups were made "
        "similar: choose “Do separate groups differ?”.",
    ),
    (
        re.compile(r"\b(two|both|these) (methods|ways|techniques|instruments|devices|machines|tests)\b"),
        re.compile(
            r"agree|measur|bland|differ|compar|than\b|faster|longer|shorter|more|less|better|worse|reduc|improv|lower|"
            r"higher|mcnemar"
        ),
        "Do the two measure the same thing, so that they should agree? Then choose “Do two ways of measuring agree?”. "
        "Are they two treatments or procedures? Then choose “Do separate groups differ?”.",
    ),
)


@lru_cache(maxsize=512)
def classify_question(text: str) -> Classification:
    """Return the meaning of `text`, a question in free words."""
    plain = correct_spelling(" ".join(text[:LONGEST].replace("’", "'").split()))
    signals = cues_in(plain)
    kinds = kinds_in(plain)
    # No more specific kind was recognised.
    is_general = not kinds or kinds[0] in ("relate", "differ", "known", "describe")
    if is_general and (signals.same if "paired" in kinds else signals.change and not signals.groups):
        kinds = ["paired", *kinds]
    kind = kinds[0] if kinds else ""
    absent = _unsupported_in(plain, signals, kind)
    if kind == SAMPLE_SIZE:
        absent = (*absent, SIZE) if absent or _OTHER_SIZES.search(plain) else ()
    asks = (asks for meant, unless, asks in _CLARIFICATIONS if meant.search(plain) and not unless.search(plain))
    return Classification(kind, absent, "" if absent else next(asks, "") or _several_questions_message(plain), signals)


def _unsupported_in(plain: str, signals: QuestionCues, kind: str) -> tuple[UnsupportedMethod, ...]:
    found = [one for one in UNSUPPORTED_BY_ID.values() if one.is_in(plain)]
    if signals.rate and kind not in _POOLED:
        # With groups it is a rate of events per person and year.
        found = [one for one in found if not (signals.groups and one.id == "time_series")] + [
            UNSUPPORTED_BY_ID["rate_ratio"]
        ]
    if signals.change and signals.groups and kind in ("paired", "differ", "relate", "predict", "describe", ""):
        found.append(UNSUPPORTED_BY_ID["change_between_groups"])
    if kind in _POOLED:
        found = [one for one in found if one.id not in _OF_POOLING]
    return tuple(dict.fromkeys(found))


# Where a second question begins: "...? And ...", "and also", "and its risk factors".
_NEXT = re.compile(
    r"\?|;|\band also\b|\b(?:and|also) (?=(?:what|which|whether|is|are|does|do|did|how|can) )|"
    r"(?:\band|,) (?=(?:(?:its|their|the) )?(?:risk factors?|predictors?|determinants?|correlates|correlations?|"
    r"associated factors|factors associated|associations?)\b)|"
    r"\band (?=(?:correlates?|compares?|predicts?|associates?) )"
)


def _several_questions_message(plain: str) -> str:
    """Return a message when the words ask several questions of different kinds; "" when they ask one."""
    kinds = list(dict.fromkeys(kinds[0] for part in _NEXT.split(plain) if (kinds := kinds_in(part))))
    if len(kinds) < 2:
        return ""
    titles = [f"“{QUESTIONS[kind].title}”" if kind in QUESTIONS else "the sample size" for kind in kinds]
    return (
        "An analysis answers one question, and this looks like more than one. "
        f"Choose one to begin with: {' or '.join(titles)}. Ask the other one afterwards."
    )
