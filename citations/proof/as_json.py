"""A verdict as JSON, in the shape that the command prints (DESIGN.md, "Commands")."""

from typing import Any

from citations.proof.verdict import Verdict
from sources.work import Update, Work


def verdict_json(key: str, verdict: Verdict, *, doi: str = "", pmid: str = "") -> dict[str, Any]:
    """One entry's line. `doi` and `pmid` are what the entry claims; a proven record's own take their place."""
    work = verdict.work
    proven = work if verdict.status == "verified" else None
    return {
        "key": key,
        "status": verdict.status,
        "tier": verdict.tier,
        "doi": (proven and proven.doi) or doi or None,
        "pmid": (proven and proven.pmid) or ("" if "pmid" in verdict.unproven else pmid) or None,
        "matched": {**work.csl(), "source": work.provider} if work else None,
        "diff": [row._asdict() for row in verdict.diff],
        "retraction": _notice(verdict.retraction),
        "reason": verdict.reason,
        "repair": _repair(verdict.repair, verdict.repair_doi),
    }


def unread_json(key: str, reason: str) -> dict[str, Any]:
    """The line of an entry that could not be read: its status is "unreadable", and `reason` says where and why."""
    said = {"key": key, "status": "unreadable", "tier": None, "doi": None, "pmid": None, "matched": None}
    return {**said, "diff": [], "retraction": None, "reason": reason, "repair": None}


def _notice(update: Update | None) -> dict[str, Any] | None:
    return update.model_dump(include={"type", "doi", "pmid", "source", "year", "note"}) if update else None


def _repair(work: Work | None, doi: str) -> dict[str, Any] | None:
    """The work that is meant where an identifier has to be mended, or a preprint's published version."""
    return {"doi": doi or None, "title": work.title if work else None} if work or doi else None
