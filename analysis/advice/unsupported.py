"""Methods that Scholium does not have: their names, what they would need, and the closest available analysis (SPEC N4).

These rules have priority over every kind of question, because an available test would answer a different question.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from analysis.advice.question_cues import MATCHES_NOTHING, MORE, PEOPLE

GOOD = (
    "good|effective|efficacious|safe|well|efficient|potent|beneficial|reliable|accurate|satisfactory|useful|successful|tolerable|"
    "well tolerated|tolerated|strong"
)
ASSOCIATION = (
    "effects?|effectiveness|efficacy|benefits?|impact|influence|response "
    "to|association|relationship|relation|link|correlation|slope|(odds|risk|hazard|rate) ratios?|or for"
)


# Units that are randomised together, and parts of which one person has several.
_UNITS_OF_PEOPLE = (
    r"(villages|schools|wards|hospitals|clinics|classes|classrooms|centres|centers|districts|colleges|practices|phcs|"
    r"communities|households|families|units|nursing homes|anganwadis)"
)
_PARTS = (
    r"(lesions|teeth|molars|premolars|incisors|canines|fissures|eyes|implants|tumou?rs|wounds|joints|nodules|samples|"
    r"limbs|sites|surfaces|roots|canals|ulcers|polyps|vessels|segments|biopsies|cycles|embryos|oocytes|follicles|"
    r"stents|fractures|hips|knees|ears|fingers|plaques|pockets|restorations|fillings)"
)


@dataclass(frozen=True)
class UnsupportedMethod:
    """A kind of question that no analysis answers here.

    `asks` completes "Scholium has no analysis for ...", `needs` is the method that would answer it, `near` the closest
    available analysis. `rules` recognise it in the words of a question, unless one of `unless` matches.
    """

    id: str
    asks: str
    needs: str
    near: str = ""
    rules: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """The message for the user."""
        return " ".join(filter(None, [f"Scholium has no analysis for {self.asks}.", self.needs, self.near]))

    @cached_property
    def _compiled(self) -> list[re.Pattern[str]]:
        return [re.compile("|".join(rules) or MATCHES_NOTHING) for rules in (self.rules, self.unless)]

    def is_in(self, plain: str) -> bool:
        """Return whether the question `plain`, in lower case, asks for it."""
        rules, unless = self._compiled
        return bool(rules.search(plain)) and not unless.search(plain)


UNSUPPORTED_DESIGNS: tuple[UnsupportedMethod, ...] = (
    UnsupportedMethod(
        "non_inferiority",
        "non-inferiority",
        "It needs a margin that was fixed beforehand, and the confidence interval of the difference set against it.",
        "A test that finds no difference does not show non-inferiority. A comparison of groups gives the difference "
        "with its interval, which you can compare with your margin yourself.",
        (
            r"non.?inferior\w*|\b(not|never|isn't|aren't|wasn't|n't)\b[^.?]{0,25}\b(inferior|worse)\b|"
            r"\bwithout [^.?]{0,30}\b(worse|inferior|los(s|ing)|more (complications|failures|relapses|deaths))\b|"
            r"\bwithout (more|(any )?(increas|rais|miss|compromis|sacrific|worsen)\w+) \w+|\bon (a )?par with\b|"
            r"\bwithin (a|the|our|an?) (\w+ )?margin\b|\bno (worse|less (" + GOOD + r"))\b",
            rf"\bat least as ({GOOD})|\bas ({GOOD})( (and|or) ({GOOD}))? as\b|\bnot (any )?(less|more poorly) ({GOOD})|"
            r"as well as [^.?]*\b(in|for|at) (treating|preventing|reducing|relieving)",
            rf"\bas (\w+ )?({GOOD}) (as|when)\b",
        ),
        (r"as well as (age|sex|gender|bmi)",),
    ),
    UnsupportedMethod(
        "equivalence",
        "equivalence",
        "It needs margins on both sides that were fixed beforehand, and two one-sided tests (TOST) or the confidence "
        "interval of the difference within them.",
        "A large p value does not show that two things are the same. A comparison of groups gives the difference with "
        "its interval.",
        (
            rf"(bio)?equivalen\w+|\bequally ({GOOD})\b|\bsimilar(ly)? ({GOOD}|efficacy|effectiveness|safety|outcomes?|"
            r"results)\b",
            r"\b(show|prove|demonstrate|confirm|establish)\b[^.?]*\b(no difference|not differ|the same|equal|identical|"
            r"does not matter|comparable|similar|as good as)",
            r"\b(are|is|have|has) the same (effect|efficacy|safety|effectiveness)|"
            r"\b(is|are) .* interchangeable (drugs?|with)",
            r"\bto the same (extent|degree)\b|\bno (clinically )?(relevant|meaningful|important) difference",
        ),
        (r"not equivalent to",),
    ),
    UnsupportedMethod(
        "interaction",
        "an interaction (effect modification): whether an effect differs between kinds of people",
        "It needs a regression with an interaction term; comparing the p values of two groups does not test it.",
        "Without the interaction, a regression under “What predicts the outcome?” gives one effect for all.",
        (
            r"(?<!drug )(?<!drug-)(?<!food )\binteract(s|ed|ing|ion|ions)?\b|effect.?(measure )?modif\w+|"
            r"modif(y|ies|ied) the (effect|association|relation\w*|impact)|\bmoderat(es|or|ors|ion|ing)\b|"
            r"moderated by|sub.?groups? (analys|differ|effect)\w*|heterogene\w+ of (the )?(treatment )?effects?|"
            r"two.?way an[oa]va|factorial",
            rf"\b({ASSOCIATION})\b[^.?]*\b(differ|differs|differed|different|vary|varies|depends?|"
            rf"(the )?same(?! ((?!in |for |among |with |by |on |across |between |whether )\w+ )?({PEOPLE}|individuals|"
            r"group|eyes?|knees?)\b)|alike|similar|change[sd]?|modified)\b[^.?]*\b(by|across|according|depending|on|"
            r"with|in|for|among|as)\b(?! (efficacy|pain|mortality)\b)",
            rf"\b({ASSOCIATION}) of\b[^.?]*\bon\b[^.?]*\bdiffer\w* between\b|\b(association|relationship|relation|link|"
            r"correlation)\b[^.?]*\bdiffer\w* between\b",
            rf"\b({ASSOCIATION}|associated|correlated|related|linked)\b[^.?]*\b({MORE}|mainly|only|more strongly|"
            r"particularly)\b (in|for|among|with|at)\b (?!reducing|the treatment of)",
            r"\b(treatment|drug|therapy|vaccine|intervention|programme|program|exercise|training|it|\w+ine|\w+ol|"
            r"\w+mab|steroids?)\b (work|help|benefit)\w* (men|women|\w+ (patients|people)|better|worse|more|less|"
            r"equally|as well|differently|only)\b[^.?]*\b(in|for|among|than)\b (?!\w+ing\b)(?=.*\b(than|women|men|"
            r"patients|people|young|old|elderly|younger|children|adults|with)\b)",
            r"\bdo(es)? (\w+ ){1,3}(respond|benefit|profit) (more|less|better|worse|differently|equally)\b[^.?]*\b(to|"
            r"from)\b",
            r"who (benefits|responds|profits) (most|more|best)|\b(works?|helps?|effective|useful|"
            r"benefits?) ((more|less|better|worse|only|mostly) (if|when|where)\b|(in|for) [^.?]*\b(but|and) (does|is|"
            r"do|not|will)\b[^.?]*\b(in|for|help|work|benefit)\b)",
            r"\b(change|alter|affect|influence|determine|modif[yi]|decide)(s|es|ed)? (how (much|strongly|well|far|"
            r"quickly)|the (effects?|impact|influence|association|relation\w*) of)\b",
            rf"\b({ASSOCIATION})\b[^.?]*\b(seen|present|true|holds?|exists?|found|limited|confined)\b (only|mainly|"
            r"just|also|to|for) ",
        ),
        (r"\bmeta.?analy|effect of [^.?]* differ\w* from|which (drug|treatment|of the)|than (placebo|standard|usual)",),
    ),
    UnsupportedMethod(
        "rate_ratio",
        "rates over time at risk",
        "It needs the time that each person was followed, and Poisson or negative binomial regression, which gives an "
        "incidence rate ratio.",
        "Whether it happened at all, in equal times, can be compared between groups, and so can the time until it "
        "first happens.",
        (
            r"poisson|negative binomial|zero.?inflated|quasi.?likelihood|standardi[sz]ed (mortality|incidence) ratios?|"
            r"\bsmr\b|age.?standardi[sz]ed",
        ),
    ),
    UnsupportedMethod(
        "change_between_groups",
        "a comparison of change over time between groups",
        "It needs a mixed model for repeated measures, or an analysis of covariance of the last value adjusted for the "
        "first; testing each group separately does not compare them.",
        "With two times, “What predicts the outcome?” is that analysis of covariance: choose the last value as the "
        "outcome, and the group and the first value as predictors. If a column contains the change of each person, it "
        "can be compared between groups: “Do separate groups differ?”.",
        (
            r"change scores?[^.?]*\b(groups?|arms?|between)|difference.in.differences?|\bgroup (by|x|×|\*) time|"
            r"time (by|x|×|\*) group",
        ),
    ),
    UnsupportedMethod(
        "mixed",
        "repeated measures in a mixed model",
        "It needs a linear or generalised mixed model (random effects), GEE, or an analysis of variance for repeated "
        "measures.",
        "For the same people at three or more times, without other variables, there is Friedman's test under “Did the "
        "same people change?”.",
        (
            r"mixed.?(effects?|linear|model)|\bmixed anova|linear mixed|repeated.?measures? (anova|analys|an[oa]lysis|"
            r"model)|(rm|two.?way|mixed).?anova|\banova\b[^.?]*\brepeated\b|\brepeated\b[^.?]*\banova\b|"
            r"random (intercept|slope)s?|random.?effects?\b|\bgee\b|generali[sz]ed estimating|"
            r"growth (curve|model|trajector)|trajector\w+|longitudinal (model|analys|data)",
        ),
        (r"meta.?analy|\bpool",),
    ),
    UnsupportedMethod(
        "ancova",
        "an analysis of covariance with adjusted means, or of several outcomes at once",
        "It needs ANCOVA with estimated marginal means, or MANOVA.",
        "Linear regression gives the adjusted difference itself: “What predicts the outcome?”, with the group and the "
        "variables to adjust for as predictors. Adjusted means are not available.",
        (
            r"\bm?ancova\b|\bmanova\b|analys[ie]s of covariance|covariance analysis|"
            r"(adjusted|marginal|least.?squares?) means?|multivariate analysis of variance",
        ),
    ),
    UnsupportedMethod(
        "cluster",
        "clustered data, such as people in clusters or several sites of one person",
        "It needs a multi-level (mixed) model or GEE, which accounts for the clusters; a test that assumes independent "
        "observations gives p values that are too small.",
        "With one row for each cluster (its mean or share), groups of clusters can be compared.",
        (
            r"cluster.?(randomi[sz]\w+|trial|design|level)|cluster(ed|ing) (in|within|by|at|"
            r"of (patients|children|people|pupils|data))|(were|are|data) clustered|nested (in|within)|multi.?level|"
            r"hierarchical (linear |logistic )?(model|regression)|intra.?cluster|design effect",
            rf"\b{_UNITS_OF_PEOPLE} (were |are |was |have been |being )?(randoml?y? ?|randomi[sz]ed|allocated|"
            rf"assigned)|\brandomi[sz]\w+ (of|by|at the level of) (the )?\w* ?{_UNITS_OF_PEOPLE}",
            rf"\b{_PARTS}\b( \w+)? (per|in (each|every|one|a|single)|of (each|every|one)|from (each|every|one)) (tooth|"
            r"patient|person|subject|participant|child|woman|mouth|animal|rat|mouse|family|mother|couple|"
            rf"eye)\b(?![^.?]*\b(left|right)\b)|\b{_PARTS},? \d+( ?(-|to) ?\d+)? (\w+ )?(per|"
            r"in (each|every|one|a|single)) (patient|person|subject|participant|child)",
            r"\b(several|multiple|many|two|both|all) (lesions|teeth|eyes|implants|tumou?rs|wounds|joints|nodules|"
            r"samples|limbs|sites) (per|in|of|for|from) ((each|the same|every|one|a) )?(patient|person|subject|"
            r"participant|child|mouse)\b|\b(teeth|eyes|lesions|implants|joints|nodules) (of|in|"
            r"from) the same (patient|person|subject|child)|\b(both|two) (eyes|knees|hips|ears|breasts|kidneys|hands|"
            r"feet|sides)\b (of|in|from|per) (\d+|each|the|all|every|my|our)\b(?![^.?]*\b(left|right|fellow|"
            r"other (eye|side|knee)|one (eye|side|knee))\b)",
        ),
    ),
    UnsupportedMethod(
        "competing_risks",
        "competing risks",
        "It needs the cumulative incidence function, Gray's test or Fine and Gray's regression; Kaplan-Meier with the "
        "other event as censored overestimates the risk.",
        "The time until the first of the events can be analysed.",
        (
            r"compet\w+ (risks?|events?|with)\b|fine.?(and|&)?.?gray|gray'?s test|sub.?distribution|"
            r"cumulative incidence function|cause.?specific|(death|dying|transplant\w*) (as|is) (a |the )?competing|"
            r"cumulative incidence [^.?]*(competing|death)",
            r"\btime (to|until|till) (?!death|mortality|dying|first|the first)[^.?]*\b((death|dying|dies|die|"
            r"died) (before|without|first)|(some|few|others?|many|several|those who|who|patients|\d+) (\w+ )?(died|"
            r"die)\b)|\bdea(th|d) before [^.?]*\b(can|could|may|might|happens?|occurs?)\b|"
            r"\bbefore they (could|can) (relapse|recur|progress|recover)",
        ),
    ),
    UnsupportedMethod(
        "survival_other",
        "this kind of survival analysis",
        "It needs a model for recurrent events, time-dependent covariates, several states or censored intervals, or a "
        "parametric model.",
        "The time until the first event can be analysed: “How long until it happens?”.",
        (
            r"recurrent (events?|falls|episodes|hospitali[sz]ations|infections)|frailty (model|term)|andersen.?gill|"
            r"time.?(dependent|varying|updated) (cox|covaria\w+|exposure|variable|predictor)s?|landmark analys|"
            r"restricted mean|multi.?state|interval.?censor|left.?truncat|weibull|accelerated failure|joint model",
        ),
    ),
    UnsupportedMethod(
        "matched",
        "a matched case-control study",
        "It needs conditional logistic regression with the matched sets.",
        "For one control per case and a yes or no, side by side in two columns, McNemar's test is available under “Did "
        "the same people change?”.",
        (
            r"matched case.?control|case.?control[^.?]*matched|cases? (and|with|to) (their )?matched controls?|"
            r"conditional logistic|stratified by matched|\bcases?\b[^.?]*\bmatch(ed|ing)\b|"
            r"\bmatch(ed|ing)\b[^.?]*\bcases?\b",
        ),
    ),
    UnsupportedMethod(
        "stratified",
        "a stratified comparison (Mantel-Haenszel)",
        "It needs the Mantel-Haenszel test and a common odds ratio over the strata.",
        "Logistic regression with the stratum as a predictor also adjusts for it: “What predicts the outcome?”.",
        (r"mantel|stratif(ied|ying) (analys|test|by|for)\w*|breslow",),
        (r"randomi[sz]ation|kaplan|surviv|table (1|one)",),
    ),
)
