"""The claim check: each sentence with a marker is compared with the stored passage it cites (SPEC R11)."""

from typing import get_args

from asgiref.sync import sync_to_async

from llm.roles import ClaimToCheck, ClaimVerdict, Verdict, Verification, VerifyAsked
from research.concurrently import together
from research.inquiry import Inquiry
from research.markers import Marker, Numbering
from research.models import Claim, Finding, Run
from research.searching import passage_of

Cited = tuple[str, Marker, Finding]  # claim id, the marker, what it stands for
BATCH = 10  # claims in one question to the engine


async def check_claims(inquiry: Inquiry, numbering: Numbering) -> None:
    """Check every marked sentence, in batches, and keep the verdicts with the spans compared."""
    findings = await sync_to_async(_findings)(inquiry)
    claims = [
        (f"C{position}", marker, findings[marker.finding_id])
        for position, marker in enumerate(numbering.markers, start=1)
    ]
    batches = [claims[start : start + BATCH] for start in range(0, len(claims), BATCH)]
    await together(_check(inquiry, number, batch) for number, batch in enumerate(batches, start=1))
    await inquiry.once("verification/end", lambda: _summed_up(inquiry))


async def _check(inquiry: Inquiry, number: int, batch: list[Cited]) -> None:
    asked = VerifyAsked(claims=[_to_check(*claim) for claim in batch])
    await inquiry.ask(f"verification/{number}", asked, lambda answer: _record(inquiry, batch, answer))


def _findings(inquiry: Inquiry) -> dict[str, Finding]:
    return {row.finding_id: row for row in inquiry.run.findings.select_related("source", "node")}


def _to_check(claim_id: str, marker: Marker, finding: Finding) -> ClaimToCheck:
    return ClaimToCheck(id=claim_id, text=marker.sentence, passages=[passage_of(finding.source)])


def _record(inquiry: Inquiry, batch: list[Cited], answer: Verification) -> None:
    verdicts = {verdict.id: verdict for verdict in answer.verdicts}
    rows = []
    for claim_id, marker, finding in batch:
        verdict = verdicts.get(claim_id) or ClaimVerdict(
            id=claim_id, verdict="UNSUPPORTED", reason="The check gave no verdict on this sentence."
        )
        # The words compared: what the check quoted if it really stands there, else the finding's own span.
        start = finding.source.text.find(verdict.quote) if verdict.quote else -1
        end = start + len(verdict.quote)
        if start < 0:
            start, end = finding.start, finding.end
        rows.append(
            Claim(
                run=inquiry.run,
                claim_id=claim_id,
                text=marker.sentence,
                section=marker.section,
                source=finding.source,
                start=start,
                end=end,
                verdict=verdict.verdict,
                reason=verdict.reason,
            )
        )
    Claim.objects.bulk_create(rows)


def verdict_counts(run: Run) -> dict[str, int]:
    """How many claims of `run` got which verdict: {SUPPORTED, PARTIALLY, UNSUPPORTED, CONTRADICTED}."""
    verdicts = list(run.claims.values_list("verdict", flat=True))
    return {name: verdicts.count(name) for name in get_args(Verdict)}


def _summed_up(inquiry: Inquiry) -> None:
    counts = verdict_counts(inquiry.run)
    checked = sum(counts.values())
    score = (counts["SUPPORTED"] + 0.5 * counts["PARTIALLY"] - 0.5 * counts["CONTRADICTED"]) / checked
    what = "are borne out by the passage they cite" if inquiry.uses_model else "stand word for word in their source"
    sentence = f"{counts['SUPPORTED']} of {checked} cited sentences {what}."
    inquiry.tell("claims_checked", sentence)
    details = {"checked": checked, "verdicts": counts, "fidelity": round(max(0.0, score), 3)}
    inquiry.log("verification", "claims_checked", sentence, details)
