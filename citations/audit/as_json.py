"""An audit as JSON: the same for the API and the command line (DESIGN, "JSON shapes")."""

from collections.abc import Iterable
from typing import Any

from citations.audit.integrity import WORST_FIRST, Audit, Cited, Missing
from citations.audit.summary import summary
from citations.audit.uses import Use


def audit_json(found: Audit) -> dict[str, Any]:
    """`found` as DESIGN has it, and besides the works in use that are not proven yet, are files or were retracted, how
    many cite commands count as what, and the score in sentences."""
    return {
        "missing_citations": [_missing(one) for one in found.missing],
        "orphaned_citations": [
            {"citation_id": str(entry.id), "cite_key": entry.key, "tier": entry.tier or None}
            for entry in found.orphaned
        ],
        "tier_d_blocking": [_cited(one) for one in found.blocking],
        "total_citations": found.total_citations,
        "total_cite_commands": found.total_cite_commands,
        "integrity_score": found.integrity_score,
        "unproven_in_use": [_cited(one) for one in found.unproven],
        "unfollowed_commands": [
            {"command": f"\\{one.name}", "why": one.why, "line": one.line, "used_in": _places([one.used_in])}
            for one in found.unfollowed
        ],
        "retracted_in_use": [
            _cited(one) | {"reason": one.entry.reason.text if one.entry.reason else None} for one in found.retracted
        ],
        "files_in_use": [_cited(one) for one in found.files],
        "cite_commands": {name: found.commands[name] for name in reversed(WORST_FIRST)},
        "summary": summary(found),
    }


def _missing(one: Missing) -> dict[str, Any]:
    return {"cite_key": one.key, "used_in": _places(one.used_in)}


def _cited(one: Cited) -> dict[str, Any]:
    entry = one.entry
    return {
        "citation_id": str(entry.id),
        "cite_key": entry.key,
        "status": entry.status,
        "tier": entry.tier or None,
        "used_in": _places(one.used_in),
    }


def _places(used: Iterable[Use]) -> list[dict[str, Any]]:
    return [
        {
            "section_id": str(use.section_id) if use.section_id else None,
            "number": use.number,
            "slug": use.slug,
            "title": use.title,
            "count": use.count,
        }
        for use in used
    ]
