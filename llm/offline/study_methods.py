"""Study methods: facts about how a study was made, found by cues in its text, verbatim (SPEC R15)."""

import re
from collections.abc import Sequence
from itertools import product
from typing import get_args

from llm.offline.study_detection import OWN, studies_in
from llm.roles import AssessAsked, Assessment, MethodField, MethodNote

STUDIES = 20  # per text
SEVERAL = 3  # sentences on limitations, and on biases

_NUMBER = r"\d{1,3}(?:[ ,\u202f]\d{3})+|\d+"
_COUNTED = (
    r"participants?|patients?|subjects?|respondents?|adults?|children|adolescents|women|men|students|pupils|teachers"
    r"|households?|schools?|hospitals?|individuals|people|persons|volunteers|interviewees|cases|controls|studies|trials"
    r"|articles|papers|plots?|trees|stands|sites|samples|specimens|animals|mice|rats|observations|records|firms|countries"
)
# Study designs as texts name them, most informative first: a review of trials is a review.
_DESIGNS = (
    r"(?:systematic review(?: and meta-analysis)?|meta-analys[ie]s|scoping review|umbrella review)",
    r"(?:(?:double-blind|single-blind|open-label|pragmatic|parallel[- ]group|multicent(?:re|er))[, ]+)*"
    r"(?:cluster[- ])?randomi[sz]ed(?:[ ,-]+(?:placebo-)?controlled|[ ,-]+clinical|[ ,-]+cross-?over)*[ -]+trials?",
    r"quasi-experiment(?:al (?:study|design))?|natural experiment|interrupted time series|difference-in-differences",
    r"(?:(?:prospective|retrospective|population-based|longitudinal|birth)[ -]+)*cohort(?: study| analysis| design)?",
    r"case[-–]control study|nested case[-–]control(?: study)?|cross-sectional(?: survey| study| analysis| design)?",
    r"longitudinal (?:study|survey|analysis|design)|panel (?:study|survey)|mixed[- ]methods? (?:study|design|approach)",
    r"(?:field|laboratory|controlled|pot|greenhouse|factorial) (?:trial|experiment)"
    r"|randomi[sz]ed (?:complete )?block design",
    r"semi-structured interviews?|in-depth interviews?|focus groups?|ethnograph(?:y|ic study)|grounded theory"
    r"|thematic analysis|case (?:study|studies|series|report)",
    r"(?:online |postal |telephone |household |national )?surveys?(?= of| among| in | was| were)|simulation study"
    r"|pilot study"
    r"|narrative review|literature review|observational study",
)
_CUES: dict[MethodField, tuple[re.Pattern[str], ...]] = {
    "study_design": tuple(re.compile(rf"\b(?:{design})\b", re.IGNORECASE) for design in _DESIGNS),
    "sample_size": (
        re.compile(rf"\b[nN]\s*=\s*(?:{_NUMBER})\b"),
        re.compile(rf"(?<![\d.,%-])(?:{_NUMBER})(?: [a-z][\w-]*){{0,3}} (?:{_COUNTED})\b", re.IGNORECASE),
    ),
    "sample_description": (
        re.compile(
            rf"\b(?:{_COUNTED})\b[^.;]*\b(?:aged|who|with|from|recruited|enrolled|living|admitted|in)\b"
            rf"|\b(?:recruited|enrolled|sampled|included|planted|studied)\b[^.;]*\b(?:{_COUNTED})\b",
            re.IGNORECASE,
        ),
    ),
    "effect_size": (
        re.compile(
            r"\b(?:(?:adjusted |pooled )?(?:odds|risk|hazard|rate|incidence rate|prevalence) ratios?"
            r"|[ah]?(?:OR|RR|HR|IRR)"
            r"|(?:standardi[sz]ed )?mean difference|S?MD|risk difference|Cohen[’']s d|Hedges[’']? g|eta squared"
            r"|η²|R²|r|β|d)"
            r"\s*(?:\([A-Za-z]{1,5}\)\s*)?(?:[,=:]|was|of|is)?\s*[-−]?\d*\.\d+",
        ),
    ),
    "statistical_significance": (
        re.compile(r"\b[pP](?:[- ]values?)?\s*[<=>≤≥]\s*0?\.\d+"),
        re.compile(r"\b9[059](?:\.\d)?\s?%\s?(?:CI\b|confidence intervals?)[^.;)]*", re.IGNORECASE),
        re.compile(r"\b(?:not |no )?statistically significant(?:ly)?\b", re.IGNORECASE),
    ),
    "limitations_noted": (
        re.compile(
            r"\blimitations?\b|\blimited by\b|\bwere not randomi[sz]ed\b|\bcannot be generali[sz]ed\b"
            r"|\bnot representative\b"
            r"|\bsmall (?:number|sample)|\bno control group\b|\bcaution\b|\blow response rate\b|\bshort follow-up\b",
            re.IGNORECASE,
        ),
    ),
    "potential_biases": (
        re.compile(
            r"\bbias(?:es|ed)?\b|\bconfound\w+|\bself-report\w*|\bnot (?:randomi[sz]ed|blinded)\b"
            r"|\bun(?:blinded|masked)\b"
            r"|\blost to follow-up\b|\bdrop-?outs?\b|\battrition\b|\bfunded by\b|\bconflicts? of interest\b"
            r"|\bconvenience sampl",
            re.IGNORECASE,
        ),
    ),
}
_WHOLE: tuple[MethodField, ...] = (
    "sample_description",
    "limitations_noted",
    "potential_biases",
)  # quoted as a whole sentence
_MANY: tuple[MethodField, ...] = ("limitations_noted", "potential_biases")


def assess(asked: AssessAsked) -> Assessment:
    """Return notes on the methods, each with the sentence it comes from; every note is part of that sentence.

    Confidence is medium if the text, more than an abstract, gives both design and sample size; otherwise low. It is
    never high, since nobody has understood the text.
    """
    studies = studies_in(asked.text)
    notes: list[MethodNote] = []
    is_sure = False
    for key in list(dict.fromkeys((OWN, *studies.names)))[:STUDIES]:
        said = [asked.text[one.start : one.end] for one in studies.told if one.study == key]
        of = [note for field in get_args(MethodField) for note in _notes(field, studies.names.get(key, OWN), said)]
        is_sure = is_sure or {"study_design", "sample_size"} <= {note.field for note in of}
        notes += of
    return Assessment(notes=notes, confidence="medium" if is_sure and not asked.is_abstract else "low")


def _notes(field: MethodField, study: str, said: Sequence[str]) -> list[MethodNote]:
    """Return the notes on one field, each with its sentence; matches of the first cue come first."""
    found: dict[str, str] = {}
    for cue, sentence in product(_CUES[field], said):
        if match := cue.search(sentence):
            found.setdefault(sentence, sentence if field in _WHOLE else " ".join(match.group().split()))
    notes = [MethodNote(field=field, study=study, said=words, quote=quote) for quote, words in found.items()]
    return notes[: SEVERAL if field in _MANY else 1]
