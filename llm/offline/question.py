"""Analysis of a question: its key terms with weights, and its population, exposure, comparison and outcome.

These parts (PICO and its relatives) are common to questions of every field: a population or setting, an exposure or
intervention, a comparison, an outcome.
"""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import pairwise, product

from text.stemming import (
    Token,
    broad_stems,
    content_tokens,
    generic_stems,
    language_of,
    narrower,
    same_word,
    stem,
    stop_stems,
    tokens,
)
from text.vocabulary import ACTING_VERBS

_BESIDE = (" ", "-")
_LINKED = re.compile(r"[ -](?:(?:of|the|and) )?")
TERMS = 12  # the most salient terms; a longer question also describes a situation
WEIGHTS = {"specific": 1.0, "broad": 0.3, "generic": 0.1}


@dataclass(frozen=True)
class Term:
    """A word of the question: as written, its stem, its kind (how specific it is) and its position."""

    surface: str
    stem: str
    kind: str  # specific, broad, generic
    start: int
    narrower: frozenset[str] = frozenset()

    @property
    def weight(self) -> float:
        """How much the term says about the topic."""
        return WEIGHTS[self.kind]

    @property
    def is_specific(self) -> bool:
        """Whether the term identifies a topic."""
        return self.kind == "specific"


@dataclass(frozen=True)
class Question:
    """An analysed question. `parts` maps population, exposure, comparison and outcome to terms."""

    text: str
    language: str
    terms: tuple[Term, ...]  # the salient terms, in order
    all_terms: tuple[Term, ...]
    parts: dict[str, tuple[Term, ...]] = field(default_factory=dict)
    acting: tuple[Term, ...] = ()  # X in "does X change Y"
    initials: dict[str, frozenset[str]] = field(default_factory=dict)  # "ARDS" -> the stems it stands for
    is_wide: bool = False  # has only broad words
    one_thing: frozenset[str] = frozenset()  # the only two specific terms, if they are adjacent
    names: frozenset[str] = frozenset()  # terms written as proper names

    @property
    def is_long(self) -> bool:
        """Whether the question also describes a situation, having more than TERMS terms."""
        return len(self.all_terms) > TERMS

    @property
    def specific(self) -> tuple[Term, ...]:
        """The specific terms."""
        return tuple(term for term in self.terms if term.is_specific)


@lru_cache(maxsize=512)
def read_question(text: str) -> Question:
    """Analyse `text`. Key terms work in any language; the parts need English wording."""
    language = language_of(text)
    found = content_tokens(text, language)
    all_terms = _promoted(_terms(found))
    salient = _salient(all_terms, found)
    acting, parts = _parts(text, salient)
    return Question(
        text=text,
        language=language,
        terms=salient,
        all_terms=all_terms,
        parts=parts,
        acting=acting,
        initials=_initials(text, language),
        is_wide=all(term.kind != "specific" for term in _terms(found)),
        one_thing=_joint_terms(text, salient),
        names=frozenset(term.stem for term in salient if term.start and term.surface[0].isupper()),
    )


def _terms(found: list[Token]) -> list[Term]:
    terms: dict[str, Term] = {}
    for token in found:
        if token.stem not in terms:
            kind = "generic" if _is_generic(token) else "broad" if token.stem in broad_stems() else "specific"
            terms[token.stem] = Term(token.surface, token.stem, kind, token.start, narrower(token.stem))
    return list(terms.values())


def _is_generic(token: Token) -> bool:
    return (
        token.stem in generic_stems() or is_acting_verb(token.stem) or (len(token.stem) == 1 and token.stem.isascii())
    )


def _promoted(terms: list[Term]) -> tuple[Term, ...]:
    """Return the terms; if there are only broad words, they count as specific."""
    for kind in ("specific", "broad", "generic"):
        if any(term.kind == kind for term in terms):
            return tuple(replace(term, kind="specific") if term.kind == kind else term for term in terms)
    return ()


def _salient(terms: tuple[Term, ...], found: list[Token]) -> tuple[Term, ...]:
    if len(terms) <= TERMS:
        return terms
    often = Counter(token.stem for token in found)
    asked = {term.stem for term in terms if term.kind == "specific"}
    ranked = sorted(terms, key=lambda term: (term.stem not in asked, -often[term.stem], -term.weight, term.start))
    return tuple(sorted(ranked[:TERMS], key=lambda term: term.start))


def _joint_terms(text: str, terms: tuple[Term, ...]) -> frozenset[str]:
    specific = [term for term in terms if term.is_specific]
    is_one = len(specific) == 2 and text[_end(specific[0]) : specific[1].start] in _BESIDE
    return frozenset(term.stem for term in specific if is_one)


def _initials(text: str, language: str) -> dict[str, frozenset[str]]:
    """Return abbreviations ("ARDS") of three to five adjacent words, which notes may use.

    Two letters are too ambiguous.
    """
    stopped = stop_stems(language)
    words = [
        token
        for token in tokens(text, language)
        if token.surface.casefold() not in stopped and " " not in token.surface
    ]
    found: dict[str, frozenset[str]] = {}
    for first, length in product(range(len(words)), (3, 4, 5)):
        run = words[first : first + length]
        letters = "".join(word.surface[0] for word in run).upper()
        beside = len(run) == length and all(
            _LINKED.fullmatch(text, left.end, right.start) for left, right in pairwise(run)
        )
        if letters.isascii() and letters.isalpha() and beside:
            found[letters] = found.get(letters, frozenset()) | {word.stem for word in run}
    return found


def phrases(question: Question, terms: Iterable[Term]) -> list[str]:
    """Return `terms` as written in the question, with adjacent words joined: "critically ill", "28-day mortality".

    A phrase has at least one word that is not generic, if any of `terms` is such a word.
    """
    wanted = {term.start for term in terms}
    runs: list[list[Term]] = []
    for term in (one for one in question.all_terms if " " not in one.surface and not is_acting_verb(one.stem)):
        if runs and question.text[_end(runs[-1][-1]) : term.start] in _BESIDE:
            runs[-1].append(term)
        else:
            runs.append([term])
    telling = [run for run in runs if any(term.start in wanted and term.kind != "generic" for term in run)]
    chosen = telling or [run for run in runs if any(term.start in wanted for term in run)]
    found = (question.text[_begin(question.text, run[0].start) : _end(run[-1])] for run in chosen)
    return list({phrase.casefold(): phrase for phrase in found}.values())


def _end(term: Term) -> int:
    return term.start + len(term.surface)


def _begin(text: str, start: int) -> int:
    """Return the start of a phrase, including a number that belongs to it: "28-day"."""
    figure = re.search(r"\b\d+[-‐‑–]$", text[:start])
    return figure.start() if figure else start


# The parts of a question


@cache
def _acting_stems() -> frozenset[str]:
    return frozenset(stem(verb) for verb in ACTING_VERBS)


def is_acting_verb(stem_of_word: str) -> bool:
    """Return whether a word is a verb between cause and effect, such as "reduce"."""
    return stem_of_word in _acting_stems()


_OF_ON = re.compile(
    r"\b(?:effects?|impacts?|influences?|roles?|use|efficacy|effectiveness|benefits?|safety|consequences?|"
    r"harms?|value) of "
    r"(?P<x>.+?) (?:on|in|for|among|as|with|by|after|during|to|versus|vs\.?|compared)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"\b(?:association|relationship|relation|link|correlation|connection) (?:between|of) (?P<x>.+?) (?:and|with|to)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:^|[,;:.]\s*|\b(?:how|why|when|where|whether|much|many|what|and|extent|if) )"
    r"(?:do|does|did|can|could|should|will|would|is|are|was|were|has|have|if|whether|which|what)\b(?P<rest>.+)",
    re.IGNORECASE | re.DOTALL,
)
_COMPARED = re.compile(
    r"\b(?:compared (?:with|to)|in comparison (?:with|to)|versus|vs\.?|rather than|instead of|as opposed to|"
    r"than|against|or)\b"
    r"(?P<x>[^,;?.]+)",
    re.IGNORECASE,
)
_AMONG = re.compile(r"\b(?:in|among|amongst|for|within)\b(?P<x>[^,;?.]+)", re.IGNORECASE)
_STOPS = re.compile(
    r"\b(?:compared|versus|vs|than|against|rather|after|during|when|if|do|does|did|is|are|can|by|"
    rf"{'|'.join(sorted(ACTING_VERBS))})\b",
    re.IGNORECASE,
)


def _parts(text: str, terms: tuple[Term, ...]) -> tuple[tuple[Term, ...], dict[str, tuple[Term, ...]]]:
    """Return the acting terms (causes), and the terms of each part of the question."""
    acting_span = _acting_span(text)
    comparison = _spans(_COMPARED, text)
    population = [span for span in _spans(_AMONG, text) if not _overlaps(span, acting_span)]
    parts: dict[str, list[Term]] = {"population": [], "exposure": [], "comparison": [], "outcome": []}
    for term in terms:
        if _inside(term, comparison):
            parts["comparison"].append(term)
        elif acting_span and _inside(term, [acting_span]):
            parts["exposure"].append(term)
        elif _inside(term, population):
            parts["population"].append(term)
        else:
            parts["outcome" if acting_span else "exposure"].append(term)
    acting = tuple(parts["exposure"]) if acting_span else ()
    return acting, {part: tuple(found) for part, found in parts.items() if found}


def _acting_span(text: str) -> tuple[int, int] | None:
    """Return the range that names the cause: X in "effect of X on Y", "link between X and Y", "does X reduce Y"."""
    if named := _OF_ON.search(text) or _BETWEEN.search(text):
        return named.span("x")
    asks = _ASKS.search(text)
    begin = asks.start("rest") if asks else len(text)
    for token in tokens(text[begin:], "en"):
        if is_acting_verb(token.stem) and text[begin : begin + token.start].strip():
            return _before_aside(text, begin, begin + token.start)
    return None


_ASIDE = re.compile(r",|\b(?:for|in|among|amongst|after|during|compared|versus|vs)\b", re.IGNORECASE)


def _before_aside(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the range without a trailing aside: "corticosteroids, compared with usual care", "surgery for cancer"."""
    aside = _ASIDE.search(text, start, end)
    return start, aside.start() if aside and text[start : aside.start()].strip() else end


def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    spans = (match.span("x") for match in pattern.finditer(text))
    stopped = ((start, end, _STOPS.search(text, start, end)) for start, end in spans)
    return [(start, stop.start() if stop else end) for start, end, stop in stopped]


def _overlaps(span: tuple[int, int], other: tuple[int, int] | None) -> bool:
    return other is not None and span[0] < other[1] and other[0] < span[1]


def _inside(term: Term, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= term.start < end for start, end in spans)


class Matcher:
    """Finds the question's terms in a text, by stem, by a narrower word, or by abbreviation."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self._by_stem: dict[str, frozenset[str]] = {}
        in_full = ((term.stem, _in_full(term.surface)) for term in question.all_terms)
        self._spelled_out = [(stem, re.compile(pattern)) for stem, pattern in in_full if pattern]

    def terms_in(self, text: str) -> frozenset[str]:
        """Return the stems of the question's terms that `text` names."""
        found: set[str] = set()
        for word in {token.stem for token in tokens(text, self.question.language)}:
            found |= self._terms_of(word)
        for initials, terms in self.question.initials.items():
            if initials in text and re.search(rf"\b{initials}s?\b", text):
                found |= terms
        found.update(term for term, pattern in self._spelled_out if pattern.search(text))
        return frozenset(found)

    def _terms_of(self, word: str) -> frozenset[str]:
        if word not in self._by_stem:
            terms = self.question.all_terms
            wide = word in generic_stems() or word in broad_stems()  # "intensive" does not match intensification
            itself = {term.stem for term in terms if term.stem == word or (not wide and same_word(term.stem, word))}
            self._by_stem[word] = frozenset(itself or {term.stem for term in terms if word in term.narrower})
        return self._by_stem[word]


def _in_full(word: str) -> str:
    """Return a pattern for the long form of a decade (its years) or an abbreviation (three of its words)."""
    if decade := re.fullmatch(r"(1\d\d|20\d)0s", word):
        return rf"\b{decade.group(1)}\d\b"
    if not re.fullmatch(r"[A-Z]{3,5}", word):
        return ""
    return r"[\s-]+".join(rf"\b(?i:{letter})[a-z]{{2,}}" for letter in word[: max(3, len(word) - 1)])
