"""Which of a question's terms a text names."""

import re

from llm.offline.question import Question
from text.words import broad_stems, generic_stems, same_word, tokens


class Matcher:
    """Which of the question's terms a text names, by stem, by a narrower word, or by the initials of its words."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._by_stem: dict[str, frozenset[str]] = {}
        in_full = ((term.stem, _in_full(term.surface)) for term in question.all_terms)
        self._spelled_out = [(stem, re.compile(pattern)) for stem, pattern in in_full if pattern]

    def terms_in(self, text: str) -> frozenset[str]:
        """Stems of the question's terms that `text` names."""
        found: set[str] = set()
        for stem in {token.stem for token in tokens(text, self.question.language)}:
            found |= self._terms_of(stem)
        for initials, terms in self.question.initials.items():
            if initials in text and re.search(rf"\b{initials}s?\b", text):
                found |= terms
        found.update(term for term, pattern in self._spelled_out if pattern.search(text))
        return frozenset(found)

    def _terms_of(self, stem: str) -> frozenset[str]:
        known = self._by_stem.get(stem)
        if known is None:
            terms = self.question.all_terms
            wide = stem in generic_stems() or stem in broad_stems()  # "intensive" does not name intensification
            itself = frozenset(
                term.stem for term in terms if term.stem == stem or (not wide and same_word(term.stem, stem))
            )
            known = itself or frozenset(term.stem for term in terms if stem in term.narrower)
            self._by_stem[stem] = known
        return known


_DECADE = re.compile(r"(1\d\d|20\d)0s")
_ABBREVIATION = re.compile(r"[A-Z]{3,5}")


def _in_full(word: str) -> str:
    """A pattern of what stands for a decade or an abbreviation of the question: its years, three of its words."""
    decade = _DECADE.fullmatch(word)
    if decade:
        return rf"\b{decade.group(1)}\d\b"
    if not _ABBREVIATION.fullmatch(word):
        return ""
    return r"[\s-]+".join(rf"\b(?i:{letter})[a-z]{{2,}}" for letter in word[: max(3, len(word) - 1)])
