"""Cleaning up the plan that a model makes: no duplicates, at most seven parts, the academic ones present (SPEC R4).

Near-duplicates are merged into the first of them. In academic mode the first split has a directive for seminal works,
one for recent empirical studies and one for each discipline where there are several; missing ones are added with a
standard wording. The rationale, and so the log, says what was merged, added or left out.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from functools import partial

from llm.roles import Decomposition, Directive
from research.setup.limits import MAX_CHILDREN
from text.stemming import content_stems, language_of

SAME = 0.72  # overlap from which two questions are near-duplicates; the value of SearchBarbara
ALIKE = 0.55  # overlap that is mentioned in the rationale


def overlap(one: str, other: str, beside: str = "") -> float:
    """Return the Jaccard overlap of the words of two texts, 0 to 1, without the words of `beside`, their shared
    context.
    """
    common = words_of(beside)
    left, right = words_of(one), words_of(other)
    if (left - common) or (right - common):
        left, right = left - common, right - common
    return len(left & right) / len(left | right) if left | right else 1.0


def words_of(text: str) -> frozenset[str]:
    """Return the stems of the content words of a text, and its numbers."""
    return content_stems(text, language_of(text)) | frozenset(re.findall(r"\d+", text))


RECENT = 5  # years that count as recent
_SEMINAL = re.compile(r"\b(?:seminal|landmark|foundational|classics?|(?:most|highly|often)[ -]cited)\b", re.IGNORECASE)
_RECENT = re.compile(
    r"\b(?:recent(?:ly)?|latest|newest|(?:last|past) (?:\w+ (?:to|or) )?(?:3|4|5|three|four|five) years)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\b(?:since|from|after) (20\d\d)\b", re.IGNORECASE)
_METHODS = re.compile(r"\b(?:method|design|measure|instrument|approach)", re.IGNORECASE)
_OPEN = re.compile(r"\b(?:gaps?|limit|unknown|open question|disagree|debate|future)", re.IGNORECASE)
_SCOPE = re.compile(r"disciplin\w*:\s*(.+)", re.IGNORECASE)


class Academic:
    """What the first split of an academic run needs to know: the current date and the disciplines in scope."""

    def __init__(self, today: date, disciplines: Sequence[str]) -> None:
        self.today = today
        self.disciplines = list(disciplines) if len(disciplines) > 1 else []

    def needed(self, directives: Sequence[Directive]) -> list[int]:
        """Return the positions of directives that must stay: the most urgent for each thing a plan must have."""
        serves: list[Callable[[Directive], bool]] = [
            is_seminal,
            partial(is_recent, today=self.today),
            *(partial(_is_of, discipline=name) for name in self.disciplines),
        ]
        found = ([place for place, one in enumerate(directives) if fits(one)] for fits in serves)
        best = (min(places, key=lambda place: (directives[place].priority, place)) for places in found if places)
        return list(dict.fromkeys(best))


def clean_plan(question: str, answer: Decomposition, *, first_of: Academic | None = None) -> Decomposition:
    """Return `answer` without near-duplicates, at most MAX_CHILDREN directives; its rationale says what was changed.

    `question` is the question that is split. `first_of` is given for the first split of an academic run: the directives
    it must have are added. When that plan is empty, the question itself becomes a directive too.
    """
    kept, said = _merged(question, [one for one in answer.directives if one.question.strip()])
    if first_of and not kept:
        kept = [Directive(topic="The question as it stands", question=question, perspective="findings", priority=1)]
    required = _missing(question, kept, first_of) if first_of else []
    if required:
        said.append(f"Added, since the plan had none: {_listed(one.topic for one in required)}.")
    kept, left_out = _room_for(kept, MAX_CHILDREN - len(required), first_of)
    if left_out:
        said.append(f"Left out beyond {MAX_CHILDREN}: {_listed(one.topic for one in left_out)}.")
    return Decomposition(directives=[*kept, *required], rationale=" ".join([answer.rationale.strip(), *said]).strip())


def disciplines_of(scope: Sequence[str], boundaries: Sequence[str]) -> list[str]:
    """Return the disciplines of the profile, else those listed by a boundary of the brief ("Disciplines: a, b")."""
    if scope:
        return list(scope)
    found = (match[1] for line in boundaries if (match := _SCOPE.match(line.strip())))
    return [name.strip(" .") for listed in found for name in re.split(r",| and ", listed) if name.strip(" .")]


def is_seminal(directive: Directive) -> bool:
    """Return whether a directive asks for seminal works."""
    return bool(_SEMINAL.search(_text(directive)))


def is_recent(directive: Directive, today: date) -> bool:
    """Return whether a directive asks for recent studies."""
    text = _text(directive)
    return bool(_RECENT.search(text)) or any(int(year) >= today.year - RECENT - 1 for year in _SINCE.findall(text))


def _is_of(directive: Directive, discipline: str) -> bool:
    wanted = words_of(discipline)
    return bool(wanted) and wanted <= words_of(_text(directive))


def _text(directive: Directive) -> str:
    return f"{directive.topic}. {directive.question} {directive.perspective}. {directive.evidence_needed}"


def _merged(question: str, directives: Sequence[Directive]) -> tuple[list[Directive], list[str]]:
    """Return the directives with near-duplicates merged into the first of them, and a sentence on each merge."""
    kept: list[Directive] = []
    said: list[str] = []
    for directive in directives:
        scores = [overlap(_directive_text(one), _directive_text(directive), question) for one in kept]
        nearest = max(range(len(kept)), key=scores.__getitem__, default=-1)
        if nearest >= 0 and scores[nearest] >= SAME:
            said.append(f"Merged “{directive.topic}” into “{kept[nearest].topic}”, which asks nearly the same.")
            kept[nearest] = _joined(kept[nearest], directive)
            continue
        if nearest >= 0 and scores[nearest] >= ALIKE:
            said.append(f"“{directive.topic}” and “{kept[nearest].topic}” overlap.")
        kept.append(directive)
    return kept, said


def _directive_text(directive: Directive) -> str:
    return f"{directive.topic} {directive.question}"


def _joined(one: Directive, other: Directive) -> Directive:
    needed = dict.fromkeys(text for text in (one.evidence_needed.strip(), other.evidence_needed.strip()) if text)
    return one.model_copy(update={"priority": min(one.priority, other.priority), "evidence_needed": "; ".join(needed)})


def _missing(question: str, kept: Sequence[Directive], academic: Academic) -> list[Directive]:
    """Return standard directives for everything that an academic plan must have and `kept` lacks."""
    asked = question.strip().rstrip("?.") + "?"
    missing = []
    if not any(is_seminal(one) for one in kept):
        missing.append(
            Directive(
                topic="Seminal works",
                question=(
                    f"Which works are cited most on this, whatever their age, and what did they establish: {asked}"
                ),
                perspective="theory",
                priority=1,
                evidence_needed="The works cited most, with the theories and frameworks they set out.",
            )
        )
    if not any(is_recent(one, academic.today) for one in kept):
        methods = "" if any(_METHODS.search(_directive_text(one)) for one in kept) else ", with which methods"
        gaps = "" if any(_OPEN.search(_directive_text(one)) for one in kept) else ", and which gaps do they leave"
        since = academic.today.year - RECENT
        missing.append(
            Directive(
                topic="Recent empirical studies",
                question=f"What have empirical studies since {since} found{methods}{gaps}: {asked}",
                perspective="findings",
                priority=1,
                evidence_needed=f"Empirical studies since {since}: designs, sample sizes, effect sizes.",
            )
        )
    missing += [
        Directive(
            topic=f"Research in {name}",
            question=f"What does research in {name} say: {asked}",
            perspective=name,
            priority=1,
            evidence_needed=f"Theories, methods and findings of {name}.",
        )
        for name in academic.disciplines
        if not any(_is_of(one, name) for one in kept)
    ]
    return missing[:MAX_CHILDREN]


def _room_for(
    directives: Sequence[Directive], most: int, academic: Academic | None
) -> tuple[list[Directive], list[Directive]]:
    """Return the `most` directives to keep, in their order, and the others.

    The least urgent are dropped, among equals the last.
    """
    needed = academic.needed(directives) if academic else []
    by_urgency = sorted(range(len(directives)), key=lambda place: (directives[place].priority, place))
    kept = list(dict.fromkeys([*needed, *by_urgency]))[: max(0, most)]
    others = [one for position, one in enumerate(directives) if position not in kept]
    return [directives[position] for position in sorted(kept)], others


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"“{name}”" for name in names)
