"""How much two questions ask the same: the share of words they have in common (SPEC R4, R7).

Every part of a question repeats words of the whole, so those are left out of account where anything else is said.
"""

import re

from text.words import content_stems, language_of

SAME = 0.72  # share of words from which two questions are near-duplicates; that of SearchBarbara
ALIKE = 0.55  # from which they overlap enough to be told so


def overlap(one: str, other: str, beside: str = "") -> float:
    """Jaccard overlap of the words of both, without those of `beside`, their common ground: 0 to 1."""
    common = words_of(beside)
    left, right = words_of(one), words_of(other)
    if (left - common) or (right - common):
        left, right = left - common, right - common
    return len(left & right) / len(left | right) if left | right else 1.0


def words_of(text: str) -> frozenset[str]:
    """The stems of the words that carry something, and the numbers."""
    return content_stems(text, language_of(text)) | frozenset(re.findall(r"\d+", text))
