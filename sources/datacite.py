"""DataCite, the registry of DOIs of data, software, theses and preprints (SPEC C1).

API: https://support.datacite.org/docs/api
"""

from collections.abc import Iterator
from typing import Any

from sources.field_values import at, link, mappings, pages, text, titled, whole, year
from sources.host_limits import DATACITE
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_arxiv, clean_doi, doi_in_path
from sources.request_checks import with_valid_id
from sources.responses import RawResponse
from sources.retractions import Update, is_marked_retracted
from sources.work import Found, NothingFound, Outcome, Person, Unreadable, Work, named_apart, people, search_outcome

NAME = "datacite"
_TYPES = {
    "audiovisual": "motion_picture",
    "book": "book",
    "bookchapter": "chapter",
    "computationalnotebook": "software",
    "conferencepaper": "paper-conference",
    "conferenceproceeding": "book",
    "datapaper": "article-journal",
    "dataset": "dataset",
    "dissertation": "thesis",
    "image": "graphic",
    "journal": "periodical",
    "journalarticle": "article-journal",
    "peerreview": "review",
    "preprint": "article",
    "report": "report",
    "software": "software",
    "sound": "song",
    "standard": "standard",
    "workflow": "software",
}
# The general type "Text" is unspecific; the free-text type often helps.
_WORDS = {
    "article": "article-journal",
    "conference": "paper-conference",
    "dissertation": "thesis",
    "preprint": "article",
    "report": "report",
    "thesis": "thesis",
}
_PUBLISHED = ("IsPreprintOf", "IsVersionOf", "IsPreviousVersionOf", "IsVariantFormOf")


@with_valid_id(clean_doi, "not a DOI")
async def lookup(client: Client, doi: str) -> Outcome:
    """Return the work registered under `doi` at DataCite. NothingFound also for a DOI of another agency."""
    return await client.ask(CatalogueRequest(DATACITE, f"/dois/{doi_in_path(doi)}", _read, missing=True))


def _read(reply: RawResponse) -> Found | NothingFound:
    record = at(reply.mapping(), "data")
    if not isinstance(at(record, "attributes"), dict):
        raise Unreadable("sent an answer without the work in it")
    return search_outcome([read_work(record)], 1, 1)


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from a DataCite record, or None if it has neither DOI nor title."""
    said = at(record, "attributes")
    doi, title = clean_doi(at(said, "doi")) or clean_doi(record.get("id")), _title(said)
    if not doi and not title:
        return None
    kind, updates = _type(at(said, "types")), _withdrawals(said)
    return Work(
        provider=NAME,
        provider_id=doi or title,
        title=title,
        authors=_people(at(said, "creators")),
        editors=_people([one for one in mappings(at(said, "contributors")) if one.get("contributorType") == "Editor"]),
        year=year(at(said, "publicationYear")) or _date(said, "Issued"),
        venue=text(at(said, "container", "title")) or (_publisher(said) if kind == "article" else None),
        volume=text(at(said, "container", "volume")),
        issue=text(at(said, "container", "issue")),
        pages=pages(text(at(said, "container", "firstPage")), text(at(said, "container", "lastPage"))),
        publisher=_publisher(said),
        doi=doi,
        arxiv=clean_arxiv(doi),
        url=link(at(said, "url")),
        abstract=_abstract(said),
        type=kind,
        citation_count=whole(at(said, "citationCount")),
        is_retracted=is_marked_retracted(title, updates),
        updates=updates,
        published_version_doi=_published(said, doi) if kind == "article" else None,
        preprint_doi=next(_related(said, "HasPreprint"), None),
    )


def _title(said: Any) -> str:
    """Return the title with its subtitle, without alternative titles and translations."""
    titles = list(mappings(at(said, "titles")))
    plain_first = sorted(titles, key=lambda one: bool(one.get("titleType")))
    main = next((words for one in plain_first if (words := text(one.get("title")))), "")
    return titled(main, next((text(one.get("title")) for one in titles if one.get("titleType") == "Subtitle"), None))


def _people(value: Any) -> tuple[Person, ...]:
    return people(
        Person(literal=text(one.get("name")))
        if one.get("nameType") == "Organizational"
        else named_apart(text(one.get("familyName")), text(one.get("givenName")), text(one.get("name")))
        for one in mappings(value)
    )


def _type(types: Any) -> str:
    general = (text(at(types, "resourceTypeGeneral")) or "").casefold().replace(" ", "")
    words = (text(at(types, "resourceType")) or "").casefold()
    return _TYPES.get(general) or next((kind for word, kind in _WORDS.items() if word in words), "document")


def _publisher(said: Any) -> str | None:
    """Return the publisher's name. Newer responses send an object, older ones a string."""
    return text(at(said, "publisher")) or text(at(said, "publisher", "name"))


def _abstract(said: Any) -> str | None:
    told = mappings(at(said, "descriptions"))
    return next((text(one.get("description")) for one in told if one.get("descriptionType") == "Abstract"), None)


def _date(said: Any, kind: str) -> int | None:
    return next((year(one.get("date")) for one in mappings(at(said, "dates")) if one.get("dateType") == kind), None)


def _withdrawals(said: Any) -> tuple[Update, ...]:
    """Return a withdrawal notice for each "Withdrawn" date of the record."""
    return tuple(
        Update(type="withdrawal", source=NAME, year=year(one.get("date")), note=text(one.get("dateInformation")))
        for one in mappings(at(said, "dates"))
        if one.get("dateType") == "Withdrawn"
    )


def _related(said: Any, relation: str) -> Iterator[str]:
    return (
        doi
        for one in mappings(at(said, "relatedIdentifiers"))
        if one.get("relationType") == relation and one.get("relatedIdentifierType") == "DOI"
        if (doi := clean_doi(one.get("relatedIdentifier")))
    )


def _published(said: Any, doi: str | None) -> str | None:
    """Return the DOI of a preprint's published version (SPEC C11).

    A related DOI of the same registrant is another version of the preprint, so it is ignored.
    """
    own = (doi or "").partition("/")[0]
    named = (other for relation in _PUBLISHED for other in _related(said, relation))
    return next((other for other in named if other.partition("/")[0] != own), None)
