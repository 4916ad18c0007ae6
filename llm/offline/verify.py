"""Verification: whether the stored passage says what the report says, by comparing words and figures (SPEC R11)."""

import re
from collections.abc import Iterator

from llm.roles import ClaimToCheck, ClaimVerdict, Passage, RepairAsked, Repaired, Verification, VerifyAsked
from text.sentences import sentences
from text.stemming import content_stems, language_of, numbers

MOST = 0.6  # share of a claim's content words that a passage must contain for PARTIALLY
ALIKE = 0.8  # share of common words from which two sentences count as one sentence with a change
_HEADING_LINE = re.compile(r"^[ \t]*#{1,6}[ \t].*$", re.MULTILINE)
_MARKERS = re.compile(r"\[\[[^\]]*\]\]|\\(?=\[)")
_EDGE = re.compile(r"^[\s|>*+-]*(?=[^\s|>*+-])|(?<=\s)\|\s*$")
_QUOTED = re.compile(r"[“\"]([^“”\"]{3,})[”\"]")
_NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|none|hardly|nicht|kein\w*|ne|pas|sin|nunca)\b|n['’]t\b",
    re.IGNORECASE,
)


def verify(asked: VerifyAsked) -> Verification:
    """Return a verdict for each claim, compared only with the passages it cites."""
    return Verification(verdicts=[_verdict(claim) for claim in asked.claims])


def repair(asked: RepairAsked) -> Repaired:
    """Return no corrections: this engine only quotes, and a correction would be a new sentence."""
    return Repaired()


def _verdict(claim: ClaimToCheck) -> ClaimVerdict:
    text = claim_text(claim.text)
    if not text.strip():
        return ClaimVerdict(id=claim.id, verdict="UNSUPPORTED", reason="There is no statement to check.")
    for passage in claim.passages:
        if quote := verbatim(text, passage.text):
            return ClaimVerdict(
                id=claim.id,
                verdict="SUPPORTED",
                source_id=passage.source_id,
                quote=quote,
                reason="The words stand in the source.",
            )
    if changed := _changed(claim, text):
        return changed
    for words in _QUOTED.findall(text):
        if not any(verbatim(words, passage.text) for passage in claim.passages):
            return ClaimVerdict(
                id=claim.id,
                verdict="UNSUPPORTED",
                reason=f"The quoted words “{words[:80]}” do not stand in the source.",
            )
    return _partly(claim, text)


def claim_text(text: str) -> str:
    """Return the claim without heading lines, list and table marks at its edges, and citation markers."""
    bare = _MARKERS.sub("", _HEADING_LINE.sub("", text)).strip()
    while bare.startswith("|\n"):
        bare = bare[2:].lstrip()
    return bare


def verbatim(words: str, text: str) -> str:
    """Return the part of `text` that equals `words` except for white space, exactly as written, or ""."""
    for tried in dict.fromkeys((words.strip(), _EDGE.sub("", words.strip()).strip())):
        parts = tried.split()
        if parts and (match := re.search(r"\s+".join(map(re.escape, parts)), text)):
            return match.group()
    return ""


def _alike(text: str, passages: list[Passage]) -> Iterator[tuple[float, Passage, str]]:
    """Yield each sentence of `passages` with the share of words that it has in common with the claim."""
    language = language_of(text)
    own = content_stems(text, language)
    for passage in passages:
        for sentence in sentences(passage.text):
            theirs = content_stems(sentence.text, language)
            if both := len(own | theirs):
                yield len(own & theirs) / both, passage, sentence.text


def _changed(claim: ClaimToCheck, text: str) -> ClaimVerdict | None:
    """Return CONTRADICTED if a sentence of the source is the claim with a changed figure or negation, else None."""
    for likeness, passage, sentence in _alike(text, claim.passages):
        if likeness < ALIKE:
            continue
        figures = numbers(text) != numbers(sentence) and bool(numbers(text) - numbers(passage.text))
        if figures or (bool(_NEGATION.search(text)) != bool(_NEGATION.search(sentence))):
            return ClaimVerdict(
                id=claim.id,
                verdict="CONTRADICTED",
                source_id=passage.source_id,
                quote=sentence,
                reason="The figures differ from the source's." if figures else "One says it, the other denies it.",
            )
    return None


def _partly(claim: ClaimToCheck, text: str) -> ClaimVerdict:
    language = language_of(text)
    stems, figures = content_stems(text, language), numbers(text)
    for passage in claim.passages:
        held = len(stems & content_stems(f"{passage.title}\n{passage.heading}\n{passage.text}", language))
        if stems and held >= MOST * len(stems) and figures <= numbers(passage.text):
            nearest = max(_alike(text, [passage]), key=lambda each: each[0], default=(0.0, passage, ""))
            return ClaimVerdict(
                id=claim.id,
                verdict="PARTIALLY",
                source_id=passage.source_id,
                quote=nearest[2],
                reason="The source holds these words and figures, though not as this sentence.",
            )
    missing = sorted(figures - {number for passage in claim.passages for number in numbers(passage.text)})
    return ClaimVerdict(
        id=claim.id,
        verdict="UNSUPPORTED",
        reason=f"Not in the source: {', '.join(missing[:5])}." if missing else "The source does not say this.",
    )
