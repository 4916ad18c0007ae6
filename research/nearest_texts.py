"""Ranking texts by their similarity to a question (BM25)."""

from collections.abc import Sequence

from llm.offline.question import read_question
from llm.offline.ranking import bm25
from text.stemming import stems


def nearest(question: str, texts: Sequence[str], most: int) -> list[int]:
    """Return the positions of the `most` texts nearest to `question`, in ascending order; ties go to earlier texts."""
    if len(texts) <= most:
        return list(range(len(texts)))
    scores = nearness(question, texts)
    return sorted(sorted(range(len(texts)), key=lambda position: -scores[position])[:most])


def nearness(question: str, texts: Sequence[str]) -> list[float]:
    """Return the score of each of `texts` for `question` among the others; 0.0 for one without a common word."""
    read = read_question(question)
    query = {term.stem: term.weight**2 for term in read.terms}
    # Other stems count only for the length of a text.
    return bm25(query, [[stem if stem in query else "" for stem in stems(text, read.language)] for text in texts])
