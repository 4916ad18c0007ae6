"""The identity gate: the tests that a registry record must pass to describe the work that an entry claims (SPEC C2).

Thresholds and order are those of the measured rule (docs/decisions/identity-gate.md); those of titles are
in title_similarity.py. Nothing here makes a request.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from citations.identity.author_lists import compare_authors, compare_first_authors, find_all_authors
from citations.identity.normalise import first_page, pages, plain, volume, words_in
from citations.identity.reference import Name, Reference
from citations.identity.title_similarity import likeness, numbers, opening_kind, same_numbers
from citations.identity.venues import venues_agree

YEARS = 1  # allowed difference: online one year, in print the next
YEARS_OF_VERSIONS = 3  # allowed difference where the DOI matches and the record names a preprint of the work

_KINDS = (
    words_in(
        "article article-journal article-magazine article-newspaper paper-conference report manuscript speech chapter"
        " entry entry-dictionary entry-encyclopedia"
    ),
    words_in("book report pamphlet standard classic legislation"),
    words_in("review review-book"),
    words_in("dataset software"),
    words_in("thesis manuscript"),
)
# A web page, a post or an item without a type is compatible with every type.
_ANY = {"document", "webpage", "post", "post-weblog", "collection", "broadcast", ""}


class Test(NamedTuple):
    """One test of the gate. `passed` is None where a value is missing; `reason` is a sentence unless it passed."""

    name: Literal["first author", "authors", "year", "numbers", "kind", "type"]
    passed: bool | None
    reason: str = ""


class Gate(NamedTuple):
    """The results of all tests of one claim against one record."""

    tests: tuple[Test, ...]

    @property
    def passed(self) -> bool:
        """Whether no test failed."""
        return not self.failed

    @property
    def failed(self) -> tuple[Test, ...]:
        """The tests that failed."""
        return tuple(test for test in self.tests if test.passed is False)

    @property
    def open(self) -> tuple[Test, ...]:
        """The tests that lacked a value to compare."""
        return tuple(test for test in self.tests if test.passed is None)


@dataclass(frozen=True)
class ComparedField:
    """A field as claimed and as the registry has it. `agrees` is None where the two cannot be compared."""

    field: str
    claimed: str
    found: str
    agrees: bool | None


def gate(claim: Reference, record: Reference, *, doi_matches: bool = False, others: Iterable[Reference] = ()) -> Gate:
    """Run the tests that a record must pass to describe the work that `claim` describes (rule 2).

    `doi_matches`: the record has the claimed DOI, so that years may differ by three where a preprint is known.
    `others`: other registries' records of the same work, which may name authors that this record lacks.
    """
    return Gate(
        (
            Test("first author", *compare_first_authors(claim, record)),
            Test("authors", *find_all_authors(claim, record, others)),
            _year(claim, record, doi_matches),
            _numbers(claim, record),
            _kind(claim, record),
            _type(claim, record),
        )
    )


def _year(claim: Reference, record: Reference, doi_matches: bool) -> Test:
    if claim.year is None:
        return Test("year", None, "No year is claimed.")
    if record.year is None:
        return Test("year", None, "The record has no year.")
    agrees = abs(claim.year - record.year) <= (YEARS_OF_VERSIONS if doi_matches and record.versions else YEARS)
    return Test("year", agrees, "" if agrees else f"The year is {record.year}, not {claim.year}.")


def _numbers(claim: Reference, record: Reference) -> Test:
    if not plain(claim.title) or not plain(record.title):
        return Test("numbers", None, "One of the titles is missing.")
    agrees = same_numbers(claim.title, record.title)
    if agrees is None:
        return Test("numbers", None, "One of the titles leaves out a subtitle that contains numbers.")
    mine, theirs = (_listed(title) for title in (claim.title, record.title))
    return (
        Test("numbers", True)
        if agrees
        else Test("numbers", False, f"The title has {theirs or 'no number'} where {mine or 'no number'} is claimed.")
    )


def _listed(title: str) -> str:
    counted, parts = numbers(title)
    return ", ".join([*dict.fromkeys(counted), *sorted(parts)])[:100]


def _kind(claim: Reference, record: Reference) -> Test:
    mine, theirs = opening_kind(claim.title), opening_kind(record.title)
    if mine == theirs:
        return Test("kind", True)
    if not theirs:
        return Test("kind", False, f"The claimed title is that of a {mine}, the record's title is not.")
    return Test("kind", False, f"The record's title is that of a {theirs}, the claimed title is not.")


def _type(claim: Reference, record: Reference) -> Test:
    if types_compatible(claim.type, record.type):
        return Test("type", True)
    mine, theirs = (one.replace("-", " ") for one in (claim.type, record.type))
    return Test("type", False, f"The type is “{theirs}” in the record, not “{mine}”.")


def types_compatible(one: str, other: str) -> bool:
    """Return whether two CSL types can describe the same work.

    Entries often confuse kinds of papers, but seldom a book with a paper.
    """
    return one == other or one in _ANY or other in _ANY or any(one in kinds and other in kinds for kinds in _KINDS)


def compare_fields(claim: Reference, record: Reference) -> tuple[ComparedField, ...]:
    """Compare a claim with a record field by field, for the fields that at least one of them has (SPEC C4)."""
    titles = likeness(claim.title, record.title).how
    both = claim.editors and record.editors  # editors beside authors must agree in full, in the record's order
    editors = compare_authors(claim.editors, record.editors).agree if both else None
    kinds = None if "document" in (claim.type, record.type) else claim.type == record.type
    rows = (
        ComparedField("title", claim.title, record.title, None if titles == "unknown" else titles == "same"),
        ComparedField(
            "authors",
            _shown(claim.people, others=claim.others),
            _shown(record.people, others=record.others),
            same_authors(claim, record),
        ),
        _row("year", claim.year, record.year),
        ComparedField("venue", claim.venue, record.venue, venues_agree(claim.venue, record.venue)),
        ComparedField("volume", claim.volume, record.volume, same_volume(claim, record)),
        ComparedField("pages", claim.pages, record.pages, same_pages(claim, record)),
        ComparedField("issue", claim.issue, record.issue, _same(volume(claim.issue), volume(record.issue))),
        ComparedField("editors", _shown(claim.editors), _shown(record.editors), editors),
        _row("doi", claim.doi or claim.unread_doi, record.doi),
        _row("pmid", claim.pmid, record.pmid),
        _row("arxiv", claim.arxiv, record.arxiv),
        _row("isbn", claim.isbn, record.isbn),
        ComparedField("type", claim.type, record.type, kinds),
    )
    return tuple(row for row in rows if row.claimed or (row.found and row.field not in ("issue", "editors")))


def same_authors(claim: Reference, record: Reference) -> bool | None:
    """Return whether the claimed authors are the record's, in its order; None where one side has no authors.

    "And others" stands for the authors that are left out.
    """
    if not claim.people or not record.people:
        return None
    lists = compare_authors(claim.people, record.people)
    return lists._replace(left_out=0).agree if claim.others else lists.agree


def same_volume(claim: Reference, record: Reference) -> bool | None:
    """Return whether the volumes agree; None where one is missing."""
    return _same(volume(claim.volume), volume(record.volume))


def same_first_page(claim: Reference, record: Reference) -> bool | None:
    """Return whether the first pages, or the article numbers, agree; None where one is missing."""
    return _same(first_page(claim.pages), first_page(record.pages))


def same_pages(claim: Reference, record: Reference) -> bool | None:
    """Return whether first and last pages agree, also shortened ones ("1307-16"); None where one is missing."""
    mine, theirs = pages(claim.pages), pages(record.pages)
    if not mine or not theirs:
        return plain(claim.pages) == plain(record.pages) if claim.pages and record.pages else None
    return mine == theirs


def _same(mine: object, theirs: object) -> bool | None:
    """Return whether two values are equal; None where one is missing."""
    return mine == theirs if mine and theirs else None


def _row(field: str, mine: object, theirs: object) -> ComparedField:
    return ComparedField(field, str(mine or ""), str(theirs or ""), _same(mine, theirs))


def _shown(names: Sequence[Name], *, others: bool = False) -> str:
    """Return a list of names for people: at most six, then how many more."""
    shown = [name.shown for name in names[:6]]
    more = len(names) - len(shown)
    tail = [f"{more} more"] if more else ["others"] if others else []
    return "; ".join([*shown, *tail])
