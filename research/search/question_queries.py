"""The queries that the offline engine's runs send to catalogues: words of the person's question, and nothing else (P7).

    queries_of("Does vitamin D reduce 28-day mortality in critically ill patients?")
    ["vitamin D 28 day mortality critically ill patients", "vitamin D"]

Queries for the library also use the tables of words and the passages that were found, so they never go to a catalogue:
`queries_of` is given the question alone.
"""

import re
from collections.abc import Iterable

from llm.offline.question import Question, Term, is_acting_verb, read_question
from text.stemming import stem

LONGEST = 300  # characters of a query
_PARTS = ("exposure", "outcome", "population", "comparison")
_COMPARED = stem("compared")
_WORD = re.compile(r"[^\W_]+(?:[-‐‑–'’.][^\W_]+)*")
_HYPHENS = re.compile(r"[-‐‑–]")  # Semantic Scholar finds nothing for words with hyphens


def queries_of(question: str) -> list[str]:
    """Return at most three queries, the narrowest first: stop words are left out, and phrases keep their order.

    PubMed requires every word of a query. So the first has all telling phrases, the next only the specific words, and
    the last only one phrase of each of two parts of the question (exposure and outcome). Crossref and Semantic Scholar
    rank by how many words match, so the first is the best for them.
    """
    read = read_question(question)
    if read.language == "zh":  # its terms are pairs of characters, not words
        return _distinct([_all_words(question)])
    terms = [term for term in read.terms if not is_acting_verb(term.stem)]
    telling = [term for term in terms if term.kind != "generic"] or terms
    specific = [term for term in terms if term.is_specific] or telling
    wanted = {term.start for term in telling}
    in_phrases = (term for term in read.all_terms if not is_acting_verb(term.stem) and term.stem != _COMPARED)
    runs = [run for run in _runs(read.text, in_phrases) if any(term.start in wanted for term in run)]
    phrases = [term for run in runs for term in run]
    queries = [_written(read, phrases), _written(read, specific), _written(read, _core(read, specific))]
    return _distinct(queries) or _distinct([_all_words(question)])


def _core(question: Question, specific: list[Term]) -> list[Term]:
    """Return the longest phrase of each of the first two parts of the question that have a specific one.

    With a single part, the two longest phrases of the question.
    """
    wanted = {term.start for term in specific}
    parts = [[term for term in question.parts.get(name, ()) if term.start in wanted] for name in _PARTS]
    longest = [max(_runs(question.text, part), key=len) for part in parts if part]
    if len(longest) < 2:
        longest = sorted(_runs(question.text, specific), key=len, reverse=True)
    return [term for run in longest[:2] for term in run]


def _runs(text: str, terms: Iterable[Term]) -> list[list[Term]]:
    """Return `terms` in groups that stand beside each other in `text`."""
    runs: list[list[Term]] = []
    for term in sorted(terms, key=lambda one: one.start):
        if runs and not text[_end(runs[-1][-1]) : term.start].strip(" -‐‑–"):
            runs[-1].append(term)
        else:
            runs.append([term])
    return runs


def _end(term: Term) -> int:
    return term.start + len(term.surface)


def _written(question: Question, terms: Iterable[Term]) -> str:
    """Return the whole words of the question that hold `terms`, in its order: "28-day" for the term "day"."""
    spans = [(term.start, _end(term)) for term in terms]
    words = _WORD.finditer(question.text)
    return " ".join(
        word.group() for word in words if any(start < word.end() and word.start() < end for start, end in spans)
    )


def _all_words(text: str) -> str:
    return " ".join(_WORD.findall(text))


def _distinct(queries: Iterable[str]) -> list[str]:
    found = (" ".join(_HYPHENS.sub(" ", query).split()) for query in queries)
    cut = (query if len(query) <= LONGEST else query[: LONGEST + 1].rpartition(" ")[0] for query in found)
    return [query for query in dict.fromkeys(cut) if query]
