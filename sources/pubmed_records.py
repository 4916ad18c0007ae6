"""Parsing PubMed's responses: id lists, summaries as `Work`, PubMed Central records and abstracts (SPEC C1, C11)."""

import re
from collections.abc import Iterator
from typing import Any
from xml.etree.ElementTree import Element

from core.grouping import first_values
from sources.field_values import at, items, mappings, raw, text, whole, year
from sources.identifiers import clean_doi, clean_pmcid, clean_pmid
from sources.responses import RawResponse, parse_xml
from sources.retractions import Update, is_marked_retracted
from sources.work import FailureKind, NothingFound, Person, Unreadable, Work, index_name, people, search_outcome

NAME = "pubmed"
_NOTICES = {
    "retraction in": "retraction",
    "partial retraction in": "partial_retraction",
    "expression of concern in": "expression_of_concern",
    "erratum in": "erratum",
    "corrected and republished in": "corrected_and_republished",
    "update in": "update",
    "retracted and republished in": "retraction",
}
_NOTICES_OF = {
    "retraction of": "retraction",
    "expression of concern for": "expression_of_concern",
    "erratum for": "erratum",
    "partial retraction of": "partial_retraction",
}
_PREPRINTS = re.compile(r"r?xiv\b|\bres(?:earch)? sq|\bssrn\b|preprint", re.IGNORECASE)
_TYPES = {"preprint": "article", "book": "book", "chapter": "chapter", "dataset": "dataset"}


Abstracts = dict[str, str]  # by PMID; a structured abstract has one labelled paragraph per part


def read_abstracts(reply: RawResponse) -> Abstracts:
    """Return the abstracts in an efetch response. Raises Unreadable."""
    root = parse_xml(reply.body)
    if root.tag == "ERROR" or root.find("ERROR") is not None:
        raise Unreadable("could not send the abstracts")
    if root.tag not in {"PubmedArticleSet", "PubmedBookArticleSet"}:
        raise Unreadable("sent something other than abstracts")
    found = ((clean_pmid(_words(article.find(".//PMID"))), "\n\n".join(_paragraphs(article))) for article in root)
    return {pmid: abstract for pmid, abstract in found if pmid and abstract}


def _paragraphs(article: Element) -> Iterator[str]:
    for part in article.findall(".//Abstract/AbstractText"):
        words, label = _words(part), part.get("Label")
        if words:
            yield f"{label}: {words}" if label and label.upper() != "UNLABELLED" else words


def _words(element: Element | None) -> str:
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def _mapping(reply: RawResponse) -> dict[str, Any]:
    """Return the JSON object of a response. Raises Unreadable for an error, which NCBI often sends with status 200."""
    data = reply.mapping()
    said = text(data.get("error")) or text(at(data, "esearchresult", "ERROR")) or text(at(data, "esummaryresult", 0))
    if said and "rate limit" in said.lower():
        raise Unreadable("received too many requests", kind=FailureKind.RATE_LIMITED, again=True)
    if said:
        raise Unreadable(f"did not accept the request: “{said[:200].rstrip('.')}”", kind=FailureKind.REFUSED)
    return data


def read_ids(reply: RawResponse) -> tuple[list[str], int]:
    """Return the PMIDs in an esearch response and the total number of matches. Raises Unreadable."""
    result = at(_mapping(reply), "esearchresult")
    if not isinstance(at(result, "idlist"), list):
        raise Unreadable("sent an answer without a list of works in it")
    sent = items(result["idlist"])
    ids = [pmid for one in sent if (pmid := clean_pmid(one))]
    if not ids and (sent or whole(at(result, "count"))):
        raise Unreadable("reported works but sent none of their ids")
    return ids, max(whole(at(result, "count")) or 0, len(ids))


def read_summaries(reply: RawResponse) -> dict[str, Work]:
    """Return the works in an esummary response, by PMID. Raises Unreadable."""
    result = at(_mapping(reply), "result")
    if not isinstance(at(result, "uids"), list):
        raise Unreadable(f"sent an answer without {'a list of ' if isinstance(result, dict) else ''}works in it")
    records = [record for uid, record in result.items() if uid != "uids"]
    there = [record for record in records if not (isinstance(record, dict) and record.get("error"))]
    works = [read_work(record) for record in there if isinstance(record, dict)]
    search_outcome(works, len(there))
    return {work.provider_id: work for work in works if work}


def read_pmc(pmcid: str, reply: RawResponse) -> Work | NothingFound:
    """Return the work in PubMed Central's esummary response for `pmcid`. Raises Unreadable."""
    result = at(_mapping(reply), "result")
    record = at(result, pmcid.removeprefix("PMC"))
    if not isinstance(at(result, "uids"), list) or (record is not None and not isinstance(record, dict)):
        raise Unreadable("sent an answer without works in it")
    if record is None or record.get("error"):
        return NothingFound()
    ids = _ids(record)
    if clean_pmcid(ids.get("pmcid")) != pmcid:
        raise Unreadable("sent the record of another work")
    pmid = clean_pmid(ids.get("pmid"))
    work = read_work({**record, "uid": pmid or pmcid.removeprefix("PMC")})
    if work is None:
        raise Unreadable("sent a record without an id")
    address = f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/"
    mine = {"pmid": pmid, "pmcid": pmcid, "provider_id": pmid or pmcid, "open_access_url": address}
    return work.model_copy(update=mine if pmid else {**mine, "url": address})


def read_work(record: dict[str, Any]) -> Work | None:
    """Return a Work from a document summary, or None if it has no PMID."""
    ids = _ids(record)
    pmid = clean_pmid(record.get("uid")) or clean_pmid(ids.get("pubmed"))
    if pmid is None:
        return None
    title = _title(record)
    kinds = {kind.lower() for one in items(record.get("pubtype")) if (kind := text(one))}
    updates = _updates(record, _NOTICES)
    return Work(
        provider=NAME,
        provider_id=pmid,
        title=title,
        authors=_people(record),
        year=year(record.get("pubdate")) or year(record.get("epubdate")) or year(record.get("sortpubdate")),
        venue=text(record.get("fulljournalname")) or text(record.get("booktitle")) or text(record.get("source")),
        volume=text(record.get("volume")),
        issue=text(record.get("issue")),
        pages=_pages(text(record.get("pages"))),
        publisher=text(record.get("publishername")),
        doi=clean_doi(ids.get("doi")) or _doi_in(text(record.get("elocationid"))),
        pmid=pmid,
        pmcid=clean_pmcid(ids.get("pmc")) or _pmcid_in(ids.get("pmcid")),
        url=f"https://pubmed.ncbi.nlm.nih.gov/{pmid}/",
        type=next((_TYPES[kind] for kind in sorted(kinds) if kind in _TYPES), "article-journal"),
        citation_count=whole(record.get("pmcrefcount")),
        is_retracted="retracted publication" in kinds or is_marked_retracted(title, updates),
        updates=updates,
        notice_of=_updates(record, _NOTICES_OF),
        open_access_url=_open_access(clean_pmcid(ids.get("pmc"))),
        published_version_doi=_version(record, "update in") if "preprint" in kinds else None,
        preprint_doi=None if "preprint" in kinds else _version(record, "update of"),
    )


def _ids(record: dict[str, Any]) -> dict[str, str]:
    """Return the first id of each type in a record."""
    pairs = [(text(one.get("idtype")), raw(one.get("value"))) for one in mappings(record.get("articleids"))]
    return first_values((kind.lower(), value) for kind, value in pairs if kind and value)


def _title(record: dict[str, Any]) -> str:
    """Return the title without PubMed's final full stop and without the brackets that mark a translation."""
    title = text(record.get("title")) or text(record.get("booktitle")) or ""
    if title.endswith(".") and not title.endswith(".."):
        title = title[:-1]
    return title[1:-1] if title.startswith("[") and title.endswith("]") and title.count("[") == 1 else title


def _people(record: dict[str, Any]) -> tuple[Person, ...]:
    found = [
        Person(literal=name) if text(one.get("authtype")) == "CollectiveName" else index_name(name)
        for one in mappings(record.get("authors"))
        if (name := text(one.get("name")))
    ]
    return people(found or [index_name(text(record.get("sortfirstauthor")))])


def _version(record: dict[str, Any], relation: str) -> str | None:
    """Return the DOI of a preprint's published version, or of an article's preprint (SPEC C11)."""
    related = (
        text(one.get("refsource")) or ""
        for one in mappings(record.get("references"))
        if (text(one.get("reftype")) or "").lower() == relation
    )
    # A review that is updated every few years is not a preprint of its next edition.
    fits = (source for source in related if relation != "update of" or _PREPRINTS.search(source))
    return next((doi for source in fits if (doi := _doi_in(source))), None)


def _pages(pages: str | None) -> str | None:
    """Return a full page range: PubMed shortens the last page, so "349-61" means "349-361"."""
    match = re.fullmatch(r"(\d+)-(\d+)", pages or "")
    if not match or len(match[2]) >= len(match[1]):
        return pages
    return f"{match[1]}-{match[1][: -len(match[2])]}{match[2]}"


def _doi_in(elocation: str | None) -> str | None:
    match = re.search(r"doi:\s*(\S+)", elocation or "", re.IGNORECASE)
    return clean_doi(match[1]) if match else None


def _pmcid_in(value: str | None) -> str | None:
    match = re.search(r"PMC\d+", value or "")
    return clean_pmcid(match[0]) if match else None


def _open_access(pmcid: str | None) -> str | None:
    return f"https://pmc.ncbi.nlm.nih.gov/articles/{pmcid}/" if pmcid else None


def _updates(record: dict[str, Any], kinds: dict[str, str]) -> tuple[Update, ...]:
    return tuple(
        Update(
            type=kinds[kind],
            pmid=clean_pmid(one.get("pmid")),
            source=NAME,
            year=year(one.get("refsource")),
            note=text(one.get("refsource")),
        )
        for one in mappings(record.get("references"))
        if (kind := (text(one.get("reftype")) or "").lower()) in kinds
    )
