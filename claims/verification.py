"""The claim check: each claim is compared with the stored passages it cites (SPEC R11).

Quoted words of every claim are compared in code, before anything is asked. Then the selected claims (claims.extraction)
are sent to the engine with the passages of their markers. Unsupported claims are corrected, marked or removed
(claims.repair), and the report is rendered again.

The ledger counts each claim of the report once, by its outcome: supported + partly + unsupported + contradicted +
not_checked + removed = claims. The report, its pages and every export show the same figures, since all come from here.
"""

import asyncio
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, get_args

from pydantic import BaseModel, Field

from claims.extraction import ClaimSentence
from claims.numbers import missing_figures
from claims.quotes import Span, find_quotation
from core.concurrency import gather_all
from llm.roles import ClaimToCheck, ClaimVerdict, Passage, RoleRequest, Verdict, VerifyAsked

BATCH = 10  # claims per question to the engine
WINDOW = 8_000  # characters of a source that the engine reads, around the words that the finding rests on
NOT_DRAWN = "It was not drawn for the check."
NO_VERDICT = "The check gave no verdict on this sentence."
UNCITED = "It names no source, and nothing that was found says it."

Judgement = Literal["SUPPORTED", "PARTIALLY", "UNSUPPORTED", "CONTRADICTED", "UNCHECKED"]
COLUMNS = {
    "supported": "SUPPORTED",
    "partly": "PARTIALLY",
    "unsupported": "UNSUPPORTED",
    "contradicted": "CONTRADICTED",
    "not_checked": "UNCHECKED",
}
LABELS = {
    "supported": "supported",
    "partly": "partly supported",
    "unsupported": "unsupported",
    "contradicted": "contradicted",
    "not_checked": "not checked",
    "removed": "removed",
}
A = TypeVar("A", bound=BaseModel)

# What callers pass: stored texts, findings, and a way to ask the engine


class Stored(Protocol):
    """A stored text with the record it came with. `public_id` names the work it belongs to, or its passage."""

    pk: int
    source_id: str
    title: str
    heading: str
    text: str
    text_hash: str
    page: int | None
    offset: int

    @property
    def public_id(self) -> str: ...

    @property
    def year(self) -> int | None: ...

    @property
    def passage(self) -> Passage: ...


class Evidence(Protocol):
    """The finding of a marker: `content`, and the words of a stored text that it rests on."""

    content: str
    start: int
    end: int

    @property
    def source(self) -> Stored: ...


class Asks(Protocol):
    """Asks an engine under a key and returns its answer.

    With it comes a sentence on why no model gave the answer, "" where none was meant to.
    """

    async def __call__(self, key: str, asked: RoleRequest[A]) -> tuple[A, str]: ...


class PassageWithSpans(Passage):
    """A passage with the spans in its text that findings rest on, which must stay visible.

    The spans are not part of the question.
    """

    places: tuple[Span, ...] = Field((), exclude=True)


class Place(NamedTuple):
    """A span of a stored text."""

    source: Stored
    span: Span


@dataclass(frozen=True)
class EvidenceIndex:
    """The findings of markers, and the stored texts behind them: `texts` of a cited work or passage by public id."""

    findings: Mapping[str, Evidence]
    texts: Mapping[str, Sequence[Stored]]

    def sources(self, claim: ClaimSentence) -> list[tuple[str, Stored]]:
        """Return the stored texts that a claim cites, each with the finding cited for it; the findings' own first."""
        cited = {finding_id: self.findings[finding_id].source for finding_id in claim.findings}
        own = list(cited.items())
        beside = [
            (finding_id, other)
            for finding_id, source in cited.items()
            for other in self.texts[source.public_id]
            if other.pk != source.pk
        ]
        return own + beside


# Results


@dataclass(frozen=True)
class CheckedClaim:
    """The result for one claim. `quotes_hold` is None when it quotes nothing.

    `places` has the compared words by finding id, where they are not the finding's own.
    """

    claim: ClaimSentence
    verdict: Judgement
    reason: str = ""
    quotes_hold: bool | None = None
    places: Mapping[str, Place] = field(default_factory=dict)
    by_code: bool = False  # the verdict was reached by code, and no model is asked

    @property
    def is_misquoted(self) -> bool:
        """Whether it quotes words that are not in its source."""
        return self.quotes_hold is False


async def verify_claims(
    asks: Asks, shelf: EvidenceIndex, claims: Sequence[ClaimSentence], wanted: Collection[str], key: str
) -> tuple[list[CheckedClaim], list[str]]:
    """Return the result of each of `claims`, in order, and sentences on what kept a model from checking.

    Source, quoted words and figures are compared in all claims; a mismatch makes a claim UNSUPPORTED, and no model is
    asked. The other claims whose id is in `wanted` are sent to the engine, BATCH at a time under `key`/1, `key`/2 ...,
    and those without a verdict once more under `key`/missing/1 ...
    """
    compared = await asyncio.to_thread(lambda: [_compared(shelf, claim) for claim in claims])
    asked = [check for check in compared if check.claim.id in wanted and not check.by_code]
    verdicts, troubles = await _ask_in_batches(asks, shelf, key, asked)
    missing = [check for check in asked if verdicts[check.claim.id].reason == NO_VERDICT]
    if missing and not troubles:
        again, troubles = await _ask_in_batches(asks, shelf, f"{key}/missing", missing)
        verdicts |= again
    return [verdicts.get(check.claim.id, check) for check in compared], troubles


async def _ask_in_batches(
    asks: Asks, shelf: EvidenceIndex, key: str, asked: Sequence[CheckedClaim]
) -> tuple[dict[str, CheckedClaim], list[str]]:
    batches = [list(asked[start : start + BATCH]) for start in range(0, len(asked), BATCH)]
    answers = await gather_all(_ask(asks, shelf, f"{key}/{n}", batch) for n, batch in enumerate(batches, start=1))
    verdicts = {check.claim.id: check for checks, _ in answers for check in checks}
    return verdicts, list(dict.fromkeys(trouble for _, trouble in answers if trouble))


def _compared(shelf: EvidenceIndex, claim: ClaimSentence) -> CheckedClaim:
    """Return the result of code for `claim`: whether it has a source with its quoted words and its figures."""
    if not claim.findings:
        return CheckedClaim(claim, "UNSUPPORTED", UNCITED, by_code=True)
    places: dict[str, Place] = {}
    for words in claim.quotes:
        for finding_id, source in shelf.sources(claim):
            if span := find_quotation(words, source.text):
                places.setdefault(finding_id, Place(source, span))
                break
            if find_quotation(words, source.title) or find_quotation(
                words, source.heading
            ):  # the title of the work or a heading in it
                break
        else:
            reason = f"The quoted words “{words.strip()[:200]}” do not stand in the cited source."
            return CheckedClaim(claim, "UNSUPPORTED", reason, quotes_hold=False, places=places, by_code=True)
    holds = True if claim.quotes else None
    if missing := figures_missing(shelf, claim):
        figures = ", ".join(f"“{figure[:40]}”" for figure in missing[:5])
        verb = "stands" if len(missing) == 1 else "stand"
        reason = f"{figures} {verb} in no passage that it cites."
        return CheckedClaim(claim, "UNSUPPORTED", reason, holds, places, by_code=True)
    return CheckedClaim(claim, "UNCHECKED", NOT_DRAWN, holds, places)


def figures_missing(shelf: EvidenceIndex, claim: ClaimSentence) -> list[str]:
    """Return the figures of `claim` that are in none of the passages it cites, as the check sees them."""
    cited = [shelf.findings[finding_id] for finding_id in claim.findings]
    passages = dict.fromkeys(window(one.source.text, one.start, one.end)[1] for one in cited)
    works = len({one.source.public_id for one in cited})
    return missing_figures(claim.text, passages, known={works, *(one.source.year for one in cited if one.source.year)})


async def _ask(asks: Asks, shelf: EvidenceIndex, key: str, batch: list[CheckedClaim]) -> tuple[list[CheckedClaim], str]:
    claims = [
        ClaimToCheck(id=one.claim.id, text=one.claim.text, passages=passages_of(shelf, one.claim)) for one in batch
    ]
    answer, trouble = await asks(key, VerifyAsked(claims=claims))
    verdicts = {verdict.id: verdict for verdict in answer.verdicts}
    return [_judged(shelf, check, verdicts.get(check.claim.id), in_place=bool(trouble)) for check in batch], trouble


def passages_of(shelf: EvidenceIndex, claim: ClaimSentence) -> list[Passage]:
    """Return the passages that the engine reads for `claim`, one for each cited source.

    A part of a long text has an id of its own.
    """
    passages: dict[str, PassageWithSpans] = {}
    for finding_id in claim.findings:
        finding = shelf.findings[finding_id]
        at, text = window(finding.source.text, finding.start, finding.end)
        name = _name(finding, at)
        places = passages[name].places if name in passages else ()
        words = Span(finding.start - at, finding.end - at)
        passage = finding.source.passage.model_copy(update={"source_id": name, "text": text})
        passages[name] = PassageWithSpans(**passage.model_dump(), places=(*places, words))
    return list(passages.values())


def _name(finding: Evidence, at: int) -> str:
    is_whole = len(finding.source.text) <= WINDOW
    return finding.source.source_id if is_whole else f"{finding.source.source_id}@{at}"


def window(text: str, start: int, end: int, size: int = WINDOW) -> tuple[int, str]:
    """Return at most `size` characters of `text` around `start` to `end`, preceded by their position."""
    at = max(0, min((start + end - size) // 2, len(text) - size))
    return at, text[at : at + size]


def _judged(shelf: EvidenceIndex, check: CheckedClaim, verdict: ClaimVerdict | None, *, in_place: bool) -> CheckedClaim:
    """Return `check` with the engine's verdict.

    The offline engine `in_place` of a model recognises what is in a source and what contradicts it; that it does not
    find a sentence in a model's own words means nothing.
    """
    claim = check.claim
    if verdict is None:
        return CheckedClaim(claim, "UNCHECKED", NO_VERDICT, check.quotes_hold, check.places)
    if in_place and verdict.verdict == "UNSUPPORTED":
        reason = "No model has checked it, and these words do not stand in the source as they are."
        return CheckedClaim(claim, "UNCHECKED", reason, check.quotes_hold, check.places)
    places = dict(check.places)
    if verdict.quote:
        names = {finding_id: _name_of(shelf.findings[finding_id]) for finding_id in claim.findings}
        ranked = sorted(dict.fromkeys(claim.findings), key=lambda finding_id: names[finding_id] != verdict.source_id)
        for finding_id in ranked:
            source = shelf.findings[finding_id].source
            # The words that the check names if they are really there, else the finding's own.
            if span := find_quotation(verdict.quote, source.text):
                places[finding_id] = Place(source, span)
                break
    return CheckedClaim(claim, verdict.verdict, verdict.reason, check.quotes_hold, places)


def _name_of(finding: Evidence) -> str:
    return _name(finding, window(finding.source.text, finding.start, finding.end)[0])


def place_of(shelf: EvidenceIndex, check: CheckedClaim, finding_id: str) -> Place:
    """Return the words compared for one marker of a claim: those that the check found, else the finding's own."""
    finding = shelf.findings[finding_id]
    return check.places.get(finding_id) or Place(finding.source, Span(finding.start, finding.end))


def counts_of(checks: Iterable[CheckedClaim]) -> dict[str, int]:
    """Return the number of each verdict: {SUPPORTED, PARTIALLY, UNSUPPORTED, CONTRADICTED}."""
    verdicts = [check.verdict for check in checks]
    return {name: verdicts.count(name) for name in get_args(Verdict)}


def fidelity(checks: Iterable[CheckedClaim]) -> float | None:
    """Return max(0, (S + 0.5 P - 0.5 C) / checked), to three places; None when nothing was checked.

    The measure is that of foundry-mcp, so that values can be compared with its runs.
    """
    counts = counts_of(checks)
    checked = sum(counts.values())
    if not checked:
        return None
    score = (counts["SUPPORTED"] + 0.5 * counts["PARTIALLY"] - 0.5 * counts["CONTRADICTED"]) / checked
    return round(max(0.0, score), 3)


def as_data(shelf: EvidenceIndex, check: CheckedClaim) -> dict[str, Any]:
    """Return a verdict for the log, with the compared words: which text, by its hash, and where in it."""
    claim = check.claim
    return {
        "claim_id": claim.id,
        "claim_type": claim.kind,
        "section": claim.section,
        "verdict": check.verdict,
        "quotes_hold": check.quotes_hold,
        "spans": [
            {
                "source_id": place.source.source_id,
                "text_hash": place.source.text_hash,
                "page": place.source.page,
                "start": place.source.offset + place.span.start,
                "end": place.source.offset + place.span.end,
            }
            for place in (place_of(shelf, check, finding_id) for finding_id in claim.findings)
        ],
    }


def ledger(ends: Iterable[tuple[str, str]]) -> dict[str, int]:
    """Return the ledger of claims given as (verdict, outcome); a removed claim counts as removed only."""
    counts = Counter("removed" if outcome == "removed" else verdict for verdict, outcome in ends)
    lines = {name: counts[verdict] for name, verdict in COLUMNS.items()}
    return {"claims": sum(counts.values()), **lines, "removed": counts["removed"]}


def in_words(lines: dict[str, int]) -> str:
    """Return the ledger as one sentence; empty lines are left out."""
    told = [f"{lines[name]} {label}" for name, label in LABELS.items() if lines[name]]
    claims = "1 claim" if lines["claims"] == 1 else f"{lines['claims']:,} claims"
    return f"Claim check: {claims}{': ' if told else ''}{', '.join(told)}."
