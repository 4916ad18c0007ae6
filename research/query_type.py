"""What kind of question it is, and so how the report is built (SPEC R9)."""

import re
from typing import Literal, NamedTuple

QueryType = Literal["literature_review", "comparison", "enumeration", "howto", "explanation"]
QUERY_TYPES: tuple[QueryType, ...] = ("literature_review", "comparison", "enumeration", "howto", "explanation")
_CALLED = {
    "literature_review": "Literature review",
    "comparison": "Comparison",
    "enumeration": "Overview",
    "howto": "Guide",
    "explanation": "Explanation",
}

# The wordings of R9, each on a line of its own. What only looks like one: work experience, people ("research
# assistants", "research on Tuesday"), a peer review, and words that stand in two sentences.
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
    query_type: QueryType
    reason: str


def detect(question: str, *, academic: bool, template: str | None = None) -> Detected:
    """The type of `question`. A `template` of the profile decides; wording for a literature review wins over
    the others; academic mode leans to it when nothing else fits.
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
    return Detected("explanation", "The wording asks for nothing more special.")


def called(query_type: str) -> str:
    """What people call a report of that type; "" while there is none."""
    return _CALLED.get(query_type, "")
