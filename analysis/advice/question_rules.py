"""Rules that recognise the kind of a question in free words. Without a match, the user chooses the kind."""

import re

from analysis.advice.question_cues import MATCHES_NOTHING, MORE, PEOPLE

SAMPLE_SIZE = "sample_size"
_RATERS = (
    r"raters?|observers?|radiologists?|pathologists?|reviewers?|examiners?|readers?|assessors?|doctors|graders?|"
    r"physicians|clinicians|dentists|surgeons|nurses"
)
_ACTS = (
    r"reduc|lower|rais|increas|decreas|improv|chang|help|work|affect|prevent|shorten|prolong|alter|influenc|relie|cure|"
    r"protect|speed|delay|worsen|caus|lead"
)
_DEVICES = (
    r"\w+meters?|\w+metry|\w+graphy|lab(oratory)?|analy[sz]ers?|point.of.care|poct|smartphone|formulae?|monitors?|"
    r"probes?|sensors?|kits?|strips?|assays?"
)
_SIDES = r"eye|side|knee|hand|hip|ear|leg|arm|breast|foot|shoulder|quadrant"
_WAYS = r"methods|ways|devices|instruments|techniques|machines|monitors|scales|tests|measurements"

RATER_WORDS = rf"\b({_RATERS}|residents?|consultants?|experts?|judges?|interns?|coders?|teachers?|self|parents?)\b"
METHOD_WORDS = (
    rf"\b({_WAYS}|{_DEVICES}|method|device|instrument|technique|readings?|values?|measured|estimated|obtained|"
    r"determined|cuff|app|scale|score)s?\b"
)

# For each kind, the rules that recognise it and the rules that exclude it. The first kind that matches wins, so special
# kinds come before general ones.
_RULES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    SAMPLE_SIZE: (
        (
            rf"\b(number|how many)( of)? ({PEOPLE}|samples?)\b[^.?]*\b((required|needed|necessary)\b(?= (for|to|in|per|"
            r"by|so|if|at)\b|[^\w]*$)|(do |should |must |will )?(i|we) (need|require|recruit|take|enrol|include)\b)|"
            rf"\b(what|which) (should|is|will|would|must) (be )?(the |my )?(n|number of ({PEOPLE}))\b|"
            r"\bn (needed|required|for comparing)\b|\b\d+ ?(%|percent|per cent)? power\b|\bpower (of )?\d",
            r"how (much|many) (of )?(a |the )?samples?\b|\b(relative|absolute|allowable|permissible) (precision|"
            r"error)\b|\bmargin of error\b|how many \w+ (per|in each) (group|arm)( (to|for|do|should|are needed|"
            r"needed|required)\b|[^\w]*$)",
            r"sample.?size|\bpower (calculation|analysis)|statistical power|underpowered|enough power",
            r"how (large|big)\b[^.?]*\b(samples?|study|trial|groups?)\b[^.?]*\b(be|need|to)\b",
            rf"how (many|large|big)\b[^.?]*\b({PEOPLE}|samples?|group|study|sample)\b[^.?]*\b((do|should|must|would|"
            r"shall|will) (i|we|one|my|the study)|(are|is|be) (needed|required|necessary)|must be|should be|have to|"
            r"to (recruit|enrol|include|detect|show|find|demonstrate|estimate|prove))",
        ),
        (),
    ),
    "pool_estimates": (
        (
            r"\b(pool\w*|combin\w+|meta.?analy\w+|together)\b[^.?]*\b(hazard ratios?|standard errors?|estimates?)",
            r"\b(pool\w*|combin\w+|meta.?analy\w+|together)\b[^.?]*\blog (odds|hazard|risk)",
            r"published (estimates?|ratios?)|inverse variance",
        ),
        (),
    ),
    "pool_means": (
        (
            r"\b(pool\w*|combin\w+|meta.?analy\w+|across (studies|trials))\b[^.?]*\b(means?|sd|smds?|scores?|"
            r"continuous)\b",
        ),
        (),
    ),
    "pool_counts": (
        (
            r"meta.?analy\w+|\bpool(ed|ing|s)?\b|\bcombin\w+ (the )?(trials|studies)|forest plot|funnel plot|"
            r"heterogeneity (between|across|among|of) (the )?(studies|trials)",
            r"\b(several|seven|all|many|these|the) (randomi[sz]ed )?(trials|studies) (say|together|combined)|"
            r"systematic review",
        ),
        (r"pooled (samples?|sera|data from)|swimming",),
    ),
    "methods": (
        (
            r"bland.?altman|limits? of agreement",
            rf"\b(two|both|these|the) (\w+ )?({_WAYS})\b[^.?]*\b(agree|interchangeable|"
            r"same (values?|results?|readings?|measurements?))",
            rf"\b({_WAYS}|device|instrument|method|cuff|monitor|meter|thermometer|app|scale)s?\b[^.?]*\bagree|"
            r"methods? of measur\w+|\b(readings?|values?|measurements?|results?|estimates?)\b[^.?]*\b(match(es|ed)?|"
            r"coincide|correspond (to|with))\b",
            rf"\b({_DEVICES})\b[^.?]*\b(agree|(give|gives|show|shows|read|reads) (the )?(same|identical))|"
            rf"\bagree(ment)?\b[^.?]*\b({_DEVICES})\b",
            r"\b(measured|readings?|measurements?|values?|estimated|obtained|determined)\b[^.?]*\bagree|"
            r"agree(ment)?\b[^.?]*\b(measured|readings?|measurements?|devices?|methods?|instruments?|pachymetr\w*|"
            r"oximet\w*|monitors?)",
        ),
        (rf"\b({_RATERS})\b[^.?]*\bagree|agree\w*[^.?]*\b(between|of|by|among) (the )?(\w+ )?({_RATERS})\b",),
    ),
    "raters": (
        (
            r"\bkappa\b|\bicc\b|intra.?class|(inter|intra).?(rater|observer|examiner|reader)|test.?retest",
            rf"\b({_RATERS})\b[^.?]*\b(agree\w*|disagree\w*|concord\w*|consisten\w*|reliab\w*|reproduc\w*|"
            r"(the )?same( \w+)?( \w+)? (score|grade|diagnosis|rating|class|category|result|stage|decision|value)\w*)",
            r"\breliab(le|ility)\b|repeatab\w+|reproducib\w+|\b(dis)?agree(s|d|ment)?\b|concordan(t|ce)",
        ),
        (r"agreed to (take part|participate)",),
    ),
    "detect": (
        (
            r"(?<!insulin )(?<!antibiotic )(?<!drug )(?<!dentine )(?<!dentin )(?<!tooth )(?<!contrast )(?<!pain "
            r")(?<!skin )(?<!antimicrobial )(?<!baroreflex )(?<!hyper)\bsensitivit(y|ies)\b(?! (analys|to\b|pattern|"
            r"test))|specificit(y|ies)\b",
            r"diagnos\w+ (accuracy|tests?\b|value|performance|yield|utility)|accura(te|cy|tely)\b|\broc\b|\bau(ro)?c\b|"
            r"area under the (roc|receiver)",
            r"cut.?offs?\b|cutpoint|threshold of|predictive values?|likelihood ratios?|(gold|reference) standard|"
            r"false.?(positive|negative)s?",
            r"\b(discriminat\w*|distinguish\w*|tell apart|rule (in|out)|screening (test|tool|for)|screen for|misses|"
            r"missed by)\b",
            r"how (well|reliably|good) (does|do|can|is|are|could)\b[^.?]*\b(tell|detect|find|identif\w+|predict\w*|"
            r"diagnos\w+|recogni[sz]e|pick up|at (detecting|predicting|diagnosing|finding|identifying))|"
            rf"\bcan (\w+ ){{1,5}}(detect|diagnose|identify|tell)\b|\btell (who|which ({PEOPLE}))",
            r"how well (does|do|can) [^.?]*\b(test|score|scan|marker|scale)\b|\b(good|accurate|reliable) enough (to|"
            r"for) (detect|diagnos|identif|screen|pick|predict|rule)\w*",
        ),
        (
            r"pharmacokinetic|concentration.time|risk factors|\b(which|what) (characteristics|factors|variables|"
            r"features|symptoms|signs)\b|\bfactors? (that|which|associated)|recall accuracy",
        ),
    ),
    "survive": (
        (
            r"\bsurvival\b|kaplan|log.?rank|\bhazards? (ratio|of|rate|model)|\btime (to|until|till)\b|censor\w+|"
            r"\bcox (model|regression|proportional)|\bcox\b(?!.?[12i])|time.to.event",
            r"how (long|soon|quickly|fast|early)\b[^.?]*\b(until|till|before|relaps\w+|die|surviv\w+|live|fail\w*|"
            r"recur\w*|occurs?|happens?)\b|(relapse|progression|event|disease|recurrence).?free|"
            r"\b(die|fail|relapse|recur|recover|heal)\w* (sooner|earlier|faster|later)",
        ),
        (r"survival of (bacteria|the tooth|implants? surface)",),
    ),
    "characteristics": (
        (
            r"\b(differ\w*|compar\w+|similar|alike|balanced)\b[^.?]*\b(groups|arms)\b[^.?]*\bat (the )?(baseline|start|"
            r"beginning|inclusion|randomi[sz]ation)\b|table (1|one)\b|baseline (characteristics|table|data|"
            r"demographic|difference|compar|variables)\w*|characteristics of|who (was|were) (studied|included|"
            r"enrolled)|demographic (data|characteristics|profile|table)",
            r"were (the|both) (\w+ )?(groups|arms) (alike|similar|comparable|balanced|equal)|(alike|similar|comparable|"
            r"balanced|differ|equal|homogeneous) at (the )?(baseline|start|beginning|inclusion)",
        ),
        (r"predict|associated|change|from baseline",),
    ),
    "normal": (
        (
            r"normal(ly)? distribut\w+|distribut\w+ normal|normality|normal curve|shapiro|q.?q plot|gauss\w+|"
            r"bell.?(curve|shape)|follow\w* a normal",
        ),
        (),
    ),
    "predict": (
        (
            r"\bpredict\w*|risk factors?|regress\w+|adjust(ed|ing|ment|s)?\b|controll(ing|ed) for|account\w* for|"
            r"allowing for|into account",
            r"independent(ly)? (of|associat\w+|relat\w+|risk|factor)|confound\w+|multivaria(te|ble)|"
            r"\b(who|which (patients?|people|children|women|men|persons?)) (is|are) (at (the )?(most |highest |high |"
            r"greatest )?risk|(more |most )?likely)|which (factors?|variables?|things|characteristics)|"
            r"what (factors?|variables?)|factors (associat|relat|influenc|affect|determin|contribut|linked)\w*",
            r"\bodds of\b|determinants?\b|\bdepend(s|ent)? (up)?on\b|explain(s|ed)?\b|"
            r"\b(influenced|affected|determined|driven) by\b|contribut\w+ to",
        ),
        (
            r"depend\w* on (the )?(rater|observer|examiner)|\bdependents?\b|adjustment (disorder|scale|score)|"
            r"explained (to|the procedure)",
        ),
    ),
    "paired": (
        (
            rf"\b(left|right|one) ({_SIDES})\b[^.?]*\b(right|left|other|fellow|opposite|contralateral|"
            rf"second) ({_SIDES})\b|same ({PEOPLE}|persons|eyes)|^(?!.*(correlat|associat|relat)).*(left|"
            r"right) and (left|right) (eye|knee|side|hand|hip|ear|kidney|leg|arm|breast|lung|foot|shoulder)\w*|"
            r"within (each )?(person|patient|subject)|\bpaired\b|matched pairs?|own controls?\b|cross-?over|"
            r"wilcoxon signed|signed.?rank|mcnemar|friedman",
            r"\b(after|before) [^.?]*\bthan (before|after)\b|(at|by) (follow.?up|discharge|\d+ \w+|the end) (than|"
            r"compared)|compared? (with|to) (the )?(baseline|before|admission)",
            r"before.?(and)?.?after",
        ),
        (
            r"(risk|odds|mortality|incidence|prevalence|rate|survival|number) (of|is|was)?\b[^.?]*\b(increased?|higher|"
            r"lower|decreased?|rise|change)\b",
        ),
    ),
    "known": (
        (
            r"known (value|mean|rate|share|proportion)|one.?sample|goodness.?of.?fit|hardy|reference value",
            r"\b(is|are|was|does|do|equal\w*) [^.?]*\b(mean|average|median) [^.?]*\b(\d[\d.,]*|"
            r"zero)\b(?!.?(days|weeks|months|years|hours|and|or|to|min))",
            r"(differ\w*|different|higher|lower|more|less|equal|depart\w*|deviat\w*|above|below) (from|than|to) (a |"
            r"an |the |our )?"
            r"(known|expected|published|national|normal|reference|general population|population|standard value|target|"
            r"who (reference|standard)|textbook)",
            r"\b(differ\w*|deviat\w*) from (the |our )?\d|\b(and|with|from|than|to|in) (that of |"
            r"those of )?the (general|national|whole) population|equally (frequent|often|common|likely)|"
            r"expected (shares?|proportions?|frequenc\w+|ratio)|\b\d ?: ?\d\b|evenly distributed|"
            r"\b(50|fifty).?(50|fifty)\b",
        ),
        (rf"associat\w*|\brisk\b|predict\w*|({PEOPLE}) with .* than|between the",),
    ),
    "relate": (
        (
            r"correlat\w+|go(es)? (together|along|hand in hand|with)|relat(ed|ion|ionship|es?)\b|associat\w+|"
            r"link(ed|s)?\b|connection between",
            r"\bodds ratios?\b|\bas [^,?.]*\b(increas|decreas|rise|ris|fall|go|get)\w*[^?.]*\b(increas|decreas|rise|"
            r"ris|fall|go|get)\w*",
            r"\blinear\b|spearman|pearson|kendall|chi.?squared?|"
            r"(increas|decreas|rise|vary|varie|fall)\w* (along )?with",
            rf"\bthe ({MORE}) [^.?]*,? the ({MORE})|\bwith (a )?({MORE}|high|low|many|few) [^.?]*\b(have|has|had|show|"
            rf"need|use|get|stay)\w* (a |an )?({MORE})\b(?![^.?]*\bthan\b)",
        ),
        (r"relatives?\b.*\bcompar",),
    ),
    "differ": (
        (
            rf"\bdiffer\w*|compar\w+|\b({MORE}|often)\b[^.?]*\b(than|in|among|with|between|under|after|on|if|when)\b|"
            r"versus|\bvs\b|treatment effect|\bunequal\w*",
            r"between (the )?(groups?|arms|treatments?|sexes|men|women|two|three|four)|effects? (of|on)|superior",
            rf"\b(without|with no)\b[^.?]*\b({MORE})\b|\bwhich (group|arm|treatment|drug)\b|\b(impact|role) of\b",
            rf"\bas (?!well|a )\w+ as\b|\b(does|do|did|can|will|could|whether|if)\b [^.?]*\b({_ACTS})\w*|\bt.?tests?\b|"
            r"\banova\b|mann.?whitney|kruskal|fisher",
            r"\bby (group|sex|treatment|arm|drug|gender|ward|centre|center)\b|\b(men|women|boys|girls) and (men|women|"
            r"boys|girls)\b|\b(same|equal|similar|alike) in\b|have the same",
        ),
        (),
    ),
    "describe": (
        (
            r"^(the )?(mean )?(age|sex|gender)( and| ,|,) (\w+ )?(age|sex|gender)\b",
            r"describ\w+|summar\w+|what is in|overview|how (old|many|often|common|frequent|tall|heavy|much|large|big|"
            r"high|long)",
            r"\bmean (and|age|of)\b|median|average|prevalence|frequenc\w+|proportion of|percentage|"
            r"what (%|per ?cent|share)|typical|most (common|frequent)",
            r"histogram|spread|missing|distribution|\b(is|are) [^.?]*\b(common|frequent|rare|prevalent)\b",
        ),
        (),
    ),
}
_COMPILED = {
    kind: (re.compile("|".join(rules)), re.compile("|".join(vetoes) or MATCHES_NOTHING))
    for kind, (rules, vetoes) in _RULES.items()
}


def kinds_in(plain: str) -> list[str]:
    """Return the kinds of question recognised in `plain`, which is in lower case; the decisive one comes first."""
    return [kind for kind, (rules, vetoes) in _COMPILED.items() if rules.search(plain) and not vetoes.search(plain)]
