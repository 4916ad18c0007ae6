"""What each role of an engine is given and what it must answer.

An engine, be it a model or the offline one, is asked with one of these `Asked` objects and answers with the
type named there. The roles are those of SPEC P7. Texts inside them are data, never instructions (R18).
"""

from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel, Field

A = TypeVar("A", bound=BaseModel)


class Asked(BaseModel, Generic[A]):
    """A question put to an engine in one role; answered by an `A`."""

    role: ClassVar[str]
    task: ClassVar[str] = ""  # what is asked for, where one role is asked for more than one thing
    answer: ClassVar[type[BaseModel]]

    def __init_subclass__(cls, role: str = "", task: str = "", **options: Any) -> None:
        """This function will note the role of a kind of question, where it says one, and the answer that its base names."""
        super().__init_subclass__(**options)
        cls.role = role or getattr(cls, "role", "")
        cls.task = task or cls.task
        for answer in cls.__bases__[0].__pydantic_generic_metadata__["args"]:  # type: ignore[attr-defined]
            cls.answer = answer


class Passage(BaseModel):
    """A stretch of stored text that can be cited."""

    source_id: (
        str  # "alder.md::S1" for a file, the cite key for a reference, "doi:10.1001/x::openalex-3fa2c1" for a work
    )
    document: str  # what the passage is part of: the file's name, the cite key, the work
    title: str  # of the document
    authors: str = ""  # "Sterne, Murthy and others"
    year: int | None = None
    venue: str = ""
    cited_by: int | None = None  # how many works cite it, as far as a catalogue counts
    url: str = ""
    heading: str = ""
    text: str
    is_file: bool = False


class DigestItem(BaseModel):
    """One thing worth knowing from a file (SPEC X3)."""

    kind: Literal["fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict"]
    text: str
    sources: list[str]
    why_relevant: str = ""


# brief: the question becomes a first-person brief (R3)


class Brief(BaseModel):
    text: str
    scope_boundaries: list[str] = []
    source_preferences: list[str] = []
    key_terms: list[str] = []


class BriefAsked(Asked[Brief], role="brief"):
    question: str
    academic: bool = False
    scope: dict[str, list[str]] = {}  # what the profile fixes: disciplinary_scope, time_period ...
    today: str = ""  # ISO 8601, for "the last ten years"
    digest: list[DigestItem] = []


class OfNode(Asked[A], Generic[A]):
    """A question about one node of a run: a narrower question than that of the run, seen from one side."""

    question: str  # of the run
    node_question: str
    perspective: str = ""


# decompose: a question that is not answered yet becomes narrower ones (R4)


class Directive(BaseModel):
    topic: str
    question: str
    perspective: str
    priority: int = 2  # 1 first
    evidence_needed: str = ""


class Decomposition(BaseModel):
    directives: list[Directive]
    rationale: str


class DecomposeAsked(OfNode[Decomposition], role="decompose"):
    depth: int
    at_most: int
    passages: list[Passage]  # what the first search found; none when the plan is made
    gaps: list[str] = []
    brief: str = ""
    today: str = ""  # ISO 8601, for "the last five years"
    digest: list[DigestItem] = []


# research: the next act of a researcher on one node (R5)


class Act(BaseModel):
    tool: Literal["web_search", "research_complete"]
    thought: str = ""
    queries: list[str] = []


class ResearchAsked(OfNode[Act], role="research"):
    evidence_needed: str = ""
    key_terms: list[str] = []
    asked_before: list[str] = []  # queries of earlier turns
    found: list[Passage] = []
    new_last_turn: int = 0
    calls_left: int


# condense: passages become findings and contradictions, word for word where the engine is extractive (R7, R13)


class FindingDraft(BaseModel):
    content: str
    source_id: str
    quote: str  # the exact words in the source's text that carry it
    confidence: float = Field(ge=0, le=1)
    category: str  # population, exposure, comparison, outcome, disagreement, limits, definition, other


class SideDraft(BaseModel):
    says: str
    source_ids: list[str]


class ContradictionDraft(BaseModel):
    description: str
    source_ids: list[str]
    about: str = ""  # in a few words: "nitrogen on dry sites"
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


class CondenseAsked(OfNode[Condensed], role="condense"):
    evidence_needed: str = ""
    passages: list[Passage]
    at_most: int = 12


# assess: how a study was made, as its own text tells it (R15); asked in the role condense

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
    study: str = ""  # which of several that the text tells of, as it is called there; empty for the text's own
    said: str  # in a few words
    quote: str  # the exact words of the text that carry it


class Assessment(BaseModel):
    notes: list[MethodNote] = []  # of each study several for limitations and biases, at most one for each other field
    confidence: Literal["high", "medium", "low"]  # that this is how the study was made


class AssessAsked(Asked[Assessment], role="condense", task="assess"):
    title: str
    authors: str = ""
    year: int | None = None
    text: str  # the beginning of what is stored of it
    is_abstract: bool = False  # nothing but its record and abstract
    is_file: bool = Field(False, exclude=True)  # one of the person's own; no part of what is asked


# sufficiency: is the node answered? (R6, R7)


class Sufficiency(BaseModel):
    is_sufficient: bool
    reasoning: str
    gaps: list[GapDraft] = []


class SufficiencyAsked(OfNode[Sufficiency], role="sufficiency"):
    evidence_needed: str = ""
    depth: int
    findings: list[FindingDraft]
    gaps: list[str] = []  # that were named while the findings were drawn
    documents: int  # distinct documents behind the findings
    min_sources: int
    digest: list[DigestItem] = []


# synthesize: findings become the sections of a report; code writes the headings (R9, R10)


class Heading(BaseModel):
    key: str
    title: str
    rule: str  # what belongs under it


class CitedFinding(BaseModel):
    id: str  # "F3"
    content: str
    category: str
    source_id: str
    document: str
    node: str  # number of the node, "1.2"
    node_question: str
    confidence: float
    authors: str = ""
    year: int | None = None
    venue: str = ""
    cited_by: int | None = None
    method: str = ""  # how the study was made, as its own text tells it (R15)


class SectionDraft(BaseModel):
    key: str
    body: str  # Markdown without level 1 and 2 headings; a finding is cited as [[F3]] after its sentence


class Synthesis(BaseModel):
    title: str
    sections: list[SectionDraft]


class SynthesizeAsked(Asked[Synthesis], role="synthesize"):
    question: str
    brief: str
    query_type: str
    headings: list[Heading]
    findings: list[CitedFinding]
    contradictions: list[ContradictionDraft] = []
    gaps: list[str] = []
    digest: list[DigestItem] = []


# repair: a sentence that its passages do not bear out is written anew (R11); asked in the role synthesize


class Numbered(BaseModel):
    id: str
    text: str


class Faulty(Numbered):
    """A sentence of a report that did not hold."""

    verdict: str
    reason: str
    passages: list[Passage]


class Correction(BaseModel):
    id: str
    text: str  # the sentence put right, without any marker; empty when the passages carry no such sentence


class Repaired(BaseModel):
    corrections: list[Correction] = []


class RepairAsked(Asked[Repaired], role="synthesize", task="repair"):
    sentences: list[Faulty]


# verify: does the stored passage say what the report says? (R11)

Verdict = Literal["SUPPORTED", "PARTIALLY", "UNSUPPORTED", "CONTRADICTED"]


class ClaimToCheck(Numbered):
    passages: list[Passage]


class ClaimVerdict(BaseModel):
    id: str
    verdict: Verdict
    source_id: str = ""
    quote: str = ""
    reason: str = ""


class Verification(BaseModel):
    verdicts: list[ClaimVerdict]


class VerifyAsked(Asked[Verification], role="verify"):
    claims: list[ClaimToCheck]


# route: which notes of the person's files does each part of a question need? (X5)


class RouteChild(BaseModel):
    """A question that is to be given notes."""

    node_id: str  # "1.2"
    node_question: str  # words of a model, perhaps; `question` is everywhere the person's own
    perspective: str = ""


class Routed(BaseModel):
    """What one question is to be given."""

    # No field has a default: an answer that leaves one out is no answer.
    node_id: str
    items: list[int]  # numbers of notes, counted from 1
    reason: str
    coverage_note: str  # what of the question no note speaks to


class Routing(BaseModel):
    slices: list[Routed]


class RouteAsked(Asked[Routing], role="route"):
    question: str  # of the run
    node_question: str  # whose parts they are
    depth: int  # of that question, 0 for the root
    children: list[RouteChild]
    items: list[DigestItem]  # what that question has itself; the first is number 1
    gaps: list[str] = []  # that are open and that its parts are to fill
    at_most: int = 20  # items of one part


# digest: what a file holds (X2)


class Segment(BaseModel):
    id: str  # "S1"
    heading: str = ""
    text: str
    is_lead: bool = False  # names something to look up and states nothing


class FileDigest(BaseModel):
    items: list[DigestItem]


class DigestAsked(Asked[FileDigest], role="digest"):
    file_name: str
    segments: list[Segment]
    at_most: int = 60


# aggregate: the notes of all files become those that a run works with (X2, X3); asked in the role digest


class KeptNote(BaseModel):
    """One note of the aggregate. Nothing may be left out of an answer, so nothing has a default."""

    items: list[int]  # numbers of the notes it stands for, counted from 1; its words are those of the first
    conflict: str  # what these notes of different files disagree on, in a sentence; empty where they do not


class Aggregated(BaseModel):
    notes: list[KeptNote]


class AggregateAsked(Asked[Aggregated], role="digest", task="aggregate"):
    question: str
    items: list[DigestItem]  # of all files, in their order; the first is number 1
    at_most: int = 40  # notes
    characters: int = 9_000  # of their texts together


# draft: findings become LaTeX with \cite (T3)


class DraftFinding(BaseModel):
    content: str
    cite_key: str


class SectionLatex(BaseModel):
    latex: str
    cite_keys: list[str]


class DraftAsked(Asked[SectionLatex], role="draft"):
    section_title: str
    instructions: str = ""
    findings: list[DraftFinding]


# assist: a short answer from passages (R17)


class Quoted(BaseModel):
    text: str
    source_id: str


class Answer(BaseModel):
    sentences: list[Quoted]
    note: str = ""


class AssistAsked(Asked[Answer], role="assist"):
    question: str
    passages: list[Passage]
