"""arXiv, the preprint server: look-up by id (SPEC C1). API: https://info.arxiv.org/help/api/user-manual.html"""

import re
from collections.abc import Iterable
from xml.etree.ElementTree import Element

from sources.field_values import link, text, year
from sources.host_limits import ARXIV
from sources.http_client import CatalogueRequest, Client
from sources.identifiers import clean_arxiv, clean_doi
from sources.request_checks import Part, ask_for_each
from sources.responses import RawResponse, parse_xml
from sources.retractions import Update
from sources.work import Batch, Failed, FailureKind, NothingFound, Unreadable, Work, full_name, people

NAME = "arxiv"
_ATOM, _ARXIV = "{http://www.w3.org/2005/Atom}", "{http://arxiv.org/schemas/atom}"
_WITHDRAWN = re.compile(
    r"^\W*withdrawn\b|\b(?:paper|article|manuscript|preprint|submission|work|version) (?:has been|have been|was|is)"
    r"(?: being)?(?: temporarily)? (?:with ?drawn|retracted)\b",
    re.IGNORECASE,
)


async def lookup_many(client: Client, ids: Iterable[str]) -> Batch:
    """Return the preprints for many arXiv ids, keyed by the given ids; one request per 100 ids.

    arXiv leaves out unknown ids, and rejects a whole request if one of its ids is malformed.
    """

    async def ask(part: Part) -> dict[str, Work] | Failed:
        params = {"id_list": ",".join(part), "start": 0, "max_results": len(part)}
        # Errors are sent as a feed too, so a 400 response is parsed like any other.
        answer = await client.ask(
            CatalogueRequest(
                ARXIV, "/api/query", _read, params=params, accept="application/atom+xml, text/xml", also={400}
            )
        )
        if isinstance(answer, str) and len(part) > 1:  # one of the ids is malformed
            return Failed(f"arXiv did not accept the request: “{answer}”.", None, FailureKind.REFUSED)
        return {} if isinstance(answer, str | NothingFound) else answer

    return await ask_for_each(ids, clean_arxiv, "not an arXiv id", 100, ask)


def _read(reply: RawResponse) -> dict[str, Work] | str:
    """Return the works of a feed by id, or its error message about a malformed id. Raises Unreadable."""
    feed = parse_xml(reply.body)
    if feed.tag != f"{_ATOM}feed":
        raise Unreadable("sent something other than a list of works")
    found: dict[str, Work] = {}
    for entry in feed.findall(f"{_ATOM}entry"):
        if "api/errors" in (_words(entry, f"{_ATOM}id") or ""):
            said = _words(entry, f"{_ATOM}summary") or "an error without a reason"
            if "id format" not in said:
                raise Unreadable(f"did not accept the request: “{said[:200].rstrip('.')}”", kind=FailureKind.BROKEN)
            return said[:200]
        if clean_arxiv(_words(entry, f"{_ATOM}id") or "") is None:
            raise Unreadable("sent an entry that is not an arXiv preprint")
        if work := read_work(entry):
            found[work.provider_id] = work
    if reply.status >= 400:
        raise Unreadable(f"did not accept the request ({reply.status})", kind=FailureKind.REFUSED)
    return found


def read_work(entry: Element) -> Work | None:
    """Return a Work from a feed entry; None for an entry without id, title or author, which means an unknown id."""
    known = clean_arxiv(_words(entry, f"{_ATOM}id") or "")
    title = _words(entry, f"{_ATOM}title")
    authors = people(full_name(_words(author, f"{_ATOM}name")) for author in entry.findall(f"{_ATOM}author"))
    if not (known and title and authors):
        return None
    doi = f"10.48550/arxiv.{known}"
    published = clean_doi(_words(entry, f"{_ARXIV}doi"))
    said = [_words(entry, f"{_ARXIV}comment"), _words(entry, f"{_ATOM}summary")]
    # arXiv keeps withdrawn preprints, and marks them only in the comment or the abstract.
    withdrawn = next((words[:300] for words in said if words and _WITHDRAWN.search(words[:300])), None)
    return Work(
        provider=NAME,
        provider_id=known,
        title=title,
        authors=authors,
        year=year(_words(entry, f"{_ATOM}published")),
        venue="arXiv",
        publisher="arXiv",
        doi=doi,
        arxiv=known,
        url=link(f"https://arxiv.org/abs/{known}"),
        abstract=said[1],
        type="article",
        is_retracted=bool(withdrawn),
        updates=(Update(type="withdrawal", source=NAME, year=year(_words(entry, f"{_ATOM}updated")), note=withdrawn),)
        if withdrawn
        else (),
        open_access_url=f"https://arxiv.org/pdf/{known}",
        published_version_doi=published if published != doi else None,
    )


def _words(element: Element, tag: str) -> str | None:
    found = element.find(tag)
    return text("".join(found.itertext())) if found is not None else None
