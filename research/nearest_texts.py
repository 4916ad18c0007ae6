"""The texts that come nearest to a question (BM25)."""

from collections.abc import Sequence

from llm.offline.question import read_question
from llm.offline.ranking import bm25
from text.stemming import stems


def nearest(question: str, texts: Sequence[str], most: int) -> list[int]:
    """Return the positions of the `most` texts nearest to `question`, the first ones among equals, in their own order."""
    if len(texts) <= most:
        return list(range(len(texts)))
    scores = nearness(question, texts)
    return sorted(sorted(range(len(texts)), key=lambda position: -scores[position])[:most])


def nearness(question: str, texts: Sequence[str]) -> list[float]:
    """Return how near each of `texts` comes to `question` among the others; 0.0 for one that shares no word with it."""
    read = read_question(question)
    query = {term.stem: term.weight**2 for term in read.terms}
    # Stems that nobody asked for only count for the length of a text.
    return bm25(query, [[stem if stem in query else "" for stem in stems(text, read.language)] for text in texts])
