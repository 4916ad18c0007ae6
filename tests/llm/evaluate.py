"""How well the offline engine tells notes on a question from notes on another: `python -m tests.llm.evaluate`.

No pair passes or fails here; what is printed is the share over all of a set:

recognised  of pairs whose notes give any finding for their question;
figures     of the figures that bear on the question, those that come back in a finding;
leaks       of questions put to notes of other pairs (one in `EVERY`), those that give a finding;
near        of questions close to the topic of notes that do not answer them, those that give a finding;
stray       of figures that stand in the notes but are about something else, those that come back.

`decisive` was written by someone who had not seen the engine and decides between measures; the others were at hand
while it was made.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from llm.offline.question import read_question
from llm.offline.relevance import candidates
from llm.roles import FindingDraft, Passage
from tests.llm import pairs, pairs_decisive, pairs_strangers, pairs_terse, pairs_unseen
from tests.llm.pairs import Pair
from tests.llm.question_tree import findings_of, passages_of

FIGURE = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)*%?")
EVERY = 6
AT_HAND = (
    *pairs.PAIRS,
    *pairs_terse.PAIRS,
    *pairs_terse.IN_OTHER_WORDS,
    *pairs_strangers.PAIRS,
    *pairs_unseen.PAIRS,
)
ASKED_OF_NONE: tuple[str, ...] = (*pairs.NEAR_MISSES, *pairs_terse.NEAR_MISSES)


class Score(NamedTuple):
    """Shares from 0 to 1; of `leaks`, `near` and `stray`, less is better."""

    recognised: float
    figures: float
    leaks: float
    near: float
    stray: float


def figures_of(pair: Pair) -> list[str]:
    """The figures a pair names, else every number of its notes outside headings."""
    body = "\n".join(line for line in pair.notes.splitlines() if not line.startswith("#"))
    return list(pair.figures) or [figure for figure in FIGURE.findall(body) if figure not in pair.elsewhere]


def score(of: Iterable[Pair], asked_of_none: Iterable[str] = (), near: Iterable[tuple[str, str]] = ()) -> Score:
    """Measure the engine on `of`; `asked_of_none` are questions that none of them answers, `near` name one each."""
    notes = {pair.name: pair for pair in of}
    found = {name: "\n".join(each.content for each in _findings(pair)) for name, pair in notes.items()}
    wanted = [figure in found[name] for name, pair in notes.items() for figure in figures_of(pair)]
    questions = [*((name, pair.question) for name, pair in notes.items()), *(("", asked) for asked in asked_of_none)]
    leaks = [_answers(question, pair) for question, pair in _crossed(questions, notes)]
    missed = [_answers(question, notes[name]) for question, name in near]
    stray = [figure in found[name] for name, pair in notes.items() for figure in pair.elsewhere]
    return Score(_share(map(bool, found.values())), *map(_share, (wanted, leaks, missed, stray)))


def _findings(pair: Pair) -> list[FindingDraft]:
    return findings_of(pair.question, passages_of(pair.notes))


def _crossed(questions: list[tuple[str, str]], notes: dict[str, Pair]) -> Iterator[tuple[str, Pair]]:
    for place, (name, question) in enumerate(questions):
        for at, pair in enumerate(notes.values()):
            if pair.name != name and (place + at) % EVERY == 0:
                yield question, pair


def _answers(question: str, pair: Pair) -> bool:
    return bool(candidates(read_question(question), _passages(pair.notes)))


@cache
def _passages(notes: str) -> list[Passage]:
    return passages_of(notes)


def _share(hits: Iterable[bool]) -> float:
    counted = list(hits)
    return sum(counted) / len(counted) if counted else 0.0


def at_hand() -> Score:
    """The score on the pairs that were at hand while the engine was made."""
    return score(AT_HAND, ASKED_OF_NONE)


def decisive() -> Score:
    """The score on the pairs written by a stranger."""
    return score(pairs_decisive.PAIRS, near=pairs_decisive.NEAR_MISSES)


if __name__ == "__main__":
    for called, measured in (("at hand", at_hand()), ("decisive", decisive())):
        shares = ", ".join(f"{what} {share:.3f}" for what, share in measured._asdict().items())
        sys.stdout.write(f"{called}: {shares}\n")
