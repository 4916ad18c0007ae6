"""What kind of question it is, and so how the report is built (SPEC R9)."""

import re
from typing import Literal, NamedTuple

QueryType = Literal["literature_review", "comparison", "enumeration", "howto", "explanation"]
QUERY_TYPES: tuple[QueryType, ...] = ("literature_review", "comparison", "enumeration", "howto", "explanation")

_LITERATURE = re.compile(
    r"""\b(?:
        (?:literature|systematic)\s+review | meta-?\s?analys[ie]s | survey\s+of | state[\s-]of[\s-]the[\s-]art
      | research\s+landscape | body\s+of\s+(?:research|literature|work)
      | prior\s+(?:work|research|studies) | existing\s+(?:research|literature|studies)
      | background\s+(?:research|review) | review\s+(?:of\s+)?(?:the\s+)?(?:literature|research|studies)
      | what\s+(?:does|has)\s+(?:the\s+)?research\s+(?:say|said|show|shown|suggest|suggested|indicate|indicated|find|found)
      | research\s+(?:on|into|about|regarding)\b.+\b(?:in|for|across)
    )\b""",
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
