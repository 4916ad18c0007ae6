"""Short forms as students write them in notes, written out: "b/w", "grp", "pts", "diff", "n" for "and"."""

import re

_SHORT = {
    "b/w": "between", "b/n": "between", "btw": "between", "btwn": "between", "betw": "between", "w/o": "without", "v/s": "versus", "wrt": "with regard to",
    "w.r.t": "with regard to", "w.r.t.": "with regard to", "d/t": "due to", "f/u": "follow-up", "fu": "follow-up", "grp": "group",
    "grps": "groups", "gps": "groups", "pt": "patient", "pts": "patients", "ptn": "patient", "diff": "difference", "diffs": "differences",
    "diffrnt": "different", "asso": "association", "assoc": "association", "assocn": "association", "assn": "association",
    "corr": "correlation", "sig": "significant", "signif": "significant", "adj": "adjusted", "avg": "average", "sens": "sensitivity",
    "specif": "specificity", "std": "standard", "shud": "should", "shld": "should", "wud": "would", "wld": "would", "tmt": "treatment",
    "trt": "treatment", "rxn": "reaction", "hrs": "hours", "mths": "months", "mth": "month", "mnths": "months",
    "wks": "weeks", "wk": "week", "yrs": "years", "yr": "year", "mins": "minutes", "nd": "and", "&": "and", "alfa": "alpha", "lesser": "less",
    "rct": "randomised trial", "rcts": "randomised trials", "thru": "through", "bcoz": "because", "bcz": "because", "preop": "pre-op",
    "postop": "post-op", "regn": "regression", "multivar": "multivariate", "univar": "univariate", "qnaire": "questionnaire",
}  # fmt: skip
_WORD = re.compile(
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


def written_out(text: str) -> str:
    """`text`, in small letters, with its short forms written out."""
    text = _EACH.sub(" per ", text)
    text = _MONTHS.sub(" months", _TIME_AT_RISK.sub("patient-years", text))
    text = _HOURS.sub(" hours", _NUMBER.sub("number ", _WORD.sub(lambda found: _SHORT[found[0]], text)))
    text = _THE_NUMBER.sub(lambda found: f"{found[0].strip()}\0", text)
    return _SPEC.sub("sensitivity and specificity", _AND.sub(" and ", text)).replace("\0", " ")
