"""Roles for drafts and short answers: draft and assist."""

from pydantic import BaseModel

from llm.roles.base import Passage, RoleRequest

# draft: write LaTeX with \cite from findings (T3)


class DraftFinding(BaseModel):
    content: str
    cite_key: str


class SectionLatex(BaseModel):
    latex: str
    cite_keys: list[str]


class DraftAsked(RoleRequest[SectionLatex], role="draft"):
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


class AssistAsked(RoleRequest[Answer], role="assist"):
    question: str
    passages: list[Passage]
