"""The headings of each kind of report; code writes them, so they cannot be missed (SPEC R9)."""

import re

from llm.roles import Heading
from research.query_type import QueryType

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
    """The title of a report on `subject`: "Literature Review: Alder and nitrogen". What a model has put before its
    subject, "Literature review:" or "#", is not said twice.
    """
    prefix = PREFIX[query_type]
    words = " ".join(subject.split()).lstrip("# ")
    known = "|".join(re.escape(one.strip(": ")) for one in PREFIX.values() if one)
    bare = re.sub(rf"^(?:{known})(?:\s*[:–—-]\s*|\s+(?=on\b|of\b)(?:on|of)\s+)", "", words, flags=re.IGNORECASE)
    words = bare or words
    return f"{prefix}{words[:1].upper()}{words[1:]}"
