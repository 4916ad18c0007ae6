"""The type of a question, which determines the structure of its report (SPEC R9)."""

import re
from typing import Literal, NamedTuple

from llm.roles import Heading

QueryType = Literal["literature_review", "comparison", "enumeration", "howto", "explanation"]
QUERY_TYPES: tuple[QueryType, ...] = ("literature_review", "comparison", "enumeration", "howto", "explanation")
_CALLED = {
    "literature_review": "Literature review",
    "comparison": "Comparison",
    "enumeration": "Overview",
    "howto": "Guide",
    "explanation": "Explanation",
}

# The wordings of R9, one per line. Excluded are look-alikes: work experience, people ("research assistants", "research
# on Tuesday"), a peer review, and words that belong to two sentences.
_LITERATURE = re.compile(
    r"""\b(?:
        (?:literature|systematic)\s+review
      | meta-?\s?analys[ie]s
      | survey\s+of
      | state[\s-]of[\s-]the[\s-]art
      | research\s+landscape
      | body\s+of\s+(?:research|literature|work)
      | prior\s+(?:work|research|studies)
      | existing\s+(?:research|literature|studies)
      | background\s+(?:research|review)
      | (?<!peer\s)review\s+of\s+(?:the\s+)?(?:literature|research|studies)
      | (?<!peer\s)review\s+the\s+(?:literature|research|studies)
      | what\s+(?:does|has)\s+(?:the\s+)?research\s+
        (?:say|said|show|shown|showed|suggest|suggested|indicate|indicated|find|found)
      | research\s+(?:on|into|about|regarding)\s(?:(?!(?<=[a-z]{3})[.?!]\s).)+?\s(?:in|for|across)
    )\b(?!\s+(?:experience|assistants?|staff|permits?|hours|days?|mornings?|afternoons?)\b)""",
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)
_COMPARISON = re.compile(
    r"\b(?:compare[ds]?|comparison|comparing|versus|vs\.?|differences?\s+between|better\s+than|worse\s+than"
    r"|superior\s+to|inferior\s+to|which\s+is\s+better|advantages?\s+and\s+disadvantages?|pros\s+and\s+cons)\b",
    re.IGNORECASE,
)
_ENUMERATION = re.compile(
    r"^\s*(?:please\s+)?(?:list|name|enumerate|which|what\s+are|what\s+(?:kinds?|types?|sorts?)\s+of|how\s+many)\b"
    r"|\b(?:list\s+of|types\s+of|examples\s+of)\b",
    re.IGNORECASE,
)
_HOWTO = re.compile(
    r"\b(?:how\s+(?:to|do\s+i|do\s+you|do\s+we|can\s+i|can\s+we|should\s+i|should\s+we)|steps?\s+(?:to|for)"
    r"|step[\s-]by[\s-]step|guide\s+to|procedure\s+for|protocol\s+for)\b",
    re.IGNORECASE,
)


class Detected(NamedTuple):
    """The type of a question, and why."""

    query_type: QueryType
    reason: str


def detect(question: str, *, academic: bool, template: str | None = None) -> Detected:
    """Return the type of `question`.

    A `template` of the profile wins, then wording for a literature review, then other wordings. When nothing matches,
    academic mode gives a literature review, and the other modes an explanation.
    """
    if template in QUERY_TYPES:
        return Detected(template, "The profile's template decides.")
    for pattern, kind, what in (
        (_LITERATURE, "literature_review", "a literature review"),
        (_COMPARISON, "comparison", "a comparison"),
        (_HOWTO, "howto", "instructions"),
        (_ENUMERATION, "enumeration", "a list"),
    ):
        if found := pattern.search(question):
            return Detected(kind, f"The words “{found.group(0).strip()[:60]}” ask for {what}.")  # type: ignore[arg-type]
    if academic:
        return Detected("literature_review", "Academic mode, and the wording asks for nothing else.")
    return Detected("explanation", "The wording asks for nothing more specific.")


def called(query_type: str) -> str:
    """Return the name of that type of report, as shown to people; "" for none."""
    return _CALLED.get(query_type, "")


# The headings of each type of report. Code writes them, so none can be missing.
PREFIX: dict[QueryType, str] = {
    "literature_review": "Literature Review: ",
    "comparison": "Comparison: ",
    "enumeration": "Overview: ",
    "howto": "Guide: ",
    "explanation": "",
}

HEADINGS: dict[QueryType, list[Heading]] = {
    "literature_review": [
        Heading(key="summary", title="Executive Summary", rule="the few strongest findings, with their figures"),
        Heading(key="introduction", title="Introduction & Scope", rule="who and what was studied; definitions"),
        Heading(key="foundations", title="Theoretical Foundations", rule="definitions, mechanisms, earlier work"),
        Heading(key="themes", title="Thematic Analysis", rule="a ### per theme; themes, not a list of studies"),
        Heading(key="methods", title="Methodological Approaches", rule="designs, samples, analysis methods"),
        Heading(key="debates", title="Key Debates & Contradictions", rule="both sides of each conflict"),
        Heading(key="gaps", title="Research Gaps & Future Directions", rule="what was not found, what is proposed"),
        Heading(key="conclusions", title="Conclusions", rule="what the evidence allows to say"),
    ],
    "comparison": [
        Heading(key="summary", title="Summary", rule="the few strongest findings, with their figures"),
        Heading(key="sides", title="What Is Compared", rule="the two sides, their definitions and populations"),
        Heading(key="themes", title="Point by Point", rule="a ### per point of comparison"),
        Heading(key="debates", title="Where Sources Disagree", rule="both sides of each conflict"),
        Heading(key="gaps", title="What Is Not Known", rule="what was not found"),
    ],
    "enumeration": [
        Heading(key="summary", title="Summary", rule="the few strongest findings"),
        Heading(key="themes", title="Items", rule="a ### per group of items"),
        Heading(key="gaps", title="What Is Not Known", rule="what was not found"),
    ],
    "howto": [
        Heading(key="summary", title="Summary", rule="the few strongest findings"),
        Heading(key="themes", title="Steps and Conditions", rule="what to do, and on what it depends"),
        Heading(key="debates", title="Cautions", rule="limits, risks, disagreement"),
        Heading(key="gaps", title="What Is Not Known", rule="what was not found"),
    ],
    "explanation": [
        Heading(key="summary", title="Summary", rule="the few strongest findings, with their figures"),
        Heading(key="themes", title="Findings", rule="a ### per theme"),
        Heading(key="debates", title="Disagreement", rule="both sides of each conflict"),
        Heading(key="gaps", title="What Is Not Known", rule="what was not found"),
    ],
}


def titled(query_type: QueryType, subject: str) -> str:
    """Return the title of a report on `subject`: "Literature Review: Alder and nitrogen".

    A prefix that a model wrote itself, such as "Literature review:" or "#", is not repeated.
    """
    words = " ".join(subject.split()).lstrip("# ")
    known = "|".join(re.escape(one.strip(": ")) for one in PREFIX.values() if one)
    words = re.sub(rf"^(?:{known})(?:\s*[:–—-]\s*|\s+(?=on\b|of\b)(?:on|of)\s+)", "", words, flags=re.I) or words
    return f"{PREFIX[query_type]}{words[:1].upper()}{words[1:]}"
