"""The ledger of a claim check: each claim of the report once, and what became of it (SPEC R11).

supported + partly + unsupported + contradicted + not_checked + removed = claims. The same figures stand in the report, on
its pages and in every export, for all of them come from here.
"""

from collections import Counter
from collections.abc import Iterable

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


def ledger(ends: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The ledger of claims that are given as (verdict, outcome): one that was removed counts as that alone."""
    counts = Counter("removed" if outcome == "removed" else verdict for verdict, outcome in ends)
    lines = {name: counts[verdict] for name, verdict in COLUMNS.items()}
    return {"claims": sum(counts.values()), **lines, "removed": counts["removed"]}


def in_words(lines: dict[str, int]) -> str:
    """The ledger as one sentence; lines with nothing in them are left out."""
    told = [f"{lines[name]} {label}" for name, label in LABELS.items() if lines[name]]
    claims = "1 claim" if lines["claims"] == 1 else f"{lines['claims']:,} claims"
    return f"Claim check: {claims}{': ' if told else ''}{', '.join(told)}."
