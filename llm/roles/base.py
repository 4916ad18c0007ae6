"""The base class of questions to an engine, and types shared by several roles."""

from typing import Any, ClassVar, Generic, Literal, TypeVar

from pydantic import BaseModel

A = TypeVar("A", bound=BaseModel)


class RoleRequest(BaseModel, Generic[A]):
    """A question to an engine in one role, answered by an `A`."""

    role: ClassVar[str]
    task: ClassVar[str] = ""  # distinguishes the tasks of a role that has more than one
    answer: ClassVar[type[BaseModel]]

    def __init_subclass__(cls, role: str = "", task: str = "", **options: Any) -> None:
        """Set the role and task of a subclass, and the answer type given as the parameter of its base class."""
        super().__init_subclass__(**options)
        cls.role = role or getattr(cls, "role", "")
        cls.task = task or cls.task
        for answer in cls.__bases__[0].__pydantic_generic_metadata__["args"]:  # type: ignore[attr-defined]
            cls.answer = answer


class Passage(BaseModel):
    """A part of a stored text that can be cited."""

    source_id: (
        str  # "alder.md::S1" for a file, the cite key for a reference, "doi:10.1001/x::openalex-3fa2c1" for a work
    )
    document: str  # the document of the passage: a file name, a cite key, or a work
    title: str  # of the document
    authors: str = ""  # "Sterne, Murthy and others"
    year: int | None = None
    venue: str = ""
    cited_by: int | None = None  # citation count in a catalogue
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


class NodeRequest(RoleRequest[A], Generic[A]):
    """A question about one node of a run: a sub-question with a perspective."""

    question: str  # of the run
    node_question: str
    perspective: str = ""
