"""Web pages: whether a page exists, and the metadata it declares (SPEC C2, tier B).

A page is not a registry: the identifiers it declares are unverified, so they are not stored in the Work but returned
separately, to be looked up in a registry.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from selectolax.lexbor import LexborHTMLParser

from core.grouping import grouped
from sources.address_guard import Unsafe, parse
from sources.fetch_page import HTML, XHTML, Page, Refused, fetch
from sources.field_values import text, year
from sources.http_client import Client
from sources.identifiers import clean_arxiv, clean_doi, clean_isbn, clean_pmid
from sources.work import Failed, FailureKind, NothingFound, Skipped, Work, full_name, people

NAME = "page"

_DATES = ("citation_publication_date", "citation_date", "citation_year", "citation_online_date", "citation_cover_date")
_SIGNS = " |–—·•»:-"
_BREAK = re.compile(r"\s+[|–—·•»:-]+\s+|\s*::\s*")

Said = dict[str, list[str]]  # contents of a page's <meta> tags, by name in lower case


@dataclass(frozen=True)
class PageMetadata:
    """An existing page. `work.title` is empty if it is not HTML or has no title.

    `doi`, `pmid`, `arxiv` and `isbn` are the identifiers that the page declares.
    """

    work: Work
    doi: str | None = None
    pmid: str | None = None
    arxiv: str | None = None
    isbn: str | None = None


async def fetch_metadata(client: Client, url: str) -> PageMetadata | NothingFound | Failed | Skipped:
    """Fetch the page at `url` and return its metadata.

    Skipped: an address that is not opened for safety, or that robots.txt forbids.
    """
    try:
        site = parse(url).netloc.decode("ascii")
    except Unsafe as error:
        return Skipped(str(error))
    async with client.visit(site):
        page = await fetch(url.strip(), resolve=client.names, seconds=client.timeout)
    if isinstance(page, Refused):
        return Skipped(page.why)
    if isinstance(page, Failed):
        return NothingFound() if page.kind == FailureKind.MISSING else page
    return read(page)


def read(page: Page) -> PageMetadata:
    """Return the metadata that a page declares, or an empty record if it is not HTML."""
    if page.content_type not in {HTML, XHTML}:
        return PageMetadata(_work(page, {}, ""))
    # At most two million characters and 3,000 authors are read.
    tree = LexborHTMLParser(page.body.decode(page.charset or "utf-8", "replace")[:2_000_000])
    metas = (meta.attributes for meta in tree.css("meta"))
    named = ((meta.get("name") or meta.get("property") or "", text(meta.get("content"))) for meta in metas)
    said = grouped((name.strip().lower(), content) for name, content in named if content)
    titles = [_words(tree, selector) for selector in ("head title", "title", "h1")]
    return PageMetadata(
        _work(page, said, _title(said, titles[0] or titles[1], titles[2])),
        doi=_first(said, clean_doi, "citation_doi", "dc.identifier", "prism.doi"),
        pmid=_first(said, clean_pmid, "citation_pmid"),
        arxiv=_first(said, clean_arxiv, "citation_arxiv_id"),
        isbn=_first(said, clean_isbn, "citation_isbn"),
    )


def _work(page: Page, said: Said, title: str) -> Work:
    return Work(
        provider=NAME,
        provider_id=page.url,
        title=title,
        # Authors of the paper only; the author of the page itself is often just who published it there.
        authors=people(full_name(one) for one in said.get("citation_author", [])[:3_000]),
        year=next((found for name in _DATES for one in said.get(name, []) if (found := year(one))), None),
        venue=_first_value(said, "citation_journal_title", "citation_conference_title", "og:site_name"),
        volume=_first_value(said, "citation_volume"),
        issue=_first_value(said, "citation_issue"),
        pages=_first_value(said, "citation_firstpage"),
        publisher=_first_value(said, "citation_publisher"),
        url=page.final_url,
        type="webpage",
    )


def _title(said: Said, title: str, heading: str) -> str:
    """Return the title of the work on the page, else the page title without the site name."""
    if named := _first_value(said, "citation_title"):
        return named
    site = (_first_value(said, "og:site_name", "application-name") or "").casefold()
    for one in (_first_value(said, "og:title", "dc.title") or "", title):
        bare = _without_site(one, heading, site)
        if bare and bare.casefold() != site:
            return bare
    return heading


def _without_site(title: str, heading: str, site: str) -> str:
    """Return the page title without the site name: "Alders in shade | River Woods" gives "Alders in shade".

    Only if the page declares its site name, or if the rest is its heading.
    """
    first, *others = _BREAK.split(title)
    if not others:
        return title
    if heading and title.casefold().startswith(heading.casefold()):
        return heading
    if site and others[-1].casefold() == site:
        return title[: -len(others[-1])].rstrip(_SIGNS)
    return title[len(first) :].lstrip(_SIGNS) if site and first.casefold() == site else title


def _first_value(said: Said, *names: str) -> str | None:
    return next((said[name][0] for name in names if name in said), None)


def _first(said: Said, clean: Callable[[object], str | None], *names: str) -> str | None:
    return next((known for name in names for one in said.get(name, []) if (known := clean(one))), None)


def _words(tree: LexborHTMLParser, selector: str) -> str:
    found = tree.css_first(selector)
    return (text(found.text()) if found is not None else None) or ""
