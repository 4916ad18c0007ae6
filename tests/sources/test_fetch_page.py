"""Fetching pages that somebody else named: what is read, and what is refused (SPEC R18)."""

import gzip
import struct
import zlib
from typing import Any

import pytest

from sources.address_guard import Unresolved, is_public
from sources.fetch_page import Page, Refused, fetch
from sources.work import Failed, FailureKind
from tests.servers.catalogues import Answer, Site
from tests.sources.conftest import SHARED_ROWS

pytestmark = SHARED_ROWS

HTML = "<!doctype html><html><head><meta charset='utf-8'><title>Alders</title></head><body><p>Shade.</p></body></html>"
PAGE = Answer(HTML, kind="text/html; charset=utf-8")


@pytest.fixture
def web(site: Site, settings: Any) -> Site:
    """A site in a private network that may be fetched from."""
    settings.FETCH_ALLOW_PRIVATE = [f"127.0.0.1:{site.port}"]
    site.answer("/page", PAGE)
    return site


def names(*answers: list[str]) -> Any:
    """A resolver that gives one answer after the other, and counts how often it was asked in `.asked`."""

    async def resolve(host: str, port: int) -> list[str]:
        resolve.asked.append((host, port))  # type: ignore[attr-defined]
        return answers[min(len(resolve.asked), len(answers)) - 1]  # type: ignore[attr-defined]

    resolve.asked = []  # type: ignore[attr-defined]
    return resolve


async def test_a_page(web: Site) -> None:
    page = await fetch(f"{web.base}/page#part")
    assert isinstance(page, Page)
    assert (page.content_type, page.charset, page.body) == ("text/html", "utf-8", HTML.encode())
    assert (page.url, page.final_url) == (f"{web.base}/page#part", f"{web.base}/page")
    assert web.asked[-1].headers["host"] == f"127.0.0.1:{web.port}"


@pytest.mark.parametrize(
    ("answer", "content_type", "charset"),
    [
        (Answer(b"%PDF-1.4\n...", kind="application/pdf"), "application/pdf", None),
        (Answer(b"%PDF-1.4\n...", kind="text/html"), "application/pdf", None),
        (Answer(b"\n%PDF-1.4\n...", kind="application/octet-stream"), "application/pdf", None),
        (Answer("Alders like light.", kind="text/plain"), "text/plain", None),
        (Answer("<html xmlns='x'/>", kind="application/xhtml+xml"), "application/xhtml+xml", None),
        (Answer(HTML, kind=""), "text/html", "utf-8"),
        (Answer("Only words.", kind=""), "text/plain", None),
        (Answer("Größe".encode("latin-1"), kind="text/html; charset=ISO-8859-1"), "text/html", "iso8859-1"),
        (Answer(HTML.replace("utf-8", "windows-1251"), kind="text/html"), "text/html", "cp1251"),
        (Answer(HTML.encode("utf-16"), kind="text/html"), "text/html", "utf-16"),
        (Answer(HTML.replace("utf-8", "hex"), kind="text/html; charset=rot13"), "text/html", None),
        (Answer(HTML.encode("utf-16-le"), kind="text/html; charset=utf-16-le"), "text/html", "utf-16-le"),
        (Answer(HTML.replace("utf-8", "x"), kind="text/html; charset=undefined"), "text/html", None),
    ],
)
async def test_kinds_that_are_read(answer: Answer, content_type: str, charset: str | None, web: Site) -> None:
    web.answer("/page", answer)
    page = await fetch(f"{web.base}/page")
    assert isinstance(page, Page), page
    assert (page.content_type, page.charset) == (content_type, charset)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(HTML, kind="image/png"),
        Answer(b"\x89PNG\r\n\x1a\n\0\0", kind="text/html"),
        Answer(b"PK\x03\x04\0\0", kind=""),
        Answer("{}", kind="application/json"),
        Answer(bytes(range(256)), kind="application/octet-stream"),
        Answer("alert(1)", kind="text/javascript"),
        Answer("no PDF at all", kind="application/pdf"),
    ],
)
async def test_kinds_that_are_not_read(answer: Answer, web: Site) -> None:
    web.answer("/page", answer)
    outcome = await fetch(f"{web.base}/page")
    assert isinstance(outcome, Refused), outcome
    assert "not a web page, text or PDF" in outcome.why


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (Answer("no", 403), FailureKind.REFUSED),
        (Answer("no", 404), FailureKind.MISSING),
        (Answer("slow", 429, headers={"Retry-After": "7"}), FailureKind.RATE_LIMITED),
        (Answer("oops", 500), FailureKind.BROKEN),
        (Answer("", kind="text/html"), FailureKind.UNREADABLE),
        (Answer(HTML, length=4000, kind="text/html"), FailureKind.UNREACHABLE),
        (Answer(drop=True), FailureKind.UNREACHABLE),
        (Answer(gzip.compress(HTML.encode())[:40], headers={"Content-Encoding": "gzip"}), FailureKind.UNREADABLE),
        (Answer("x", headers={"Content-Encoding": "br"}), FailureKind.UNREADABLE),
        (Answer("not packed", headers={"Content-Encoding": "gzip"}), FailureKind.UNREADABLE),
    ],
)
async def test_pages_that_do_not_come(answer: Answer, kind: FailureKind, web: Site) -> None:
    web.answer("/page", answer)
    outcome = await fetch(f"{web.base}/page")
    assert isinstance(outcome, Failed), outcome
    assert outcome.kind == kind


@pytest.mark.parametrize(
    ("encoding", "data"),
    [
        ("gzip", gzip.compress(HTML.encode())),
        ("gzip", gzip.compress(HTML[:30].encode()) + gzip.compress(HTML[30:].encode())),
        ("deflate", zlib.compress(HTML.encode())),
        ("deflate", zlib.compress(HTML.encode())[2:-4]),
    ],
)
async def test_packed_pages(encoding: str, data: bytes, web: Site) -> None:
    web.answer("/page", Answer(data, kind="text/html", headers={"Content-Encoding": encoding}))
    page = await fetch(f"{web.base}/page")
    assert isinstance(page, Page), page
    assert page.body == HTML.encode()


@pytest.mark.parametrize("size", [10 * 1024 * 1024 + 1, 200 * 1024 * 1024])
async def test_a_bomb_is_refused(size: int, web: Site) -> None:
    machine, megabyte, count = zlib.compressobj(9, zlib.DEFLATED, -15), b"a" * 1_048_576, size // 1_048_576 + 1
    packed = (machine.compress(megabyte) + machine.flush(zlib.Z_FULL_FLUSH)) * count + machine.flush()
    crc = 0
    for _ in range(count):
        crc = zlib.crc32(megabyte, crc)
    data = b"\x1f\x8b\x08\0\0\0\0\0\2\xff" + packed + struct.pack("<2I", crc, count * len(megabyte))
    web.answer("/page", Answer(data, kind="text/html", headers={"Content-Encoding": "gzip"}))
    outcome = await fetch(f"{web.base}/page")
    assert outcome == Refused("This page is larger than 10 MB and was not read.")


async def test_a_bomb_packed_twice_is_not_opened(web: Site) -> None:
    data = gzip.compress(gzip.compress(b"a" * 5_000_000))
    web.answer("/page", Answer(data, kind="text/html", headers={"Content-Encoding": "gzip, gzip"}))
    assert isinstance(await fetch(f"{web.base}/page"), Failed)


async def test_a_large_page_is_refused(web: Site) -> None:
    web.answer("/page", Answer(b"a" * 5000, kind="text/plain"))
    assert isinstance(await fetch(f"{web.base}/page", limit=4999), Refused)
    assert isinstance(await fetch(f"{web.base}/page", limit=5000), Page)


async def test_time_counts_for_everything(web: Site) -> None:
    """Bytes that drip in keep no connection open."""
    web.answer("/page", Answer(HTML * 10, kind="text/html", drip=0.2))
    outcome = await fetch(f"{web.base}/page", seconds=0.5)
    assert outcome == Failed("This page did not load within 0.5 seconds.", None, FailureKind.TIMEOUT)


async def test_five_redirects_and_no_more(web: Site) -> None:
    for left in range(1, 7):
        web.answer(f"/hop/{left}", Answer("", 302, headers={"Location": f"/hop/{left - 1}" if left > 1 else "/page"}))
    page = await fetch(f"{web.base}/hop/5")
    assert isinstance(page, Page)
    assert page.final_url == f"{web.base}/page"
    assert isinstance(await fetch(f"{web.base}/hop/6"), Failed)


REDIRECTS = [
    "http://127.0.0.1:{port}/private", "//127.0.0.1:{port}/private", "/\\127.0.0.1:{port}/private",
    "http://localhost:{port}/private", "http://[::1]:{port}/private", "http://[::ffff:127.0.0.1]:{port}/private",
    "http://2130706433:{port}/private", "http://0177.0.0.1:{port}/private", "http://0x7f.1:{port}/private",
    "http://0.0.0.0:{port}/private", "http://127.1:{port}/private", "http://10.0.0.1/",
    "http://169.254.169.254/latest/",
    "file:///etc/passwd", "gopher://127.0.0.1:{port}/_x", "ftp://127.0.0.1/",
    "http://example.org@127.0.0.1:{port}/private",
    "data:text/html,<h1>x</h1>", "javascript:alert(1)", "http://127.0.0.1:22/", "http://", "http://[::1", "//",
]  # fmt: skip


@pytest.mark.sample(8)
@pytest.mark.parametrize("location", REDIRECTS)
async def test_a_redirect_reaches_nothing_private(location: str, web: Site) -> None:
    """Not even the very site it came from, when it spells out its address."""
    web.answer("/away", Answer("", 302, headers={"Location": location.format(port=web.port)}))
    web.answer("/private", PAGE)
    outcome = await fetch(f"{web.base}/away")
    assert not isinstance(outcome, Page), location
    assert "/private" not in web.paths()


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/", "file:///etc/passwd", "http://user:secret@example.org/", "http://user@example.org/",
        "https://example.org:22/", "http://example.org:8080/", "http://", "example.org", "", "http://exa mple.org/",
        "http://example.org\\@127.0.0.1/", "http://127.0.0.1/", "http://2130706433/", "http://0x7f000001/",
        "http://0177.0.0.1/", "http://127.1/", "http://[::1]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/",
        "http://[2002:7f00:1::]/", "http://169.254.169.254/", "http://[fd00:ec2::254]/", "http://100.100.100.200/",
        "http://0/", "http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020\u30020\u30021/",
        "https://[fe80::1%25eth0]/",
        "http://example.org/" + "a" * 5000, "http://[::]/", "http://1.2.3.4.5/",
    ],
)  # fmt: skip
async def test_addresses_that_are_refused(url: str, site: Site) -> None:
    resolve = names(["127.0.0.1"])
    outcome = await fetch(url, resolve=resolve)
    assert isinstance(outcome, Refused), outcome
    assert outcome.why.endswith(".")
    assert not site.asked


PRIVATE = [
    "127.0.0.1", "127.255.0.1", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
    "224.0.0.1", "240.0.0.1", "255.255.255.255", "192.0.2.1", "192.88.99.1", "198.18.0.1", "::1", "::", "fe80::1",
    "fc00::1", "fd00:ec2::254", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1",
    "64:ff9b::a00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "2002:a00:1::", "2002:808:808::", "2001:0:1::1",
    "2001:db8::1",
    "fe80::1%eth0", "localhost", "",
]  # fmt: skip


@pytest.mark.sample(10)
@pytest.mark.parametrize("address", PRIVATE)
async def test_a_name_that_leads_inside(address: str, site: Site) -> None:
    """Also when only one of its addresses does."""
    assert not is_public(address)
    outcome = await fetch("http://inside.example/", resolve=names(["93.184.215.14", address]))
    assert outcome == Refused("This address leads into a private network and was not opened.")


@pytest.mark.parametrize("address", ["93.184.215.14", "8.8.8.8", "2606:2800:21f::1", "::ffff:8.8.8.8"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


async def test_a_name_that_changes_its_mind(web: Site, settings: Any) -> None:
    """DNS rebinding: each request is connected to the address that was checked, and checked anew."""
    settings.FETCH_ALLOW_PRIVATE = []
    resolve = names(["127.0.0.1"])
    outcome = await fetch("http://rebind.example/page", resolve=resolve)
    assert isinstance(outcome, Refused)
    assert not web.asked


async def test_the_connection_goes_where_the_check_looked(web: Site, settings: Any) -> None:
    """The name exists in no resolver but ours, so only a pinned address can lead to the site."""
    settings.FETCH_ALLOW_PRIVATE = [f"alders.example:{web.port}"]
    resolve = names(["127.0.0.1"])
    page = await fetch(f"http://alders.example:{web.port}/page", resolve=resolve)
    assert isinstance(page, Page)
    assert web.asked[-1].headers["host"] == f"alders.example:{web.port}"
    assert resolve.asked == [("alders.example", web.port)] * 2  # robots.txt and the page, checked each


async def test_a_name_nobody_knows(site: Site) -> None:
    async def nobody(host: str, port: int) -> list[str]:
        raise Unresolved(host)

    assert isinstance(await fetch("http://nowhere.example/", resolve=nobody), Failed)
    assert isinstance(await fetch("http://nowhere.example/", resolve=names([])), Failed)


async def test_all_of_this_machine_may_be_excepted(web: Site, settings: Any) -> None:
    settings.FETCH_ALLOW_PRIVATE = ["True"]
    assert isinstance(await fetch(f"{web.base}/page"), Page)
    assert isinstance(await fetch("http://10.0.0.1:8000/"), Refused)


async def test_a_site_that_asks_programs_not_to_read_it(web: Site) -> None:
    web.answer("/robots.txt", Answer("User-agent: *\nDisallow: /closed\n", kind="text/plain"))
    web.answer("/closed/page", PAGE)
    web.answer("/away", Answer("", 302, headers={"Location": "/closed/page"}))
    for path in ("/closed/page", "/away"):
        assert await fetch(web.base + path) == Refused(
            "The site does not allow programs to read this page (robots.txt)."
        )
    assert isinstance(await fetch(f"{web.base}/page"), Page)
    assert web.paths().count("/robots.txt") == 1  # kept for a day
    assert "/closed/page" not in web.paths()


async def test_rules_for_us_by_name(web: Site) -> None:
    web.answer(
        "/robots.txt", Answer("User-agent: scholium\nDisallow: /\n\nUser-agent: *\nDisallow:\n", kind="text/plain")
    )
    assert isinstance(await fetch(f"{web.base}/page"), Refused)


@pytest.mark.parametrize(
    "answer",
    [
        Answer("oops", 500),
        Answer("no", 403),
        Answer(drop=True),
        Answer(b"\xff\xfe\0" * 50, kind="image/png"),
        Answer("a" * 600_000),
        Answer("", 302, headers={"Location": "http://10.0.0.1/robots.txt"}),
        Answer("", 302, headers={"Location": "/robots.txt"}),
    ],
)
async def test_a_robots_txt_that_cannot_be_read_allows_everything(answer: Answer, web: Site) -> None:
    web.answer("/robots.txt", answer)
    assert isinstance(await fetch(f"{web.base}/page"), Page)
