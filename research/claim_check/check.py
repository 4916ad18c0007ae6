"""The claim check of a report: compare each claim with its sources, repair it, and store the result (SPEC R11)."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from asgiref.sync import sync_to_async
from pydantic import BaseModel

from claims.exempt_sentences import ExemptStatements
from claims.repair import (
    MARKED,
    NOT_DRAWN_MARK,
    RepairResult,
    apply_outcomes,
    mark_of,
    outcome_of,
    repair_claims,
    with_added_sources,
)
from claims.sampling import claims_to_check
from claims.verification import (
    Asks,
    CheckedClaim,
    EvidenceIndex,
    as_data,
    counts_of,
    fidelity,
    in_words,
    ledger,
    place_of,
    verify_claims,
)
from core.grouping import grouped
from llm.roles import Heading, RoleRequest
from research.journal.provenance import digest
from research.models import Claim, Run
from research.plurals import counted
from research.report.draft import Draft, Report, rendered_report, save_report
from research.report.fallback import ask_with_fallback
from research.report.section_headings import NO_THEMES, NOTHING, title_of
from research.run_context.run_context import RunContext

A = TypeVar("A", bound=BaseModel)


async def check_claims(inquiry: RunContext, draft: Draft, prefix: str = "") -> None:
    """Check the claims of `draft`, repair those that fail, and store the report with the verdicts.

    `prefix` goes before the keys of its steps, as in research.report.synthesis.synthesise. If the budget runs out on
    the way, the rest of the claims stay unchecked, and the report says that it is partial.
    """
    shelf = await sync_to_async(load_evidence)(inquiry.run, draft.source_of)
    statements = await sync_to_async(statements_of)(inquiry.run, draft.headings)
    bodies, claims, near = await asyncio.to_thread(with_added_sources, draft.bodies, statements, shelf)
    draft = replace(draft, bodies=bodies)
    # The offline engine costs nothing, so it checks all claims.
    wanted = claims_to_check(claims) if inquiry.uses_model else {claim.id for claim in claims}
    key = f"{prefix}verification"
    asks = asking(inquiry)
    first, troubles = await verify_claims(asks, shelf, claims, wanted, key)
    mended = await repair_claims(asks, shelf, first, near if inquiry.uses_model else None, key)
    mended.troubles[:0] = troubles
    checked = await asyncio.to_thread(conclude_check, inquiry, draft, shelf, first, mended)
    report = await rendered_report(inquiry.run, checked.draft)
    await inquiry.once(f"{key}/end", lambda: _store_checked(inquiry, shelf, checked, report))


def load_evidence(run: Run, ids: Iterable[str]) -> EvidenceIndex:
    """Return the findings with those `ids`, and the texts of the works they are based on."""
    rows = run.findings.filter(finding_id__in=set(ids)).select_related("source", "node").order_by("id")
    documents = {row.source.document for row in rows}
    sources = run.sources.filter(document__in=documents).exclude(is_lead=True).order_by("source_id")
    texts = grouped((source.public_id, source) for source in sources)
    return EvidenceIndex({row.finding_id: row for row in rows}, texts)


def statements_of(run: Run, headings: Iterable[Heading]) -> ExemptStatements:
    """Return the text about `run` itself (question, topics, gaps ...) that a report may repeat without a citation."""
    parts = list(run.nodes.values_list("topic", "question"))
    return ExemptStatements.of(
        headings,
        asked=[run.question, run.title, run.brief.get("text", ""), *(" ".join(part) for part in parts)],
        topics=[title_of(topic) for topic, _ in parts],
        gaps=list(run.gaps.values_list("description", flat=True)),
        works=run.sources.values("document").distinct().count(),
        written=[NOTHING, *NO_THEMES.partition("\n\n")[2].split(". ")],
    )


def asking(inquiry: RunContext) -> Asks:
    """Return the function that asks the engine for a check: journalled, and falling back to the offline engine."""

    async def asks(key: str, asked: RoleRequest[A]) -> tuple[A, str]:
        answer = await ask_with_fallback(inquiry, key, asked)
        return answer.answer, answer.trouble

    return asks


@dataclass(frozen=True)
class CheckedDraft:
    """A checked draft: `outcomes` by claim id, and `figures`, the numbers of the check that are stored with the run."""

    draft: Draft
    first: Sequence[CheckedClaim]
    mended: RepairResult
    outcomes: Mapping[str, str]
    figures: Mapping[str, Any]


def conclude_check(
    inquiry: RunContext, draft: Draft, shelf: EvidenceIndex, first: Sequence[CheckedClaim], mended: RepairResult
) -> CheckedDraft:
    """Return the outcome of each claim, and the draft with the outcomes applied."""
    checks = mended.checks
    keeps_all = all(check.verdict in MARKED for check in checks.values())
    outcomes = {check.claim.id: outcome_of(checks[check.claim.id], check, keeps_all=keeps_all) for check in first}
    figures = _figures(first, mended, outcomes)
    missing = draft.missing
    if mended.troubles:
        unchecked = f"{figures['unchecked']} of {counted(figures['left'], 'claim')} left unchecked"
        troubles = " ".join(dict.fromkeys(mended.troubles))
        missing = (*missing, f"The claim check could not be finished. {troubles} {unchecked}.")
    told = in_words(figures["ledger"])
    if any(mark_of(check) == NOT_DRAWN_MARK for check in checks.values()):
        told += " (°) marks a sentence that was not drawn for the check."
    bodies = apply_outcomes(draft.bodies, first, checks, outcomes)
    draft = replace(draft, bodies=bodies, missing=missing, note=f"{draft.note} {told}")
    return CheckedDraft(draft, first, mended, outcomes, figures)


def _figures(first: Sequence[CheckedClaim], mended: RepairResult, outcomes: Mapping[str, str]) -> dict[str, Any]:
    """Return the numbers of a check, {before, after, claims, checked, verdicts ...}, counted in sentences."""
    kept = [check for claim_id, check in mended.checks.items() if outcomes[claim_id] != "removed"]
    verdicts, before = counts_of(kept), counts_of(first)
    others = [check for check in first if check.claim.kind == "other"]
    done = list(outcomes.values())
    return {
        "before": fidelity(first),
        "after": fidelity(kept),
        "claims": len(first),
        "ledger": ledger((mended.checks[claim_id].verdict, outcome) for claim_id, outcome in outcomes.items()),
        "uncited": sum(not check.claim.findings for check in first),
        "given": sum(check.claim.given for check in first),
        "checked": sum(before.values()),
        "others": len(others),
        "others_checked": sum(check.verdict != "UNCHECKED" for check in others),
        "misquoted": sum(check.is_misquoted for check in first),
        "verdicts_before": before,
        "verdicts": verdicts,
        "left": len(kept),
        "unchecked": len(kept) - sum(verdicts.values()),
        "tried": mended.tried,
        "rolled_back": mended.rolled_back,
        **{name: done.count(name) for name in ("repaired", "marked", "removed")},
    }


def _store_checked(inquiry: RunContext, shelf: EvidenceIndex, done: CheckedDraft, report: Report) -> None:
    """Store the claims and the report as they are after the check, and log what changed."""
    run = inquiry.run
    run.claims.all().delete()
    Claim.objects.bulk_create(row for check in done.first for row in _rows(run, shelf, done, check))
    save_report(run, report)
    run.fidelity = dict(done.figures)
    Run.objects.filter(pk=run.pk).update(fidelity=run.fidelity)
    for check in done.first:
        _say(inquiry, check, done.mended.checks[check.claim.id], done.outcomes[check.claim.id])
    _summed_up(inquiry, shelf, done, report)


def _rows(run: Run, shelf: EvidenceIndex, done: CheckedDraft, check: CheckedClaim) -> list[Claim]:
    """Return a row for each marker of a claim, with the passage that was compared, or one row if it has no marker.

    Ids are those of the report as first written, so that a removed claim keeps its own id.
    """
    now, outcome = done.mended.checks[check.claim.id], done.outcomes[check.claim.id]
    is_changed = outcome == "removed" or now.claim.text != check.claim.text
    kept: dict[str, Any] = {
        "run": run,
        "text": now.claim.text,
        "section": check.claim.section,
        "verdict": now.verdict,
        "reason": now.reason,
        "claim_type": now.claim.kind,
        "quotes_hold": now.quotes_hold,
        "outcome": outcome,
        "before": {"text": check.claim.text, "verdict": check.verdict, "reason": check.reason} if is_changed else {},
        "sentence": check.claim.id,
        "given": check.claim.given or now.claim.findings != check.claim.findings,
    }
    if not now.claim.findings:
        return [Claim(claim_id=check.claim.id, **kept)]
    return [
        Claim(
            claim_id=f"C{check.claim.first + number}",
            source_id=place.source.pk,
            start=place.span.start,
            end=place.span.end,
            **kept,
        )
        for number, place in enumerate(place_of(shelf, now, finding_id) for finding_id in now.claim.findings)
    ]


def _say(inquiry: RunContext, before: CheckedClaim, now: CheckedClaim, outcome: str) -> None:
    """Log a claim that the check changed or marked."""
    if outcome == "kept":
        return
    claim = before.claim
    said = {
        "repaired": f"{claim.id} failed the check ({before.verdict.lower()}) and was corrected.",
        "marked": (
            f"{claim.id} {'was not checked' if now.verdict == 'UNCHECKED' else 'is not supported'} "
            "and is marked in the report."
        ),
        "removed": f"{claim.id} is contradicted by its source and was removed.",
    }[outcome]
    inquiry.log(
        "verification",
        f"claim_{outcome}",
        said,
        {
            "claim_id": claim.id,
            "section": claim.section,
            "before": {"text": claim.text, "verdict": before.verdict, "reason": before.reason},
            "after": {
                "text": "" if outcome == "removed" else now.claim.text,
                "verdict": now.verdict,
                "reason": now.reason,
            },
        },
    )


def _summed_up(inquiry: RunContext, shelf: EvidenceIndex, done: CheckedDraft, report: Report) -> None:
    figures, checks = done.figures, done.mended.checks
    what = "are supported by the passage they cite" if inquiry.uses_model else "stand word for word in their source"
    checked = sum(figures["verdicts"].values())
    sentence = (
        f"{figures['verdicts']['SUPPORTED']} of {checked} checked sentences {what}. {in_words(figures['ledger'])}"
    )
    inquiry.say(
        "verification",
        "claims_checked",
        sentence,
        {
            **figures,
            "fidelity": figures["after"],
            "not_checked": [claim_id for claim_id, check in checks.items() if check.verdict == "UNCHECKED"],
            "claims_checked": [
                {**as_data(shelf, check), "outcome": done.outcomes[claim_id]} for claim_id, check in checks.items()
            ],
            "report_hash": digest(report.text),
        },
    )
