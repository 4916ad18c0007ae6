"""Whether there is a page at an address, and what it says of itself (SPEC C2, tier B)."""

import asyncio
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sources import web_page
from sources.fetch_page import HTML, Page
from sources.http_client import Client
from sources.work import Failed, FailureKind, Found, NothingFound, Outcome, Person, Skipped
from tests.servers.catalogues import Answer, Site
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

PAPER = """<!doctype html><html><head><title>Shade and alder growth | Journal of River Woods</title>
<meta name="citation_title" content="Shade and <i>alder</i> growth &amp; form">
<META NAME="citation_author" CONTENT="Okafor, Ada"><meta name="citation_author" content="Pia van der Moss">
<meta name="citation_publication_date" content="2019/04/01"><meta
 name="citation_journal_title" content="Journal of River Woods">
<meta name="citation_volume" content="12"><meta name="citation_firstpage" content="101">
<meta name="citation_doi" content="doi:10.5555/Alder.2019.7"><meta name="citation_pmid" content="30123456">
<meta name="author" content="webmaster"></head><body><h1>Something else</h1></body></html>"""


@pytest.fixture
def web(site: Site, settings: Any) -> Site:
    """A site in a private network that may be fetched from."""
    settings.FETCH_ALLOW_PRIVATE = [f"127.0.0.1:{site.port}"]
    return site


def html(head: str, body: str = "") -> Answer:
    return Answer(f"<!doctype html><html><head>{head}</head><body>{body}</body></html>", kind="text/html")


async def lookup(client: Client, url: str) -> Outcome:
    seen = await web_page.fetch_metadata(client, url)
    return Found((seen.work,), 1) if isinstance(seen, web_page.PageMetadata) else seen


async def test_a_page_of_a_paper(web: Site, client: Client) -> None:
    web.answer("/paper", Answer(PAPER, kind="text/html; charset=utf-8"))
    seen = await web_page.fetch_metadata(client, f" {web.base}/paper ")
    assert isinstance(seen, web_page.PageMetadata)
    work = seen.work
    assert (work.type, work.title, work.year) == ("webpage", "Shade and alder growth & form", 2019)
    assert work.authors == (Person(family="Okafor", given="Ada"), Person(family="van der Moss", given="Pia"))
    assert (work.venue, work.volume, work.pages) == ("Journal of River Woods", "12", "101")
    assert (seen.doi, seen.pmid) == ("10.5555/alder.2019.7", "30123456")


async def test_what_a_page_says_of_its_identifiers_is_no_proof(web: Site, client: Client) -> None:
    """Anybody can write a DOI into a page."""
    web.answer("/paper", Answer(PAPER, kind="text/html"))
    outcome = await lookup(client, f"{web.base}/paper")
    assert isinstance(outcome, Found)
    assert (outcome.works[0].doi, outcome.works[0].pmid) == (None, None)


@pytest.mark.parametrize(
    ("head", "body", "title"),
    [
        ("<title>\n Alders in\n shade </title>", "", "Alders in shade"),
        ("<title>Alders in shade | River Woods</title><meta property='og:site_name' content='River Woods'>", "",
         "Alders in shade"),
        ("<title>River Woods – Alders in shade</title><meta property='og:site_name' content='River Woods'>", "",
         "Alders in shade"),
        ("<title>Alders in shade - River Woods</title>", "<h1>Alders <b>in</b> shade</h1>", "Alders in shade"),
        ("<title>Alders - a history</title>", "", "Alders - a history"),
        ("<title>x</title><meta property='og:title' content='Alders in shade'>", "", "Alders in shade"),
        ("<title>Alders</title><meta property='og:title' content='Woods'>"
         "<meta property='og:site_name' content='Woods'>", "", "Alders"),
        ("", "<svg><title>Logo</title></svg><h1>Alders</h1>", "Logo"),
        ("", "<h1>Alders</h1>", "Alders"),
        ("", "<p>No title</p>", ""),
        ("<title>Gr&ouml;&szlig;e</title>", "", "Größe"),
    ],
)  # fmt: skip
async def test_titles(head: str, body: str, title: str, web: Site, client: Client) -> None:
    web.answer("/page", html(head, body))
    outcome = await lookup(client, f"{web.base}/page")
    assert isinstance(outcome, Found)
    assert (outcome.works[0].title, outcome.works[0].authors) == (title, ())


@pytest.mark.parametrize(
    "answer", [Answer(b"%PDF-1.4\n...", kind="application/pdf"), Answer("Words.", kind="text/plain")]
)
async def test_a_file_is_there_and_has_no_title(answer: Answer, web: Site, client: Client) -> None:
    web.answer("/file", answer)
    outcome = await lookup(client, f"{web.base}/file")
    assert isinstance(outcome, Found)
    assert (outcome.works[0].title, outcome.works[0].url) == ("", f"{web.base}/file")


@pytest.mark.parametrize("status", [404, 410])
async def test_a_page_that_is_not_there(status: int, web: Site, client: Client) -> None:
    web.answer("/page", Answer("gone", status))
    assert await lookup(client, f"{web.base}/page") == NothingFound()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("no", 403), FailureKind.REFUSED),
        (Answer("slow", 429), FailureKind.RATE_LIMITED),
        (Answer("oops", 502), FailureKind.BROKEN),
        (Answer("", kind="text/html"), FailureKind.UNREADABLE),
        (Answer("", drop=True), FailureKind.UNREACHABLE),
        (Answer("late", delay=0.5), FailureKind.TIMEOUT),
    ],
)
async def test_a_failure_is_never_nothing(answer: Answer, kind: FailureKind, web: Site) -> None:
    web.answer("/page", answer)
    async with Client(timeout=0.3) as client:
        outcome = await lookup(client, f"{web.base}/page")
    assert isinstance(outcome, Failed)
    assert outcome.kind == kind


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1/", "http://169.254.169.254/latest", "ftp://river.example/", "file:///etc/passwd", "alders", "",
     "http://u:p@river.example/"],
)  # fmt: skip
async def test_an_address_that_is_not_opened(address: str, site: Site, client: Client) -> None:
    outcome = await lookup(client, address)
    assert isinstance(outcome, Skipped)
    assert outcome.why.endswith(".")
    assert not site.asked


async def test_a_page_that_programs_must_not_read(web: Site, client: Client) -> None:
    web.answer("/robots.txt", Answer("User-agent: *\nDisallow: /page", kind="text/plain"))
    web.answer("/page", html("<title>Alders</title>"))
    outcome = await lookup(client, f"{web.base}/page")
    assert outcome == Skipped("The site does not allow programs to read this page (robots.txt).")
    assert web.paths() == ["/robots.txt"]


async def test_the_pages_of_a_site_are_asked_for_one_after_the_other(web: Site) -> None:
    for number in range(3):
        web.answer(f"/{number}", Answer("<title>Alders</title>", kind="text/html", delay=0.05))
    start = time.monotonic()
    async with Client(pause=0.2) as client:
        outcomes = await asyncio.gather(*(lookup(client, f"{web.base}/{number}") for number in range(3)))
    assert all(isinstance(outcome, Found) for outcome in outcomes)
    assert web.most_in_flight == 1
    assert time.monotonic() - start > 0.4


META = st.tuples(
    st.sampled_from(["citation_title", "citation_author", "citation_date", "citation_doi", "og:title", "og:site_name"]),
    st.text(max_size=30),
)


@given(st.lists(META, max_size=5), st.text(max_size=60), st.binary(max_size=100))
def test_no_page_makes_the_reader_stumble(metas: list[tuple[str, str]], title: str, rest: bytes) -> None:
    head = "".join(f'<meta name="{name}" content="{content}">' for name, content in metas)
    body = f"{head}<title>{title}</title>".encode("utf-8", "surrogatepass") + rest
    for charset in ("utf-8", "utf-16", None):
        seen = web_page.read(Page("https://a.example", "https://a.example", HTML, body, charset))
        seen.work.model_dump_json()


def test_a_page_of_very_many_authors() -> None:
    many = "".join(f'<meta name="citation_author" content="Okafor, A{number}">' for number in range(20_000))
    seen = web_page.read(Page("https://a.example", "https://a.example", HTML, many.encode(), None))
    assert len(seen.work.authors) == 3_000
