"""Roles of a research run: brief, decompose, research, condense, assess and sufficiency."""

from typing import Literal

from pydantic import BaseModel, Field

from llm.roles.base import DigestItem, NodeRequest, Passage, RoleRequest

# brief: turn the question into a first-person brief (R3)


class Brief(BaseModel):
    text: str
    scope_boundaries: list[str] = []
    source_preferences: list[str] = []
    key_terms: list[str] = []


class BriefAsked(RoleRequest[Brief], role="brief"):
    question: str
    academic: bool = False
    scope: dict[str, list[str]] = {}  # set by the profile: disciplinary_scope, time_period ...
    today: str = ""  # ISO 8601, for "the last ten years"
    digest: list[DigestItem] = []


# decompose: split a question that is not answered yet into sub-questions (R4)


class Directive(BaseModel):
    topic: str
    question: str
    perspective: str
    priority: int = 2  # 1 first
    evidence_needed: str = ""


class Decomposition(BaseModel):
    directives: list[Directive]
    rationale: str


class DecomposeAsked(NodeRequest[Decomposition], role="decompose"):
    depth: int
    at_most: int
    passages: list[Passage]  # results of the first search; empty when the plan is made
    gaps: list[str] = []
    brief: str = ""
    today: str = ""  # ISO 8601, for "the last five years"
    digest: list[DigestItem] = []


# research: the next step of a researcher on one node (R5)


class Act(BaseModel):
    tool: Literal["web_search", "research_complete"]
    thought: str = ""
    queries: list[str] = []


class ResearchAsked(NodeRequest[Act], role="research"):
    evidence_needed: str = ""
    key_terms: list[str] = []
    asked_before: list[str] = []  # queries of earlier turns
    found: list[Passage] = []
    new_last_turn: int = 0
    calls_left: int


# condense: extract findings and contradictions from passages, verbatim if the engine is extractive (R7, R13)


class FindingDraft(BaseModel):
    content: str
    source_id: str
    quote: str  # the exact words of the source that support it
    confidence: float = Field(ge=0, le=1)
    category: str  # population, exposure, comparison, outcome, disagreement, limits, definition, other


class SideDraft(BaseModel):
    says: str
    source_ids: list[str]


class ContradictionDraft(BaseModel):
    description: str
    source_ids: list[str]
    about: str = ""  # the topic in a few words: "nitrogen on dry sites"
    sides: list[SideDraft] = []


class GapDraft(BaseModel):
    description: str
    priority: int = 2  # 1 first
    suggested_queries: list[str] = []


class Condensed(BaseModel):
    findings: list[FindingDraft] = []
    contradictions: list[ContradictionDraft] = []
    gaps: list[GapDraft] = []
    summary: str = ""


class CondenseAsked(NodeRequest[Condensed], role="condense"):
    evidence_needed: str = ""
    passages: list[Passage]
    at_most: int = 12


# assess: the methods of a study according to its own text (R15); a task of the role condense

MethodField = Literal[
    "study_design",
    "sample_size",
    "sample_description",
    "effect_size",
    "statistical_significance",
    "limitations_noted",
    "potential_biases",
]


class MethodNote(BaseModel):
    """One thing that a text tells of the methods of a study."""

    field: MethodField
    study: str = ""  # the name of the study if the text describes several; empty for the text's own
    said: str  # in a few words
    quote: str  # the exact words of the text that support it


class Assessment(BaseModel):
    notes: list[MethodNote] = []  # per study: several for limitations and biases, at most one for each other field
    confidence: Literal["high", "medium", "low"]  # in these notes


class AssessAsked(RoleRequest[Assessment], role="condense", task="assess"):
    title: str
    authors: str = ""
    year: int | None = None
    text: str  # the beginning of the stored text
    is_abstract: bool = False  # only its record and abstract are stored
    is_file: bool = Field(False, exclude=True)  # one of the user's files; not part of the prompt


# sufficiency: is the node answered? (R6, R7)


class Sufficiency(BaseModel):
    is_sufficient: bool
    reasoning: str
    gaps: list[GapDraft] = []


class SufficiencyAsked(NodeRequest[Sufficiency], role="sufficiency"):
    evidence_needed: str = ""
    depth: int
    findings: list[FindingDraft]
    gaps: list[str] = []  # named when the findings were extracted
    documents: int  # distinct documents behind the findings
    min_sources: int
    digest: list[DigestItem] = []
