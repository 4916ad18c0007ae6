"""How far one record proves an entry, and which records are of one work (SPEC C2; identity-gate.md, rules 3 to 5)."""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from citations.identity.gate import Compared, Gate, compatible, gate, same_first_page, same_volume
from citations.identity.normalise import plain
from citations.identity.reference import Reference, recorded, unmarked
from citations.identity.titles import LONG_ENOUGH, Likeness, likeness
from citations.identity.venues import is_preprint_doi, is_preprint_place, same_venue
from sources.work import Work

By = Literal["doi", "pmid", "arxiv", "isbn", "url", "search"]
_NOTICES = {"retraction", "correction", "erratum", "corrigendum", "expression_of_concern", "withdrawal", "removal"}
_IN_BOOKS = {"chapter", "paper-conference", "entry", "entry-dictionary", "entry-encyclopedia"}
_ONE_TITLE = {"same", "part", "longer", "spelling"}
_MEETINGS = {"paper-conference", "chapter"}


class Graded(NamedTuple):
    """A record and what it proves. `doubts` are sentences: why it is not proven, or why it is another work.

    "proven": tier A, or B (rule 3). "probable": a person must confirm (rule 4). "other": another work (rule 5).
    """

    grade: Literal["proven", "probable", "other"]
    by: By
    work: Work
    record: Reference
    likeness: Likeness
    doubts: tuple[str, ...] = ()


def grade(claim: Reference, work: Work, by: By, others: Iterable[Work] = ()) -> Graded:
    """Return what `work` proves of `claim`, as it was found: by one of the claim's identifiers, or by a search.

    `others` are other registries' records of the same work.
    """
    alike = likeness(claim.title, unmarked(work.title))
    if by == "search" and alike.how in {
        "other",
        "cut",
        "unknown",
    }:  # most of what a search brings: looked at no further
        return Graded("other", by, work, Reference(title=work.title), alike)
    record = recorded(work)
    if by == "isbn" and claim.type in _IN_BOOKS:
        return _grade_book(claim, work, record)
    tested = gate(claim, record, doi_matches=by == "doi", others=map(recorded, others))
    if refused := _refusals(claim, tested, alike, by):
        return Graded("other", by, work, record, alike, refused)
    doubts = _doubts(claim, work, record, tested, alike, by)
    return Graded("probable" if doubts else "proven", by, work, record, alike, doubts)


def _grade_book(claim: Reference, work: Work, record: Reference) -> Graded:
    """Return an ISBN is that of the whole book, and no proof that a chapter is in it."""
    alike = likeness(claim.venue, record.title)
    doubts = ("This is the book. Whether the chapter is in it, only a person can say.",)
    if alike.how == "other":
        return Graded("other", "isbn", work, record, alike, ("The book has another title.",))
    return Graded("probable", "isbn", work, record, alike, doubts)


def _refusals(claim: Reference, tested: Gate, alike: Likeness, by: By) -> tuple[str, ...]:
    """Return why the record is of another work; nothing where it is not, or where only the year or an author is wrong (rule 4)."""
    reasons = tuple(test.reason for test in tested.failed if test.name != "authors")
    if alike.how == "other":
        return ("The title is another.", *reasons)
    if by == "url" and alike.how == "unknown":
        return ("There are not two titles to compare.", *reasons)
    only_year = {test.name for test in tested.failed} == {"year"}
    return () if only_year and alike.how in _ONE_TITLE else reasons


def _doubts(claim: Reference, work: Work, record: Reference, tested: Gate, alike: Likeness, by: By) -> tuple[str, ...]:
    """Return why a record that may be of the work does not prove it alone."""
    placed = bool(same_volume(claim, record)) and bool(same_first_page(claim, record))
    found = [
        *(test.reason for test in tested.failed),
        *_title_doubts(claim, record, alike, by, placed),
        *_version_doubts(claim, record, by, placed),
    ]
    if any(update.type in _NOTICES for update in work.notice_of):
        found.append("The record is a notice about another work.")
    # What could not be tested: a search proves a work by all of title, authors and year. Where an identifier leads to the
    # record, only authors or a year that are claimed and cannot be compared leave a doubt: they may be another work's.
    claims = {"first author": claim.people, "year": claim.year} if by != "url" else {}
    found += [test.reason for test in tested.open if test.reason and (by == "search" or claims.get(test.name))]
    return tuple(found)


def _title_doubts(claim: Reference, record: Reference, alike: Likeness, by: By, placed: bool) -> list[str]:
    if alike.how == "unknown":
        return [] if not claim.title and not claim.people else ["There are not two titles to compare."]
    differ = {
        "cut": "One of the titles breaks off.",
        "words": f"The titles differ in a word or more (they are {alike.similarity:.0%} alike).",
        # The rest of the entry proves nothing: an invented subtitle is put to a real work.
        "longer": "The record's title has no such subtitle.",
    }
    if alike.how in differ:
        return [differ[alike.how]]
    if by != "search" or placed:
        return []
    if alike.how == "spelling":
        return ["The titles differ in spelling, and neither identifier nor volume and page tell that they are one."]
    if not same_venue(claim.venue, record.venue) and (alike.how == "part" or len(plain(record.title)) <= LONG_ENOUGH):
        return ["So short a title belongs to more than one work, and nothing else tells that they are one."]
    return []


def _version_doubts(claim: Reference, record: Reference, by: By, placed: bool) -> list[str]:
    """Return why the record may be of another version: preprint and article, conference and journal, another edition."""
    mine, theirs = _is_preprint(claim), _is_preprint(record)
    if mine is False and theirs:
        return [f"The record is that of a preprint, and “{claim.venue}” is claimed."]
    if mine and theirs is False and not (claim.arxiv and claim.arxiv == record.arxiv):
        return [f"A preprint is claimed, and the record is that of “{record.venue}”."]
    if same_venue(claim.venue, record.venue) is not False or placed:
        return (
            ["Volume and page are others."]
            if (same_volume(claim, record) is False and same_first_page(claim, record) is False)
            else []
        )
    said = f"It appeared in “{record.venue}”, not in “{claim.venue}”"
    if by == "search":
        return [f"{said}; another version of it may have."]
    if (claim.type in _MEETINGS) != (record.type in _MEETINGS) and compatible(claim.type, record.type):
        return [f"{said}: one is a journal, the other a conference or a book."]
    years = claim.year and record.year and claim.year != record.year
    is_elsewhere = years or (same_volume(claim, record) is False and same_first_page(claim, record) is False)
    return [f"{said}, and year, volume or page are others too."] if is_elsewhere else []


def _is_preprint(reference: Reference) -> bool | None:
    """Return whether a reference is that of a preprint; None where it does not say. In CSL a preprint is an "article"."""
    if reference.type == "article":
        return True
    if reference.venue:
        return is_preprint_place(reference.venue)
    return True if reference.arxiv or is_preprint_doi(reference.doi) else None


def same_record(one: Work, other: Work) -> bool:
    """Return whether two records are of one work: by an identifier, else by title, year and place where none speaks against it."""
    if both := _identifiers(one, other):
        return any(mine == theirs for mine, theirs in both)
    here, there = recorded(one), recorded(other)
    places = (same_venue(here.venue, there.venue), same_volume(here, there), same_first_page(here, there))
    return one.year == other.year and likeness(here.title, there.title).is_same and False not in places


def is_known_same(one: Work, other: Work) -> bool:
    """Return whether two records are of one work, and share an identifier that says so."""
    return bool((one.doi and one.doi == other.doi) or (one.pmid and one.pmid == other.pmid)) and same_record(one, other)


def are_two(one: Work, other: Work) -> bool:
    """Return whether identifiers say that two records are of two works."""
    both = _identifiers(one, other)
    return bool(both) and all(mine != theirs for mine, theirs in both)


def _identifiers(one: Work, other: Work) -> list[tuple[str, str]]:
    """Return the DOIs and the PMIDs that both records have."""
    return [(mine, theirs) for mine, theirs in ((one.doi, other.doi), (one.pmid, other.pmid)) if mine and theirs]


def distinct(found: Sequence[Graded], claim: Reference) -> list[Graded]:
    """Return a record for each work, in the order they came, the one with a DOI first.

    Where a place is claimed and one work alone has it, it is the only one that is left.
    """
    works: list[Graded] = []
    for one in sorted(found, key=lambda graded: not graded.work.doi):
        if not any(same_record(one.work, known.work) for known in works):
            works.append(one)
    placed = [one for one in works if _is_placed(claim, one.record)]
    return placed if len(placed) == 1 else works


def _is_placed(claim: Reference, record: Reference) -> bool:
    """Return whether the place that is claimed is the record's: the venue, or volume and first page."""
    is_there = bool(same_volume(claim, record) and same_first_page(claim, record))
    return is_there or (bool(same_venue(claim.venue, record.venue)) and claim.year == record.year)


NAMED = {"doi": "DOI", "pmid": "PMID", "arxiv": "arXiv id", "isbn": "ISBN", "url": "address"}
_SERVICES = {
    **{"crossref": "Crossref", "pubmed": "PubMed", "openalex": "OpenAlex", "semantic_scholar": "Semantic Scholar"},
    **{"datacite": "DataCite", "doi": "doi.org", "arxiv": "arXiv", "openlibrary": "Open Library"},
}
_LONGEST = 120  # characters of a title


def told(work: Work) -> str:
    """Return a work for a sentence: “Title” by Munch and others, 2021."""
    title = work.title if len(work.title) <= _LONGEST else f"{work.title[: _LONGEST - 1].rstrip()}…"
    people = [one.family or one.literal or "" for one in work.authors or work.editors]
    by = f" by {people[0]}{' and others' if len(people) > 1 else ''}" if people else ""
    place = " (preprint)" if work.type == "article" or is_preprint_doi(work.doi) else ""
    return f"“{title or 'a work without a title'}”{by}{f', {work.year}' if work.year else ''}{place}"


def service(work: Work) -> str:
    """Return the registry a record is from."""
    return _SERVICES.get(work.provider, work.provider)


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def joined(sentences: Iterable[str]) -> str:
    return " ".join(sentences)


def agreement(rows: Sequence[Compared]) -> str:
    """That title, authors and year agree, as far as they are claimed; empty where anything at all differs."""
    if any(row.agrees is False for row in rows):
        return ""
    fields = [row.field for row in rows if row.agrees and row.field in ("title", "authors", "year")]
    if not fields:
        claims = [row.agrees for row in rows if row.claimed and row.field not in (*NAMED, "type")]
        return ("what can be compared agrees" if any(claims) else "") if claims else "the entry claims nothing else"
    return f"{listed(fields)} {'agrees' if fields in (['title'], ['year']) else 'agree'}"


def differences(rows: Iterable[Compared], authors: Sequence[str], *, is_taken: bool) -> str:
    """Return what differs from the claim in a record that proves it all the same; empty when nothing does.

    `authors` says how theirs differ. `is_taken`: the record's words take the place of those that were claimed.
    """
    fields = [{"type": "kind", **NAMED}.get(row.field, row.field) for row in rows if row.agrees is False]
    if not fields:
        return ""
    verb = "differs" if len(fields) == 1 and not fields[0].endswith("s") else "differ"
    said = listed(fields)
    whose = "record's" if is_taken else "entry's"
    of_authors = f" Of the authors, {'; '.join(authors)}." if authors else ""
    return f"{said[0].upper()}{said[1:]} {verb} from what was claimed; the {whose} {'is' if verb == 'differs' else 'are'} used.{of_authors}"
