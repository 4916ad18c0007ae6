"""Every recorded answer of the catalogues is read, and no field is lost that it has (SPEC C1).

Runs where RECORDINGS_DIR names a folder with one folder of recordings for each API: {"request", "response": {"status",
"headers", "body"}} in each file. What is expected is taken from the raw answers, not by the code under test.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from sources import crossref, doi_org, google, openalex, pubmed_records, semantic_scholar, tavily, unpaywall
from sources.pubmed_records import read_abstracts
from sources.responses import RawResponse
from sources.work import Found, NothingFound, Unreadable, Work

pytestmark = [
    pytest.mark.recordings,
    pytest.mark.skipif(not os.environ.get("RECORDINGS_DIR"), reason="RECORDINGS_DIR is not set"),
]
Recording = tuple[str, dict[str, Any], RawResponse]


def recordings(api: str) -> Iterator[Recording]:
    """Name, request and answer of each recording of `api`."""
    root = Path(os.environ.get("RECORDINGS_DIR", ""))
    folder = root / api if (root / api).is_dir() else root / "dev" / api
    for path in sorted(folder.glob("*.json")):
        recorded = json.loads(path.read_text(encoding="utf-8"))
        answer = recorded["response"]
        headers = {name.lower(): value for name, value in (answer.get("headers") or {}).items()}
        body = (answer.get("body") or "").encode()
        reply = RawResponse(answer["status"], headers.get("content-type", ""), body, headers)
        yield path.name, recorded["request"], reply


def good(api: str, path: str) -> list[Recording]:
    """The good answers whose address fits `path`."""
    found = [
        one for one in recordings(api) if one[2].status == 200 and re.search(path, one[1]["url"].partition("?")[0])
    ]
    assert found, f"no recordings of {api} {path}"
    return found


def plain(words: Any) -> str:
    """Letters and digits only: what remains of a title however it is cleaned."""
    return re.sub(r"[\W_]", "", re.sub(r"<[^<>]*>", "", unescape(str(words or "")))).casefold()


def same(ours: Any, theirs: Any, where: str) -> None:
    assert plain(ours) == plain(theirs), where


def read_all(
    reply: RawResponse, reader: Callable[[dict[str, Any]], Work | None], raw: list[Any]
) -> list[tuple[Any, Work]]:
    works = [(one, reader(one)) for one in raw if one]
    assert all(work for _, work in works), reply.body[:200]
    return [(one, work) for one, work in works if work]


def first(value: Any) -> Any:
    return next((one for one in value if one), None) if isinstance(value, list) else value


def test_crossref() -> None:
    count = 0
    for name, _, reply in good("crossref", r"/works(/|$)(?!.*(agency|transform))"):
        message = json.loads(reply.body)["message"]
        raw = message.get("items", [message]) if isinstance(message, dict) else []
        for item, work in read_all(reply, crossref.read_work, raw):
            count += 1
            where = f"{name} {item.get('DOI')}"
            if "DOI" in item:
                assert work.doi == item["DOI"].lower(), where
            assert plain(first(item.get("title"))) in plain(work.title), where
            assert plain(first(item.get("subtitle"))) in plain(work.title), where
            named = [
                one for one in item.get("author") or [] if one.get("family") or one.get("name") or one.get("given")
            ]
            assert len(work.authors) == len(named), where
            for person, one in zip(work.authors, named, strict=True):
                same(person.family or person.literal, one.get("family") or one.get("name") or one.get("given"), where)
            same(work.venue or "", first(item.get("container-title")) or work.venue, where)
            for ours, theirs in (("volume", "volume"), ("issue", "issue"), ("publisher", "publisher")):
                same(getattr(work, ours), item.get(theirs), where)
            same(work.pages, item.get("page") or item.get("article-number"), where)
            dates = [item.get(part, {}).get("date-parts") for part in ("issued", "published-print", "published-online")]
            years = {date[0][0] for date in dates if date and date[0] and date[0][0]}
            assert not years or work.year in years, where
            assert len(work.updates) == len(item.get("updated-by") or []), where
            assert bool(work.abstract) == bool(plain(item.get("abstract"))), where
            assert work.citation_count == item.get("is-referenced-by-count"), where
            assert bool(work.preprint_doi) == ("has-preprint" in item.get("relation", {})), where
    assert count > 40


def test_crossrefs_lists_and_refusals() -> None:
    for name, request, reply in recordings("crossref"):
        if reply.status != 200:
            assert len(reply.message()) <= 200, name
            continue
        if re.search(r"/transform", request["url"]):
            assert reply.text().strip().startswith("@"), name
        elif b'"items"' in reply.body:
            assert isinstance(crossref._read_list(reply), Found | NothingFound), name


def test_bibtex_of_doi_org() -> None:
    for name, request, reply in recordings("doi"):
        if reply.status == 200 and "bibtex" in (request.get("headers") or {}).get("accept", ""):
            assert crossref._read_bibtex(reply).startswith("@"), name


def test_pubmed_summaries() -> None:
    count = 0
    for name, request, reply in good("pubmed", "esummary"):
        if "db=pubmed" not in request["url"] + str(request.get("body")) or not reply.body.lstrip().startswith(b"{"):
            continue
        works = pubmed_records.read_summaries(reply)
        result = json.loads(reply.body)["result"]
        for uid in result["uids"]:
            count += 1
            item, work = result[uid], works[uid]
            same(work.title, item["title"], name)
            assert len(work.authors) == len(item["authors"]), name
            for person, one in zip(work.authors, item["authors"], strict=True):
                assert plain(one["name"]).startswith(plain(person.family or person.literal)), name
            same(work.venue, item["fulljournalname"], name)
            same(work.volume, item["volume"], name)
            same(work.issue, item["issue"], name)
            assert str(work.pages or "").startswith(item["pages"].partition("-")[0]), name
            assert str(work.year) in item["pubdate"] + item["epubdate"], name
            ids = {one["idtype"]: one["value"] for one in item["articleids"]}
            assert work.doi == (ids["doi"].lower() if "doi" in ids else None), name
            assert work.pmcid == ids.get("pmc"), name
            assert work.is_retracted == ("Retracted Publication" in item["pubtype"]), name
    assert count > 8


def test_pubmed_searches() -> None:
    for name, _, reply in good("pubmed", "esearch"):
        if reply.body.lstrip().startswith(b"{"):
            ids, total = pubmed_records.read_ids(reply)
            assert ids == json.loads(reply.body)["esearchresult"]["idlist"], name
            assert total >= len(ids), name


def test_pubmed_abstracts() -> None:
    count = 0
    for name, request, reply in good("pubmed", "efetch"):
        if "db=pubmed" not in request["url"] + str(request.get("body")):
            continue
        sent = reply.text()
        found = read_abstracts(reply)
        for article in re.findall(r"<PubmedArticle>.*?</PubmedArticle>", sent, re.DOTALL):
            texts = re.findall(
                r"<AbstractText[^>]*>(.*?)</AbstractText>", article.partition("<OtherAbstract")[0], re.DOTALL
            )
            pmid = re.search(r"<PMID[^>]*>(\d+)", article)
            assert pmid, name
            assert (pmid[1] in found) == any(plain(one) for one in texts), name
            for one in texts:
                count += 1
                assert plain(one) in plain(found[pmid[1]]), name
    assert count > 8


def test_semantic_scholar() -> None:
    count = 0
    for name, request, reply in recordings("s2"):
        if reply.status != 200 or "/author" in request["url"] or "/snippet" in request["url"]:
            continue
        data = json.loads(reply.body)
        raw = data if isinstance(data, list) else data.get("data") or data.get("recommendedPapers") or [data]
        raw = [one.get("citingPaper") or one.get("citedPaper") or one if one else None for one in raw]
        for item, work in read_all(
            reply, semantic_scholar.read_work, [one for one in raw if one and any(one.values())]
        ):
            count += 1
            where = f"{name} {item.get('paperId')}"
            same(work.title, item.get("title"), where)
            assert work.year == item.get("year"), where
            assert len(work.authors) == len(item.get("authors") or []), where
            for person, one in zip(work.authors, item.get("authors") or [], strict=True):
                assert plain(person.family or person.literal) in plain(one["name"]), where
            ids = item.get("externalIds") or {}
            assert work.doi == (ids["DOI"].lower() if ids.get("DOI") else None), where
            assert work.pmid == ids.get("PubMed"), where
            assert not ids.get("ArXiv") or work.arxiv == ids["ArXiv"].lower(), where
            assert bool(work.pmcid) == bool(ids.get("PubMedCentral")), where
            assert work.citation_count == item.get("citationCount"), where
            assert work.influential_citation_count == item.get("influentialCitationCount"), where
            assert (work.open_access_url or "") == ((item.get("openAccessPdf") or {}).get("url") or ""), where
            same(work.abstract, item.get("abstract"), where)
            same(work.venue, item.get("venue") or (item.get("journal") or {}).get("name"), where)
    assert count > 500


def test_openalex() -> None:
    count = 0
    for name, _, reply in good("openalex", r"/works"):
        data = json.loads(reply.body)
        raw = data.get("results", [data])
        raw = [one for one in raw if "id" in one]
        for item, work in read_all(reply, openalex.read_work, raw):
            count += 1
            where = f"{name} {item['id']}"
            assert work.provider_id == item["id"].rpartition("/")[2], where
            if "title" in item:
                same(work.title, item["title"], where)
            assert work.year == item.get("publication_year", work.year), where
            assert bool(work.doi) == bool(item.get("doi")), where
            assert len(work.authors) == len(item.get("authorships") or []), where
            for person, one in zip(work.authors, item.get("authorships") or [], strict=True):
                assert plain(person.family or person.literal) in plain(one["author"]["display_name"]), where
            index = item.get("abstract_inverted_index") or {}
            for word in index:
                assert plain(word) in plain(work.abstract), where
            best = item.get("best_oa_location") or {}
            assert not best.get("pdf_url") or work.open_access_url == best["pdf_url"], where
            assert work.citation_count == item.get("cited_by_count"), where
            assert work.is_retracted == bool(item.get("is_retracted")), where
            source = (item.get("primary_location") or {}).get("source") or {}
            same(work.venue, source.get("display_name"), where)
            assert work.pmid == (item.get("ids", {}).get("pmid") or "").rpartition("/")[2] or work.pmid is None, where
    assert count > 25


def test_tavily() -> None:
    for name, _, reply in good("tavily", "search"):
        outcome = tavily._read(reply)
        raw = json.loads(reply.body)["results"]
        assert isinstance(outcome, Found), name
        assert len(outcome.works) == len(raw), name
        for work, item in zip(outcome.works, raw, strict=True):
            assert (work.url, work.score) == (item["url"], item.get("score")), name
            same(work.title, item["title"], name)
            same(work.abstract, item["content"], name)
            same(work.text, item.get("raw_content"), name)


def test_google() -> None:
    for name, _, reply in good("google", "customsearch"):
        outcome = google._read(reply)
        data = json.loads(reply.body)
        assert isinstance(outcome, Found), name
        assert len(outcome.works) == len(data["items"]), name
        assert outcome.total == max(int(data["searchInformation"]["totalResults"]), len(data["items"])), name
        for work, item in zip(outcome.works, data["items"], strict=True):
            assert work.url == item["link"], name
            same(work.title, item["title"], name)
            same(work.abstract, item.get("snippet"), name)


def test_doi() -> None:
    """doi.org's answers: the work itself, its BibTeX, whose it is, and that there is no such DOI."""
    count = 0
    for name, request, reply in good("doi", r"doi\.org/(?:10\.|ra/)"):
        count += 1
        if "/ra/" in request["url"]:
            assert doi_org._read_agency(reply) == json.loads(reply.body)[0]["RA"], name
        elif "json" in request["headers"].get("accept", ""):
            outcome, item = doi_org._read(reply), json.loads(reply.body)
            assert isinstance(outcome, Found), name
            work = outcome.works[0]
            assert plain(work.title).startswith(plain(item["title"])), name  # the subtitle stands apart
            assert work.doi == item["DOI"].lower(), name
            assert [one.family for one in work.authors] == [one["family"] for one in item["author"]], name
            assert work.year == item["issued"]["date-parts"][0][0], name
            assert work.type == "article-journal", name
        elif "bibtex" in request["headers"].get("accept", ""):
            assert crossref._read_bibtex(reply).startswith("@"), name
    assert count > 10
    unknown = next(reply for name, _, reply in recordings("doi") if name.startswith("404-"))
    with pytest.raises(Unreadable):
        doi_org._read(unknown)


def test_unpaywall() -> None:
    count = 0
    for name, _, reply in good("unpaywall", r"/v2/10\."):
        outcome, item = unpaywall._read(reply), json.loads(reply.body)
        count += 1
        assert isinstance(outcome, Found), name
        work, best = outcome.works[0], item["best_oa_location"] or {}
        assert work.doi == item["doi"].lower(), name
        same(work.title, item["title"], name)
        assert work.year == item["year"], name
        assert work.open_access_url == (best.get("url_for_pdf") or best.get("url") or None), name
        assert len(work.authors) == len(item.get("z_authors") or []), name
    assert count > 10


def test_errors_say_something_readable() -> None:
    for api in ("crossref", "pubmed", "s2", "openalex", "tavily", "google", "doi", "unpaywall"):
        for name, _, reply in recordings(api):
            if reply.status >= 400:
                said = reply.message()
                assert "<" not in said, name
                assert len(said) <= 200, name


def test_documented_errors() -> None:
    """Errors quoted in documentation, where they are beside the recordings."""
    root = Path(os.environ["RECORDINGS_DIR"])
    folder = next((one for one in (root, root.parent) if (one / "errors-documented").is_dir()), None)
    if folder is None:
        pytest.skip("no documented errors beside the recordings")
    for path in sorted((folder / "errors-documented" / "pubmed").glob("200-*.json")):
        answer = json.loads(path.read_text(encoding="utf-8"))["response"]
        reply = RawResponse(200, "application/json", answer["body"].encode())
        if "efetch" in path.name:
            assert read_abstracts(reply) == {}
        elif "unknown-pmid" in path.name:
            assert pubmed_records.read_summaries(reply) == {}
        elif "no-items" in path.name:
            assert pubmed_records.read_ids(reply) == ([], 0)
        else:
            with pytest.raises(Unreadable):
                pubmed_records.read_summaries(reply)
    retracted = json.loads(
        (folder / "errors-documented/crossref/200-retracted-updated-by.json").read_text(encoding="utf-8")
    )
    outcome = crossref._read_one(RawResponse(200, "", retracted["response"]["body"].encode()))
    assert isinstance(outcome, Found)
    assert outcome.works[0].is_retracted
    assert [update.type for update in outcome.works[0].updates] == ["correction", "retraction"]
