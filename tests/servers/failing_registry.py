"""Registries that can fail one by one, with those that few entries need: arXiv, Open Library, DataCite, web pages.

with Troubled(works) as registries:
    registries.says("crossref", Answer("busy", 503))
"""

import re
from collections.abc import Callable
from typing import Any

from sources.work import Work
from tests.servers.catalogues import Answer, ReceivedRequest, Site, changed
from tests.servers.registries import OPENLIBRARY_BOOK, PMC_RECORD, feed, preprint
from tests.servers.registry_works import Holdings

Saying = Callable[[ReceivedRequest], Answer | None]


class Troubled(Holdings):
    """Registries of which `says` replaces the answers of one part.

    Parts: "crossref", "doi", "pubmed", "arxiv", "openlibrary", "datacite", "openalex", "page". A replacement is an
    answer, or a function that returns None for requests that the part is to answer as usual.
    """

    def __init__(self, works: list[Work]) -> None:
        super().__init__(works)
        self._own: dict[str, Saying] = {"arxiv": self._arxiv, "openlibrary": self._books}
        self._said = dict(self._own)

    def serve(self, settings: Any) -> None:
        super().serve(settings)
        settings.FETCH_ALLOW_PRIVATE = [f"127.0.0.1:{self.port}"]

    def says(self, part: str, said: Answer | Saying) -> None:
        self._said[part] = said if callable(said) else lambda asked: said

    def usual(self, part: str) -> Saying:
        """Return the usual answers of a part, as a function."""
        return self._own.get(part, lambda asked: None)

    def asked_of(self, part: str) -> list[ReceivedRequest]:
        return [asked for asked in self.asked if asked.path.startswith(f"/{part}/")]

    def next_answer(self, asked: ReceivedRequest) -> Answer:
        saying = self._said.get(asked.path.split("/")[1])
        answer = saying(asked) if saying and not self.down else None
        if answer is None:
            return super().next_answer(asked)
        Site.next_answer(self, asked)  # records the request
        return answer

    def _arxiv(self, asked: ReceivedRequest) -> Answer:
        wanted = asked.query["id_list"].split(",")
        here = [one for one in self.works if one.arxiv in wanted]
        return Answer(feed(*(_preprint(one) for one in here)), kind="application/atom+xml")

    def _books(self, asked: ReceivedRequest) -> Answer:
        wanted = asked.query["bibkeys"]
        books = {f"ISBN:{one.isbn}": _book(one) for one in self.works if one.isbn and f"ISBN:{one.isbn}" in wanted}
        return Answer(books)


def page(title: str, *meta: tuple[str, str]) -> Answer:
    """Return a web page with this title and these <meta> elements."""
    said = "".join(f'<meta name="{name}" content="{content}">' for name, content in meta)
    return Answer(
        f"<html><head><title>{title}</title>{said}</head><body><h1>{title}</h1></body></html>", 200, "text/html"
    )


def central(work: Work, pmcid: str) -> dict[str, Any]:
    """Return the record of a work in PubMed Central."""
    ids = [("pmid", work.pmid), ("doi", work.doi), ("pmcid", pmcid)]
    record = changed(PMC_RECORD, title=work.title, articleids=[{"idtype": kind, "value": value} for kind, value in ids])
    return {**record, "uid": re.sub(r"\D", "", pmcid)}


def _preprint(work: Work) -> str:
    people = "".join(f"<author><name>{one.given} {one.family}</name></author>" for one in work.authors)
    entry = preprint(work.arxiv or "", title=f"<title>{work.title}</title>", authors=people, doi="", comment="")
    return entry.replace("2019-01-04", f"{work.year}-01-04")


def _book(work: Work) -> dict[str, Any]:
    authors = [{"name": f"{one.given} {one.family}"} for one in work.authors]
    return {**OPENLIBRARY_BOOK, "title": work.title, "subtitle": "", "authors": authors, "publish_date": str(work.year)}
