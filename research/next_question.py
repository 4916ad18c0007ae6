"""A question of the next round."""

from pydantic import BaseModel


class Point(BaseModel):
    """A question of the next round.

    `answers` are the ids of the gaps and contradictions it is for, `queries` are the first to be searched for.
    """

    topic: str
    question: str
    perspective: str = ""
    evidence_needed: str = ""
    priority: int
    answers: list[str]
    queries: list[str] = []
