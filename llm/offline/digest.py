"""What a file holds, sentence by sentence (SPEC X2, X3)."""

import re
from typing import Literal

from llm.offline.relevance import is_statement
from llm.roles import DigestAsked, DigestItem, FileDigest
from text.sentences import Sentence, sentences
from text.stemming import numbers

Kind = Literal["fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict"]

LIMIT = 180  # characters of an item (X6)
MUST_KEEP: tuple[Kind, ...] = ("constraint",)

# Kinds by cue; the first that fits. What no cue marks is a fact when it carries a figure.
CUES: tuple[tuple[Kind, str, str], ...] = (
    (
        "definition",
        r"\b(?:is|are|was|were) defined as\b|\brefers? to\b|\bdefinition\b|\bis understood as\b|\bmeans that\b",
        "says what a term means",
    ),
    (
        "lead",
        r"\bfuture (?:work|research|studies|trials)\b|\bshould be (?:studied|examined|tested|investigated)\b|"
        r"\bfurther (?:research|studies|work)\b|\b(?:worth|needs?) (?:checking|looking|following)\b",
        "points to something to look up",
    ),
    (
        "conflict",
        r"\b(?:however|in contrast|by contrast|on the contrary|contradict\w*|disagree\w*|conflict\w*|"
        r"inconsistent|disputed)\b",
        "names a conflict",
    ),
    (
        "constraint",
        r"\b(?:must|shall|may only|not allowed|exclud\w+|inclusion criteri\w+|only (?:include|use|adults|"
        r"patients)|at least|"
        r"at most|no more than|required|never count|do not use)\b",
        "sets a condition",
    ),
    (
        "uncertainty",
        r"\b(?:may|might|could|unclear|uncertain\w*|not (?:yet )?known|unknown|possibly|perhaps|probably|"
        r"cannot explain|"
        r"limit(?:s|ed|ation|ations)|not conclusive|bias\w*|confound\w*)\b",
        "says how far it can be trusted",
    ),
    ("case", r"\b(?:case (?:report|study|series)|for example|e\.g\.|for instance|one patient)\b", "tells of a case"),
    (
        "analysis",
        r"\b(?:regression|meta-analys\w+|fixed[- ]effects?|random[- ]effects?|sensitivity analys\w+|subgroup|"
        r"odds ratio|"
        r"hazard ratio|rate ratio|confidence interval|adjusted|modell?ed|correlat\w+|p\s*[<=>]\s*0?\.\d+)\b",
        "reports an analysis",
    ),
)
# In small letters, and searched for in small letters: thrice as quick as one that is told to disregard case.
_COMPILED = tuple((kind, re.compile(cue), why) for kind, cue, why in CUES)
_CLAUSE = re.compile(r"[;:—]\s+|,\s+(?=(?:and|but|while|whereas|which|so|because)\b)|,\s+")


def digest(asked: DigestAsked) -> FileDigest:
    """Return the sentences of a file that are worth knowing, in their order, each with the segment it stands in; none of a lead.

    An item is a whole sentence when it fits in `LIMIT` characters. Of a longer one it is the run of whole clauses
    that fits and carries most figures, still word for word; only where no clause fits is it cut at a word, with
    an ellipsis. Above `at_most`, constraints and items with figures stay.
    """
    items: dict[str, DigestItem] = {}  # by what is said, in small letters
    for segment in asked.segments:
        for text, is_row in [] if segment.is_lead else _statements(segment.text):
            kind, why = kind_of(text)
            if kind and text.casefold() not in items:
                items[text.casefold()] = DigestItem(
                    kind=kind,
                    text=_beginning(text) if is_row else shortened(text),
                    sources=[segment.id],
                    why_relevant=why,
                )
    ranks = [0 if item.kind in MUST_KEEP else 1 if numbers(item.text) else 2 for item in items.values()]
    kept = {*sorted(range(len(ranks)), key=ranks.__getitem__)[: max(0, asked.at_most)]}
    return FileDigest(items=[item for place, item in enumerate(items.values()) if place in kept])


def _statements(text: str) -> list[tuple[str, bool]]:
    """Return what is said in `text`, and whether each is a row of a table."""
    return [
        (one.words, one.kind == "row")
        for one in sentences(text)
        if (numbers(one.text) if one.kind == "row" else is_statement(one) or _is_open_question(one))
    ]


def _beginning(row: str) -> str:
    """As many values of a row as fit into LIMIT characters, the first ones: they say what it is a row of."""
    at = row.rfind("; ", 0, LIMIT)
    return row[:at] if len(row) > LIMIT and at > 0 else shortened(row)


def _is_open_question(sentence: Sentence) -> bool:
    return sentence.text.endswith("?") and is_statement(sentence._replace(text=sentence.text.rstrip("? ") + "."))


def kind_of(text: str) -> tuple[Kind | None, str]:
    """Return the kind of a sentence and why it is worth knowing; None when nothing marks it."""
    small = text.lower()
    for kind, cue, why in _COMPILED:
        if cue.search(small) or (kind == "lead" and small.endswith("?")):
            return kind, why
    return ("fact", "carries figures") if numbers(text) else (None, "")


def shortened(text: str, limit: int = LIMIT) -> str:
    """`text`, or the part of it of at most `limit` characters that says most (see `digest`)."""
    if len(text) <= limit:
        return text
    starts = [0, *(match.end() for match in _CLAUSE.finditer(text))]
    ends = [*(match.start() for match in _CLAUSE.finditer(text)), len(text)]
    spans = [
        (len(numbers(text[start:end])), end - start, start, end)
        for first, start in enumerate(starts)
        for end in ends[first:]
        if 25 <= end - start <= limit
    ]
    if not spans:
        return text[: limit - 1].rsplit(" ", 1)[0] + "…"
    _, _, start, end = max(spans, key=lambda span: (span[0], span[1], -span[2]))
    return text[start:end]
