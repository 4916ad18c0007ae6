"""Crossref, doi.org, PubMed and Unpaywall with one list of works, as a local server that can be slow or down.

with Holdings([work, ...]) as registries:
    registries.serve(settings)
    registries.down = True
"""

import json
import re
import threading
from collections.abc import Iterable
from typing import Any
from urllib.parse import unquote

from sources.host_limits import HOSTS
from sources.retractions import Update
from sources.work import Person, Work
from tests.servers.catalogues import Answer, ReceivedRequest, Site, crossref_list, crossref_one, esearch, esummary

_ELSEWHERE = ("OPENALEX", "UNPAYWALL", "OPENLIBRARY", "DATACITE", "ARXIV", "S2")
_PARTS = {"crossref": "CROSSREF", "doi": "DOI", "pubmed": "PUBMED"}


class Holdings(Site):
    """Registries that know `works`, and free copies of works at the addresses in `copies` (by DOI).

    While `down` is true, every request is answered with status 503. Requests wait while `free` is not set.
    """

    def __init__(self, works: Iterable[Work]) -> None:
        super().__init__()
        self.works = list(works)
        self.copies: dict[str, str] = {}
        self.down = False
        self.delay = 0.0  # seconds before each answer
        self.free = threading.Event()
        self.free.set()

    def serve(self, settings: Any) -> None:
        """Set this server as the address of every catalogue, without API keys and without rate limits."""
        for name, value in self.environment().items():
            setattr(settings, name, json.loads(value) if name == "SOURCE_PACE" else value)

    def environment(self) -> dict[str, str]:
        """Return the settings of `serve` as the environment of another process."""
        bases = {f"{setting}_BASE_URL": f"{self.base}/{part}" for part, setting in _PARTS.items()}
        bases |= {f"{name}_BASE_URL": f"{self.base}/{name.lower()}" for name in _ELSEWHERE}
        keys = dict.fromkeys(("PUBMED_API_KEY", "S2_API_KEY", "OPENALEX_API_KEY", "CROSSREF_MAILTO"), "")
        return {**bases, **keys, "SOURCE_PACE": json.dumps(dict.fromkeys((host.name for host in HOSTS), 1000.0))}

    def next_answer(self, asked: ReceivedRequest) -> Answer:
        super().next_answer(asked)  # records the request
        self.free.wait(60)
        if self.down:
            return Answer("Service Unavailable", 503, "text/plain", {"Retry-After": "0"})
        _, part, *rest = asked.path.split("/", 2)
        said = {
            "crossref": self._crossref,
            "doi": self._doi,
            "pubmed": self._pubmed,
            "s2": lambda *_: Answer({"total": 0, "data": []}),
            "unpaywall": self._unpaywall,
        }.get(part)
        answer = said("/" + "".join(rest), asked) if said else Answer("Not found.", 404, "text/plain")
        answer.delay = self.delay
        return answer

    def _crossref(self, path: str, asked: ReceivedRequest) -> Answer:
        if path == "/works" and "filter" in asked.query:
            dois = set(re.split(r",?doi:", asked.query["filter"]))
            return Answer(crossref_list(*(_record(one) for one in self.works if one.doi in dois)))
        if path == "/works":
            words = set(re.findall(r"\w+", asked.query.get("query.bibliographic", "").casefold()))
            near = sorted(self.works, key=lambda one: -len(words & _words(one)))
            return Answer(crossref_list(*(_record(one) for one in near[:5] if one.doi)))
        return self._one(path.removeprefix("/works/"), crossref_one)

    def _doi(self, path: str, asked: ReceivedRequest) -> Answer:
        return self._one(path.lstrip("/"), lambda record: record)

    def _one(self, doi: str, shape: Any) -> Answer:
        found = next((one for one in self.works if one.doi == unquote(doi).lower()), None)
        return Answer(shape(_record(found))) if found else Answer("Resource not found.", 404, "text/plain")

    def _unpaywall(self, path: str, asked: ReceivedRequest) -> Answer:
        doi = path.removeprefix("/v2/")
        where = {"url": self.copies.get(doi), "url_for_pdf": self.copies.get(doi)}
        return Answer({"doi": doi, "best_oa_location": where}) if doi in self.copies else Answer({}, 404)

    def _pubmed(self, path: str, asked: ReceivedRequest) -> Answer:
        form = {**asked.query, **asked.form}
        if path == "/esearch.fcgi":
            words = set(re.findall(r"(\w+)\[ti\]", form.get("term", "")))
            return Answer(esearch(*(one.pmid for one in self.works if one.pmid and words and words <= _words(one))))
        wanted = form.get("id", "").split(",")
        here = {one.pmid: one for one in self.works if one.pmid}
        return Answer(esummary(*(_summary(here[one]) if one in here else _missing(one) for one in wanted)))


def _words(work: Work) -> set[str]:
    return set(re.findall(r"\w+", f"{work.title} {' '.join(one.family or '' for one in work.authors)}".casefold()))


def _person(one: Person) -> dict[str, str]:
    return {"family": one.family, "given": one.given or ""} if one.family else {"name": one.literal or ""}


def _record(work: Work) -> dict[str, Any]:
    """Return the record of a work in the format of Crossref."""
    relation = work.published_version_doi
    return {
        "DOI": work.doi,
        "type": "posted-content" if work.type == "article" else "journal-article",
        "title": [work.title],
        "container-title": [work.venue] if work.venue else [],
        "author": [_person(one) for one in work.authors],
        "issued": {"date-parts": [[work.year]]},
        "volume": work.volume,
        "page": work.pages,
        "updated-by": [_update(one) for one in work.updates],
        "relation": {"is-preprint-of": [{"id-type": "doi", "id": relation}]} if relation else {},
    }


def _update(one: Update) -> dict[str, Any]:
    dates = {"updated": {"date-parts": [[one.year]]}} if one.year else {}
    return {"type": one.type, "DOI": one.doi, "source": one.source, "label": one.note, **dates}


def _summary(work: Work) -> dict[str, Any]:
    """Return the record of a work in the format of PubMed."""
    return {
        "uid": work.pmid,
        "title": f"{work.title}.",
        "authors": [
            {"name": _index_name(one), "authtype": "Author" if one.family else "CollectiveName"} for one in work.authors
        ],
        "fulljournalname": work.venue or "",
        "pubdate": str(work.year),
        "volume": work.volume or "",
        "pages": work.pages or "",
        "pubtype": ["Journal Article"],
        "articleids": [{"idtype": "doi", "value": work.doi}] if work.doi else [],
    }


def _index_name(one: Person) -> str:
    initials = "".join(part[0] for part in (one.given or "").split())
    return f"{one.family} {initials}".strip() if one.family else one.literal or ""


def _missing(pmid: str) -> dict[str, Any]:
    return {"uid": pmid, "error": "cannot get document summary"}
