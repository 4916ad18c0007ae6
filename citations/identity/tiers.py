"""What tier A and tier B need of an entry that is proven (SPEC C2, C4).

Tier A: a registry's record with a DOI, PMID or arXiv id. Tier B: a book's ISBN or a web page. Tier C and D, and whether
anything is proven at all, are decided by the grades (`grade.py`), the verdict (`verdict.py`) and people.
"""

from typing import Literal

from citations.identity.grade import Graded
from citations.identity.reference import Reference
from citations.identity.verdict_types import Evidence, Kind

PROOF: tuple[Kind, ...] = ("doi", "pmid", "arxiv")  # they give tier A; the others give tier B


def tier_and_evidence(best: Graded, claim: Reference) -> tuple[Literal["A", "B"], Evidence, str]:
    """Return the tier of a proven entry, and the kind and value of the record's own identifier that proves it."""
    kind, value = _evidence(best, claim)
    return ("A" if kind in PROOF else "B"), kind, value


def _evidence(best: Graded, claim: Reference) -> tuple[Evidence, str]:
    work = best.work
    if best.by == "isbn":
        return "isbn", work.isbn or claim.isbn or ""
    if best.by == "url":
        return "url", claim.url or work.url or ""
    if work.doi:
        return "doi", work.doi
    if work.pmid:
        return "pmid", work.pmid
    if best.record.arxiv:
        return "doi", f"10.48550/arxiv.{best.record.arxiv}"
    return ("isbn", work.isbn) if work.isbn else ("url", work.link or "")
