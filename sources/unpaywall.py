"""Unpaywall: legal open access copies of papers (SPEC C11). API: https://unpaywall.org/products/api"""

from typing import Any

from sources.contact_address import contact_address
from sources.field_values import at, link, mappings, text, year
from sources.host_limits import UNPAYWALL
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_doi, doi_in_path
from sources.request_checks import one_work, with_valid_id
from sources.work import Outcome, Skipped, Work, named_apart, people

NAME = "unpaywall"


@with_valid_id(clean_doi, "not a DOI")
async def lookup(client: Client, doi: str) -> Outcome:
    """Return the work of `doi` with its `open_access_url`, which is None if there is no open copy."""
    contact = contact_address()
    if not contact:
        return Skipped("Unpaywall needs a contact address and was not asked.")
    path, params = f"/v2/{doi_in_path(doi)}", {"email": contact}
    return await client.ask(CatalogueRequest(UNPAYWALL, path, _read, params=params, missing=True))


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from an Unpaywall record, or None if it has no DOI."""
    doi = clean_doi(record.get("doi"))
    if doi is None:
        return None
    return Work(
        provider=NAME,
        provider_id=doi,
        title=text(record.get("title")) or "",
        authors=people(
            named_apart(
                text(one.get("family")),
                text(one.get("given")),
                text(one.get("raw_author_name")) or text(one.get("name")),
            )
            for one in mappings(record.get("z_authors"))
        ),
        year=year(record.get("year")),
        venue=text(record.get("journal_name")),
        publisher=text(record.get("publisher")),
        doi=doi,
        url=link(record.get("doi_url")),
        open_access_url=_open(record.get("best_oa_location")),
    )


def _open(best: Any) -> str | None:
    """Return the address of the PDF, else its landing page."""
    return link(at(best, "url_for_pdf")) or link(at(best, "url")) or link(at(best, "url_for_landing_page"))


_read = one_work(read_work)
