"""Finding the reference that a PDF is the text of, by the identity gate (SPEC C2).

A first page is no record: it does not say which of its words are an author or a journal. So a record is made of it for
each reference in question, of what is printed there: a possible title, those of the reference's authors and its journal
that are printed, the printed year nearest to its year. The gate then judges that record as it judges a registry's, and
only what it holds for proven is attached.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from citations.identity.grade import By, Graded, grade
from citations.identity.reference import Name, Reference, reference_from_csl, reference_from_work
from citations.identity.title_similarity import likeness
from citations.models import Citation
from projects.models import Project
from sources.work import Person, Work
from thesis.attached_pdfs.first_page import FirstPage

_COLUMNS = ("pk", "cite_key", "title", "csl", "doi", "source_doi", "status")


class KnownReference(NamedTuple):
    """A reference of the thesis as the gate compares it, with the DOIs that it claims or has been proven by."""

    pk: UUID
    key: str
    reference: Reference
    dois: frozenset[str]


# The gate speaks of registries' records.
_SAID_OF_PAGES = {
    "No record that was found names": "The page does not name",
    "The record": "The page",
    "the record": "the page",
}
Compared = list[tuple[KnownReference, Graded]]


@dataclass
class Identified:
    """What was found for a page: the reference that it is the text of, or why there is none.

    `suggested` is a reference that a person should look at. `is_conflict`: the DOI and the title are of two works.
    `new_dois` are DOIs on the page of no reference with a title, one of which may be the work's.
    """

    match: KnownReference | None = None
    reason: str = ""
    suggested: KnownReference | None = None
    is_conflict: bool = False
    new_dois: list[str] = field(default_factory=list)


def known_references(project: Project) -> list[KnownReference]:
    """Return the references of a thesis in the form in which a page is compared with them."""
    rows = Citation.objects.filter(project=project).exclude(status=Citation.Status.FILE).values_list(*_COLUMNS)
    found = []
    for pk, key, title, csl, *dois, _status in rows:
        reference = reference_from_csl({**csl, "title": csl.get("title") or title})
        arxiv = f"10.48550/arxiv.{reference.arxiv}" if reference.arxiv else ""
        own = frozenset(doi.casefold() for doi in (*dois, reference.doi, arxiv) if doi)
        found.append(KnownReference(pk, key, reference, own))
    return found


def identify(page: FirstPage, known: Sequence[KnownReference]) -> Identified:
    """Return the reference of `known` that `page` is the text of, by DOI or by title, authors and year."""
    by_doi = [one for doi in page.dois for one in known if doi in one.dois and one.reference.title]
    new = [doi for doi in page.dois if not any(doi in one.dois for one in by_doi)]
    proven, doubtful = _graded(page, by_doi, "doi")
    if len({one.pk for one, _ in proven}) == 1:
        one, found = proven[0]
        doi = next((doi for doi in page.dois if doi in one.dois), "")
        return Identified(one, f"The DOI {doi} and the title “{_short(found.work.title)}” are on its first page.")
    if proven:
        return _several([one for one, _ in proven])
    by_title = [one for one in known if _may_be(page, one)]
    likely, unsure = _graded(page, by_title, "search")
    if by_doi and (likely or not doubtful):
        return _conflict(page, by_doi[0], likely[0][0] if likely else None, new)
    if doubtful:
        return _unsure(*doubtful[0])
    return _by_title(page, likely, unsure, new)


def _by_title(page: FirstPage, likely: Compared, unsure: Compared, new: list[str]) -> Identified:
    """Return what the title of a page says that has no DOI of a reference."""
    if len({one.pk for one, _ in likely}) > 1:
        return _several([one for one, _ in likely])
    for one, found in likely:
        if one.dois and page.dois:
            reason = (
                f"Its title is that of {one.key}, which has the DOI {min(one.dois)}, but on its first page is the DOI "
                f"{page.dois[0]}. It may be another version."
            )
            return Identified(suggested=one, reason=reason, is_conflict=True)
        return Identified(one, f"The title “{_short(found.work.title)}”, its authors and its year are on the page.")
    if unsure:
        return _unsure(*unsure[0], new)
    return Identified(new_dois=new)


def agrees_with(page: FirstPage, work: Work) -> Graded | None:
    """Return how a page compares with a registry's record of its DOI; None where no title on it is the record's."""
    claim = reference_from_work(work)
    return _with_its_title(page, KnownReference(UUID(int=0), "", claim, frozenset(filter(None, (claim.doi,)))))


def _with_its_title(page: FirstPage, one: KnownReference) -> Graded | None:
    """Return how a page compares with a work whose DOI is on it; None where no title on the page is the work's."""
    tried = [grade(one.reference, printed_work(page, title, one), "doi") for title in page.titles]
    return min((found for found in tried if found.likeness.how not in {"other", "unknown"}), key=_rank, default=None)


def _graded(page: FirstPage, known: Iterable[KnownReference], by: By) -> tuple[Compared, Compared]:
    """Return the references that the page is proven to be the text of, and those that it may be, each graded."""
    proven, doubtful = [], []
    for one in known:
        tried = [grade(one.reference, printed_work(page, title, one), by) for title in page.titles]
        best = min(tried, key=_rank, default=None)
        if best and best.grade == "proven":
            proven.append((one, best))
        elif best and best.grade == "probable":
            doubtful.append((one, best))
    return proven, sorted(doubtful, key=lambda pair: _rank(pair[1]))


def _rank(found: Graded) -> tuple[int, float]:
    return ("proven", "probable", "other").index(found.grade), -found.likeness.similarity


def printed_work(page: FirstPage, title: str, known: KnownReference) -> Work:
    """Return a page as a record of the work with `title`: of what is printed of the reference's other values."""
    reference = known.reference
    places = {name: _place_of(page, name) for name in reference.people}
    printed = [
        Person(family=name.surname) if name.surname else Person(literal=name.group)
        for name in sorted(places, key=lambda name: places[name])
        if places[name] >= 0
    ]
    year = min(page.years, key=lambda year: abs(year - (reference.year or year)), default=None)
    return Work(
        provider="pdf",
        provider_id="",
        title=title,
        authors=tuple(printed),
        year=year,
        venue=reference.venue if page.place_of(reference.venue) >= 0 else None,
        doi=next((doi for doi in page.dois if doi in known.dois), None),
    )


def _place_of(page: FirstPage, name: Name) -> int:
    """Return where an author is printed, in full if possible: a surname may be the given name of another author."""
    in_full = page.place_of(f"{name.given} {name.surname}") if name.given and name.surname else -1
    return in_full if in_full >= 0 else page.place_of(name.surname or name.group)


def _may_be(page: FirstPage, one: KnownReference) -> bool:
    return any(likeness(one.reference.title, title).how not in {"other", "unknown", "cut"} for title in page.titles)


def doubts_of(found: Graded) -> str:
    """Return why a page does not prove that it is of the work it was compared with."""
    said = " ".join(found.doubts)
    for record, page in _SAID_OF_PAGES.items():
        said = said.replace(record, page)
    return said


def _several(known: Sequence[KnownReference]) -> Identified:
    keys = ", ".join(dict.fromkeys(one.key for one in known[:5]))
    return Identified(suggested=known[0], reason=f"More than one reference fits: {keys}. They may be duplicates.")


def _unsure(one: KnownReference, found: Graded, new: list[str] | None = None) -> Identified:
    return Identified(suggested=one, reason=f"It may be {one.key}: {doubts_of(found)}", new_dois=new or [])


def _conflict(page: FirstPage, by_doi: KnownReference, by_title: KnownReference | None, new: list[str]) -> Identified:
    doi = next(doi for doi in page.dois if doi in by_doi.dois)
    of_doi = f"the DOI on the page, {doi}, is that of {by_doi.key} (“{_short(by_doi.reference.title)}”)."
    if not page.titles:
        reason = f"No title could be read on its first page; {of_doi}"
        return Identified(suggested=by_doi, reason=reason, new_dois=new)
    if by_title is None and (found := _with_its_title(page, by_doi)):
        reason = f"Its DOI and title are those of {by_doi.key}. {doubts_of(found)}"
        return Identified(suggested=by_doi, reason=reason, new_dois=new)
    said = f"Its title is that of {by_title.key}" if by_title else f"Its title seems to be “{_short(page.titles[0])}”"
    return Identified(suggested=by_title or by_doi, is_conflict=True, reason=f"{said}, but {of_doi}", new_dois=new)


def _short(title: str) -> str:
    return title if len(title) <= 120 else f"{title[:119]}…"
