"""Roles of a report: synthesize, repair and verify."""

from typing import Literal

from pydantic import BaseModel

from llm.roles.base import DigestItem, Passage, RoleRequest
from llm.roles.research import ContradictionDraft

# synthesize: write the sections of a report from findings; code writes the headings (R9, R10)


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
    method: str = ""  # the methods of the study according to its own text (R15)


class SectionDraft(BaseModel):
    key: str
    body: str  # Markdown without level 1 and 2 headings; a finding is cited as [[F3]] after its sentence


class Synthesis(BaseModel):
    title: str
    sections: list[SectionDraft]


class SynthesizeAsked(RoleRequest[Synthesis], role="synthesize"):
    question: str
    brief: str
    query_type: str
    headings: list[Heading]
    findings: list[CitedFinding]
    contradictions: list[ContradictionDraft] = []
    gaps: list[str] = []
    digest: list[DigestItem] = []


# repair: rewrite a sentence that its passages do not support (R11); a task of the role synthesize


class Numbered(BaseModel):
    id: str
    text: str


class Faulty(Numbered):
    """A sentence of a report that failed verification."""

    verdict: str
    reason: str
    passages: list[Passage]


class Correction(BaseModel):
    id: str
    text: str  # the corrected sentence without markers; empty if the passages support no such sentence


class Repaired(BaseModel):
    corrections: list[Correction] = []


class RepairAsked(RoleRequest[Repaired], role="synthesize", task="repair"):
    sentences: list[Faulty]


# verify: check whether the stored passage supports the report (R11)

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


class VerifyAsked(RoleRequest[Verification], role="verify"):
    claims: list[ClaimToCheck]
