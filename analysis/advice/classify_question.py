"""What a question in free words asks: a kind of question that can be answered, something that no analysis here answers, or
something that has to be asked back. It is read in its parts (analysis.advice.question_cues) and by rules for what is special.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from analysis.advice.question_cues import Signals, signals_in
from analysis.advice.question_rules import JUDGES, SAMPLE_SIZE, THINGS, kinds_in
from analysis.advice.questions import QUESTIONS
from analysis.advice.spelling import corrected
from analysis.advice.unsupported import DESIGNS, Absent
from analysis.advice.unsupported_methods import METHODS

LONGEST = 1000  # characters that are read
ABSENT = {one.id: one for one in (*DESIGNS, *METHODS)}
_POOLED = ("pool_counts", "pool_means", "pool_estimates")
# What pooling studies speaks of too, without asking for it.
_OF_POOLING = {"interaction", "mixed", "cluster", "equivalence", "rate_ratio", "other_regression", "stratified"}


@dataclass(frozen=True)
class Understood:
    """`kind` is a key of QUESTIONS, SAMPLE_SIZE, or "" where it is not known; `absent` is what it asks that no analysis here
    answers; `asks` is what has to be asked back. One of the three at most counts: absent, then asks, then kind."""

    kind: str = ""
    absent: tuple[Absent, ...] = ()
    asks: str = ""
    signals: Signals = Signals()

    @property
    def intent(self) -> str | None:
        """The kind of question that may be taken for granted: a key of QUESTIONS, SAMPLE_SIZE, or None where that is not clear,
        or where no analysis here answers it."""
        return None if self.absent or self.asks else self.kind or None

    @property
    def message(self) -> str:
        """Why there is no intent; "" where there is one, or where nothing is known."""
        if len(self.absent) > 1 and self.kind == SAMPLE_SIZE:
            return f"{self.absent[-1].message} {self.absent[0].needs}"
        return self.absent[0].message if self.absent else self.asks


SIZE = Absent(
    "sample_size",
    "the size of such a study",
    "It needs a calculation for this design, by a statistician or in other software.",
    "Here the size is worked out for two means, two shares, the same people twice, several means, survival, one mean, one share, a correlation "
    "and a test's accuracy.",
)
_OTHER_SIZES = re.compile(
    r"regression|predictors|kappa|\bicc\b|agreement|interact|cluster|cross-?over|repeated measure|several (times|visits)|matched|odds ratio|"
    r"case.?control|\brates?\b (of|per)|count|roc curves|two (auc|roc|tests)|qualitative|cronbach|factor analysis|validation|bland|equivalen|adaptive|stepped"
)
_ASKS: tuple[tuple[re.Pattern[str], re.Pattern[str], str], ...] = (
    (
        re.compile(r"(before|after|since|prior to)[^.?]*\b(introduc\w+|implement\w+|policy|lockdown|pandemic|covid era|guidelines?|programme was|program was|protocol|reform|law\b|checklist|bundle)|(introduc\w+|implement\w+) of [^.?]*(reduc|improv|chang|lower|increas|decreas)"),
        re.compile(r"same (patients|people|wards?|nurses|students)|different patients|paired|separate (patients|people|groups)"),
        "Were the same people measured before and after, or are they different people in the two periods? The same people: choose "
        "“Did the same people change?”. Different people: choose “Do separate groups differ?”, with the period as the group.",
    ),
    (
        re.compile(r"reliab(le|ility)[^.?]*\b(questionnaire|scale|instrument|inventory|survey|score)\b|\b(questionnaire|scale|instrument|inventory|survey)\b[^.?]*\breliab(le|ility)\b"),
        re.compile(r"test.?retest|inter.?rater|raters?|observers?|twice|repeat"),
        "Is it about the items of the scale, or about the scale given twice or by several raters? Internal consistency needs Cronbach's alpha, for which "
        "Scholium has no analysis. Given twice, or by several raters: choose “Do raters agree?”.",
    ),
    (
        re.compile(r"\b(no|not)\b[^.?]{0,25}\bdiffer(ence|ences|ent|s)?\b|n't differ\b|\bnot? (any )?(significantly )?different|\b(is|are|be|was|were|remains?) (\w+ )?comparable (to|with)\b|\bcomparable (efficacy|effects?|effectiveness|safety|outcomes?|results?)\b|"
            r"\b(does|do|did|is|are|was|will|would|can)(n't| not) (\w+ )?(increas|rais|worsen|affect|chang|reduc|lower|alter|prolong|delay|caus|influenc|impair)\w*"),
        re.compile(r"whether or not|or not\b|\bif not\b|or no difference|difference or no"),
        "Do you look for a difference, or do you want to show that there is none? For a difference: choose “Do separate groups differ?”. That there is none "
        "needs a test of equivalence with margins fixed beforehand, for which Scholium has no analysis; a large p value does not show it.",
    ),
    (
        re.compile(r"\b(dis)?agree(s|ment)?\b|\bconcordan(t|ce)\b"),
        re.compile(rf"{JUDGES}|{THINGS}|rater|kappa|\bicc\b|intra.?class|bland|limits of|agreed to|test.?retest"),
        "Do people judge the same cases, or are two ways of measuring compared? People, or one person twice: choose “Do raters agree?”. Two ways of measuring "
        "that give numbers: choose “Do two ways of measuring agree?”.",
    ),
    (
        re.compile(r"\bmatched\b[^.?]*\b(controls?|healthy|comparison)\b|\b(controls?|healthy|comparison)\b[^.?]*\bmatched\b"),
        re.compile(r"frequency.?matched|pairs?\b|paired|not matched|group.?matched"),
        "Was each control matched to one person, or were the groups only made alike as a whole? Matched one to one, with the two side by side in a row: choose "
        "“Did the same people change?”. Several controls for one person need a model with the matched set in it, which Scholium does not have. Made alike as a "
        "whole: choose “Do separate groups differ?”.",
    ),
    (
        re.compile(r"\b(two|both|these) (methods|ways|techniques|instruments|devices|machines|tests)\b"),
        re.compile(r"agree|measur|bland|differ|compar|than\b|faster|longer|shorter|more|less|better|worse|reduc|improv|lower|higher|mcnemar"),
        "Do the two measure the same thing, so that they should agree? Then choose “Do two ways of measuring agree?”. Are they two treatments or procedures? "
        "Then choose “Do separate groups differ?”.",
    ),
)  # fmt: skip


@lru_cache(maxsize=512)
def understood(text: str) -> Understood:
    """Return what `text`, a question in free words, asks."""
    plain = corrected(" ".join(text[:LONGEST].replace("’", "'").split()))
    signals = signals_in(plain)
    kinds = kinds_in(plain)
    # Nothing more special was recognised.
    is_general = not kinds or kinds[0] in ("relate", "differ", "known", "describe")
    if is_general and (signals.same if "paired" in kinds else signals.change and not signals.groups):
        kinds = ["paired", *kinds]
    kind = kinds[0] if kinds else ""
    absent = _absent_in(plain, signals, kind)
    if kind == SAMPLE_SIZE:
        absent = (*absent, SIZE) if absent or _OTHER_SIZES.search(plain) else ()
    asks = (asks for meant, unless, asks in _ASKS if meant.search(plain) and not unless.search(plain))
    return Understood(kind, absent, "" if absent else next(asks, "") or _several_in(plain), signals)


def _absent_in(plain: str, signals: Signals, kind: str) -> tuple[Absent, ...]:
    found = [one for one in ABSENT.values() if one.is_in(plain)]
    if signals.rate and kind not in _POOLED:
        # Of groups: events per year of each person.
        found = [one for one in found if not (signals.groups and one.id == "time_series")] + [ABSENT["rate_ratio"]]
    if signals.change and signals.groups and kind in ("paired", "differ", "relate", "predict", "describe", ""):
        found.append(ABSENT["change_between_groups"])
    if kind in _POOLED:
        found = [one for one in found if one.id not in _OF_POOLING]
    return tuple(dict.fromkeys(found))


# Where a second question begins: "...? And ...", "and also", "and its risk factors".
_NEXT = re.compile(
    r"\?|;|\band also\b|\b(?:and|also) (?=(?:what|which|whether|is|are|does|do|did|how|can) )|"
    r"(?:\band|,) (?=(?:(?:its|their|the) )?(?:risk factors?|predictors?|determinants?|correlates|correlations?|associated factors|factors associated|associations?)\b)|"
    r"\band (?=(?:correlates?|compares?|predicts?|associates?) )"
)


def _several_in(plain: str) -> str:
    """That the words ask two questions of different kinds; "" where they ask one."""
    kinds = list(dict.fromkeys(kinds[0] for part in _NEXT.split(plain) if (kinds := kinds_in(part))))
    if len(kinds) < 2:
        return ""
    titles = [f"“{QUESTIONS[kind].title}”" if kind in QUESTIONS else "the sample size" for kind in kinds]
    return f"An analysis answers one question, and this looks like more than one. Choose one to begin with: {' or '.join(titles)}. Ask the other one after it."
