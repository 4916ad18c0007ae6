"""Cues in the words of a question: a comparison of groups, a change over time, a rate, a count, the same people.

The kind of question follows from several cues together (analysis.advice.classify_question).
"""

import re
from dataclasses import dataclass

PEOPLE = (
    r"patients?|people|persons?|participants?|subjects?|animals?|children|infants?|neonates?|mothers?|women|men|cases?|"
    r"students?|nurses?|volunteers?|eyes|teeth|controls?|smokers?"
)
MORE = (
    r"more|less|fewer|higher|lower|longer|shorter|better|worse|greater|smaller|larger|older|younger|heavier|lighter|"
    r"faster|"
    r"slower|stronger|weaker|bigger|taller|earlier|later|rarer|commoner|steeper|quicker|deeper|thicker|thinner|wider|"
    r"milder|safer|cheaper|easier|warmer|sicker|healthier"
)
MATCHES_NOTHING = r"(?!)"  # matches nothing
_ONE_GROUP = (
    r"before\b|after\b|(the |at )?(baseline|start|admission|first|last|beginning)\b|pre\b|visits?\b|times?\b|"
    r"time ?points|measurements|occasions|day \d"
)
_MOVES = (
    r"chang(e|es|ed|ing)|improv(e|es|ed|ing|ement)|declin(e|es|ed|ing)|deteriorat(e|es|ed|ing|ion)|worsen(s|ed|ing)?|"
    r"fall|fell|falls|drop(s|ped)?|rise|rose|rises|(come|comes|came|go|goes|went|gone) (up|down)|increased?|decreased?|"
    r"gain(ed)?|reduction|grow|grew|(get|gets|got) (better|worse)"
)
_SLOPE = (
    r"\b(slopes?|loss|decline|decrease|increase|growth|gain|progression)\b[^.?]*\bover\b [^.?]*\b(days|weeks|months|"
    r"years|time)\b"
)
_UNITS = r"(days?|weeks?|months?|years?|hours?|minutes?)"
_DOSES = "mg|ml|mcg|µg|g|kg|iu|mmhg|cm|mm|per ?cent|units?|percentiles?|patients|people"
_POINT = rf"(baseline|admission|\d+( ?({_UNITS[1:-1]}|mins?))?)"
# Points in time that are named: "at 0, 2 and 6 hours", "day 1, day 3", "from enrolment to 6 months".
_TIMES = (
    rf"\b(at|after|on) {_POINT}((, ?| |,? and |,? then ){_POINT})+\b(?! ?({_DOSES})\b)|\b(day|week|month|visit|hour|"
    r"pod) ?\d+\b[^.?]*\b(day|week|month|visit|hour|pod) ?\d+|"
    r"\bfrom (enrol\w+|admission|recruitment|discharge|inclusion|randomi\w+|induction|day \d+|week \d+|birth) (to|"
    r"till|until|up to) |"
    r"\bserial(ly)? \w+|\b(trends?|course|profile) (intra|peri|post|during|through)\w*|\b(gain|loss|fall|drop|rise|"
    r"decline|improvement) (in|of) [^.?]*\bfrom\b"
)
_COMPILED = {
    "groups": re.compile(
        rf"\bbetween (?!{_ONE_GROUP})|\bgroups\b|\b\w+ group (and|than|compared|versus|vs)|"
        rf"(in|for|with) the \w+ (group|arm)\b|\barms?\b|\bversus\b|\bvs\b\.?|compared? (with|to) (?!{_ONE_GROUP})|"
        rf"\b({MORE})\b[^.?]*\bthan (?!{_ONE_GROUP})|"
        r"compar\w+ (the |of )*(effects?|efficacy|effectiveness|influence|impact) of [^.?]*\b(and|with|to)\b|"
        r"\bcontrols\b|\bplacebo\b|usual care|standard care|\b(two|three|four|both) (drugs|treatments|regimens|diets|"
        r"wards)\b|"
        r"\b(in|by|among) (boys and girls|men and women|women and men|either sex)\b|"
        r"\bgroup \w{1,12} (and|or|versus|vs|than|with) |\b(?P<stem>\w{3})\w* (and|or|than|versus|vs) (the )?(non|"
        r"un)[- ]?(?P=stem)|"
        r"\b(and|or|than|versus|vs|to|with) (the )?(controls?|placebo)\b(?! (of|for|over)\b)"
    ),
    "change": re.compile(
        _SLOPE + "|" + _TIMES + "|"
        r"from (the )?baseline|\bover time\b|before (and|to|vs\.?|versus|or) (and )?(\w+ )?after|"
        r"\bpre.?(test|op\w*|treatment|intervention)?\b.{0,12}\bpost|"
        rf"\b({_MOVES})\b[^.?]*\b(after|from|over|since|between (the )?(first|visits|admission|baseline|start)|during|"
        r"within)\b (?!the (normal|reference))|"
        rf"\b({_MOVES}) (significantly )?(more|less|faster|slower|differently|better|quicker)( \w+)? (in|among|with|"
        r"under|for|between|than)\b|"
        r"\bchanges? (in|of)\b|(higher|lower|better|worse|less|more|different)( \w+)? (after|"
        r"before)( \w+){0,3} than (before|after)|"
        r"\b(two|three|four|five|six|several|different|each|repeated|\d+) (time ?points?|times|visits|occasions|"
        r"measurements|assessments)\b|"
        r"trajector\w+|longitudinal\w*|repeated(ly)? (measure\w*|assess\w*|test\w*)|\b(at|after) (one|two|three|"
        r"\d+)[^.?]*,? (\w+ )?and \w+ (days|weeks|months|years|hours)"
    ),
    "rate": re.compile(
        r"\bper [\d., ]*(hundred|thousand)?[\s-]?(person|patient|catheter|device|bed|ventilator|line|woman|"
        r"child)[\s-]?(days?|years?|months?|weeks?)|"
        r"(person|patient|catheter|ventilator|bed|device)[\s-](years|days|months)\b|incidence (rate|densit)\w*|"
        r"\brate ratios?\b|\birrs?\b|"
        r"\bper \d[\d., ]*(thousand )?(\w+[ -]){1,3}(days|years|months|weeks|hours)\b|annuali[sz]ed (\w+ ){0,2}rates?|"
        r"\b(relapses?|attacks?|exacerbations?|episodes?|falls|seizures?|hypoglyc\w+|infections?|crises|bleeds?|"
        r"injur\w+)( rates?)?,? (per|each|a|/) ?(person|patient|child|year|month|week|annum|day)"
    ),
    "count": re.compile(
        r"\b(number|count|counts) of (?!patients|people|women|men|children who)|\bhow many (times|attacks|falls|"
        r"episodes|visits|seizures|exacerbations|admissions|teeth|children)|"
        r"\bevent counts?\b|frequency of (attacks|seizures|falls|episodes|exacerbations)"
    ),
    "same": re.compile(
        rf"same ({PEOPLE}|individuals|eye|knee|group)|within (each )?({PEOPLE}|subject|individual)|\bpaired\b|"
        r"each (patient|person|participant|subject) (was|had|served)|"
        r"own controls?\b|matched pairs?|cross-?over|\b(left|right) and (right|left) \w+|"
        r"\b(two|both) \w+ (of|in) (each|the same|every) (patient|person|participant|subject)|"
        r"\w+ (of|in) (each|every) (patient|person|participant|subject)|(both|left and right) (eyes|knees|sides|hands|"
        r"hips|ears)"
    ),
}


@dataclass(frozen=True)
class QuestionCues:
    """The cues in a question: comparison of `groups`, `change` over time, a `rate` or `count` as the outcome.

    `same` means that the same people are measured more than once.
    """

    groups: bool = False
    change: bool = False
    rate: bool = False
    count: bool = False
    same: bool = False


# An "increased risk" is not a change over time.
_OF_RISK = re.compile(r"\b(risks?|odds|mortality|incidence|prevalence|likelihood|chance|hazards?|deaths?|rates?)\b")
_WITHIN = re.compile(rf"from (the )?baseline|over time|before and after|longitudinal|trajector|same ({PEOPLE})")


def cues_in(plain: str) -> QuestionCues:
    """Return the cues in `plain`, a question in lower case."""
    found = {name: bool(pattern.search(plain)) for name, pattern in _COMPILED.items()}
    is_of_risk = bool(_OF_RISK.search(plain)) and not _WITHIN.search(plain)
    return QuestionCues(**{**found, "change": found["change"] and not is_of_risk})
