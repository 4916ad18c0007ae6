"""What a model is shown of the person's own files outside digest calls: single sentences, never a page (SPEC X6).

Full texts stay in the database. A passage of a file goes to a model as its pieces nearest to the question, each word
for word; quotes that a model returns are looked up in the full text. The offline engine, also when it stands in for a
model, reads whole passages: nothing leaves the machine.

All prompts, in every role, are written here, so no caller can forget the limit (docs/decisions/file-excerpts.md).
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

from asgiref.sync import sync_to_async
from pydantic import BaseModel

from claims.quotes import Span
from claims.verification import PassageWithSpans
from core.grouping import grouped
from llm.offline.digest import shortened
from llm.offline.study_methods import assess
from llm.prompt import Prompt
from llm.roles import (
    AssessAsked,
    ClaimToCheck,
    CondenseAsked,
    DecomposeAsked,
    DigestItem,
    Faulty,
    Passage,
    RepairAsked,
    RoleRequest,
    VerifyAsked,
)
from research.models import Passage as StoredPassage
from research.models import Run, Source
from research.nearest_texts import nearness
from research.prompts.build import prompt_for
from research.run_context.copied_text import RepeatedTextIndex
from research.run_context.text_pieces import LENGTH, LIMIT, Piece, cut, joined_pieces, pieces_of

A = TypeVar("A", bound=RoleRequest[Any])
P = TypeVar("P", bound=Passage)

MOST = 6  # pieces of a passage
CARRIED = 0.5  # share of a piece's score that is added to the next piece of its paragraph: "It fell to 3.1 %."
OF_ALL = 0.5  # share of the best score of a paragraph that is added to each of its pieces
AROUND = 2  # pieces nearest to a claim, besides the words it rests on and their neighbours
OF_A_STUDY = 14  # pieces of a file that describe how a study was made
_METHODS = "method design sample participants randomised trial cohort survey effect significance limitation bias"
_ROW = ("source_id", "document", "offset", "text")
_JOINED = re.compile(r"\s*(?:\[…\]|…|\[?\.{3}\]?)\s*")


class Named(Protocol):
    """A file of a run."""

    @property
    def id(self) -> str: ...


class ShowsFiles(Protocol):
    """What must be known of a run to decide what a model is shown of its files (RunContext implements it)."""

    run: Run
    digest: list[DigestItem]
    bodies: RepeatedTextIndex | None

    @property
    def files(self) -> Sequence[Named]: ...

    @property
    def uses_model(self) -> bool: ...

    @property
    def academic(self) -> bool: ...


def passages_for_model(inquiry: ShowsFiles, passages: Sequence[P], near: str, most: int = MOST) -> list[P]:
    """Return `passages` as a model may read them: of a file's passage, at most `most` pieces, those nearest to `near`.

    Notes of the aggregate digest that stand in a passage word for word come before other pieces. Passages of published
    works stay whole, and for the offline engine all passages do.
    """
    if not inquiry.uses_model:
        return list(passages)
    places = [_places(passage, inquiry.digest) if passage.is_file else [] for passage in passages]
    texts = [passage.text[at.start : at.end] for passage, of in zip(passages, places, strict=True) for at in of]
    scores = iter(nearness(near, texts))  # how rare a word is, is counted over the pieces of all of them
    ranked = [_ranked(of, [next(scores) for _ in of]) for of in places]
    return [
        _with(passage, _without_overlaps(of, most), with_heads=most > 1) if passage.is_file else passage
        for passage, of in zip(passages, ranked, strict=True)
    ]


async def question_narrower(inquiry: ShowsFiles, asked: RoleRequest[Any]) -> Callable[[A], A]:
    """Return the function that turns a question, `asked` or a shorter version of it, into the form a model may see.

    Passages of files are narrowed. Elsewhere, notes are shortened to LIMIT characters, and any run of more than LIMIT
    characters that repeats a file is cut: findings of the offline engine, which quotes, and sentences of a report.
    """
    if not inquiry.uses_model or not inquiry.files or asked.role == "digest":
        return lambda one: one
    own = getattr(asked, "question", "")  # written by the person, so it may repeat a file
    if inquiry.bodies is None and _is_long(asked, own):
        texts = await sync_to_async(_texts)(inquiry)
        inquiry.bodies = await asyncio.to_thread(RepeatedTextIndex, texts, LIMIT)
    bodies = inquiry.bodies or RepeatedTextIndex([], LIMIT)
    return lambda one: _kept_back(narrowed(inquiry, one), bodies, own)


async def prompt_shown(inquiry: ShowsFiles, asked: RoleRequest[Any]) -> Prompt:
    """Return the prompt that asks a model `asked`, with no more of the person's files than it may see."""
    shown_to_it: Callable[[RoleRequest[Any]], RoleRequest[Any]] = await question_narrower(inquiry, asked)
    return await asyncio.to_thread(lambda: prompt_for(shown_to_it(asked), academic=inquiry.academic))


def quote_span(quote: str, text: str, *, is_file: bool) -> Span | None:
    """Return where `text` contains the quote that a finding rests on; None when it does not.

    A quote from a file may join several pieces with the mark between them. All of its parts must be in `text`; the span
    is that of the longest part.
    """
    at = text.find(quote) if quote.strip() else -1
    if at >= 0:
        return Span(at, at + len(quote))
    parts = [part.strip() for part in _JOINED.split(quote) if part.strip()] if is_file else []
    if not parts or any(part not in text for part in parts):
        return None
    longest = max(parts, key=len)
    at = text.index(longest)
    return Span(at, at + len(longest))


# Passages


def _places(passage: Passage, items: Iterable[DigestItem]) -> list[Piece]:
    """Return the pieces of a passage that may be shown: notes that it contains word for word, then its own pieces.

    Notes longer than LENGTH are left out.
    """
    said = (item.text for item in items if passage.source_id in item.sources and 0 < len(item.text) <= LENGTH)
    notes = [Piece(at, at + len(text), is_note=True) for text in said if (at := passage.text.find(text)) >= 0]
    return [*notes, *pieces_of(passage.text)]


def _ranked(places: Sequence[Piece], scores: Sequence[float]) -> list[Piece]:
    """Return the pieces, nearest first. Notes that share a word with the question come before everything else.

    Among equals, the earlier piece comes first.
    """
    whole = _in_context(places, scores)

    def rank(n: int) -> tuple[bool, float, bool]:
        is_near_note = places[n].is_note and scores[n] > 0
        return not is_near_note, -whole[n], not places[n].is_note

    return [places[n] for n in sorted(range(len(places)), key=rank)]


def _in_context(places: Sequence[Piece], scores: Sequence[float]) -> list[float]:
    """Return the score of each piece, raised by the piece before it and by the best piece of its paragraph.

    Notes keep their own score.
    """
    best: dict[int, float] = {}
    for place, score in zip(places, scores, strict=True):
        best[place.block] = max(score, best.get(place.block, 0.0))
    whole = []
    block, carried = -1, 0.0
    for place, score in zip(places, scores, strict=True):
        carried = carried if place.block == block else 0.0
        whole.append(score if place.is_note else score + CARRIED * carried + OF_ALL * best[place.block])
        block, carried = place.block, max(score, CARRIED * carried)
    return whole


def _without_overlaps(places: Iterable[Piece], most: int | None = None) -> list[Piece]:
    """Return the first `most` of `places` (all of them for None), leaving out any that overlaps an earlier one."""
    kept: list[Piece] = []
    for place in places:
        if len(kept) != most and not any(place.overlaps(one) for one in kept):
            kept.append(place)
    return kept


def _with(passage: P, places: Sequence[Piece], *, with_heads: bool = True) -> P:
    """Return `passage` reduced to `places`, which do not overlap, and the head rows of the tables they are in."""
    if with_heads:
        heads = {place.head for place in places if place.head}
        places = _without_overlaps([*places, *(Piece(*head) for head in sorted(heads))])
    text = passage.text if len(passage.text) <= LENGTH else joined_pieces(passage.text, [at.span for at in places])
    return passage.model_copy(update={"text": text, "heading": shortened(passage.heading)})


# Narrowing the question of each role


def narrowed(inquiry: ShowsFiles, asked: RoleRequest[Any]) -> Any:
    """Return `asked` with its passages of files reduced to the pieces it is about."""
    match asked:
        case CondenseAsked() | DecomposeAsked():
            return asked.model_copy(
                update={"passages": passages_for_model(inquiry, asked.passages, asked.node_question)}
            )
        case VerifyAsked():
            return asked.model_copy(update={"claims": _resting(asked.claims)})
        case RepairAsked():
            return asked.model_copy(update={"sentences": _resting(asked.sentences)})
        case AssessAsked(is_file=True):
            return asked.model_copy(update={"text": _of_a_study(asked)})
        case _:
            return asked


Sentence = ClaimToCheck | Faulty


def _resting(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences of a report with their file passages reduced to the words they rest on and the pieces near them.

    A passage is shown once for all sentences of a question (research/prompts), so it holds the pieces for each of them.
    """
    rests: dict[str, list[Piece]] = {}
    beside: dict[str, list[Piece]] = {}
    for sentence in sentences:
        for passage in sentence.passages:
            if passage.is_file:
                words, around = _evidence_pieces(sentence, passage)
                rests.setdefault(passage.source_id, []).extend(words)
                beside.setdefault(passage.source_id, []).extend(around)
    kept = {source_id: _without_overlaps([*rests[source_id], *beside[source_id]]) for source_id in rests}

    def told(passage: Passage) -> Passage:
        return _with(passage, kept[passage.source_id]) if passage.is_file else passage

    return [one.model_copy(update={"passages": [told(passage) for passage in one.passages]}) for one in sentences]


def _evidence_pieces(sentence: Sentence, passage: Passage) -> tuple[list[Piece], list[Piece]]:
    """Return the words of `passage` that a sentence rests on, and the pieces around and nearest to them."""
    text, pieces = passage.text, pieces_of(passage.text)
    words: list[Piece] = []
    around: list[Piece] = []
    for start, end in passage.places if isinstance(passage, PassageWithSpans) else ():
        words += [Piece(*span) for span in cut(text, start, end)]
        around += [piece for piece in pieces if piece.end <= start][-1:]
        around += [piece for piece in pieces if piece.start >= end][:1]
    ranked = _ranked(pieces, nearness(sentence.text, [text[at.start : at.end] for at in pieces]))
    return words, [*around, *ranked[:AROUND]]


def _of_a_study(asked: AssessAsked) -> str:
    """Return the pieces of a study's text that describe how it was made.

    First come those that the offline engine recognises, then those nearest to words about methods.
    """
    text, pieces = asked.text, pieces_of(asked.text)
    told = [Span(at, at + len(note.quote)) for note in assess(asked).notes if (at := text.find(note.quote)) >= 0]
    cued = [piece for piece in pieces if any(piece.start < end and start < piece.end for start, end in told)]
    ranked = _ranked(pieces, nearness(_METHODS, [text[at.start : at.end] for at in pieces]))
    kept = _without_overlaps([*cued, *ranked], OF_A_STUDY)
    return text if len(text) <= LENGTH else joined_pieces(text, [at.span for at in kept])


# Everything else in a prompt


def _kept_back(value: Any, bodies: RepeatedTextIndex, own: str) -> Any:
    """Return `value`, any part of a question, with notes shortened and long repeats of a file cut, except in `own`."""
    match value:
        case str():
            return value if value == own else bodies.without_runs(value)
        case DigestItem():
            return value.model_copy(
                update={"text": shortened(value.text), "why_relevant": shortened(value.why_relevant)}
            )
        case AssessAsked(is_file=False) | Passage(is_file=False):
            return value
        case Passage():
            return value.model_copy(
                update={"text": bodies.without_runs(value.text), "heading": shortened(value.heading)}
            )
        case BaseModel():
            return value.model_copy(update={field: _kept_back(part, bodies, own) for field, part in value})
        case list():
            return [_kept_back(part, bodies, own) for part in value]
        case dict():
            return {key: _kept_back(part, bodies, own) for key, part in value.items()}
        case _:
            return value


def _is_long(value: Any, own: str) -> bool:
    """Return whether any text in a question, other than `own` and notes, could repeat too much of a file."""
    match value:
        case str():
            return len(value) > LIMIT and value != own
        case DigestItem() | AssessAsked(is_file=False) | Passage(is_file=False):
            return False
        case BaseModel() | dict():
            return any(_is_long(part, own) for part in dict(value).values())
        case list():
            return any(_is_long(part, own) for part in value)
        case _:
            return False


def _texts(inquiry: ShowsFiles) -> list[str]:
    """Return the stored text of each file of the run, consecutive passages joined.

    For a deleted file, only the passages that the run has found are left.
    """
    rows = StoredPassage.objects.filter(file__in=[bound.id for bound in inquiry.files]).values_list(*_ROW)
    found = inquiry.run.sources.filter(kind=Source.Kind.FILE).values_list(*_ROW)
    stored = {id: (document, offset, text) for id, document, offset, text in [*rows, *found]}
    texts = grouped((document, text) for document, _, text in sorted(stored.values()))
    return [" ".join(pieces) for pieces in texts.values()]
