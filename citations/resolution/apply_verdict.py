"""Saving a verdict in the row of its entry (SPEC C2, C4, C11).

A proven entry takes the registry's values and keeps the claimed ones beside them. Attested entries are not changed, and
a service that did not answer never removes an earlier verdict.
"""

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from django.utils import timezone

from citations.formats.csl import columns_of, is_marked
from citations.formats.reading import Csl, Entry
from citations.identity.reference import reference_from_csl
from citations.identity.verdict_types import Verdict
from citations.models import Citation, RetractionNotice
from citations.resolution.retry_delays import retry_delay
from core.storable_text import storable
from sources.retractions import Update
from sources.work import Work

VERDICT_COLUMNS = (
    *("csl", "title", "authors", "year", "doi", "pmid", "url", "retracted", "status", "tier", "reason"),
    *("evidence_type", "evidence_value", "source_doi", "source_pmid", "claimed", "record", "diff", "repair"),
    *("published_doi", "open_access_url", "verified_at", "checked_at", "check_due_at", "failures", "updated_at"),
)
"""The columns that a verdict may change, including those that `forget` clears."""

_LONGEST = {"doi": 500, "pmid": 50}  # characters, for columns with a limit
_S = Citation.Status


def apply_verdict(citation: Citation, verdict: Verdict, now: datetime) -> bool:
    """Apply `verdict` to the row without saving it, and without its notices (`write_notices`).

    Returns False where the row is never checked and so was not changed.
    """
    if citation.status in Citation.NEVER_CHECKED:
        return False
    citation.updated_at = now
    if verdict.status == "unresolved":
        _postpone(citation, verdict, now)
        return True
    citation.checked_at, citation.check_due_at, citation.failures = now, None, 0
    claim = citation.claim
    if verdict.status == "verified" and verdict.work is not None:
        _prove(citation, claim, verdict, verdict.work, now)
    else:
        _restore_claim(citation, claim)
        citation.retracted = is_marked(claim, "retracted") or _is_retraction(verdict)
    citation.status, citation.tier = verdict.status, verdict.tier or ""
    _set_details(citation, verdict)
    return True


def reset_claim(citation: Citation, claim: Csl, now: datetime | None = None) -> None:
    """Set a new claim, clear the verdict, and queue a check. Not saved.

    A cited file without an identifier has nothing to look up, so it gets the status of an own file.
    """
    now = now or timezone.now()
    if citation.csl and reference_from_csl(claim) != reference_from_csl(
        citation.claim
    ):  # the reason was given for another work
        citation.retraction_reason, citation.retraction_reason_by = "", None
        citation.retraction_reason_at, citation.retraction_reason_notices = None, []
    citation.csl, citation.claimed = claim, {}
    _set_columns(citation, claim)
    citation.retracted = is_marked(claim, "retracted")
    citation.status, citation.tier, citation.reason = _S.UNRESOLVED, "", ""
    _unprove(citation)
    citation.record, citation.diff, citation.repair = {}, [], {}
    citation.published_doi = citation.open_access_url = ""
    citation.checked_at, citation.check_due_at, citation.failures, citation.updated_at = None, now, 0, now
    if citation.file_name and not has_identifier(claim):
        citation.status, citation.check_due_at = _S.FILE, None


def has_identifier(claim: Csl) -> bool:
    """Return whether an entry has an identifier or a web address that can be looked up."""
    read = reference_from_csl(claim)
    return any((read.doi, read.unread_doi, read.pmid, read.arxiv, read.isbn, read.url, claim.get("PMCID")))


def write_notices(settled: Iterable[tuple[Citation, Verdict]]) -> None:
    """Replace the notices of saved entries by those of their verdicts."""
    told = [(citation, verdict) for citation, verdict in settled if verdict.status != "unresolved"]
    RetractionNotice.objects.filter(citation__in=[citation.pk for citation, _ in told]).delete()
    RetractionNotice.objects.bulk_create(
        RetractionNotice(
            citation=citation,
            type=update.type[:40],
            doi=(update.doi or "")[:500],
            pmid=(update.pmid or "")[:50],
            source=storable(update.source or "")[:40],
            year=update.year,
            note=storable(update.note or "")[:2_000],
        )
        for citation, verdict in told
        for update in _updates(verdict)
    )


def _postpone(citation: Citation, verdict: Verdict, now: datetime) -> None:
    citation.failures += 1
    citation.check_due_at = now + retry_delay(citation.failures)
    if citation.status == _S.UNRESOLVED:
        citation.tier = ""
        _set_details(citation, verdict)


def _prove(citation: Citation, claim: Csl, verdict: Verdict, work: Work, now: datetime) -> None:
    citation.claimed = claim
    citation.csl = merge_record(claim, work, wins=verdict.evidence_type != "url")
    if "pmid" in verdict.unproven and not work.pmid:
        citation.csl.pop("PMID", None)  # it stays in `claimed`, and is looked up at the next check
    _set_columns(citation, citation.csl)
    citation.retracted = is_marked(citation.csl, "retracted") or _is_retraction(verdict)
    citation.evidence_type, citation.evidence_value = verdict.evidence_type, verdict.evidence_value[:1_000]
    citation.source_doi, citation.source_pmid = (work.doi or "")[:500], (work.pmid or "")[:50]
    citation.verified_at = now


def merge_record(claim: Csl, work: Work, *, wins: bool = True) -> Csl:
    """Merge the claim with the registry's record, whose values win; with `wins` false, for web pages, the claim's win.

    Values that the record lacks stay as claimed; "and others" is dropped where the record has authors.
    """
    record: Csl = storable(work.csl())
    theirs, mine = (dict(one.get("custom") or {}) for one in (record, claim))
    if work.authors:
        mine.pop("others", None)
    merged = {**claim, **record} if wins else {**record, **claim}
    if not wins and claim.get("type") in (None, "document"):
        merged["type"] = work.type
    if wins and work.authors and not work.editors and not claim.get("author"):
        merged.pop("editor", None)  # they were claimed instead of the authors
    merged.pop("custom", None)
    return {**merged, "custom": {**mine, **theirs}} if mine or theirs else merged


def _restore_claim(citation: Citation, claim: Csl) -> None:
    """Remove the proof and restore the claimed values."""
    if citation.claimed:
        citation.csl, citation.claimed = claim, {}
        _set_columns(citation, claim)
    _unprove(citation)


def _unprove(citation: Citation) -> None:
    citation.evidence_type = citation.evidence_value = citation.source_doi = citation.source_pmid = ""
    citation.verified_at = None


def _set_columns(citation: Citation, csl: Csl) -> None:
    columns = columns_of(Entry("", "", csl))
    for name in ("title", "authors", "year", "doi", "pmid", "url"):
        value = columns[name]
        setattr(citation, name, value[: _LONGEST[name]] if name in _LONGEST else value)


def _set_details(citation: Citation, verdict: Verdict) -> None:
    work, repair = verdict.work, verdict.repair
    citation.reason = storable(verdict.reason)
    citation.record = storable(work.csl()) if work else {}
    citation.diff = storable([asdict(row) for row in verdict.diff])
    citation.repair = storable({"doi": repair.doi or "", "title": repair.title, "csl": repair.csl()}) if repair else {}
    known = work if work and verdict.status in {"verified", "review"} else None
    citation.published_doi = ((known.published_version_doi if known else None) or "")[:500]
    citation.open_access_url = storable(known.open_access_url or "") if known else ""


def _is_retraction(verdict: Verdict) -> bool:
    return any(update.retracts for update in _updates(verdict))


def _updates(verdict: Verdict) -> list[Update]:
    """Return the notices of a verdict without repeats; none where the record may be of another work."""
    if verdict.status not in {"verified", "review"} or verdict.work is None:
        return []
    updates = list(verdict.work.updates)
    if verdict.retraction and not any(update.retracts for update in updates):
        updates.append(verdict.retraction)
    return list(dict.fromkeys(updates))
