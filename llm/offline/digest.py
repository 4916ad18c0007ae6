"""The digest of a file: its important sentences, with their kind (SPEC X2, X3)."""

import re
from typing import Literal

from llm.offline.relevance import is_statement
from llm.roles import DigestAsked, DigestItem, FileDigest
from text.sentences import Sentence, sentences
from text.stemming import numbers

Kind = Literal["fact", "uncertainty", "analysis", "constraint", "case", "definition", "lead", "conflict"]

LIMIT = 180  # characters per item (X6)
MUST_KEEP: tuple[Kind, ...] = ("constraint",)

# Kinds with their cues; the first match wins. A sentence without a cue is a fact if it has a figure.
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
# Cues and text are compared in lower case, which is three times faster than a case-insensitive pattern.
_COMPILED = tuple((kind, re.compile(cue), why) for kind, cue, why in CUES)
_CLAUSE = re.compile(r"[;:—]\s+|,\s+(?=(?:and|but|while|whereas|which|so|because)\b)|,\s+")


def digest(asked: DigestAsked) -> FileDigest:
    """Return the important sentences of a file, in order, each with its segment; segments that are leads are skipped.

    An item is a whole sentence if it fits in `LIMIT` characters. A longer sentence is reduced to the run of whole
    clauses that fits and has most figures, verbatim; if no clause fits, it is cut at a word, with an ellipsis. If there
    are more than `at_most`, constraints and items with figures are kept first.
    """
    items: dict[str, DigestItem] = {}  # by text in lower case
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
    """Return the statements in `text`, each with whether it is a table row."""
    return [
        (one.words, one.kind == "row")
        for one in sentences(text)
        if (numbers(one.text) if one.kind == "row" else is_statement(one) or _is_open_question(one))
    ]


def _beginning(row: str) -> str:
    """Return the first values of a table row that fit into LIMIT characters; they identify the row."""
    at = row.rfind("; ", 0, LIMIT)
    return row[:at] if len(row) > LIMIT and at > 0 else shortened(row)


def _is_open_question(sentence: Sentence) -> bool:
    return sentence.text.endswith("?") and is_statement(sentence._replace(text=sentence.text.rstrip("? ") + "."))


def kind_of(text: str) -> tuple[Kind | None, str]:
    """Return the kind of a sentence and the reason; None if it has no cue and no figure."""
    small = text.lower()
    for kind, cue, why in _COMPILED:
        if cue.search(small) or (kind == "lead" and small.endswith("?")):
            return kind, why
    return ("fact", "carries figures") if numbers(text) else (None, "")


def shortened(text: str, limit: int = LIMIT) -> str:
    """Return `text`, shortened to its most informative part of at most `limit` characters (see `digest`)."""
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
