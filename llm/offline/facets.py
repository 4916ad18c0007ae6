"""Facets of a question (outcome, exposure, population ...), and the facet each sentence belongs to.

A sentence belongs to exactly one facet, chosen by cue words, by its heading and by the parts of the run's question, so
that the children of a node do not repeat each other (SPEC R4).
"""

import re
from dataclasses import dataclass
from functools import cache

from llm.offline.question import Question, phrases
from text.sentences import Sentence
from text.stemming import content_stems, numbers, stem


@dataclass(frozen=True)
class Facet:
    """A facet of a question.

    `words` are cue words (matched by stem), `pattern` cues in the text, `asks` the child question.
    """

    key: str
    label: str
    asks: str
    evidence: str
    words: str
    pattern: str = r"(?!)"


FACETS = (
    Facet(
        "outcome",
        "Outcome",
        "what is reported on {terms}?",
        "effect sizes with their intervals, counts in each group",
        """mortality death died survival outcome rate risk ratio odds hazard yield increase decrease reduce rise rose
        fell fall lower higher grew grow improve worse better doubled halved recovered cured healed infection failure
        success relapse
        recurrence cost saved gain loss score scored significant prevalence incidence decline drop dropped effect""",
        r"\d\s?%|\d\s*\(.?\d[\d.]*\s*(?:to|–|-|,)\s*.?\d[\d.]*\)|\bp\s*[<=>]|\b(?:CI|OR|RR|HR)\b|\bper cent\b",
    ),
    Facet(
        "exposure",
        "Exposure or intervention",
        "what was done or studied about {terms}, and how much of it?",
        "doses, durations, designs",
        """dose daily given received administered treated applied intervention course planted installed treatment
        exposure regimen tapered weekly tablet injection infusion implant session programme introduced fitted built sown
        sprayed fed trained taught randomised allocated assigned measured method""",
        r"\d\s?(?:mg|µg|mcg|g|ml|mL|kg|IU|Gy|kPa|MPa|V|Hz)\b(?!\s*/)|\b(?:once|twice) (?:a|per|daily)\b",
    ),
    Facet(
        "population",
        "Population and setting",
        "who or what was studied, where and when, for {terms}?",
        "sample sizes, settings, years",
        """adults children participants enrolled recruited cohort sample aged women men pupils households hospitals
        hospital sites site plots country countries setting respondents volunteers farms forests schools stands included
        eligible interviewed surveyed sampled collected region district villages students people population
        registry centres""",
        r"\b\d[\d,]* (?:\w+ ){0,2}(?:patients|people|women|men|children|adults|participants|pupils|teachers|"
        r"students)\b|"
        r"\bn\s*=\s*\d|\b(?:19|20|18|17)\d{2}\b|\baged? \d|\bbetween \d{4} and \d{4}\b",
    ),
    Facet(
        "comparison",
        "Comparison",
        "how do the groups compared differ ({terms})?",
        "results in both groups, side by side",
        """compared comparison versus control placebo against comparator alternative difference usual differ equal
        equivalent unlike""",
        r"\b(?:versus|vs\.?|against|compared (?:with|to)|than|as opposed to|rather than|whereas)\b",
    ),
    Facet(
        "disagreement",
        "Disagreement",
        "where do the sources disagree about {terms}?",
        "results that point in different directions",
        """contradict contradiction conflict conflicting disagree disagreement inconsistent debate debated disputed
        dispute controversy controversial mixed opposite contrary heterogeneity contested challenged""",
        r"\b(?:however|in contrast|by contrast|on the other hand|on the contrary|did not (?:confirm|replicate|"
        r"find)|no difference|"
        r"did not differ|failed to)\b",
    ),
    Facet(
        "limits",
        "Limits",
        "how far can what is reported on {terms} be trusted?",
        "bias, small samples, missing data",
        """limitation limitations limited caution cautions bias biased confounding confounded confounder unblinded
        underpowered uncertain uncertainty unclear imprecise weakness generalise caveat retrospective incomplete missing
        exaggerate overestimate underestimate unknown self-reported""",
        r"\b(?:stopped early|not blinded|single[- ](?:centre|center|site)|small sample|not (?:yet )?known|"
        r"too (?:few|small)|"
        r"may not|cannot be|could not be|only (?:one|two|three|\d+))\b",
    ),
    Facet(
        "definition",
        "Definition",
        "what is meant by {terms}?",
        "definitions and criteria",
        "define defined definition denote criterion criteria term meaning",
        r"\b(?:is|are|was|were) defined as\b|\brefers? to\b|\bknown as\b|\bis called\b|\bdefinition\b|\bmeans that\b",
    ),
)
BY_KEY = {facet.key: facet for facet in FACETS}
OTHER = "other"


@cache
def _cue_stems(key: str) -> frozenset[str]:
    return frozenset(stem(word) for word in BY_KEY[key].words.split())


@cache
def _pattern(key: str) -> re.Pattern[str]:
    return re.compile(BY_KEY[key].pattern, re.IGNORECASE if key not in ("outcome", "exposure") else 0)


# Words that decide when two facets match a sentence.
_STRONG = {"disagreement": 3.0, "limits": 2.0, "definition": 3.0}


def facet_of(question: Question, sentence: Sentence, shared: frozenset[str]) -> str:
    """Return the key of the facet that `sentence` belongs to, or "other".

    `shared` are the question's terms in the sentence. A sentence with a figure and no other cue is an outcome.
    """
    own = content_stems(sentence.text, question.language)
    above = content_stems(sentence.heading.rsplit("·", 1)[-1], question.language) if sentence.heading else frozenset()
    best, best_score = OTHER, 0.0
    for facet in FACETS:
        cues, pattern, strength = _cue_stems(facet.key), _pattern(facet.key), _STRONG.get(facet.key, 1.0)
        score = strength * min(len(own & cues), 3)
        score += strength * 1.5 * min(len(pattern.findall(sentence.text)), 2)
        score += 1.5 * bool(above & cues)
        score += 0.25 * sum(term.stem in shared for term in question.parts.get(facet.key, ()))
        if score > best_score:
            best, best_score = facet.key, score
    return "outcome" if best == OTHER and numbers(sentence.text) else best


def doubts(sentence: Sentence) -> bool:
    """Return whether a sentence states a limit or a disagreement."""
    return any(_pattern(key).search(sentence.text) for key in ("limits", "disagreement"))


def asked_facets(question: Question) -> list[str]:
    """Return the facets that a question names by its parts; "limits" and the like only if it has their cue words."""
    stems = content_stems(question.text, question.language)
    return [
        *(facet.key for facet in FACETS if facet.key in question.parts),
        *(key for key in ("disagreement", "limits", "definition") if stems & _cue_stems(key)),
    ]


def terms_for(question: Question, key: str) -> list[str]:
    """Return the question's words for a facet: those of its part, else its main terms."""
    own = [term for term in question.parts.get(key, ()) if key == "comparison" or term.kind != "generic"]
    return phrases(question, own or question.specific or question.terms)[:4]
