"""The data of the cite dialog: recognised text, works of catalogues, references of the thesis (SPEC C8)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from uuid import UUID

from django.db.models import Q
from django.db.models.functions import Lower
from django.urls import reverse

from citations.audit.key_uses import times_cited
from citations.badges import Badge, badge_of
from citations.formats.bibtex import read_bibtex
from citations.formats.csl import short_authors, year_of
from citations.formats.reading import Entry
from citations.identity.comparison import comparison_fields
from citations.identity.venues import is_preprint_doi
from citations.matching import ReferenceIndex
from citations.models import Citation, CitationStatus, RetractionNotice
from citations.pasted_text import PastedItem, parse_pasted
from core.errors import Refused
from projects.models import Project
from sources import crossref, doi_org, pubmed
from sources.http_client import Client
from sources.identifiers import clean_doi, clean_pmcid, clean_pmid
from sources.retractions import Update
from sources.work import Failed, FailureKind, Found, NothingFound, Outcome, Work

MOST_PICKS = 100  # items of one text that are shown
_READ_AT_ONCE = 50_000  # characters of BibTeX that are parsed to show its entries; a longer text is shown as one item
_MOST_SIGNS = 500  # "@" signs in such a text, each of which may begin an entry


@dataclass(frozen=True)
class Notice:
    """A notice about a work; `source` is the service that reported it."""

    type: str
    doi: str
    pmid: str
    source: str
    year: int | None
    note: str


@dataclass(frozen=True)
class Difference:
    """A field in which an entry differs from the registry's record of the work its identifier leads to."""

    label: str
    claimed: str
    found: str


@dataclass(frozen=True, kw_only=True)
class WorkSummary:
    """A work. `published_key` is the key of its published version's entry."""

    title: str
    authors: str
    container: str
    year: int | None
    doi: str
    pmid: str
    published_doi: str
    published_key: str
    retracted: bool
    notices: list[Notice]


@dataclass(frozen=True, kw_only=True)
class CitedReference(WorkSummary):
    """An entry of the thesis. `times`: how often the saved text cites it. `unchecked`: it was not looked up yet."""

    id: UUID
    cite_key: str
    status: CitationStatus
    tier: str
    badge: Badge
    times: int
    unchecked: bool
    reason: str
    differences: list[Difference]
    page: str


@dataclass(frozen=True, kw_only=True)
class CatalogueWork(WorkSummary):
    """A work found in a catalogue. `citation` is its entry in the thesis, if there is one."""

    type: str
    url: str
    preprint: bool
    citation: CitedReference | None


@dataclass(frozen=True)
class TextItem:
    """An item of a text that can be cited. `value` is the text to add; `citation` is set where the work exists."""

    kind: str
    value: str
    title: str = ""
    authors: str = ""
    year: int | None = None
    citation: CitedReference | None = None


@dataclass(frozen=True)
class RecognisedText:
    """A recognised text. `picks` are its identifiers and entries; for mere words, `citations` are the matching entries.

    `total` is the number of matching entries; `more`: counting stopped there.
    """

    picks: list[TextItem] = field(default_factory=list)
    citations: list[CitedReference] = field(default_factory=list)
    total: int = 0
    more: bool = False


def recognise_text(project: Project, text: str) -> RecognisedText:
    """Return the identifiers and entries in a typed or pasted text, or else the entries of `project` with its words."""
    found = parse_pasted(text)[:MOST_PICKS]
    if all(one.kind == "words" for one in found) and len(found) < 2:
        rows, total = search_references(project, text)
        return RecognisedText([], _cited(project, rows), total, total == MOST_COUNTED)
    return RecognisedText(_picks(project, found))


def _picks(project: Project, found: Sequence[PastedItem]) -> list[TextItem]:
    picks = [
        pick for one in found for pick in (_entries(one) if one.kind == "bibtex" else [TextItem(one.kind, one.value)])
    ]
    picks = picks[:MOST_PICKS]
    # The DOI by which the thesis may have it.
    dois = {
        pick.value: {"doi": pick.value, "arxiv": f"10.48550/arxiv.{pick.value}"}.get(pick.kind, "").casefold()
        for pick in picks
    }
    held = find_by_identifiers(project, dois=dois.values(), pmids=[pick.value for pick in picks if pick.kind == "pmid"])
    # In a conflict the identifier belongs to another work, which is the one that is pasted.
    held = [row for row in held if row.status != Citation.Status.CONFLICT]
    rows = {row.pk: shown for row, shown in zip(held, _cited(project, held), strict=True)}
    by_doi = {doi.casefold(): rows[row.pk] for row in held for doi in (row.source_doi, row.doi) if doi}
    by_pmid = {pmid: rows[row.pk] for row in held for pmid in (row.source_pmid, row.pmid) if pmid}
    return [
        replace(
            pick, citation=by_doi.get(dois[pick.value]) or (by_pmid.get(pick.value) if pick.kind == "pmid" else None)
        )
        for pick in picks
    ]


def _entries(pasted: PastedItem) -> list[TextItem]:
    """Return the entries of a BibTeX text as written; the whole text as one item if it is too long or unreadable."""
    text = pasted.value
    is_short = len(text) <= _READ_AT_ONCE and text.count("@") <= _MOST_SIGNS
    read: Sequence[Entry] = read_bibtex(text).entries[:MOST_PICKS] if is_short else ()
    return [
        TextItem("bibtex", one.bibtex, str(one.csl.get("title") or ""), short_authors(one.csl), year_of(one.csl))
        for one in read
    ] or [TextItem("bibtex", text)]


def shown_works(project: Project | None, works: Sequence[Work]) -> list[CatalogueWork]:
    """Return works of a catalogue as the dialog shows them, with their entries in `project`."""
    if project is None:
        return [_shown(work, None, "") for work in works]
    held = existing_references(project, works)
    rows = [row for row in held if row]
    cited = dict(zip([row.pk for row in rows], _cited(project, rows), strict=True))
    published = _keys_of(project, [work.published_version_doi or "" for work in works])
    return [
        _shown(work, cited[row.pk] if row else None, published.get(work.published_version_doi or "", ""))
        for work, row in zip(works, held, strict=True)
    ]


def _shown(work: Work, citation: CitedReference | None, published_key: str) -> CatalogueWork:
    return CatalogueWork(
        title=work.title,
        authors=short_authors(work.csl()),
        container=work.venue or "",
        year=work.year,
        type=work.type,
        doi=work.doi or "",
        pmid=work.pmid or "",
        url=work.link or "",
        preprint=work.type == "article" or is_preprint_doi(work.doi),
        published_doi=work.published_version_doi or "",
        published_key=published_key,
        retracted=work.is_retracted,
        notices=[notice_of(one) for one in work.updates],
        citation=citation,
    )


def _cited(project: Project, rows: Sequence[Citation]) -> list[CitedReference]:
    counted = times_cited(project) if rows else {}
    published = _keys_of(project, [row.published_doi for row in rows])
    base = reverse("citations:list", args=[project.pk])
    return [
        CitedReference(
            id=row.pk,
            cite_key=row.cite_key,
            title=row.title,
            authors=row.authors,
            container=row.container,
            year=row.year,
            doi=row.doi,
            pmid=row.pmid,
            status=row.status,  # type: ignore[arg-type]  # one of these
            tier=row.tier,
            badge=badge_of(row),
            retracted=row.retracted,
            notices=[notice_of(one) for one in row.notices.all()],
            published_doi=row.published_doi,
            published_key=published.get(row.published_doi.casefold(), ""),
            times=counted.get(row.cite_key, 0),
            unchecked=row.status == Citation.Status.UNRESOLVED and row.check_due_at is None,
            reason=row.reason,
            differences=[
                Difference(one.label, one.claimed, one.found)
                for one in comparison_fields(row)
                if one.state == "differs"
            ],
            page=f"{base}{row.pk}/",
        )
        for row in rows
    ]


def _keys_of(project: Project, dois: Iterable[str]) -> dict[str, str]:
    """Return the keys of the entries with these DOIs, by lower-case DOI."""
    return {
        doi.casefold(): row.cite_key
        for row in find_by_identifiers(project, dois=[doi.casefold() for doi in dois])
        for doi in (row.source_doi, row.doi)
        if doi
    }


def notice_of(one: Update | RetractionNotice) -> Notice:
    """Return a registry's notice, or a saved one, as the dialog shows it."""
    return Notice(
        **{name: getattr(one, name, None) or "" for name in ("type", "doi", "pmid", "source", "note")},
        year=getattr(one, "year", None),
    )


SHOWN = 8
MOST_COUNTED = 200
_FIELDS = (
    *("id", "project_id", "cite_key", "title", "authors", "year", "csl", "doi", "pmid", "status", "tier", "retracted"),
    *("evidence_type", "check_due_at", "published_doi", "source_doi", "source_pmid", "reason", "diff"),
)


LONGEST_SEARCH = 10_000  # characters


def search_references(project: Project, words: str) -> tuple[list[Citation], int]:
    """Return at most SHOWN entries with all `words`, best first, and how many there are; the newest for no words.

    Only the first COUNTED are counted and sorted: with more, the words are too general to choose by.
    """
    if len(words) > LONGEST_SEARCH:  # no reference has so many words; SQLite refuses so long a pattern
        return [], 0
    found = Citation.objects.filter(project=project).matching(words)
    if not words.strip():
        newest = found.order_by("-serial", "-created_at", "pk")
        return list(_with_dialog_columns(newest[:SHOWN])), newest[:MOST_COUNTED].count()
    texts = list(found.order_by().values_list("cite_key", "authors", "title", "year")[:MOST_COUNTED])
    texts.sort(key=lambda row: (_rank(words.casefold().strip(), *row[:3]), -(row[3] or 0), row[0]))
    order = [row[0] for row in texts[:SHOWN]]
    rows = {
        row.cite_key: row for row in _with_dialog_columns(Citation.objects.filter(project=project, cite_key__in=order))
    }
    return [rows[key] for key in order if key in rows], len(texts)


def _rank(words: str, *texts: str) -> int:
    """Return the index of the first text that starts with `words`: key, authors, title, in order of likelihood."""
    return next((place for place, text in enumerate(texts) if text.casefold().startswith(words)), len(texts))


def find_by_identifiers(project: Project, *, dois: Iterable[str] = (), pmids: Iterable[str] = ()) -> list[Citation]:
    """Return the entries with one of these DOIs (lower-case) or PMIDs, claimed or in the registry's record."""
    doi, pmid = [one for one in dois if one], [one for one in pmids if one]
    rows = Citation.objects.filter(project=project).alias(low=Lower("doi"), source_low=Lower("source_doi"))
    return list(
        _with_dialog_columns(
            rows.filter(Q(low__in=doi) | Q(source_low__in=doi) | Q(pmid__in=pmid) | Q(source_pmid__in=pmid))
        )
    )


def existing_references(project: Project, works: Sequence[Work]) -> list[Citation | None]:
    """Return the existing entry of each of `works`, by the same rules as adding; None for a new work."""
    shelf = ReferenceIndex(project)
    found = [match.work.pk if (match := shelf.find(work.csl())) else None for work in works]
    rows = {row.pk: row for row in _with_dialog_columns(Citation.objects.filter(pk__in=filter(None, found)))}
    return [rows.get(pk) for pk in found]


def _with_dialog_columns(found: Any) -> Any:
    """Return a query with only the columns and notices that the dialog shows."""
    return found.only(*_FIELDS).prefetch_related("notices")


Source = Literal["pubmed", "crossref"]

CATALOGUE_TIMEOUT = 8.0  # seconds to wait for a catalogue
_REQUEST_TIMEOUT = 5.0  # seconds for one request, which leaves time for a second one
_LABELS = {"pubmed": "PubMed", "crossref": "Crossref"}
_STATUS = {
    FailureKind.TIMEOUT: 504,
    FailureKind.RATE_LIMITED: 503,
    FailureKind.RESTING: 503,
}  # all other failures: 502 Bad Gateway


async def find_works(source: Source, query: str, limit: int) -> tuple[list[Work], int]:
    """Search a catalogue for words or an identifier: return at most `limit` works, best first, and the total number.

    Raises Refused (502, 503 or 504) with the reason when the catalogue did not answer, which is never "nothing found".
    """
    try:
        async with asyncio.timeout(CATALOGUE_TIMEOUT), Client(timeout=_REQUEST_TIMEOUT, retries=1) as client:
            outcome = await _SEARCHES[source](client, query, limit)
    except TimeoutError:
        raise _no_answer(f"{_LABELS[source]} did not answer within {CATALOGUE_TIMEOUT:g} seconds.", 504) from None
    if isinstance(outcome, Found):
        return list(outcome.works[:limit]), outcome.total
    if isinstance(outcome, NothingFound):
        return [], 0
    raise _no_answer(outcome.why, _STATUS.get(outcome.kind, 502) if isinstance(outcome, Failed) else 503)


def _no_answer(why: str, status: int) -> Refused:
    return Refused(
        f"{why} You can still search your references; try again in a moment.", code="no_answer", status=status
    )


async def _pubmed(client: Client, query: str, limit: int) -> Outcome:
    """Search PubMed for words, or for the one record of a PMID, PMCID or DOI; without abstracts."""
    if (pmid := clean_pmid(query)) and not query.isdecimal():
        batch = await pubmed.lookup_many(client, [pmid])
        return batch.failed.get(pmid) or (Found((batch.found[pmid],), 1) if batch.found else NothingFound())
    if query.upper().startswith("PMC") and (pmcid := clean_pmcid(query)):
        return await pubmed.search(client, f"{pmcid}[pmcid]", 1, abstracts=False)
    if known := clean_doi(query):
        return await pubmed.search(client, f'"{known}"[doi]', 1, abstracts=False)
    return await pubmed.search(client, query, limit, abstracts=False)


async def _crossref(client: Client, query: str, limit: int) -> Outcome:
    """Search Crossref for words, or look up the work of a DOI at any registration agency."""
    known = clean_doi(query)
    if known is None:
        return await crossref.search(client, query, limit)
    outcome = await crossref.lookup(client, known)
    return await doi_org.lookup(client, known) if isinstance(outcome, NothingFound) else outcome


_SEARCHES: dict[Source, Callable[[Client, str, int], Awaitable[Outcome]]] = {"pubmed": _pubmed, "crossref": _crossref}
