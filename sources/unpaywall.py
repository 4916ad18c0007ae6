"""Unpaywall: where a paper can be read freely and lawfully (SPEC C11). API facts: https://unpaywall.org/products/api"""

from typing import Any

from django.conf import settings

from sources.hosts import UNPAYWALL
from sources.http import Client
from sources.identifiers import clean_doi, doi_in_path
from sources.names import Person, full_name
from sources.outcomes import Failed, Found, Kind, NothingFound, Outcome, Skipped, of
from sources.reading import at, link, mappings, text, year
from sources.replies import Reply
from sources.work import Work

NAME = "unpaywall"


async def lookup(client: Client, doi: str) -> Outcome:
    """The work under `doi` with its `open_access_url`, which is None where nobody offers it freely."""
    known = clean_doi(doi)
    if known is None:
        return Failed(f"“{doi[:80]}” is not a DOI.", None, Kind.REFUSED)
    if not settings.CROSSREF_MAILTO:
        return Skipped("Unpaywall wants a contact, CROSSREF_MAILTO, and was not asked.")
    path, params = f"/v2/{doi_in_path(known)}", {"email": settings.CROSSREF_MAILTO}
    return await client.ask(UNPAYWALL, path, _read, params=params, missing=True)


def _read(reply: Reply) -> Found | NothingFound:
    return of([read_work(reply.mapping())], 1, 1)


def read_work(record: dict[str, Any]) -> Work | None:
    """A Work from Unpaywall's record; None when it has no DOI."""
    doi = clean_doi(record.get("doi"))
    if doi is None:
        return None
    return Work(
        provider=NAME,
        provider_id=doi,
        title=text(record.get("title")) or "",
        authors=_people(record),
        year=year(record.get("year")),
        venue=text(record.get("journal_name")),
        publisher=text(record.get("publisher")),
        doi=doi,
        url=link(record.get("doi_url")),
        open_access_url=_open(record.get("best_oa_location")),
    )


def _people(record: dict[str, Any]) -> tuple[Person, ...]:
    people = (_person(one) for one in mappings(record.get("z_authors")))
    return tuple(person for person in people if person)


def _person(one: dict[str, Any]) -> Person | None:
    family = text(one.get("family"))
    if family:
        return Person(family=family, given=text(one.get("given")))
    return full_name(text(one.get("raw_author_name")) or text(one.get("name")))


def _open(best: Any) -> str | None:
    """The file, else the page it is on."""
    return link(at(best, "url_for_pdf")) or link(at(best, "url")) or link(at(best, "url_for_landing_page"))
