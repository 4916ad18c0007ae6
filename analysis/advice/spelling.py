"""Correction of mistyped statistical words ("corelation", "diffrence") and of short forms ("b/w", "grp", "pts")."""

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from analysis.advice.question_cues import MORE

# The words that the rules of analysis.advice look for, and then medical words that differ from one of these by a letter
# or two and mean something else.
_OURS = (
    "accuracy accurate adjusted adjusting adjustment affect after agreement analysis analyses association associated "
    "average baseline before better between calibration cause characteristics cluster clustered compared comparing "
    "comparison compare competing component confounder confounders confounding consistency consistent controlling "
    "correlated correlation covariance cronbach decrease demographic describe diagnosis diagnostic difference "
    "different differ distributed distribution effect effective effectiveness equivalence equivalent exacerbations "
    "explain explained factor factors frequency friedman hazard heterogeneity hierarchical improve improved incidence "
    "increase inferior inferiority influence interaction intervention kruskal likelihood linear logistic longitudinal "
    "mediate mediates mediation mediator median moderates moderation moderator mortality multilevel multinomial "
    "multivariate negative normal normally number observer observers ordinal outcome paired parallel partial patient "
    "patients pearson percentage poisson pooled predict predicted predictive predictor predictors predicts prevalence "
    "probability propensity proportion questionnaire radiologist radiologists randomised randomized raters rating "
    "regression related relation relationship reliability reliable repeated reproducibility response sample "
    "sensitivity significant spearman specificity statistical stronger studies superior superiority surgery survival "
    "survive therapy threshold treatment variable variables variance versus wilcoxon"
)
_OTHERS = (
    "adjustable attraction carrier casual clusters collection competent correction corrected correct diabetes "
    "differentiation diagnosed dialysis effected equine exercise fracture fractures infection infections infarction "
    "injection linked logistics medical medicated medication medications moderate moderately operation paralysis "
    "patience pattern patterns percent prevent prevented preventive product production propionate rational reaction "
    "relapse relative relatives resection reactive secretion several severe severity similar specific species studied "
    "survey survived survivor survivors tracer traction variant variants various clause simple person persons produce "
    "observed interactive integration computing completing analysed analyzes significance distributes distributing "
    "interior infectious reliably livelihood relaxed interacting rejection readability correlates causal poison "
    "proposition butter racing confounded relates associates associating statistician stranger presented present "
    "patent associative portability integrated sensitive sensitively"
)
MEANT = frozenset(_OURS.split())
KNOWN = MEANT | frozenset(_OTHERS.split())
_WORD = re.compile(r"[a-z]{6,}")
_THEN = re.compile(rf"\b({MORE}|other|rather) then\b")
_LONG = 11  # letters from which two errors are corrected

_SHORT = {
    "b/w": "between", "b/n": "between", "btw": "between", "btwn": "between", "betw": "between", "w/o": "without",
    "v/s": "versus", "wrt": "with regard to", "w.r.t": "with regard to", "w.r.t.": "with regard to", "d/t": "due to",
    "f/u": "follow-up", "fu": "follow-up", "grp": "group", "grps": "groups", "gps": "groups", "pt": "patient",
    "pts": "patients", "ptn": "patient", "diff": "difference", "diffs": "differences", "diffrnt": "different",
    "asso": "association", "assoc": "association", "assocn": "association", "assn": "association",
    "corr": "correlation", "sig": "significant", "signif": "significant", "adj": "adjusted", "avg": "average",
    "sens": "sensitivity", "specif": "specificity", "std": "standard", "shud": "should", "shld": "should",
    "wud": "would", "wld": "would", "tmt": "treatment", "trt": "treatment", "rxn": "reaction", "hrs": "hours",
    "mths": "months", "mth": "month", "mnths": "months", "wks": "weeks", "wk": "week", "yrs": "years", "yr": "year",
    "mins": "minutes", "nd": "and", "&": "and", "alfa": "alpha", "lesser": "less", "rct": "randomised trial",
    "rcts": "randomised trials", "thru": "through", "bcoz": "because", "bcz": "because", "preop": "pre-op",
    "postop": "post-op", "regn": "regression", "multivar": "multivariate", "univar": "univariate",
    "qnaire": "questionnaire",
}  # fmt: skip
_SHORT_FORM = re.compile(
    r"(?<![\w/.&'-])(" + "|".join(map(re.escape, sorted(_SHORT, key=len, reverse=True))) + r")(?![\w/&'-])"
)
_HOURS = re.compile(r"(?<=\d) ?(hr|h)\b")  # "HR" alone is a hazard ratio or a heart rate
_NUMBER = re.compile(r"\bnos?\.? ?(?=of\b)")
_TIME_AT_RISK = re.compile(r"\b(?:pts?|patients?)[- ]?(?:yrs?|years?)\b")
_EACH = re.compile(r"(?<=\w) ?/ ?(?=(yr|year|mo|month|wk|week|day|patient|pt|person|1000|100)s?\b)")
_MONTHS = re.compile(r"(?<=\d) ?mos?\b")
_SPEC = re.compile(r"\b(sensitivity)( and|,|/| )? ?spec\b\.?")
# "n" between two words; not the number "n" of a sample, nor "n = 40".
_AND = re.compile(r"(?<=[a-z0-9)]) n (?=[a-z])(?!(for|of|needed|required|is|should|per|was|in each)\b)")
_THE_NUMBER = re.compile(r"\b(the|what|be|is|my|total|minimum|min|or|sample|calculate) n (?=[a-z])")


def correct_spelling(text: str) -> str:
    """Return `text` in lower case, with short forms expanded and mistyped statistical words corrected where clear."""
    return _THEN.sub(r"\1 than", _WORD.sub(lambda found: _nearest(found[0]), expand_short_forms(text.lower())))


def expand_short_forms(text: str) -> str:
    """Return `text`, which is in lower case, with its short forms expanded."""
    text = _EACH.sub(" per ", text)
    text = _MONTHS.sub(" months", _TIME_AT_RISK.sub("patient-years", text))
    text = _HOURS.sub(" hours", _NUMBER.sub("number ", _SHORT_FORM.sub(lambda found: _SHORT[found[0]], text)))
    text = _THE_NUMBER.sub(lambda found: f"{found[0].strip()}\0", text)
    return _SPEC.sub("sensitivity and specificity", _AND.sub(" and ", text)).replace("\0", " ")


@lru_cache(maxsize=4096)
def _nearest(word: str) -> str:
    if word in KNOWN or any(word.startswith(known) or known.startswith(word) for known in KNOWN):
        return word
    allowed = 2 if len(word) >= _LONG else 1
    near = [
        (distance, known)
        for known in MEANT
        if known[0] == word[0] and (distance := OSA.distance(word, known, score_cutoff=allowed)) <= allowed
    ]
    least = min(near, default=(0, word))[0]
    best = [known for distance, known in near if distance == least]
    return best[0] if len(best) == 1 else word
