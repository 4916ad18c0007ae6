"""Selection of file notes: which notes a run uses if there are too many, and which each sub-question gets.

SPEC X2, X3, X5.
"""

from collections.abc import Sequence

from core.grouping import first_values
from llm.offline.digest import MUST_KEEP
from llm.offline.question import Matcher, read_question
from llm.offline.ranking import CONSIDERED, DIVERSITY, SAME, bm25, likeness
from llm.roles import AggregateAsked, Aggregated, DigestItem, KeptNote, RouteAsked, RouteChild, Routed, Routing
from text.stemming import content_stems, counted, language_of, numbers

FOR_THE_PART = 3.0  # weight factor of words that a sub-question has and its parent question has not


def aggregate(asked: AggregateAsked) -> Aggregated:
    """Return the notes to keep, in order: mandatory notes, the best of each file, then those that add most.

    "Best" is the highest BM25 score for the question; "adds most" is maximal marginal relevance (Carbonell and
    Goldstein 1998). Duplicates are merged into the kept note. Conflicts are left empty, since common words do not tell
    whether two sentences disagree.
    """
    notes = _Notes(asked)
    for place in _needed(asked.items, notes.scores, asked.at_most):
        notes.keep(place)
    for place in notes.best_of_each_file():
        notes.keep(place)
    while (best := notes.next()) is not None:
        notes.keep(best)
    return Aggregated(notes=[KeptNote(items=[one + 1 for one in same], conflict="") for same in notes.in_order()])


def nearness(question: str, items: Sequence[DigestItem]) -> list[float]:
    """Return the BM25 score of each note over the terms of the question that it names."""
    read = read_question(question)
    matcher = Matcher(read)
    return bm25(
        {term.stem: term.weight for term in read.all_terms}, [sorted(matcher.terms_in(item.text)) for item in items]
    )


def must_keep(question: str, items: Sequence[DigestItem], at_most: int) -> list[int]:
    """Return the positions of the notes that must be kept, in order.

    These are all constraints, but at most half of `at_most`, most relevant first, so that there is space for other
    notes: a handbook has nothing but constraints.
    """
    return _needed(items, nearness(question, items), at_most)


def _needed(items: Sequence[DigestItem], scores: Sequence[float], at_most: int) -> list[int]:
    found = [place for place, item in enumerate(items) if item.kind in MUST_KEEP]
    return sorted(sorted(found, key=lambda place: (-scores[place], place))[: max(1, at_most // 2)])


def says_the_same(left: DigestItem, right: DigestItem, least: float = SAME) -> bool:
    """Return whether two notes have the same figures and a word similarity of at least `least` (Jaccard, 0 to 1)."""
    return numbers(left.text) == numbers(right.text) and likeness(_stems(left), _stems(right)) >= least


def document_of(item: DigestItem) -> str:
    """Return the file of a note, from its first source such as "alder.md::S3"."""
    return item.sources[0].rpartition("::")[0] if item.sources else ""


def _stems(item: DigestItem) -> frozenset[str]:
    return content_stems(item.text, language_of(item.text))


class _Notes:
    """The notes of a question, and those kept so far by position, each with its duplicates."""

    def __init__(self, asked: AggregateAsked) -> None:
        self.items, self.at_most, self.room = asked.items, asked.at_most, asked.characters
        self.scores = nearness(asked.question, asked.items)
        self.top = max(self.scores, default=0.0) or 1.0
        self.stems = [_stems(item) for item in asked.items]
        self.kept: dict[int, list[int]] = {}
        self.waiting = sorted(range(len(asked.items)), key=lambda place: (-self.scores[place], place))
        self.nearest = dict.fromkeys(self.waiting, 0.0)

    def best_of_each_file(self) -> list[int]:
        """Return the most relevant note of each file that has none yet."""
        # `waiting` has the most relevant first
        best = first_values((document_of(self.items[place]), place) for place in self.waiting)
        held = {document_of(self.items[place]) for same in self.kept.values() for place in same}
        return [place for document, place in best.items() if document not in held]

    def keep(self, place: int) -> None:
        """Keep a note with its duplicates, if there is space and it is not kept already."""
        if place not in self.nearest or len(self.kept) >= self.at_most or len(self.items[place].text) > self.room:
            return
        self.room -= len(self.items[place].text)
        self.kept[place] = [place]
        del self.nearest[place]
        for other in list(self.nearest):
            alike = likeness(self.stems[other], self.stems[place])
            self.nearest[other] = max(self.nearest[other], alike)
            if alike >= SAME and says_the_same(self.items[other], self.items[place]):
                self.kept[place].append(other)
                del self.nearest[other]

    def next(self) -> int | None:
        """Return the note that adds most to those kept and fits into the remaining space, or None."""
        self.waiting = [place for place in self.waiting if place in self.nearest]
        near = self.waiting[:CONSIDERED] if len(self.kept) < self.at_most else []
        fitting = (place for place in near if len(self.items[place].text) <= self.room)
        return max(fitting, key=lambda place: (self._marginal(place), -place), default=None)

    def _marginal(self, place: int) -> float:
        return (1 - DIVERSITY) * self.scores[place] / self.top - DIVERSITY * self.nearest[place]

    def in_order(self) -> list[list[int]]:
        """Return the kept notes in order, each with the positions of its duplicates."""
        return [[place, *sorted(same[1:])] for place, same in sorted(self.kept.items())]


def route(asked: RouteAsked) -> Routing:
    """Return for each sub-question the most relevant notes by BM25, and all constraints."""
    return Routing(slices=[_part_of(child, asked) for child in asked.children])


def _part_of(child: RouteChild, asked: RouteAsked) -> Routed:
    text = f"{child.node_question} {child.perspective}".strip()
    question = read_question(f"{text}\n{asked.question}")
    matcher = Matcher(question)
    language = language_of(text)
    own = content_stems(text, language) - content_stems(asked.question, language)
    query = {term.stem: term.weight * (FOR_THE_PART if term.stem in own else 1) for term in question.all_terms}
    scores = bm25(query, [sorted(matcher.terms_in(item.text)) for item in asked.items])
    kept = [place for place, item in enumerate(asked.items) if item.kind in MUST_KEEP]
    near = sorted(
        (place for place, score in enumerate(scores) if score > 0 and place not in kept),
        key=lambda place: (-scores[place], place),
    )[: max(0, asked.at_most - len(kept))]
    reason = f"{counted(len(near), 'item')} with words of the question"
    if kept:
        reason += f", and {counted(len(kept), 'constraint')} for every question"
    return Routed(
        node_id=child.node_id,
        items=[place + 1 for place in sorted(kept + near)],
        reason=f"{reason}.",
        coverage_note="",
    )
