"""doi.org: the metadata of a DOI from the agency that registered it, whichever that is (SPEC C1).

Uses content negotiation (https://citation.doi.org/docs.html): doi.org redirects to the agency, which sends CSL-JSON.
"""

from typing import Any

from sources import crossref
from sources.field_values import at, text
from sources.host_limits import DOI
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_arxiv, clean_doi, doi_in_path
from sources.request_checks import one_work, with_valid_id
from sources.responses import RawResponse
from sources.work import Failed, FailureKind, Found, NothingFound, Outcome, Unreadable, Work

NAME = "doi"
_CSL = "application/vnd.citationstyles.csl+json"
_ODD = {
    FailureKind.REFUSED,
    FailureKind.UNREADABLE,
    FailureKind.TOO_LARGE,
    FailureKind.MISSING,
}  # failures caused by a landing page
# Agencies that send metadata. Others redirect every request to a landing page.
_DESCRIBING = {"crossref", "datacite", "medra"}


@with_valid_id(clean_doi, "not a DOI")
async def lookup(client: Client, doi: str) -> Outcome:
    """Return the work of `doi`. NothingFound: no agency has registered it.

    For a DOI whose agency sends no metadata, a second request confirms that it exists, and the Work has no title.
    """
    path = doi_in_path(doi)
    answer = await client.ask(CatalogueRequest(DOI, f"/{path}", _read, accept=_CSL, missing=True))
    if not isinstance(answer, Failed) or answer.kind not in _ODD:
        return answer
    agency = await client.ask(CatalogueRequest(DOI, f"/ra/{path}", _read_agency))
    if agency == NothingFound():
        return NothingFound()
    if not isinstance(agency, str) or (agency.casefold() in _DESCRIBING and answer.kind != FailureKind.MISSING):
        return answer
    return Found(
        (Work(provider=NAME, provider_id=doi, doi=doi),),
        1,
        (f"This DOI is registered with {agency}, which does not provide metadata.",),
    )


def read_work(item: dict[str, Any]) -> Work | None:
    """Return a Work from CSL-JSON of any agency. Crossref's is its own record, with strings instead of lists."""
    work = crossref.read_work(item)
    if work is None:
        return None
    place = work.venue or (work.publisher if work.type == "article" else None)
    return work.model_copy(update={"provider": NAME, "venue": place, "arxiv": clean_arxiv(work.doi)})


def _read_agency(reply: RawResponse) -> str | NothingFound:
    """Return the name of the agency that registered a DOI, or NothingFound if there is no such DOI."""
    said = reply.json()
    if agency := text(at(said, 0, "RA")):
        return agency
    if "not exist" in (text(at(said, 0, "status")) or ""):
        return NothingFound()
    raise Unreadable("sent an answer without the agency in it")


_read = one_work(read_work)
