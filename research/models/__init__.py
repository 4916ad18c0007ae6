"""A research run and everything it stores (SPEC R6, R12, R13, R16).

The ids that pages and exports show are short text keys, unique within a run: nodes "1.2", sources "alder.md::S1" or a
cite key, findings "F1.2-3", gaps "G1.2-1" and contradictions "D1.2-1" of node 1.2, claims "C4".
"""

from research.models.evidence import Claim, Contradiction, Finding, Gap, GapQuerySet, Source, SourceQuerySet, public_id
from research.models.records import FollowUp, FollowUpQuerySet, Passage, ProvenanceEntry, SavedProfile
from research.models.run import Node, Phase, Run, Step

__all__ = [
    "Claim",
    "Contradiction",
    "Finding",
    "FollowUp",
    "FollowUpQuerySet",
    "Gap",
    "GapQuerySet",
    "Node",
    "Passage",
    "Phase",
    "ProvenanceEntry",
    "Run",
    "SavedProfile",
    "Source",
    "SourceQuerySet",
    "Step",
    "public_id",
]
