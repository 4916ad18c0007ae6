"""A sentence without a source is given the finding it rests on, where one says it: found by code, then checked (R11)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from claims.sentences import Cited, claims_of
from claims.statements import Statements
from claims.stored import Shelf
from claims.verification import figures_missing
from text.words import content_stems, language_of

RESTS = 0.6  # share of a sentence's words that the finding it rests on must have
NEAR = 0.3  # share from which the passage of a finding is shown to whoever is to put the sentence right
LEAST = 3  # words that both have, at least

_END = re.compile(r"[.!?…。！？]+[\"”’»)*_]*$")


def sourced(
    bodies: Mapping[str, str], statements: Statements, shelf: Shelf
) -> tuple[dict[str, str], list[Cited], dict[str, str]]:
    """`bodies` with a marker behind each sentence that a finding of `shelf` says, its claims, and for those that are still
    without a source the finding that comes nearest, by the id of the claim.
    """
    given: set[tuple[str, str]] = set()
    changed = dict(bodies)
    findings = _Findings(shelf)
    for claim in reversed(claims_of(bodies, statements)):
        if not claim.findings and (finding_id := findings.of(claim)):
            given.add((claim.section, claim.text))
            body = changed[claim.section]
            sentence = marked(body[claim.start : claim.end], f"[[{finding_id}]]")
            changed[claim.section] = body[: claim.start] + sentence + body[claim.end :]
    claims = [
        replace(one, given=bool(one.findings) and (one.section, one.text) in given)
        for one in claims_of(changed, statements)
    ]
    near = {one.id: finding_id for one in claims if not one.findings and (finding_id := findings.nearest(one))}
    return changed, claims, near


def marked(sentence: str, mark: str) -> str:
    """`sentence` with `mark` behind its words: before its full stop, in the last cell of a row, behind a table."""
    words = sentence.rstrip()
    rest = sentence[len(words) :]
    if words.startswith("|"):
        if "\n" in words:
            return f"{words}\n\n{mark}{rest}"
        inside = words.removesuffix("|").rstrip()
        return f"{inside} {mark} |{rest}" if words.endswith("|") else f"{words} {mark}{rest}"
    end = _END.search(words)
    return f"{words[: end.start()]} {mark}{end[0]}{rest}" if end else f"{words} {mark}{rest}"


class _Findings:
    """The words of each finding of a shelf, to look for those of sentences in."""

    def __init__(self, shelf: Shelf) -> None:
        self.shelf = shelf
        self.stems = {
            finding_id: content_stems(text, language_of(text))
            for finding_id, one in shelf.findings.items()
            for text in [f"{one.content}\n{one.source.text[one.start : one.end]}"]
        }

    def of(self, claim: Cited) -> str:
        """The finding that has most of the words of `claim` and whose passage has its figures; "" for none."""
        for share, finding_id in self._ranked(claim):
            if share < RESTS:
                break
            if not figures_missing(self.shelf, replace(claim, findings=(finding_id,))):
                return finding_id
        return ""

    def nearest(self, claim: Cited) -> str:
        return next((finding_id for share, finding_id in self._ranked(claim) if share >= NEAR), "")

    def _ranked(self, claim: Cited) -> Sequence[tuple[float, str]]:
        own = content_stems(claim.text, language_of(claim.text))
        found = ((len(own & stems), finding_id) for finding_id, stems in self.stems.items())
        shares = [(both / len(own), finding_id) for both, finding_id in found if both >= min(LEAST, len(own)) and own]
        return sorted(shares, key=lambda one: -one[0])
