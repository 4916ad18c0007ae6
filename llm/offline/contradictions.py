"""Finding contradictions between sentences of different sources, studies or sections, quoted verbatim (SPEC R7)."""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from llm.offline.question import Question
from llm.offline.relevance import Candidate
from llm.offline.study_detection import OWN, studies_in
from llm.roles import ContradictionDraft, SideDraft

ABOUT = 3  # terms that name the topic of a contradiction
CONSIDERED = 120  # sentences with a direction or an interval, in reading order

_NONE = re.compile(
    r"\b(?:did not (?:differ|change|reduce|increase|improve|affect)|(?:no|without|"
    r"little) (?:\w+ ){0,2}(?:effect|difference|benefit|change|evidence|"
    r"association|improvement|reduction|increase)|not (?:significant(?:ly)?|associated|different|effective)|"
    r"unchanged|made no difference|"
    r"does not|do not|failed to|was not reduced|were not reduced|ineffective)\b",
    re.IGNORECASE,
)
_DOWN = re.compile(
    r"\b(?:reduc\w+|decreas\w+|lower\w*|fell|fall\w*|declin\w+|drop\w*|fewer|less|shorten\w*|prevent\w*|halv\w+|"
    r"cut|shrank|worse\w*)\b",
    re.IGNORECASE,
)
_UP = re.compile(
    r"\b(?:increas\w+|rais\w+|higher|rose|rise\w*|grew|grow\w*|more|longer|doubl\w+|gain\w*|greater|improv\w+|"
    r"exceed\w*|better)\b",
    re.IGNORECASE,
)
_NUMBER = r"[-−]?\d+(?:\.\d+)?"
_MEASURE = (
    r"(odds ratio|rate ratio|hazard ratio|risk ratio|relative risk|risk difference|mean difference|"
    r"standardi[sz]ed mean difference|"
    r"incidence rate ratio|prevalence|correlation)"
)
_INTERVAL = re.compile(
    rf"{_MEASURE}[^.;()]{{0,40}}?{_NUMBER}\s*[(\[][^()\[\]]*?({_NUMBER})\s*(?:to|–|-|,|and)\s*({_NUMBER})\s*[)\]]",
    re.IGNORECASE,
)


class _Side(NamedTuple):
    """A sentence with the direction of its effect and its intervals by measure."""

    candidate: Candidate
    direction: str  # up, down, none, ""
    intervals: dict[str, tuple[float, float]]


def contradictions(question: Question, found: Sequence[Candidate]) -> list[ContradictionDraft]:
    """Return pairs of sentences on the same terms with opposite directions or disjoint intervals.

    They come from different documents, or from different studies or sections of one document. Strongest first:
    disjoint intervals, then most shared terms, then reading order.
    """
    sides = [side for side in map(_side, found) if side.direction or side.intervals][:CONSIDERED]
    opposed = []
    pairs = combinations(sides, 2)
    for left, right in (pair for pair in pairs if _are_apart(pair[0].candidate, pair[1].candidate)):
        shared = _common_ground(question, left.candidate, right.candidate)
        disjoint = _disjoint(left, right)
        is_against = left.direction and right.direction and left.direction != right.direction
        if shared and (disjoint or is_against):
            opposed.append((not disjoint, -shared, left.candidate, right.candidate))
    opposed.sort(key=lambda each: (*each[:2], each[2].order, each[3].order))
    drafts, used = [], set[int]()
    for *_, first, second in opposed:
        orders = {first.order, second.order}
        if not orders & used:
            used |= orders
            drafts.append(_draft(question, first, second))
    return drafts


def _are_apart(left: Candidate, right: Candidate) -> bool:
    """Return whether two sentences can contradict each other: they must not be about one study in one section."""
    if left.passage.document != right.passage.document:
        return True
    one, other = _study(left), _study(right)
    if one is None or other is None:
        return False  # the study is unknown
    return one != other or (one == OWN and _section(left) != _section(right))


def _study(candidate: Candidate) -> str | None:
    """Return the name of the study that the sentence is about; OWN for the document's own study, None if unknown."""
    studies = studies_in(candidate.passage.text)
    key = studies.at(candidate.sentence.start, candidate.sentence.end)
    return studies.names.get(key, OWN) if key is not None else None


def _section(candidate: Candidate) -> tuple[str, str]:
    return candidate.passage.heading, candidate.sentence.heading


def _side(candidate: Candidate) -> _Side:
    text = candidate.sentence.text
    if candidate.sentence.kind in ("table", "row"):
        return _Side(candidate, "", {})
    intervals = {}
    for measure, *bounds in _INTERVAL.findall(text):
        low, high = sorted(float(bound.replace("−", "-")) for bound in bounds)
        intervals[measure.casefold()] = (low, high)
    return _Side(candidate, _direction(text), intervals)


def _direction(text: str) -> str:
    if _NONE.search(text):
        return "none"
    down, up = bool(_DOWN.search(text)), bool(_UP.search(text))
    return "" if down == up else "down" if down else "up"


def _disjoint(left: _Side, right: _Side) -> bool:
    return any(
        low > right.intervals[measure][1] or high < right.intervals[measure][0]
        for measure, (low, high) in left.intervals.items()
        if measure in right.intervals
    )


def _common_ground(question: Question, left: Candidate, right: Candidate) -> int:
    """Return the number of terms that both sentences name, or 0 if they do not share the question's topic.

    Both sentences must name an outcome of the question (any specific term if it has no outcome), and their paragraphs
    must share a specific term.
    """
    both = left.shared & right.shared
    ends = {term.stem for term in question.parts.get("outcome", ()) if term.kind != "generic"}
    specific = {term.stem for term in question.specific}
    around = (left.context | left.shared) & (right.context | right.shared) & specific
    if not around or not both & (ends or specific):
        return 0
    return len(both) + len(left.stems & right.stems)


def _draft(question: Question, first: Candidate, second: Candidate) -> ContradictionDraft:
    shared = first.shared & second.shared
    return ContradictionDraft(
        description=" ".join(
            f"{each.passage.title or each.passage.document} says: “{each.sentence.words}”" for each in (first, second)
        ),
        source_ids=list(dict.fromkeys([first.passage.source_id, second.passage.source_id])),
        about=", ".join([term.surface for term in question.terms if term.stem in shared][:ABOUT]),
        sides=[SideDraft(says=each.sentence.words, source_ids=[each.passage.source_id]) for each in (first, second)],
    )
