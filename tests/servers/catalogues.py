"""A local HTTP server with answers that a test prepares, and records in the formats of the catalogues.

with Site() as site:
    site.answer("/works", crossref_list(CROSSREF_WORK))
    ...
    assert site.paths() == ["/works"]
"""

import copy
import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from types import TracebackType
from typing import Any, Self
from urllib.parse import parse_qs, unquote, urlsplit

from tests.servers.listening import Server, listening


@dataclass
class ReceivedRequest:
    """One request that the server received."""

    method: str
    path: str
    query: dict[str, str]
    headers: Mapping[str, str]
    body: str
    at: float

    @property
    def form(self) -> dict[str, str]:
        return {name: values[-1] for name, values in parse_qs(self.body).items()}


@dataclass
class Answer:
    """A response: `body` is sent as JSON unless it is text or bytes.

    `length` is a false Content-Length, `drip` the seconds between pieces of the body, `delay` those before it; `drop`
    closes the connection without a response.
    """

    body: Any = ""
    status: int = 200
    kind: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)
    delay: float = 0.0
    drip: float = 0.0
    length: int | None = None
    drop: bool = False

    def data(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        return (self.body if isinstance(self.body, str) else json.dumps(self.body, ensure_ascii=False)).encode()


Answering = Answer | Callable[[ReceivedRequest], Answer]


class Site:
    """A server at `base` for the length of a `with` block. Paths without a prepared answer are a 404 in plain text."""

    def __init__(self) -> None:
        self.asked: list[ReceivedRequest] = []
        self.in_flight = self.most_in_flight = 0
        self._answers: defaultdict[str, list[Answering]] = defaultdict(list)
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.site = self
        self.port: int = self._server.server_address[1]
        self.base = f"http://127.0.0.1:{self.port}"

    def answer(self, path: str, *answers: Any, **fields: Any) -> None:
        """Prepare the answers for `path`, used in this order, the last one repeatedly; JSON data is sent as it is."""
        given = answers or (Answer(**fields),)
        self._answers[path] = [
            one if isinstance(one, Answer) or callable(one) else Answer(one, **fields) for one in given
        ]

    def paths(self) -> list[str]:
        return [asked.path for asked in self.asked]

    def gaps(self) -> list[float]:
        """Return the seconds between each request and the next."""
        times = sorted(asked.at for asked in self.asked)
        return [later - earlier for earlier, later in zip(times, times[1:], strict=False)]

    def next_answer(self, asked: ReceivedRequest) -> Answer:
        with self._lock:
            self.asked.append(asked)
            answers = self._answers.get(asked.path)
            if not answers:
                return Answer("Resource not found.", 404, "text/plain;charset=utf-8")
            one = answers.pop(0) if len(answers) > 1 else answers[0]
        return one if isinstance(one, Answer) else one(asked)

    def count(self, step: int) -> None:
        with self._lock:
            self.in_flight += step
            self.most_in_flight = max(self.most_in_flight, self.in_flight)

    def __enter__(self) -> Self:
        self._serving = listening(self._server)
        self._serving.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._serving.__exit__(kind, error, trace)


class _Server(Server):
    site: Site

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore errors: some clients close the connection on purpose."""


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args: Any) -> None:
        """Log nothing: tests read `Site.asked`."""

    def do_GET(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        sent = self.rfile.read(length)
        if len(sent) < length:  # the client disconnected before the request was complete
            self.close_connection = True
            return
        body = sent.decode()
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query, keep_blank_values=True).items()}
        headers = {name.lower(): value for name, value in self.headers.items()}
        site = self.server.site
        site.count(1)
        try:
            asked = ReceivedRequest(self.command, unquote(url.path), query, headers, body, time.time())
            self.send(site.next_answer(asked))
        finally:
            site.count(-1)

    do_POST = do_GET

    def send(self, answer: Answer) -> None:
        time.sleep(answer.delay)
        if answer.drop:
            self.close_connection = True
            return
        data = answer.data()
        self.send_response(answer.status)
        length = len(data) if answer.length is None else answer.length
        sent = {"Content-Type": answer.kind, "Content-Length": str(length), **answer.headers}
        for name, value in sent.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        try:
            for start in range(0, len(data), 64 if answer.drip else max(1, len(data))):
                self.wfile.write(data[start : start + 64] if answer.drip else data)
                time.sleep(answer.drip)
        except OSError:
            self.close_connection = True
        if answer.length is not None:
            self.close_connection = True


# Invented records in the formats of the catalogues.

CROSSREF_WORK: dict[str, Any] = {
    "DOI": "10.5555/Alder.2019.7",
    "type": "journal-article",
    "title": ["Shade and <i>Alnus</i> growth &amp; form"],
    "subtitle": ["A field trial"],
    "container-title": ["Journal of River Woods"],
    "publisher": "River Press",
    "issued": {"date-parts": [[2019, 4, 1]]},
    "published-print": {"date-parts": [[2019, 4]]},
    "volume": "12",
    "issue": "3",
    "page": "101-118",
    "author": [
        {"family": "Okafor", "given": "Ada", "suffix": "Jr", "sequence": "first", "affiliation": []},
        {"name": "River Woods Group", "sequence": "additional"},
    ],
    "editor": [{"family": "Moss", "given": "P."}],
    "ISBN": ["9780306406157"],
    "URL": "http://dx.doi.org/10.5555/alder.2019.7",
    "abstract": "<jats:title>Abstract</jats:title><jats:p>Alders grew <jats:italic>less</jats:italic>.</jats:p>",
    "is-referenced-by-count": 41,
    "updated-by": [
        {
            "type": "expression-of-concern",
            "DOI": "10.5555/eoc.1",
            "source": "publisher",
            "label": "Expression of concern",
            "updated": {"date-parts": [[2020, 2, 1]]},
        },
        {"type": "retraction", "DOI": "10.5555/ret.1", "source": "retraction-watch", "label": "Retraction"},
    ],
    "update-to": [{"type": "correction", "DOI": "10.5555/old.1"}],
    "relation": {
        "has-preprint": [{"id-type": "doi", "id": "10.5555/PRE.1", "asserted-by": "subject"}],
        "is-preprint-of": [{"id-type": "doi", "id": "10.5555/final.1"}],
    },
    "score": 44.5,
}

PUBMED_RECORD: dict[str, Any] = {
    "uid": "30123456",
    "title": "Shade and alder growth: a field trial.",
    "sortfirstauthor": "Okafor A",
    "authors": [
        {"name": "Okafor A Jr", "authtype": "Author", "clusterid": ""},
        {"name": "van der Moss PQ", "authtype": "Author", "clusterid": ""},
        {"name": "River Woods Group", "authtype": "CollectiveName", "clusterid": ""},
    ],
    "fulljournalname": "Journal of river woods",
    "source": "J River Woods",
    "pubdate": "2019 Apr",
    "epubdate": "2019 Mar 3",
    "volume": "12",
    "issue": "3",
    "pages": "101-18",
    "pubtype": ["Journal Article", "Retracted Publication"],
    "articleids": [
        {"idtype": "pubmed", "idtypen": 1, "value": "30123456"},
        {"idtype": "doi", "idtypen": 3, "value": "10.5555/Alder.2019.7"},
        {"idtype": "pmc", "idtypen": 8, "value": "PMC7654321"},
    ],
    "references": [
        {"refsource": "J River Woods. 2021;14:2", "reftype": "Retraction in", "pmid": "33999999", "note": ""}
    ],
    "pmcrefcount": 9,
}

PUBMED_XML = """<?xml version="1.0" ?>
<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD PubMedArticle, 1st January 2019//EN" "https://dtd.example/pubmed.dtd">
<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID Version="1">30123456</PMID><Article><Abstract>
<AbstractText Label="BACKGROUND">Alders like <i>light</i>.</AbstractText>
<AbstractText Label="RESULTS">They grew less in shade (p &lt; 0.01).</AbstractText>
</Abstract></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""

S2_PAPER: dict[str, Any] = {
    "paperId": "0123456789abcdef0123456789abcdef01234567",
    "externalIds": {
        "DOI": "10.5555/Alder.2019.7",
        "ArXiv": "1901.01234",
        "PubMed": "30123456",
        "PubMedCentral": "7654321",
        "CorpusId": 77,
    },
    "url": "https://www.semanticscholar.org/paper/0123456789abcdef0123456789abcdef01234567",
    "title": "Shade and alder growth",
    "abstract": "Alders grew less.",
    "venue": "Journal of River Woods",
    "year": 2019,
    "publicationDate": "2019-04-01",
    "journal": {"name": "J River Woods", "volume": "12", "pages": "\n          101 - 118\n        "},
    "authors": [{"authorId": "1", "name": "Ada Okafor"}, {"authorId": None, "name": "Pia van der Moss"}],
    "citationCount": 41,
    "influentialCitationCount": 4,
    "openAccessPdf": {"url": "https://river.example/alder.pdf", "status": "GOLD"},
    "publicationTypes": ["JournalArticle", "Conference"],
}

OPENALEX_WORK: dict[str, Any] = {
    "id": "https://openalex.org/W2741809807",
    "doi": "https://doi.org/10.5555/alder.2019.7",
    "title": "Shade and alder growth",
    "publication_year": 2019,
    "type": "article",
    "ids": {
        "pmid": "https://pubmed.ncbi.nlm.nih.gov/30123456",
        "pmcid": "https://www.ncbi.nlm.nih.gov/pmc/articles/7654321",
    },
    "authorships": [
        {"author": {"display_name": "Ada Okafor"}, "author_position": "first"},
        {"author": None, "raw_author_name": "Moss, Pia"},
    ],
    "primary_location": {
        "landing_page_url": "https://river.example/alder",
        "source": {"display_name": "Journal of River Woods", "host_organization_name": "River Press"},
    },
    "best_oa_location": {"pdf_url": "https://river.example/alder.pdf", "landing_page_url": "https://river.example/a"},
    "biblio": {"volume": "12", "issue": "3", "first_page": "101", "last_page": "118"},
    "abstract_inverted_index": {"grew": [1], "Alders": [0], "less.": [2]},
    "cited_by_count": 41,
    "is_retracted": True,
}

TAVILY_RESULT: dict[str, Any] = {
    "title": "Alders in shade",
    "url": "https://river.example/alders",
    "content": "Alders grow less.\nIn shade.",
    "score": 0.91,
    "raw_content": "The whole page\nabout alders.",
}

GOOGLE_RESULT: dict[str, Any] = {
    "kind": "customsearch#result",
    "title": "Alders in shade",
    "link": "https://river.example/alders",
    "displayLink": "river.example",
    "snippet": "Alders grow less.",
    "pagemap": {"metatags": [{"og:site_name": "River Woods"}]},
}


def crossref_one(work: Any) -> dict[str, Any]:
    return {"status": "ok", "message-type": "work", "message": work}


def crossref_list(*works: Any, total: int | None = None) -> dict[str, Any]:
    listed = {"total-results": len(works) if total is None else total, "items": list(works)}
    return {"status": "ok", "message-type": "work-list", "message": listed}


def esearch(*ids: str, count: int | None = None) -> dict[str, Any]:
    result = {"count": str(len(ids) if count is None else count), "retstart": "0", "idlist": list(ids)}
    return {"header": {"type": "esearch", "version": "0.3"}, "esearchresult": result}


def esummary(*records: dict[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {"uids": [record["uid"] for record in records]}
    result |= {record["uid"]: record for record in records}
    return {"header": {"type": "esummary", "version": "0.3"}, "result": result}


def changed(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    """Return a copy of `record` with other values for `fields`; "_" in a name stands for "-"."""
    return {**copy.deepcopy(record), **{name.replace("_", "-"): value for name, value in fields.items()}}
