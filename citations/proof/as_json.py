"""A verdict as JSON, in the shape that the command prints (DESIGN.md, "Commands")."""

from typing import Any

from citations.proof.verdict import Verdict

_TOLD = {"type", "doi", "pmid", "source", "year", "note"}


def verdict_json(key: str, verdict: Verdict, *, doi: str = "", pmid: str = "") -> dict[str, Any]:
    """One entry's line. `doi` and `pmid` are what the entry claims; a proven record's own take their place."""
    work = verdict.work
    # The work that is meant where an identifier has to be mended, or a preprint's published version.
    meant, told, offers = verdict.repair, verdict.retraction, verdict.repair or verdict.repair_doi
    proven = work if verdict.status == "verified" else None
    return {
        "key": key,
        "status": verdict.status,
        "tier": verdict.tier,
        "doi": (proven and proven.doi) or doi or None,
        "pmid": (proven and proven.pmid) or ("" if "pmid" in verdict.unproven else pmid) or None,
        "matched": {**work.csl(), "source": work.provider} if work else None,
        "diff": [row._asdict() for row in verdict.diff],
        "retraction": told.model_dump(include=_TOLD) if told else None,
        "reason": verdict.reason,
        "repair": {"doi": verdict.repair_doi or None, "title": meant.title if meant else None} if offers else None,
    }


def unread_json(key: str, reason: str) -> dict[str, Any]:
    """The line of an entry that could not be read: its status is "unreadable", and `reason` says where and why."""
    said = {"key": key, "status": "unreadable", "tier": None, "doi": None, "pmid": None, "matched": None}
    return {**said, "diff": [], "retraction": None, "reason": reason, "repair": None}
