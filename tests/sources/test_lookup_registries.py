"""Looking works up at DataCite, doi.org, arXiv, Open Library and Unpaywall (SPEC C1, C11)."""

from typing import Any

import pytest

from sources import arxiv, datacite, doi_org, openlibrary, pubmed, unpaywall
from sources.http_client import Client
from sources.retractions import Update
from sources.work import Failed, FailureKind, Found, NothingFound, Outcome, Person, Skipped, Work
from tests.servers.catalogues import CROSSREF_WORK, Answer, ReceivedRequest, Site, changed
from tests.servers.registries import (
    CROSSREF_CSL,
    DATACITE_CSL,
    DATACITE_PREPRINT,
    DATACITE_RECORD,
    DATACITE_UNKNOWN,
    OPENLIBRARY_BOOK,
    UNPAYWALL_RECORD,
    feed,
    preprint,
    refusal,
)
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

ADA, GROUP = Person(family="Okafor", given="Ada"), Person(literal="River Woods Group")
PIA = Person(family="van der Moss", given="Pia")
WEB_PAGE = Answer("<!doctype html><title>Sign in</title>", kind="text/html")
NO_DOI = Answer("<!doctype html><title>Error: DOI Not Found</title>", 404, "text/html;charset=utf-8")


def work_of(outcome: Outcome) -> Work:
    assert isinstance(outcome, Found), outcome
    return outcome.works[0]


def with_fields(record: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {**record, "attributes": {**record["attributes"], **fields}}


async def test_data_at_datacite(site: Site, client: Client) -> None:
    site.answer("/dois/10.5555/alder.data.3", {"data": DATACITE_RECORD})
    work = work_of(await datacite.lookup(client, "https://doi.org/10.5555/ALDER.DATA.3"))
    assert work.title == "Shade and alder growth: Measurements of 2019"
    assert work.authors == (ADA, PIA, GROUP)
    assert (work.year, work.type, work.venue, work.pages) == (2019, "dataset", "River Archive Data", "12-19")
    assert (work.publisher, work.abstract, work.editors) == (
        "River Archive",
        "Alders grew less.",
        (Person(family="Moss", given="P."),),
    )
    assert work.published_version_doi is None


async def test_a_preprint_at_datacite_names_its_published_version(site: Site, client: Client) -> None:
    site.answer("/dois/10.48550/arxiv.1901.01234", {"data": DATACITE_PREPRINT})
    work = work_of(await datacite.lookup(client, "10.48550/arXiv.1901.01234"))
    assert (work.type, work.venue, work.arxiv) == ("article", "arXiv", "1901.01234")
    assert work.published_version_doi == "10.5555/alder.2019.7"


async def test_a_record_of_datacite_that_says_little(site: Site, client: Client) -> None:
    odd = {
        "doi": "10.5555/x",
        "titles": None,
        "creators": [None, {"name": None}],
        "types": None,
        "dates": [{"dateType": "Withdrawn", "date": "2022-05-01"}],
    }
    site.answer("/dois/10.5555/x", {"data": {"attributes": odd}})
    work = work_of(await datacite.lookup(client, "10.5555/x"))
    assert (work.title, work.authors, work.type, work.is_retracted) == ("", (), "document", True)
    assert work.updates == (Update(type="withdrawal", source="datacite", year=2022),)


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        ({"resourceTypeGeneral": "Text", "resourceType": "Doctoral thesis"}, "thesis"),
        ({"resourceTypeGeneral": "Text", "resourceType": "Journal article"}, "article-journal"),
        ({"resourceTypeGeneral": "JournalArticle"}, "article-journal"),
        ({"resourceTypeGeneral": "Text"}, "document"),
        (["Text"], "document"),
    ],
)
async def test_types_of_datacite(types: Any, kind: str, site: Site, client: Client) -> None:
    site.answer("/dois/10.5555/x", {"data": with_fields(DATACITE_RECORD, types=types)})
    assert work_of(await datacite.lookup(client, "10.5555/x")).type == kind


async def test_a_doi_that_datacite_does_not_know(site: Site, client: Client) -> None:
    site.answer("/dois/10.5555/none", Answer(DATACITE_UNKNOWN, 404))
    assert await datacite.lookup(client, "10.5555/none") == NothingFound()


@pytest.mark.parametrize(("csl", "kind"), [(CROSSREF_CSL, "article-journal"), (DATACITE_CSL, "dataset")])
async def test_a_doi_of_any_agency(csl: dict[str, Any], kind: str, site: Site, client: Client) -> None:
    site.answer("/10.5555/a", Answer("", 302, headers={"Location": f"{site.base}/v1/works/10.5555%2Fa/transform"}))
    site.answer("/v1/works/10.5555/a/transform", Answer(csl, kind="application/vnd.citationstyles.csl+json"))
    work = work_of(await doi_org.lookup(client, "10.5555/A"))
    assert (work.provider, work.title, work.year, work.type) == ("doi", "Shade and alder growth", 2019, kind)
    assert work.authors == (ADA, GROUP)
    assert {asked.headers["accept"] for asked in site.asked} == {"application/vnd.citationstyles.csl+json"}


async def test_notices_and_the_preprint_of_a_doi(site: Site, client: Client) -> None:
    """SPEC C11."""
    site.answer("/10.5555/alder.2019.7", CROSSREF_CSL)
    work = work_of(await doi_org.lookup(client, "10.5555/alder.2019.7"))
    assert (work.is_retracted, work.preprint_doi) == (True, "10.48550/arxiv.1901.01234")
    assert work.updates == (Update(type="retraction", doi="10.5555/ret.1", source="publisher", note="Retraction"),)


async def test_a_record_of_crossref_itself_is_read_too(site: Site, client: Client) -> None:
    site.answer("/10.5555/alder.2019.7", CROSSREF_WORK)
    assert work_of(await doi_org.lookup(client, "10.5555/alder.2019.7")).venue == "Journal of River Woods"


async def test_a_doi_that_nobody_registered(site: Site, client: Client) -> None:
    site.answer("/10.5555/none", NO_DOI)
    assert await doi_org.lookup(client, "10.5555/none") == NothingFound()
    assert len(site.asked) == 1


async def test_a_doi_whose_agency_shows_only_a_page(site: Site, client: Client) -> None:
    """It exists, and nobody says of what: neither unknown nor a failure."""
    site.answer("/10.3969/j.1", WEB_PAGE)
    site.answer("/ra/10.3969/j.1", [{"DOI": "10.3969/j.1", "RA": "ISTIC"}])
    outcome = await doi_org.lookup(client, "10.3969/j.1")
    assert isinstance(outcome, Found)
    assert outcome.works == (Work(provider="doi", provider_id="10.3969/j.1", doi="10.3969/j.1"),)
    assert outcome.remarks == ("This DOI is registered with ISTIC, which does not provide metadata.",)


async def test_a_page_of_an_agency_that_describes_its_works_is_a_failure(site: Site, client: Client) -> None:
    site.answer("/10.5555/a", WEB_PAGE)
    site.answer("/ra/10.5555/a", [{"DOI": "10.5555/a", "RA": "Crossref"}])
    outcome = await doi_org.lookup(client, "10.5555/a")
    assert isinstance(outcome, Failed)
    assert outcome.kind == FailureKind.UNREADABLE


@pytest.mark.parametrize("agency", [Answer("no", 404), Answer("[]"), Answer("busy", 500), WEB_PAGE])
async def test_a_page_when_nobody_says_whose_the_doi_is(agency: Answer, site: Site) -> None:
    site.answer("/10.5555/a", WEB_PAGE)
    site.answer("/ra/10.5555/a", agency)
    async with Client(backoff=0.001, retries=1) as client:
        assert isinstance(await doi_org.lookup(client, "10.5555/a"), Failed)


async def test_an_agency_says_that_there_is_no_such_doi(site: Site, client: Client) -> None:
    site.answer("/10.5555/a", Answer("no", 403))
    site.answer("/ra/10.5555/a", [{"DOI": "10.5555/a", "status": "DOI does not exist"}])
    assert await doi_org.lookup(client, "10.5555/a") == NothingFound()


async def test_where_doi_org_sends_us_a_404_is_no_answer_about_the_doi(
    site: Site, client: Client, settings: Any
) -> None:
    """Only doi.org itself can say that a DOI does not exist."""
    settings.DOI_BASE_URL = f"{site.base}/doi"
    settings.CROSSREF_BASE_URL = f"{site.base}/crossref"
    site.answer("/doi/10.5555/new", Answer("", 302, headers={"Location": f"{site.base}/crossref/v1/works/10.5555/new"}))
    outcome = await doi_org.lookup(client, "10.5555/new")
    assert isinstance(outcome, Failed)
    assert outcome.why == "Crossref has nothing at this address (404): “Resource not found”."
    site.answer("/doi/ra/10.5555/new", [{"DOI": "10.5555/new", "RA": "Crossref"}])
    assert work_of(await doi_org.lookup(client, "10.5555/new")).title == ""


async def test_preprints_of_arxiv(site: Site, client: Client) -> None:
    site.answer("/api/query", Answer(feed(preprint(), preprint("math/0211159", doi="")), kind="application/atom+xml"))
    asked = ["arXiv:1901.01234v2", "https://arxiv.org/abs/math/0211159", "1999.99999", "alder"]
    batch = await arxiv.lookup_many(client, asked)
    assert site.asked[0].query == {"id_list": "1901.01234,1999.99999,math/0211159", "start": "0", "max_results": "3"}
    work = batch.found["arXiv:1901.01234v2"]
    assert (work.title, work.authors, work.year) == ("Shade and alder growth", (ADA, PIA), 2019)
    assert (work.type, work.venue, work.doi) == ("article", "arXiv", "10.48550/arxiv.1901.01234")
    assert (work.abstract, work.published_version_doi) == ("Alders grew less & later.", "10.5555/alder.2019.7")
    assert batch.found["https://arxiv.org/abs/math/0211159"].published_version_doi is None
    assert batch.missing == {"1999.99999"}
    assert set(batch.failed) == {"alder"}


async def test_one_preprint(site: Site, client: Client) -> None:
    site.answer("/api/query", Answer(feed(preprint()), kind="application/atom+xml"))
    batch = await arxiv.lookup_many(client, ["1901.01234", "1901.99999", "alder"])
    assert batch.found["1901.01234"].arxiv == "1901.01234"
    assert batch.missing == {"1901.99999"}
    assert batch.failed["alder"].why == "“alder” is not an arXiv id."


@pytest.mark.parametrize(
    "fields",
    [
        {"comment": (
            '<arxiv:comment xmlns:arxiv="http://arxiv.org/schemas/atom">This paper has been withdrawn</arxiv:comment>'
        )},
        {"summary": "<summary>This submission has been withdrawn by the author due to an error.</summary>"},
        {"summary": "<summary>Withdrawn.</summary>"},
    ],
)  # fmt: skip
async def test_a_preprint_that_was_withdrawn(fields: dict[str, str], site: Site, client: Client) -> None:
    site.answer("/api/query", Answer(feed(preprint(**fields))))
    work = (await arxiv.lookup_many(client, ["1901.01234"])).found["1901.01234"]
    assert work.is_retracted
    assert (work.updates[0].type, work.updates[0].source, work.updates[0].year) == ("withdrawal", "arxiv", 2020)


async def test_an_entry_that_stands_for_an_unknown_id(site: Site, client: Client) -> None:
    site.answer("/api/query", Answer(feed(preprint("1234.5678", authors="", title="<title></title>"))))
    assert (await arxiv.lookup_many(client, ["1234.5678"])).missing == {"1234.5678"}


@pytest.mark.parametrize("status", [200, 400])
async def test_an_id_that_arxiv_cannot_read(status: int, site: Site, client: Client) -> None:
    """It costs its neighbours nothing."""

    def answer(asked: ReceivedRequest) -> Answer:
        ids = asked.query["id_list"].split(",")
        if "1313.1313" in ids:
            return Answer(refusal("incorrect id format for 1313.1313"), status, "application/atom+xml")
        return Answer(feed(*(preprint(one) for one in ids)), kind="application/atom+xml")

    site.answer("/api/query", answer)
    asked = [f"1901.{number:05}" for number in range(30)]
    batch = await arxiv.lookup_many(client, [*asked, "1313.1313"])
    assert set(batch.found) == set(asked)
    assert batch.missing == {"1313.1313"}
    assert len(site.asked) < 12


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer(refusal("max_results must be non-negative")), FailureKind.BROKEN),
        (Answer(refusal("start must be an integer"), 400), FailureKind.BROKEN),
        (Answer("Bad request", 400, "text/plain"), FailureKind.UNREADABLE),
        (Answer(feed(), 400), FailureKind.REFUSED),
        (Answer("Not here", 404), FailureKind.MISSING),
        (Answer("<rss/>"), FailureKind.UNREADABLE),
        (WEB_PAGE, FailureKind.UNREADABLE),
        (Answer("Rate exceeded.", kind="text/plain"), FailureKind.UNREADABLE),
        (Answer('<!DOCTYPE f [<!ENTITY a "b">]><feed>&a;</feed>'), FailureKind.UNREADABLE),
        (Answer("slow down", 429), FailureKind.RATE_LIMITED),
        (Answer("busy", 503), FailureKind.BROKEN),
    ],
)
async def test_a_failure_of_arxiv_is_never_nothing(answer: Answer, kind: FailureKind, site: Site) -> None:
    site.answer("/api/query", answer)
    async with Client(backoff=0.001, retries=1) as client:
        batch = await arxiv.lookup_many(client, ["1901.01234"])
    assert batch.failed["1901.01234"].kind == kind
    assert not batch.missing


@pytest.mark.parametrize("given", ["0-306-40615-2", "ISBN 9780306406157"])
async def test_a_book_by_its_isbn(given: str, site: Site, client: Client) -> None:
    site.answer("/api/books", {"ISBN:0306406152": OPENLIBRARY_BOOK})
    work = work_of(await openlibrary.lookup(client, given))
    assert set(site.asked[0].query["bibkeys"].split(",")) == {"ISBN:0306406152", "ISBN:9780306406157"}
    assert site.asked[0].query["jscmd"] == "data"
    assert (work.title, work.authors) == ("Alders: their lives in shade", (ADA, GROUP))
    assert (work.year, work.publisher, work.type) == (2005, "River Press", "book")
    assert work.isbn in {"0306406152", "9780306406157"}


async def test_a_book_that_open_library_does_not_have(site: Site, client: Client) -> None:
    site.answer("/api/books", {})
    assert await openlibrary.lookup(client, "9780306406157") == NothingFound()
    wrong = await openlibrary.lookup(client, "9780306406158")
    assert isinstance(wrong, Failed)
    assert wrong.why == "“9780306406158” is not an ISBN."


@pytest.mark.parametrize("answer", [{"ISBN:1": OPENLIBRARY_BOOK}, {"ISBN:9780306406157": {"title": None}}])
async def test_a_book_that_cannot_be_read_is_a_failure(answer: Any, site: Site, client: Client) -> None:
    site.answer("/api/books", answer)
    assert isinstance(await openlibrary.lookup(client, "9780306406157"), Failed)


async def test_where_a_paper_can_be_read_freely(site: Site, client: Client, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "ada@example.org"
    site.answer("/v2/10.5555/alder.2019.7", UNPAYWALL_RECORD)
    work = work_of(await unpaywall.lookup(client, "10.5555/Alder.2019.7"))
    assert work.open_access_url == "https://archive.example/alder.pdf"
    assert (work.title, work.authors, work.year) == ("Shade and alder growth", (ADA, PIA), 2019)
    assert site.asked[0].query == {"email": "ada@example.org"}


async def test_a_paper_that_nobody_offers_freely(site: Site, client: Client, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "ada@example.org"
    site.answer(
        "/v2/10.5555/shut",
        changed(UNPAYWALL_RECORD, doi="10.5555/shut") | {"best_oa_location": None, "z_authors": None},
    )
    site.answer(
        "/v2/10.5555/none",
        Answer({"HTTP_status_code": 404, "error": True, "message": "'10.5555/none' isn't in Unpaywall."}, 404),
    )
    site.answer("/v2/10.5555/mail", Answer({"error": True, "message": "Please use your own email address"}, 422))
    assert work_of(await unpaywall.lookup(client, "10.5555/shut")).open_access_url is None
    assert await unpaywall.lookup(client, "10.5555/none") == NothingFound()
    refused = await unpaywall.lookup(client, "10.5555/mail")
    assert isinstance(refused, Failed)
    assert refused.why == "Unpaywall did not accept the request (422): “Please use your own email address”."


async def test_unpaywall_without_a_contact_is_not_asked(site: Site, client: Client) -> None:
    outcome = await unpaywall.lookup(client, "10.5555/alder.2019.7")
    assert outcome == Skipped("Unpaywall needs a contact address and was not asked.")
    assert not site.asked


SERVICES = [
    ("/dois/10.5555/a", "DataCite", datacite.lookup, "10.5555/a"),
    ("/10.5555/a", "doi.org", doi_org.lookup, "10.5555/a"),
    ("/api/books", "Open Library", openlibrary.lookup, "9780306406157"),
    ("/v2/10.5555/a", "Unpaywall", unpaywall.lookup, "10.5555/a"),
    ("/esummary.fcgi", "PubMed", pubmed.lookup_pmcid, "PMC7654321"),
]


@pytest.mark.sample(12)
@pytest.mark.parametrize("service", SERVICES, ids=lambda one: one[1])
@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("[]"), FailureKind.UNREADABLE),
        (Answer("null"), FailureKind.UNREADABLE),
        (Answer('{"broken": '), FailureKind.UNREADABLE),
        (Answer("Temporarily away"), FailureKind.UNREADABLE),
        (WEB_PAGE, FailureKind.UNREADABLE),
        (Answer({"message": "no"}, 403), FailureKind.REFUSED),
        (Answer("busy", 503, "text/plain"), FailureKind.BROKEN),
        (Answer("slow down", 429, "text/plain"), FailureKind.RATE_LIMITED),
        (Answer("", drop=True), FailureKind.UNREACHABLE),
        (Answer({}, delay=0.4), FailureKind.TIMEOUT),
    ],
)  # fmt: skip
async def test_a_failure_is_never_nothing(
    service: Any, answer: Answer, kind: FailureKind, site: Site, settings: Any
) -> None:
    path, label, lookup, given = service
    settings.CROSSREF_MAILTO = "ada@example.org"
    site.answer(path, answer)
    async with Client(backoff=0.001, retries=1, timeout=0.2) as client:
        outcome = await lookup(client, given)
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind == kind
    assert outcome.why.startswith(label)


@pytest.mark.parametrize("lookup", [datacite.lookup, doi_org.lookup, unpaywall.lookup])
async def test_what_is_no_doi_is_not_asked_for(lookup: Any, site: Site, client: Client) -> None:
    outcome = await lookup(client, "alder 2019")
    assert isinstance(outcome, Failed)
    assert outcome.why == "“alder 2019” is not a DOI."
    assert not site.asked
