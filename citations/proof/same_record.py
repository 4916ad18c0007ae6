"""Which records that a search brought are of one work, and which of several works an entry means (SPEC C2)."""

from collections.abc import Sequence

from citations.proof.gate import same_first_page, same_volume
from citations.proof.grading import Graded
from citations.proof.reference import Reference, recorded
from citations.proof.titles import likeness
from citations.proof.venues import same_venue
from sources.work import Work


def same_record(one: Work, other: Work) -> bool:
    """Whether two records are of one work: by an identifier, else by title, year and place where none speaks against it."""
    ids = ((one.doi, other.doi), (one.pmid, other.pmid))
    if any(mine and theirs for mine, theirs in ids):
        return not are_two(one, other)
    here, there = recorded(one), recorded(other)
    places = (same_venue(here.venue, there.venue), same_volume(here, there), same_first_page(here, there))
    return one.year == other.year and likeness(here.title, there.title).is_same and False not in places


def is_known_same(one: Work, other: Work) -> bool:
    """Whether two records are of one work, and share an identifier that says so."""
    shared = (one.doi and one.doi == other.doi) or (one.pmid and one.pmid == other.pmid)
    return bool(shared) and same_record(one, other)


def are_two(one: Work, other: Work) -> bool:
    """Whether identifiers say that two records are of two works."""
    ids = ((one.doi, other.doi), (one.pmid, other.pmid))
    both = [(mine, theirs) for mine, theirs in ids if mine and theirs]
    return bool(both) and all(mine != theirs for mine, theirs in both)


def distinct(found: Sequence[Graded], claim: Reference) -> list[Graded]:
    """A record for each work, in the order they came, the one with a DOI first.

    Where a place is claimed and one work alone has it, it is the only one that is left.
    """
    works: list[Graded] = []
    for one in sorted(found, key=lambda graded: not graded.work.doi):
        if not any(same_record(one.work, known.work) for known in works):
            works.append(one)
    placed = [one for one in works if _is_placed(claim, one.record)]
    return placed if len(placed) == 1 else works


def _is_placed(claim: Reference, record: Reference) -> bool:
    """Whether the place that is claimed is the record's: the venue, or volume and first page."""
    if same_volume(claim, record) and same_first_page(claim, record):
        return True
    return bool(same_venue(claim.venue, record.venue)) and claim.year == record.year
