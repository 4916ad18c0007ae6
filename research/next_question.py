"""What the next round asks."""

from pydantic import BaseModel


class Point(BaseModel):
    """A question of the next round. `answers` are the gaps and contradictions it is for, `queries` it begins with."""

    topic: str
    question: str
    perspective: str = ""
    evidence_needed: str = ""
    priority: int
    answers: list[str]
    queries: list[str] = []
