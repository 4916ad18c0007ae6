"""The notes of a run's files combined: the notes it works with, an index of them, and a revision hash (SPEC X3).

The result depends only on the notes taken from the files, so the same notes give the same bundle, also when a run is
replayed from its log.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import dropwhile
from typing import Any

from llm.offline.aggregate import aggregate as best_of
from llm.offline.aggregate import document_of, must_keep, nearness, says_the_same
from llm.roles import AggregateAsked, Aggregated, DigestItem
from text.stemming import content_stems, content_tokens, language_of, numbers
from text.vocabulary import STOP_WORDS

# The limits of the notes for the main question of a run (SPEC X4): enough for a model to plan with.
MOST_ITEMS = 40
MOST_CHARACTERS = 9_000
# Notes from which a model chooses in one request, about 20,000 tokens; of more, those nearest to the question.
WEIGHED = 300
WEIGHED_CHARACTERS = 60_000
LONGEST = 180  # characters of a note (SPEC X6)
SUMMARY = 3  # notes in the summary of a file
_TAGS, _ENTITIES = 20, 60
_ALIKE = 0.3  # Jaccard similarity of stems from which a model may merge two notes
_CLAIMS = ("fact", "uncertainty", "analysis", "case", "conflict")

_NAME = re.compile(r"\b[A-ZÀ-ÞΑ-Ω][\w'’-]*[a-zà-ÿα-ω][\w'’-]*(?: (?:of |de |van |von )?[A-ZÀ-ÞΑ-Ω][\w'’-]+)*")
_ACRONYM = re.compile(r"\b[A-Z][A-Z0-9]+(?:-[A-Z0-9]+)*\b")
_MEASURED = re.compile(
    r"(?<![\w.,])[-−]?\d+(?:[.,]\d+)*\s?(?:%|‰|°C|[kmµμn]?g|[kcmµμn]?m|[mµμ]?[lL]|[kM]?W|[kM]?J|[kM]?Hz|ha|t|s|ms|min"
    r"|h|years?|months?|weeks?|days?|hours?|minutes?|USD|EUR|GBP)(?:/[a-zA-Z]+[²³]?)?(?![\w²³])"
)


def shortened_note(text: str, most: int = LONGEST) -> str:
    """Return `text`, shortened after the last word that fits into `most` characters, with an ellipsis."""
    text = text.strip()
    if len(text) <= most:
        return text
    cut = text[: most - 1]
    if not text[most - 1].isspace() and len(words := cut.rsplit(None, 1)) > 1:
        cut = words[0]
    return cut.rstrip() + "…"


def places_that_fit(
    items: Sequence[DigestItem], places: Iterable[int], most: int, characters: int, chosen: Iterable[int] = ()
) -> list[int]:
    """Return the sorted places of the `chosen` notes and of as many others as fit, tried in the order of `places`."""
    kept = list(chosen)
    for place in places:
        if len(kept) < most and sum(len(items[one].text) for one in (*kept, place)) <= characters:
            kept.append(place)
    return sorted(kept)


def fits(items: Sequence[DigestItem]) -> bool:
    """Return whether all of `items` are within the limits of a run."""
    return len(items) <= MOST_ITEMS and sum(len(item.text) for item in items) <= MOST_CHARACTERS


def notes_for_choice(question: str, items: Sequence[DigestItem]) -> list[DigestItem]:
    """Return the notes from which a model chooses: all or, if they are too many, those the offline engine selects."""
    if len(items) <= WEIGHED and sum(len(item.text) for item in items) <= WEIGHED_CHARACTERS:
        return list(items)
    asked = AggregateAsked(question=question, items=list(items), at_most=WEIGHED, characters=WEIGHED_CHARACTERS)
    return [_merged([items[number - 1] for number in note.items]) for note in best_of(asked).notes]


def aggregate(asked: AggregateAsked, answer: Aggregated) -> list[DigestItem]:
    """Return the notes of `asked` that an engine's `answer` selects, checked against the given notes (SPEC R18).

    A note keeps the words of a given note, and gets the sources of all that say the same: notes are merged only when
    they have the same figures and words in common. A conflict is a new note; it is accepted when it names notes of two
    files, shares words with each and has no figure that they do not have. Omitted constraints are added again. At most
    `asked.at_most` notes and `asked.characters` characters; required notes are dropped last.
    """
    kept: list[DigestItem] = []
    used: set[int] = set()
    for note in answer.notes:
        places = [number - 1 for number in dict.fromkeys(note.items) if 0 < number <= len(asked.items)]
        unused = [place for place in places if place not in used]
        if note.conflict.strip():
            kept += _conflict(note.conflict, [asked.items[place] for place in places])
        elif unused:
            first = asked.items[unused[0]]
            alike = [
                place for place in unused if place == unused[0] or says_the_same(first, asked.items[place], _ALIKE)
            ]
            kept.append(_merged([asked.items[place] for place in alike]))
            used.update(alike)
    needed = [
        asked.items[place] for place in must_keep(asked.question, asked.items, asked.at_most) if place not in used
    ]
    return _within([*needed, *kept], {item.text for item in needed}, asked)


def summary(question: str, items: Sequence[DigestItem]) -> list[DigestItem]:
    """Return the SUMMARY notes that stand for a file: the nearest to `question`, then those with figures."""
    scores = nearness(question, items)
    best = sorted(range(len(items)), key=lambda place: (-scores[place], not numbers(items[place].text), place))
    return [items[place] for place in sorted(best[:SUMMARY])]


def routing_index(items: Sequence[DigestItem]) -> dict[str, Any]:
    """Return the topics of the notes (SPEC X3): {claims: [{text, sources}], tags, entities, sources}.

    Tags are the content words that most notes share; entities are names, acronyms and measured figures as written. Both
    are sorted by frequency.
    """
    return {
        "claims": [{"text": item.text, "sources": item.sources} for item in items if item.kind in _CLAIMS],
        "tags": _tags(items),
        "entities": _entities(items),
        "sources": _sources(items),
    }


def revision(files: Iterable[Mapping[str, Any]], reader_version: int) -> str:
    """Return a hash of the bundle's content, 64 hexadecimal digits, which does not depend on the order of the files.

    It covers the reader version, and the name, sha256, format and status of each file.
    """
    content = sorted([file["name"], file["sha256"], file["format"], file["status"]] for file in files)
    said = json.dumps([reader_version, content], ensure_ascii=False, separators=(",", ":"))
    return sha256(said.encode()).hexdigest()


def _conflict(said: str, items: Sequence[DigestItem]) -> list[DigestItem]:
    """Return a note of kind conflict with the text `said`; none when `items` do not support it."""
    text = shortened_note(" ".join(said.split()))
    stems = content_stems(text, language_of(text))
    is_borne_out = (
        len({document_of(item) for item in items}) > 1
        and numbers(text) <= frozenset().union(*(numbers(item.text) for item in items))
        and all(stems & content_stems(item.text, language_of(item.text)) for item in items)
    )
    return (
        [DigestItem(kind="conflict", text=text, sources=_sources(items), why_relevant="The files disagree.")]
        if is_borne_out
        else []
    )


def _merged(items: Sequence[DigestItem]) -> DigestItem:
    """Return one note for notes that say the same: in the words of the first, or of the constraint among them."""
    if len(items) == 1:
        return items[0]
    first = next((item for item in items if item.kind == "constraint"), items[0])
    return first.model_copy(update={"sources": _sources(items)})


def _sources(items: Iterable[DigestItem]) -> list[str]:
    return list(dict.fromkeys(source for item in items for source in item.sources))


def _within(items: Sequence[DigestItem], needed: set[str], asked: AggregateAsked) -> list[DigestItem]:
    """Return those of `items` that fit, in order; constraints are tried first, then `needed` texts, then the rest."""

    def turn(place: int) -> tuple[int, int]:
        item = items[place]
        return (1 if item.text in needed else 0 if item.kind == "constraint" else 2), place

    places = sorted(range(len(items)), key=turn)
    return [items[place] for place in places_that_fit(items, places, asked.at_most, asked.characters)]


def _tags(items: Sequence[DigestItem]) -> list[str]:
    holding: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    for item in items:
        found = content_tokens(item.text, language_of(item.text))
        holding.update(dict.fromkeys((token.stem for token in found), 1))
        for token in found:
            written.setdefault(token.stem, Counter())[token.surface.casefold()] += 1
    return [written[stem].most_common(1)[0][0] for stem, _ in holding.most_common(_TAGS)]


def _entities(items: Sequence[DigestItem]) -> list[str]:
    found = Counter(name for item in items for name in dict.fromkeys(_named_in(item.text)))
    return [name for name, _ in found.most_common(_ENTITIES)]


def _named_in(text: str) -> list[str]:
    """Return the names, acronyms and measured figures in a text.

    The first word of a sentence and German nouns are capitalised anyway, so a single such word is not taken for a name.
    """
    language = language_of(text)
    stopped = STOP_WORDS.get(language, STOP_WORDS["en"])
    names: list[str] = []
    for match in _NAME.finditer(text):
        words = list(dropwhile(lambda word: word.casefold() in stopped, match.group().split()))
        is_first = len(words) == 1 and _begins_sentence(text, match.start())
        if words and (len(words) > 1 or not (is_first or language == "de")):
            names.append(" ".join(words))
    return [*names, *_ACRONYM.findall(text), *(" ".join(one.split()) for one in _MEASURED.findall(text))]


def _begins_sentence(text: str, at: int) -> bool:
    before = text[:at].rstrip(" \t\n\"'“‘(*_[")
    return not before or before[-1] in ".!?:;|•…"
