"""Repairing sentences that their sources do not support: corrected, marked or removed, within limits (SPEC R11).

First, a sentence without a source gets the finding that says it, if there is one: found by code, then checked.

The model rewrites at most CORRECTIONS sentences. Each new sentence is checked, and replaces the old one only if it is
better supported. False quotation marks are removed by code, and the rest is checked like any other claim. Afterwards
contradicted claims are removed, and unsupported or unchecked ones stay and are marked.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from claims.exempt_sentences import EMPTIED, ExemptStatements
from claims.extraction import ClaimSentence, claims_of
from claims.markers import MARK, guard_brackets, strip_markers
from claims.quotes import find_quotation, without_quotation_marks
from claims.verification import (
    NOT_DRAWN,
    Asks,
    CheckedClaim,
    EvidenceIndex,
    fidelity,
    figures_missing,
    passages_of,
    verify_claims,
)
from llm.roles import Faulty, RepairAsked
from text.stemming import content_stems, language_of

CORRECTIONS = 5  # sentences that a model rewrites in a whole report
ROUNDS = 2  # rounds of rewriting
ENOUGH = 0.7  # fidelity from which no further round is worth its price
LEAST_GAIN = 0.10  # of fidelity, that a round must bring for another one
LONGEST = 3  # a new sentence may be this many times as long as the old one, plus ROOM
ROOM = 200  # characters
RESTS = 0.6  # share of a sentence's words that a finding must have to become its source
NEAR = 0.3  # share of words from which the passage of a finding is shown for the correction
LEAST = 3  # words in common, at least

MARKED = {
    "UNSUPPORTED": "*(not borne out by the passage cited)*",
    "CONTRADICTED": "*(the passage cited says otherwise)*",
}
UNCITED_MARK = "*(without a source)*"
UNCHECKED_MARK = "*(not checked)*"
NOT_DRAWN_MARK = "*(°)*"  # for sentences outside the sample; explained under the title
MARKS = (*MARKED.values(), UNCITED_MARK, UNCHECKED_MARK, NOT_DRAWN_MARK)
_RANK = {"CONTRADICTED": 0, "UNSUPPORTED": 1, "UNCHECKED": 1, "PARTIALLY": 2, "SUPPORTED": 3}
_LIST = re.compile(r"\s*(?:[-*>+]|\d+[.)])\s+")
_NUMBER = re.compile(r"\s*\[\d+(?:\s*[,–-]\s*\d+)*\]")
_END = re.compile(r"[.!?…。！？]+[\"”’»)]*$")
_STOP = re.compile(r"[.!?…。！？]+[\"”’»)*_]*$")  # the same, with emphasis after it
_BARE_TABLE = re.compile(r"^[ \t]*\|[^\n]*\n[ \t]*\|[ \t:|-]+\|?[ \t]*$\n?(?![ \t]*\|)", re.MULTILINE)
_BARE_ITEM = re.compile(r"^[ \t]*(?:[-*>+]|\d+[.)])[ \t]*$\n?", re.MULTILINE)
_BARE_HEADING = re.compile(r"^[ \t]*#{3,6}[ \t][^\n]*\n*(?=[ \t]*#{3,6}[ \t]|\Z)", re.MULTILINE)


def with_added_sources(
    bodies: Mapping[str, str], statements: ExemptStatements, shelf: EvidenceIndex
) -> tuple[dict[str, str], list[ClaimSentence], dict[str, str]]:
    """Return `bodies` with a marker after each sentence that a finding of `shelf` says, all claims, and near findings.

    The near findings are a dict of the nearest finding for each claim that still has no source.
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
    """Return `sentence` with `mark` after its words: before the full stop, in the last cell of a row, after a table."""
    words = sentence.rstrip()
    rest = sentence[len(words) :]
    if words.startswith("|"):
        if "\n" in words:
            return f"{words}\n\n{mark}{rest}"
        inside = words.removesuffix("|").rstrip()
        return f"{inside} {mark} |{rest}" if words.endswith("|") else f"{words} {mark}{rest}"
    end = _STOP.search(words)
    return f"{words[: end.start()]} {mark}{end[0]}{rest}" if end else f"{words} {mark}{rest}"


class _Findings:
    """An index of the words of each finding, to find the one that a sentence rests on."""

    def __init__(self, shelf: EvidenceIndex) -> None:
        self.shelf = shelf
        self.stems = {
            finding_id: content_stems(text, language_of(text))
            for finding_id, one in shelf.findings.items()
            for text in [f"{one.content}\n{one.source.text[one.start : one.end]}"]
        }

    def of(self, claim: ClaimSentence) -> str:
        """Return the finding that shares most words with `claim` and has its figures; "" for none."""
        for share, finding_id in self._ranked(claim):
            if share < RESTS:
                break
            if not figures_missing(self.shelf, replace(claim, findings=(finding_id,))):
                return finding_id
        return ""

    def nearest(self, claim: ClaimSentence) -> str:
        """Return the finding that shares most words with `claim`, from the share NEAR on; "" for none."""
        return next((finding_id for share, finding_id in self._ranked(claim) if share >= NEAR), "")

    def _ranked(self, claim: ClaimSentence) -> Sequence[tuple[float, str]]:
        own = content_stems(claim.text, language_of(claim.text))
        found = ((len(own & stems), finding_id) for finding_id, stems in self.stems.items())
        shares = [(both / len(own), finding_id) for both, finding_id in found if both >= min(LEAST, len(own)) and own]
        return sorted(shares, key=lambda one: -one[0])


@dataclass
class RepairResult:
    """The final check of every claim, by id; `corrected` counts rewritten sentences that were accepted."""

    checks: dict[str, CheckedClaim]
    troubles: list[str] = field(default_factory=list)
    tried: int = 0
    corrected: int = 0
    rolled_back: int = 0


async def repair_claims(
    asks: Asks, shelf: EvidenceIndex, first: Sequence[CheckedClaim], near: Mapping[str, str] | None, key: str
) -> RepairResult:
    """Return the claims after repair. Questions use the keys `key`/repair/1, `key`/again/1 ..., `key`/unquoted.

    `near` has the finding that a claim without a source may be corrected by. It is None where no model is asked, since
    only a model rewrites.
    """
    mended = RepairResult({check.claim.id: check for check in first})
    if near is not None:
        await _correct(asks, shelf, mended, near, key)
    await _unquote(asks, shelf, mended, key)
    return mended


def faulty(checks: Mapping[str, CheckedClaim]) -> list[CheckedClaim]:
    """Return the claims that are not supported, the worst first."""
    found = [check for check in checks.values() if check.verdict in MARKED]
    return sorted(found, key=lambda check: (_RANK[check.verdict], not check.is_misquoted, check.claim.first))


async def _correct(asks: Asks, shelf: EvidenceIndex, mended: RepairResult, near: Mapping[str, str], key: str) -> None:
    for turn in range(1, ROUNDS + 1):
        wanted = _with_passages(faulty(mended.checks), near)[: CORRECTIONS - mended.tried]
        if not wanted:
            return
        mended.tried += len(wanted)
        before = fidelity(mended.checks.values()) or 0.0
        rewritten = await _rewritten(asks, shelf, wanted, mended, f"{key}/repair/{turn}")
        checks, troubles = await verify_claims(
            asks, shelf, rewritten, [one.id for one in rewritten], f"{key}/again/{turn}"
        )
        mended.troubles += troubles
        better = {check.claim.id: check for check in checks if is_better(check, mended.checks[check.claim.id])}
        mended.rolled_back += len(wanted) - len(better)
        after = fidelity((mended.checks | better).values()) or 0.0
        if after < before:
            mended.rolled_back += len(better)
            return
        mended.checks |= better
        mended.corrected += len(better)
        if after >= ENOUGH or after - before < LEAST_GAIN:
            return


def _with_passages(checks: Sequence[CheckedClaim], near: Mapping[str, str]) -> list[CheckedClaim]:
    """Return those of `checks` that have passages; a claim without a source gets the nearest finding."""
    cited = (
        check if check.claim.findings else replace(check, claim=replace(check.claim, findings=(near[check.claim.id],)))
        for check in checks
        if check.claim.findings or check.claim.id in near
    )
    return [check for check in cited if not check.claim.is_table]


def is_better(new: CheckedClaim, old: CheckedClaim) -> bool:
    """Return whether a rewritten sentence is better supported than the old one."""
    return not new.is_misquoted and new.verdict != "UNCHECKED" and _RANK[new.verdict] > _RANK[old.verdict]


async def _rewritten(
    asks: Asks, shelf: EvidenceIndex, wanted: Sequence[CheckedClaim], mended: RepairResult, key: str
) -> list[ClaimSentence]:
    """Return those of `wanted` for which the model has a new sentence that is fit for a report."""
    sentences = [
        Faulty(
            id=check.claim.id,
            text=check.claim.text,
            verdict=check.verdict,
            reason=check.reason,
            passages=passages_of(shelf, check.claim),
        )
        for check in wanted
    ]
    answer, trouble = await asks(key, RepairAsked(sentences=sentences))
    if trouble:
        mended.troubles.append(trouble)
    texts = {correction.id: correction.text for correction in answer.corrections}
    rewritten = ((check.claim, plain(texts.get(check.claim.id, ""), check.claim.text)) for check in wanted)
    return [
        replace(claim, text=text)
        for claim, text in rewritten
        if text and text != claim.text and not _is_title(shelf, claim, text)
    ]


def _is_title(shelf: EvidenceIndex, claim: ClaimSentence, text: str) -> bool:
    """Return whether `text` is just the title of a cited work or the heading of a part of it."""
    names = {name for _, source in shelf.sources(claim) for name in (source.title, source.heading)}
    return text.rstrip(" .") in {" ".join(name.split()).rstrip(" .") for name in names}


def plain(text: str, old: str) -> str:
    """Return a model's correction of the sentence `old` as one line of prose without citations; "" if it is unfit."""
    words = " ".join(_NUMBER.sub("", strip_markers(text)).split())
    words = _LIST.sub("", words, count=1).lstrip("# ") if _LIST.match(words) or words.startswith("#") else words
    if words.startswith("|") or len(words) > LONGEST * len(old) + ROOM:
        return ""
    return words if any(char.isalpha() for char in words) else ""


async def _unquote(asks: Asks, shelf: EvidenceIndex, mended: RepairResult, key: str) -> None:
    """Remove quotation marks around words that are in no source, and check the rest of the claim.

    Without a verdict on it, the claim stays UNSUPPORTED.
    """
    misquoted = [check for check in mended.checks.values() if check.is_misquoted and not check.claim.is_table]
    if not misquoted:
        return
    bare = [replace(check.claim, text=_without_false_marks(shelf, check.claim)) for check in misquoted]
    checks, troubles = await verify_claims(asks, shelf, bare, [claim.id for claim in bare], f"{key}/unquoted")
    mended.troubles += troubles
    for before, check in zip(misquoted, checks, strict=True):
        if check.verdict == "UNCHECKED":
            check = replace(check, verdict="UNSUPPORTED", reason=before.reason)
        mended.checks[check.claim.id] = check


def _without_false_marks(shelf: EvidenceIndex, claim: ClaimSentence) -> str:
    texts = [text for _, source in shelf.sources(claim) for text in (source.text, source.title, source.heading)]
    text = claim.text
    for words in claim.quotes:
        if not any(find_quotation(words, stored) for stored in texts):
            text = without_quotation_marks(text, words)
    return text


# Outcomes in the report


def outcome_of(now: CheckedClaim, before: CheckedClaim, *, keeps_all: bool) -> str:
    """Return the outcome of a claim: kept, repaired, marked or removed.

    With `keeps_all`, when nothing supported would be left, contradicted claims are marked instead of removed.
    """
    if now.verdict == "CONTRADICTED" and not keeps_all:
        return "removed"
    if now.verdict in MARKED or (now.verdict == "UNCHECKED" and now.reason != NOT_DRAWN):
        return "marked"
    return "repaired" if now.claim.text != before.claim.text else "kept"


def mark_of(now: CheckedClaim) -> str:
    """Return the mark after a sentence of the report that is unsupported or unchecked; "" for others."""
    if now.verdict == "UNCHECKED":
        return NOT_DRAWN_MARK if now.reason == NOT_DRAWN else UNCHECKED_MARK
    return MARKED.get(now.verdict, "") if now.claim.findings else UNCITED_MARK


def apply_outcomes(
    bodies: Mapping[str, str],
    first: Sequence[CheckedClaim],
    mended: Mapping[str, CheckedClaim],
    outcomes: Mapping[str, str],
) -> dict[str, str]:
    """Return `bodies` with the outcome of each claim: a new sentence, a mark after its markers, or its removal."""
    changed = dict(bodies)
    for check in sorted(first, key=lambda one: one.claim.first, reverse=True):
        claim, outcome, now = check.claim, outcomes[check.claim.id], mended[check.claim.id]
        body = changed[claim.section]
        sentence = body[claim.start : claim.end]
        if now.claim.text != claim.text:
            sentence = _in_place(sentence, now.claim)
        left = "" if outcome == "removed" else _with_mark(sentence, mark_of(now))
        changed[claim.section] = body[: claim.start] + left + body[claim.end :]
    taken_out = {check.claim.section for check in first if outcomes[check.claim.id] == "removed"}
    return {key: _tidied(body) if key in taken_out else body for key, body in changed.items()}


def _with_mark(sentence: str, mark: str) -> str:
    if not mark:
        return sentence
    if "]]" not in sentence:
        return marked(sentence, mark)
    at = sentence.rindex("]]") + 2
    return f"{sentence[:at]} {mark}{sentence[at:]}"


def _in_place(old: str, now: ClaimSentence) -> str:
    """Return the text of `now` with its markers before or after the full stop, wherever they were in `old`."""
    markers = " ".join(f"[[{finding_id}]]" for finding_id in now.findings)
    text = guard_brackets(now.text)
    end = _END.search(text)
    if end and not old.rstrip().endswith("]]"):
        return f"{text[: end.start()]} {markers}{end[0]}"
    return f"{text} {markers}"


def _tidied(body: str) -> str:
    """Return `body` without emptied list items, tables and headings; a sentence when nothing is left."""
    body = re.sub(r"[ \t]{2,}(?=\S)", " ", re.sub(r"(?<=\S)[ \t]+$", "", body, flags=re.MULTILINE))
    body = re.sub(r"\n{3,}", "\n\n", _BARE_TABLE.sub("", _BARE_ITEM.sub("", body))).strip()
    body = _BARE_HEADING.sub("", body).strip()
    return body if re.sub(r"[\W_]", "", MARK.sub("", body)) else EMPTIED
