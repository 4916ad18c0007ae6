"""Questions in free words, recognised by rules. What no rule knows is chosen by hand: nothing is guessed far."""

import re

SAMPLE_SIZE = "sample_size"
_PEOPLE = r"patients|people|participants|subjects|animals|children|women|men|cases|samples"
_RATERS = r"raters?|observers?|radiologists?|pathologists?|reviewers?|examiners?|readers?|assessors?|doctors"
_TIMES = r"times?|time points?|visits?|occasions?"
_MORE = r"more|less|fewer|higher|lower|longer|shorter|better|worse|greater|smaller|older|younger|heavier|lighter|faster|slower"
_ACTS = r"reduce|lower|raise|increase|decrease|improve|change|help|work|affect|prevent|shorten|prolong|alter|influence"

# The first that matches wins, so what is special stands above what is general.
_RULES: dict[str, tuple[str, ...]] = {
    SAMPLE_SIZE: (
        r"sample size",
        rf"how many ({_PEOPLE})\b.*\b(need|needed|require\w*|enough|recruit|enrol\w*|include)",
        r"\bpower (calculation|analysis)|statistical power",
    ),
    "pool_estimates": (
        r"\b(pool\w*|combin\w+|meta.?analy\w+|together)\b.*\b(hazard ratios?|standard errors?|estimates?)",
        r"\b(pool\w*|combin\w+|meta.?analy\w+|together)\b.*\blog (odds|hazard|risk)",
        r"published (estimates?|ratios?)|inverse variance",
    ),
    "pool_means": (
        r"\b(pool\w*|combin\w+|meta.?analy\w+|across (studies|trials))\b.*\b(means?|sd|smd|scores?|continuous)\b",
    ),
    "pool_counts": (
        r"meta.?analy\w+|\bpool(ed|ing|s)?\b|\bcombin\w+ (the )?(trials|studies)|forest plot|funnel plot|heterogene\w+",
        r"\b(several|seven|all|many|these|the) (randomi[sz]ed )?(trials|studies) (say|together|combined)|systematic review",
    ),
    "methods": (
        r"bland|limits? of agreement|interchangeabl\w+|\bmethods? (of measur\w+ )?(agree|compar)",
        r"\b(two|both) (methods|ways|devices|instruments|techniques|machines)\b",
        r"\b(device|instrument|method|cuff|monitor)s?\b.*\bagree",
    ),
    "raters": (
        r"\bkappa\b|\bicc\b|intra.?class|(inter|intra).?(rater|observer)|agreement between|test.?retest",
        rf"\b({_RATERS})\b.*\b(agree\w*|concord\w*|consisten\w*|reliab\w*)|reliability|repeatab\w+|reproducib\w+",
    ),
    "detect": (
        r"sensitivity|specificity|diagnos\w+ (accuracy|test|value|performance)|accura\w+ (of|is)|\broc\b|\bau(ro)?c\b",
        r"area under|cut.?off|predictive values?|likelihood ratios?|(gold|reference) standard",
        r"\b(detect|find|rule (in|out)|tell|discriminat\w+|distinguish\w*|identif\w+|screen\w*)\b.*"
        r"\b(who|disease|condition|patients?|cases?|infection|cancer|sepsis)",
        r"how well (does|do|can) .*\b(test|score|scan|marker|scale)\b",
    ),
    "survive": (
        r"surviv\w+|kaplan|log.?rank|hazards?\b|time (to|until|till)\b|censor\w+|\bcox\b|time.to.event|median time",
        r"how long (until|till|before|do|does|did|to)\b|follow.?up time|(relapse|progression|event).?free",
    ),
    "characteristics": (
        r"table (1|one)\b|baseline|characteristics|who (was|were) (studied|included|enrolled)|demographic\w*",
        r"were the groups (alike|similar|comparable|balanced)",
    ),
    "normal": (
        r"normal(ly)? distribut\w+|distribut\w+ normal|normality|normal curve|shapiro|q.?q plot|gauss\w+|bell.?(curve|shape)",
    ),
    "predict": (
        r"\bpredict\w*|risk factors?|regress\w+|adjust\w+|controlling for|account\w+ for|allowing for|into account",
        r"independent(ly)? (associat\w+|relat\w+)|confound\w+|multivaria\w+|which (factors?|variables?|things)",
        r"\bodds of\b|determinants?|depend(s|ent)? on|explain\w*",
    ),
    "paired": (
        r"before.?(and)?.?after|\bpre.? ?(and|to|vs\.?|versus)? ?.?post\b|\bpaired\b|matched pairs?|from baseline|over time",
        rf"same ({_PEOPLE}|persons|eyes)|\b(two|three|four|several|different|each|repeated) ({_TIMES})\b",
        r"repeated(ly)? (measure\w*|tested)|mcnemar|friedman|wilcoxon|signed.?rank|within (each )?(person|patient|subject)",
        r"chang(e|ed|es) (after|from|between visits)|(improved?|drop|fall|rise|fell|rose|decreased?|increased?) after\b",
        r"(at|by) (follow.?up|discharge) (than|compared)",
    ),
    "known": (
        r"known (value|mean|rate|share)|one.?sample|goodness.?of.?fit|hardy|reference value|\bis the (mean|average) .*\b\d",
        r"(differ\w*|different|higher|lower|more|less|equal|depart\w*|deviat\w*) (from|than|to) (a |an |the )?"
        r"(known|expected|published|national|normal|reference|population|standard|target|\d)",
        r"equally (frequent|often|common|likely)|expected (shares?|proportions?|frequenc\w+|ratio)",
    ),
    "relate": (
        r"correlat\w+|go(es)? (together|along|hand in hand|with)|relat(ed|ion|ionship|e)\b|associat\w+|link(ed)?\b",
        r"\blinear\b|spearman|pearson|kendall|chi.?squared?|(increase|decrease|rise|var)\w* with",
        rf"\bthe ({_MORE}) .*,? the ({_MORE})",
    ),
    "differ": (
        rf"differ\w*|compar\w+|\b({_MORE})\b.*\b(than|in|among|with|between|under|after|on)\b|versus|\bvs\b|treatment effect",
        r"between (the )?(groups?|arms|treatments?|sexes|men|women|two|three|four)|effect of|superior|non.?inferior",
        rf"\b(does|do|did|can|will) .*\b({_ACTS})\w*|t.?test|anova|mann.?whitney|kruskal|fisher",
        r"\bby (group|sex|treatment|arm|drug|gender)\b|\b(men|women|boys|girls) and (men|women|boys|girls)\b",
    ),
    "describe": (
        r"describ\w+|summar\w+|what is in|overview|how (old|many|often|common|frequent|tall|heavy|much|large|big|high)",
        r"\bmean (and|age|of)\b|median|average|prevalence|frequenc\w+|proportion of|percentage|what share|typical",
        r"histogram|spread|missing|distribution",
    ),
}
_COMPILED = {intent: re.compile("|".join(rules), re.IGNORECASE) for intent, rules in _RULES.items()}


def intent_of(text: str) -> str | None:
    """The kind of question that `text` asks: a key of QUESTIONS, SAMPLE_SIZE, or None where no rule knows it."""
    plain = " ".join(text[:1000].replace("’", "'").split())
    return next((intent for intent, rule in _COMPILED.items() if rule.search(plain)), None)
