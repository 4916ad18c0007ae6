"""Roles for uploaded files: route, digest and aggregate."""

from pydantic import BaseModel

from llm.roles.base import DigestItem, RoleRequest

# route: select the notes of the user's files that each sub-question needs (X5)


class RouteChild(BaseModel):
    """A sub-question that gets notes."""

    node_id: str  # "1.2"
    node_question: str  # may be written by a model, while `question` is always the user's own
    perspective: str = ""


class Routed(BaseModel):
    """What one question is to be given."""

    # No field has a default, since an incomplete answer is invalid.
    node_id: str
    items: list[int]  # numbers of notes, counted from 1
    reason: str
    coverage_note: str  # the parts of the question without notes


class Routing(BaseModel):
    slices: list[Routed]


class RouteAsked(RoleRequest[Routing], role="route"):
    question: str  # of the run
    node_question: str  # the parent of the sub-questions
    depth: int  # of the parent, 0 for the root
    children: list[RouteChild]
    items: list[DigestItem]  # the notes of the parent; the first is number 1
    gaps: list[str] = []  # open gaps that the sub-questions should fill
    at_most: int = 20  # items per sub-question


# digest: extract the content of a file (X2)


class Segment(BaseModel):
    id: str  # "S1"
    heading: str = ""
    text: str
    is_lead: bool = False  # only names something to look up


class FileDigest(BaseModel):
    items: list[DigestItem]


class DigestAsked(RoleRequest[FileDigest], role="digest"):
    file_name: str
    segments: list[Segment]
    at_most: int = 60


# aggregate: select and merge the notes of all files for a run (X2, X3); a task of the role digest


class KeptNote(BaseModel):
    """One note of the aggregate. Nothing may be left out of an answer, so nothing has a default."""

    items: list[int]  # numbers of the merged notes, counted from 1; the text is that of the first
    conflict: str  # what these notes of different files disagree on, in a sentence, or empty


class Aggregated(BaseModel):
    notes: list[KeptNote]


class AggregateAsked(RoleRequest[Aggregated], role="digest", task="aggregate"):
    question: str
    items: list[DigestItem]  # of all files, in order; the first is number 1
    at_most: int = 40  # notes
    characters: int = 9_000  # total length of their texts
