"""Whether a short file is about a question, even if it uses other words.

A file of a few passages has one topic, so it is judged as a whole. Each term of the question that the file names
counts by how specific the term is, and more if a heading or several sentences name it. A term that it does not name
counts in part if the file uses related words (`related_words.py`). Words of broad fields alone, and generic words, are
never enough. If most words of question and file belong to the same field, a lower score is enough.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from llm.offline.question import Matcher, Question, Term
from llm.roles import Passage
from text.sentences import headings, sentences
from text.stemming import common_stems, content_stems, content_tokens, fields, kin, siblings

PASSAGES = 12  # a file with at most so many passages is short, as many as a search reads whole
LENGTH = 8000  # characters of a short file
NEEDED = 1.35
OF_ALL = 0.42  # of a question with little weight, this share is enough,
AT_LEAST = 0.8  # but not less than this
IN_FIELD = 0.5  # enough if question and file belong to one field, or
OF_ALL_IN_FIELD = 0.6  # this share of the usual threshold
CLOSE = 0.6  # share of the most frequent field's words from which another field counts too
DIRECT = {"specific": 1.0, "broad": 0.4, "generic": 0.05}
BY_KIN = {"specific": 0.5, "broad": 0.35, "generic": 0.25}
AGAIN = 0.3  # bonus for the first specific term in a heading or in a second sentence
MORE_KIN = 0.25  # bonus for a term with a second related word


def is_short(passages: Sequence[Passage]) -> bool:
    """Return whether `passages`, all of one document, make up a short file."""
    places = [re.search(r"::S(\d+)$", passage.source_id) for passage in passages[:PASSAGES]]
    return (
        len(passages) <= PASSAGES
        and sum(len(passage.text) for passage in passages) <= LENGTH
        and all(place is None or int(place[1]) == number for number, place in enumerate(places, start=1))
    )


def is_about(question: Question, matcher: Matcher, title: str, passages: Sequence[Passage]) -> bool:
    """Return whether a short file is about what `question` asks.

    A question about the effect of X is not answered by a file that names only something similar: wheat for maize.
    """
    text = "\n".join([title, *(part for each in passages for part in (each.heading, each.text))])
    enough = needed(question)
    if _fields_of(question.text, question.language) & _fields_of(text, question.language):
        enough = min(enough, max(IN_FIELD, OF_ALL_IN_FIELD * enough))
    if weight_of(question, matcher, title, passages) < enough:
        return False
    named, stems = matcher.terms_in(text), content_stems(text, question.language)
    return not any(siblings(term.stem) & stems and term.stem not in named for term in question.acting)


def needed(question: Question) -> float:
    """Return the minimum score of a file: lower if the question has little weight."""
    total = sum(DIRECT[_kind(term)] for term in question.terms)
    return max(min(NEEDED, OF_ALL * total), min(AT_LEAST, total))


def _kind(term: Term) -> str:
    return "broad" if term.is_specific and term.stem in common_stems() else term.kind


def weight_of(question: Question, matcher: Matcher, title: str, passages: Sequence[Passage]) -> float:
    """Return the score of a short file for the topic of `question`; 0 if it names none of its specific words."""
    above = "\n".join([title, *(part for each in passages for part in (each.heading, *headings(each.text)))])
    texts = [sentence.text for passage in passages for sentence in sentences(passage.text)]
    in_headings = matcher.terms_in(above)
    often = Counter(stem for text in texts for stem in matcher.terms_in(text))
    stems = _stems([above, *texts], question.language)
    named = [term for term in question.terms if term.stem in in_headings or often[term.stem]]
    total = sum(DIRECT[_kind(term)] for term in named)
    stressed = any(term.stem in in_headings or often[term.stem] > 1 for term in named if _kind(term) == "specific")
    by_kin, touched = _by_kin(question, [term for term in question.terms if term not in named], stems)
    if any(term.is_specific for term in named):
        return total + AGAIN * stressed + by_kin
    return total + by_kin if touched and total + by_kin >= AT_LEAST else 0.0


def _by_kin(question: Question, unnamed: Sequence[Term], stems: frozenset[str]) -> tuple[float, bool]:
    """Return the score of words related to `unnamed` terms, and whether a specific term has one. Each word counts once.

    Every term gets one word first; then terms that have one get a second.
    """
    total, touched = 0.0, False
    free = set(stems)
    near = {term: _kin_of(question, term) for term in unnamed}
    served = []
    for term in sorted(unnamed, key=lambda each: (-BY_KIN[_kind(each)], len(near[each] & stems))):
        if near[term] & free:
            free.remove(min(near[term] & free))
            total += BY_KIN[_kind(term)]
            touched |= term.is_specific
            served.append(term)
    for term in served:
        if term.kind != "generic" and near[term] & free:
            free.remove(min(near[term] & free))
            total += MORE_KIN
    return total, touched


@lru_cache(maxsize=500)  # each question meets every document, and each document every part of a question
def _fields_of(text: str, language: str) -> frozenset[str]:
    """Return the fields that most words of `text` belong to; a word of several fields counts in part for each."""
    counts: Counter[str] = Counter()
    for word in _stems([text], language):
        names = fields().get(word, frozenset())
        counts.update(dict.fromkeys(names, 1 / len(names)) if names else {})
    most = max(counts.values(), default=0.0)
    return frozenset(name for name, count in counts.items() if count >= CLOSE * most)


def _stems(texts: Iterable[str], language: str) -> frozenset[str]:
    """Return the stems of `texts`, and pairs of adjacent stems."""
    rows = [[token.stem for token in content_tokens(text, language)] for text in texts]
    return frozenset(word for stems in rows for word in (*stems, *map(" ".join, pairwise(stems))))


def _kin_of(question: Question, term: Term) -> frozenset[str]:
    """Return the words related to a term, or to the pair that it forms with an adjacent term."""
    pairs = [kin(f"{left.stem} {right.stem}") for left, right in pairwise(question.terms) if term in (left, right)]
    return kin(term.stem).union(*pairs) - {each.stem for each in question.terms}
