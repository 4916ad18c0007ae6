"""Words of statistics as people mistype them: "corelation", "diffrence", "non-inferiorty"."""

import re
from functools import lru_cache

from rapidfuzz.distance import OSA

from analysis.advice.shorthand import written_out
from analysis.advice.signals import MORE

# The words that the rules of analysis.advice look for, and beside them words of medicine that are one letter away from
# one of these and mean something else.
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
    "proposition butter racing confounded relates associates associating statistician stranger presented present patent "
    "associative portability integrated sensitive sensitively"
)
MEANT = frozenset(_OURS.split())
KNOWN = MEANT | frozenset(_OTHERS.split())
_WORD = re.compile(r"[a-z]{6,}")
_THEN = re.compile(rf"\b({MORE}|other|rather) then\b")
_LONG = 11  # letters from which two slips are put right


def corrected(text: str) -> str:
    """`text` in small letters, short forms written out, with mistyped words of statistics put right where it is clear which
    was meant."""
    return _THEN.sub(r"\1 than", _WORD.sub(lambda found: _nearest(found[0]), written_out(text.lower())))


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
