"""The grade of one record as proof of an entry; records of the same work (SPEC C2; identity-gate.md, rules 3 to 5)."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from citations.identity.gate import ComparedField, Gate, gate, same_first_page, same_volume, types_compatible
from citations.identity.normalise import plain
from citations.identity.reference import Reference, reference_from_work, without_retraction_mark
from citations.identity.thresholds import TITLE_LONG_ENOUGH
from citations.identity.title_similarity import Likeness, likeness
from citations.identity.venues import is_preprint_doi, is_preprint_place, same_venue
from sources.work import Work

By = Literal["doi", "pmid", "arxiv", "isbn", "url", "search"]
_NOTICES = {"retraction", "correction", "erratum", "corrigendum", "expression_of_concern", "withdrawal", "removal"}
_IN_BOOKS = {"chapter", "paper-conference", "entry", "entry-dictionary", "entry-encyclopedia"}
_ONE_TITLE = {"same", "part", "longer", "spelling"}
_MEETINGS = {"paper-conference", "chapter"}


class Graded(NamedTuple):
    """A record and its grade. `doubts` are sentences: why the record proves nothing, or why it is another work.

    Grades: "proven" gives tier A or B (rule 3); "probable" needs a person's confirmation (rule 4); "other" is another
    work (rule 5).
    """

    grade: Literal["proven", "probable", "other"]
    by: By
    work: Work
    record: Reference
    likeness: Likeness
    doubts: tuple[str, ...] = ()


def grade(claim: Reference, work: Work, by: By, others: Iterable[Work] = ()) -> Graded:
    """Grade `work` as proof of `claim`.

    `by` is how it was found: by one of the claim's identifiers, or by a search. `others` are other registries' records
    of the same work.
    """
    alike = likeness(claim.title, without_retraction_mark(work.title))
    if by == "search" and alike.how in {
        "other",
        "cut",
        "unknown",
    }:  # most search results end here
        return Graded("other", by, work, Reference(title=work.title), alike)
    record = reference_from_work(work)
    if by == "isbn" and claim.type in _IN_BOOKS:
        return _grade_book(claim, work, record)
    tested = gate(claim, record, doi_matches=by == "doi", others=map(reference_from_work, others))
    if refused := _refusals(claim, tested, alike, by):
        return Graded("other", by, work, record, alike, refused)
    doubts = _doubts(claim, work, record, tested, alike, by)
    return Graded("probable" if doubts else "proven", by, work, record, alike, doubts)


def _grade_book(claim: Reference, work: Work, record: Reference) -> Graded:
    """Grade the record of a book for a chapter: an ISBN identifies the book and does not prove the chapter."""
    alike = likeness(claim.venue, record.title)
    doubts = ("The ISBN identifies the book. Check yourself that the chapter is in it.",)
    if alike.how == "other":
        return Graded("other", "isbn", work, record, alike, ("The book has a different title.",))
    return Graded("probable", "isbn", work, record, alike, doubts)


def _refusals(claim: Reference, tested: Gate, alike: Likeness, by: By) -> tuple[str, ...]:
    """Return why the record is of another work; nothing where only the year or an author differs (rule 4)."""
    reasons = tuple(test.reason for test in tested.failed if test.name != "authors")
    if alike.how == "other":
        return ("The title is different.", *reasons)
    if by == "url" and alike.how == "unknown":
        return ("One of the titles is missing.", *reasons)
    only_year = {test.name for test in tested.failed} == {"year"}
    return () if only_year and alike.how in _ONE_TITLE else reasons


def _doubts(claim: Reference, work: Work, record: Reference, tested: Gate, alike: Likeness, by: By) -> tuple[str, ...]:
    """Return why a record that may be of the work does not prove it by itself."""
    placed = bool(same_volume(claim, record)) and bool(same_first_page(claim, record))
    found = [
        *(test.reason for test in tested.failed),
        *_title_doubts(claim, record, alike, by, placed),
        *_version_doubts(claim, record, by, placed),
    ]
    if any(update.type in _NOTICES for update in work.notice_of):
        found.append("The record is a notice about another work.")
    # Tests without a value: a search proves a work only by title, authors and year together. Where an identifier leads
    # to the record, only claimed authors or a claimed year that cannot be compared leave a doubt.
    claims = {"first author": claim.people, "year": claim.year} if by != "url" else {}
    found += [test.reason for test in tested.open if test.reason and (by == "search" or claims.get(test.name))]
    return tuple(found)


def _title_doubts(claim: Reference, record: Reference, alike: Likeness, by: By, placed: bool) -> list[str]:
    if alike.how == "unknown":
        return [] if not claim.title and not claim.people else ["One of the titles is missing."]
    differ = {
        "cut": "One of the titles is cut short.",
        "words": f"The titles differ in at least one word ({alike.similarity:.0%} similar).",
        # Other matching fields do not help here: invented references often add a subtitle to a real work.
        "longer": "The record's title has no such subtitle.",
    }
    if alike.how in differ:
        return [differ[alike.how]]
    if by != "search" or placed:
        return []
    if alike.how == "spelling":
        return [
            "The titles differ in spelling, and no identifier, volume or page confirms that they are the same work."
        ]
    if not same_venue(claim.venue, record.venue) and (
        alike.how == "part" or len(plain(record.title)) <= TITLE_LONG_ENOUGH
    ):
        return ["The title is too short to identify one work, and nothing else confirms that they are the same work."]
    return []


def _version_doubts(claim: Reference, record: Reference, by: By, placed: bool) -> list[str]:
    """Return why the record may be of another version: a preprint or the article, conference or journal, an edition."""
    mine, theirs = _is_preprint(claim), _is_preprint(record)
    if mine is False and theirs:
        return [f"The record is a preprint; the entry claims “{claim.venue}”."]
    if mine and theirs is False and not (claim.arxiv and claim.arxiv == record.arxiv):
        return [f"The entry claims a preprint; the record is of “{record.venue}”."]
    if same_venue(claim.venue, record.venue) is not False or placed:
        return (
            ["Volume and page differ."]
            if (same_volume(claim, record) is False and same_first_page(claim, record) is False)
            else []
        )
    said = f"It appeared in “{record.venue}”, not in “{claim.venue}”"
    if by == "search":
        return [f"{said}; it may be another version."]
    if (claim.type in _MEETINGS) != (record.type in _MEETINGS) and types_compatible(claim.type, record.type):
        return [f"{said}: one is a journal, the other a conference or a book."]
    years = claim.year and record.year and claim.year != record.year
    is_elsewhere = years or (same_volume(claim, record) is False and same_first_page(claim, record) is False)
    return [f"{said}, and year, volume or page differ too."] if is_elsewhere else []


def _is_preprint(reference: Reference) -> bool | None:
    """Return whether a reference is a preprint; None where nothing tells. In CSL a preprint has the type "article"."""
    if reference.type == "article":
        return True
    if reference.venue:
        return is_preprint_place(reference.venue)
    return True if reference.arxiv or is_preprint_doi(reference.doi) else None


def same_record(one: Work, other: Work) -> bool:
    """Return whether two records describe the same work.

    Identifiers decide; without a common kind of identifier title and year must be equal, and venue, volume and page
    must not differ.
    """
    if both := _identifiers(one, other):
        return any(mine == theirs for mine, theirs in both)
    here, there = reference_from_work(one), reference_from_work(other)
    places = (same_venue(here.venue, there.venue), same_volume(here, there), same_first_page(here, there))
    return one.year == other.year and likeness(here.title, there.title).is_same and False not in places


def is_same_by_identifier(one: Work, other: Work) -> bool:
    """Return whether two records describe the same work and share a DOI or PMID."""
    return bool((one.doi and one.doi == other.doi) or (one.pmid and one.pmid == other.pmid)) and same_record(one, other)


def are_different_works(one: Work, other: Work) -> bool:
    """Return whether all DOIs and PMIDs that two records both have differ: they describe two works."""
    both = _identifiers(one, other)
    return bool(both) and all(mine != theirs for mine, theirs in both)


def _identifiers(one: Work, other: Work) -> list[tuple[str, str]]:
    """Return the pairs of DOIs and of PMIDs, where both records have one."""
    return [(mine, theirs) for mine, theirs in ((one.doi, other.doi), (one.pmid, other.pmid)) if mine and theirs]


def distinct_works(found: Sequence[Graded], claim: Reference) -> list[Graded]:
    """Return one record for each work, those with a DOI first, else in their order.

    Where only one work matches the claimed venue, or volume and page, only that work is returned.
    """
    works: list[Graded] = []
    for one in sorted(found, key=lambda graded: not graded.work.doi):
        if not any(same_record(one.work, known.work) for known in works):
            works.append(one)
    placed = [one for one in works if _is_placed(claim, one.record)]
    return placed if len(placed) == 1 else works


def _is_placed(claim: Reference, record: Reference) -> bool:
    """Return whether the record has the claimed volume and first page, or the claimed venue and year."""
    is_there = bool(same_volume(claim, record) and same_first_page(claim, record))
    return is_there or (bool(same_venue(claim.venue, record.venue)) and claim.year == record.year)


IDENTIFIER_NAMES = {"doi": "DOI", "pmid": "PMID", "arxiv": "arXiv id", "isbn": "ISBN", "url": "address"}
_SERVICES = {
    **{"crossref": "Crossref", "pubmed": "PubMed", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"},
    **{"datacite": "DataCite", "doi": "doi.org", "arxiv": "arXiv", "openlibrary": "Open Library"},
    "demo": "the demo catalogue",
}
_LONGEST = 120  # characters of a title


def describe_work(work: Work) -> str:
    """Return a description of a work for a sentence: “Title” by Munch and others, 2021."""
    title = work.title if len(work.title) <= _LONGEST else f"{work.title[: _LONGEST - 1].rstrip()}…"
    people = [one.family or one.literal or "" for one in work.authors or work.editors]
    by = f" by {people[0]}{' and others' if len(people) > 1 else ''}" if people else ""
    place = " (preprint)" if work.type == "article" or is_preprint_doi(work.doi) else ""
    return f"“{title or 'a work without a title'}”{by}{f', {work.year}' if work.year else ''}{place}"


def registry_name(work: Work) -> str:
    """Return the name of the registry that a record is from."""
    return _SERVICES.get(work.provider, work.provider)


def join_names(names: Sequence[str]) -> str:
    """Join names for a sentence: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def join_sentences(sentences: Iterable[str]) -> str:
    """Join sentences with spaces."""
    return " ".join(sentences)


def agreement(rows: Sequence[ComparedField]) -> str:
    """Return a clause that says which of title, authors and year agree; empty where any field differs."""
    if any(row.agrees is False for row in rows):
        return ""
    fields = [row.field for row in rows if row.agrees and row.field in ("title", "authors", "year")]
    if not fields:
        claims = [row.agrees for row in rows if row.claimed and row.field not in (*IDENTIFIER_NAMES, "type")]
        return ("all comparable fields agree" if any(claims) else "") if claims else "the entry gives no other details"
    return f"{join_names(fields)} {'agrees' if fields in (['title'], ['year']) else 'agree'}"


def differences(rows: Iterable[ComparedField], authors: Sequence[str], *, is_taken: bool) -> str:
    """Return sentences about the fields that differ between a claim and the record that proves it; empty for none.

    `authors` describes how the authors differ. `is_taken`: the record's values replace the claimed ones.
    """
    fields = [{"type": "kind", **IDENTIFIER_NAMES}.get(row.field, row.field) for row in rows if row.agrees is False]
    if not fields:
        return ""
    verb = "differs" if len(fields) == 1 and not fields[0].endswith("s") else "differ"
    said = join_names(fields)
    whose = "record's" if is_taken else "entry's"
    of_authors = f" Of the authors, {'; '.join(authors)}." if authors else ""
    subject = f"{said[0].upper()}{said[1:]}"
    is_or_are = "is" if verb == "differs" else "are"
    return f"{subject} {verb} from what was claimed; the {whose} {is_or_are} used.{of_authors}"
