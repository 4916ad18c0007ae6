"""Ranking: how relevant a sentence is to a question, and which sentences to choose."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from llm.offline.question import Question
from llm.offline.relevance import Candidate
from text.stemming import tokens

K1, B = 1.2, 0.75
DIVERSITY = 0.3  # weight of novelty in the marginal relevance
SAME = 0.8  # Jaccard similarity of stems from which two sentences count as duplicates
_SHARE = re.compile(r"\d\s?%|\bper ?cent\b|\d ?/ ?\d|\b\d+ of \d")
_EFFECT = re.compile(
    r"\b(?:ratio|risk|difference|CI|OR|RR|HR)\b.*\d|\d\s*\(.?\d[\d.]*\s*(?:to|–|-|,)\s*.?\d[\d.]*\)|\|.*\d"
)
AGAIN = 0.15  # penalty for each earlier sentence of the same document
CONSIDERED = 400  # best-ranked sentences to choose from


def bm25(query: dict[str, float], texts: Sequence[Sequence[str]]) -> list[float]:
    """Return the BM25 score of each text (its stems in order) for weighted query stems.

    score = sum over query stems of w * idf * f * (k1 + 1) / (f + k1 * (1 - b + b * length / mean length)), with
    idf = ln(1 + (N - n + 0.5) / (n + 0.5)), after Robertson and Zaragoza, "The Probabilistic Relevance Framework:
    BM25 and Beyond", Foundations and Trends in Information Retrieval 3(4), 2009.
    """
    counts = [Counter(text) for text in texts]
    mean = sum(map(len, texts)) / max(1, len(texts)) or 1.0
    scores = [0.0] * len(texts)
    for stem, weight in sorted(query.items()):
        holding = sum(stem in count for count in counts)
        idf = math.log(1 + (len(texts) - holding + 0.5) / (holding + 0.5))
        for position, count in enumerate(counts):
            if times := count[stem]:
                length = K1 * (1 - B + B * len(texts[position]) / mean)
                scores[position] += weight * idf * times * (K1 + 1) / (times + length)
    return scores


def scored(question: Question, found: Sequence[Candidate]) -> list[float]:
    """Return the relevance of each candidate, from 0 to about 2.3.

    Combines BM25 of the sentence, the weighted share of the question's terms in the sentence, its paragraph and its
    passage, and bonuses for a figure and for an effect (a percentage, a ratio, an interval).
    """
    query = {term.stem: term.weight for term in question.terms}
    texts = [
        [*sorted(each.shared), *(token.stem for token in tokens(each.sentence.text, question.language))]
        for each in found
    ]
    base = bm25({stem: weight**2 for stem, weight in query.items()}, texts)
    total = sum(query.values()) or 1.0
    best = max(base, default=0.0) or 1.0
    scores = []
    for candidate, score in zip(found, base, strict=True):
        own, near, around = (
            sum(query[stem] for stem in named if stem in query) / total
            for named in (candidate.shared, candidate.context, candidate.around)
        )
        text = candidate.sentence.text
        figure = 0.3 * bool(candidate.figures) + 0.2 * bool(_SHARE.search(text)) + 0.3 * bool(_EFFECT.search(text))
        scores.append(0.2 * score / best + own / 2 + near / 2 + around / 2 + figure)
    return scores


def chosen(found: Sequence[Candidate], scores: Sequence[float], at_most: int, kinds: Sequence[str] = ()) -> list[int]:
    """Return the positions of the sentences to keep, best first, by maximal marginal relevance.

    Method of Carbonell and Goldstein (1998). Near-duplicates (the same words with the same figures) are dropped. If
    `kinds` gives the kind of each sentence, the best of every kind comes first, so that a short list has all kinds.
    """
    order = sorted(range(len(found)), key=lambda i: (-scores[i], found[i].order))[:CONSIDERED]
    top = max((scores[i] for i in order), default=0.0) or 1.0
    first = list({kinds[i]: i for i in reversed(order)}.values())[::-1] if kinds else []
    first.sort(key=order.index)
    kept: list[int] = []
    nearest = dict.fromkeys(order, 0.0)
    used: Counter[str] = Counter()

    def marginal(i: int) -> tuple[float, int]:
        redundancy = max(nearest[i], min(1.0, AGAIN * used[found[i].passage.document]))
        return (1 - DIVERSITY) * scores[i] / top - DIVERSITY * redundancy, -found[i].order

    while order and len(kept) < at_most:
        waiting = [i for i in first if i in order]
        best = waiting[0] if waiting else max(order, key=marginal)
        order.remove(best)
        kept.append(best)
        used[found[best].passage.document] += 1
        for i in list(order):
            nearest[i] = max(nearest[i], _likeness(found[i], found[best]))
            if says_the_same(found[i], found[best]):
                order.remove(i)
    return kept


def says_the_same(left: Candidate, right: Candidate) -> bool:
    """Return whether two sentences are near-duplicates: nearly the same words, and the same figures."""
    return left.figures == right.figures and _likeness(left, right) >= SAME


def _likeness(left: Candidate, right: Candidate) -> float:
    if left.stems or right.stems:
        return likeness(left.stems, right.stems)
    return float(left.sentence.text == right.sentence.text)


def likeness(left: frozenset[str], right: frozenset[str]) -> float:
    """Return the Jaccard similarity of two sets of stems; 0 if both are empty."""
    common = len(left & right)
    return common / (len(left) + len(right) - common) if common else 0.0
