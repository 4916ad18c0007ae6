"""What goes into a verdict on an entry, the answers of the registries, and what comes out (SPEC C2, C4)."""

from dataclasses import dataclass
from typing import Literal

from citations.identity.gate import ComparedField
from sources.retractions import Update
from sources.work import Work

Evidence = Literal["doi", "pmid", "isbn", "url", ""]
Status = Literal["verified", "review", "conflict", "not_found", "unresolved"]
Kind = Literal["doi", "pmid", "arxiv", "isbn", "url"]


@dataclass(frozen=True)
class Lookup:
    """The registries' answers for one identifier of the entry.

    `works` are their records, empty where no registry that answered knows it. `failed` names the services that did not
    answer.
    """

    kind: Kind
    value: str
    works: tuple[Work, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Search:
    """The results of searches for title, authors and year, best first, and the services that did not answer."""

    works: tuple[Work, ...] = ()
    failed: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """The verdict on an entry. `tier` is None where the table of SPEC C2 has none.

    `work` is the record that `diff` compares the claim with: the proven one, the probable one, or the other work that
    an identifier leads to. `evidence_type` and `evidence_value` are the proof of a verified entry (SPEC C4). `repair`
    is the intended work, where an identifier must be corrected, and `repair_doi` its DOI, or the DOI of a preprint's
    published version. `reason` is for people. `retraction` is the most serious notice. `unproven` are identifiers of a
    proven entry that no registry knows.
    """

    status: Status
    tier: Literal["A", "B", "D"] | None
    reason: str
    work: Work | None = None
    diff: tuple[ComparedField, ...] = ()
    evidence_type: Evidence = ""
    evidence_value: str = ""
    repair: Work | None = None
    repair_doi: str = ""
    retraction: Update | None = None
    unproven: tuple[Kind, ...] = ()
