"""What no registry of papers has: a book by its ISBN, a page by its address (SPEC C2, tier B)."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.citations.real_works import WORKS, work
from tests.citations.resolve_entries import HKSJ, INVENTED, SHARED_ROWS, bare, verdict_on
from tests.servers.catalogues import Answer
from tests.servers.failing_registry import Troubled, page

pytestmark = SHARED_ROWS
BOOK = work("Alders and their lives in shade", "Okafor, Ada; Moss, Pia", 2005, isbn="9780306406157", type="book")
TITLE = str(INVENTED["title"])


@pytest.fixture
def registries(settings: Any) -> Iterator[Troubled]:
    with Troubled([*WORKS.values(), BOOK]) as one:
        one.serve(settings)
        yield one


async def test_a_book_by_its_isbn(registries: Troubled) -> None:
    for claim in (bare(BOOK), {"type": "book", "ISBN": "978-0-306-40615-7"}):
        told = await verdict_on(claim)
        assert (told.status, told.tier, told.evidence_type, told.evidence_value) == (
            *("verified", "B", "isbn", BOOK.isbn),
        )
    assert len(registries.asked_of("openlibrary")) == 1  # the second answer is remembered for a day


async def test_an_isbn_of_another_book_is_a_conflict(registries: Troubled) -> None:
    told = await verdict_on(bare(BOOK, title="A history of the printing press in Venice"))
    assert (told.status, told.tier) == ("conflict", "D")


async def test_a_chapter_is_not_proven_by_its_book(registries: Troubled) -> None:
    claim = bare(BOOK, type="chapter", title="How alders age")
    told = await verdict_on({**claim, "container-title": BOOK.title})
    assert told.status == "review"
    assert "Check yourself that the chapter is in it." in told.reason


async def test_open_library_is_down(registries: Troubled) -> None:
    registries.says("openlibrary", Answer("busy", 503))
    told = await verdict_on(bare(BOOK))
    assert (told.status, told.reason) == ("unresolved", "Open Library did not answer and will be asked again.")


async def test_a_page_that_shows_what_is_claimed(registries: Troubled) -> None:
    registries.says("page", page(TITLE))
    told = await verdict_on({**INVENTED, "URL": f"{registries.base}/page/alder"})
    assert (told.status, told.tier, told.evidence_type) == ("verified", "B", "url")
    assert told.evidence_value == f"{registries.base}/page/alder"


async def test_a_page_about_something_else_proves_nothing(registries: Troubled) -> None:
    registries.says("page", page("Welcome to the Journal of Critical Woods"))
    assert (await verdict_on({**INVENTED, "URL": f"{registries.base}/page/alder"})).status == "not_found"


async def test_a_page_that_is_gone_and_one_whose_site_is_down(registries: Troubled) -> None:
    gone = await verdict_on({**INVENTED, "URL": f"{registries.base}/page/gone"})
    assert gone.status == "not_found"
    registries.says("page", Answer("busy", 503, "text/plain"))
    down = await verdict_on({**INVENTED, "URL": f"{registries.base}/page/down"})
    assert (down.status, down.reason) == ("unresolved", "The page did not answer and will be asked again.")


async def test_an_address_that_is_not_opened_is_said(registries: Troubled, settings: Any) -> None:
    settings.FETCH_ALLOW_PRIVATE = []
    told = await verdict_on({**INVENTED, "URL": f"{registries.base}/page/alder"})
    assert told.status == "not_found", told.reason
    assert "The page at its address was not opened. " in told.reason
    assert not registries.asked_of("page")


async def test_an_address_alone(registries: Troubled) -> None:
    """Nothing can be compared with the page, so a person says that it is the one."""
    registries.says("page", page("Alders in shade"))
    told = await verdict_on({"type": "webpage", "URL": f"{registries.base}/page/alders"})
    assert (told.status, told.tier) == ("review", None)
    assert told.work is not None
    assert told.work.title == "Alders in shade"


async def test_the_work_that_a_page_names_is_looked_up(registries: Troubled) -> None:
    """A page's own words are no proof; what a registry says of the DOI that it names is offered."""
    registries.says("page", page("IntHout 2014", ("citation_doi", str(HKSJ.doi)), ("citation_title", HKSJ.title)))
    told = await verdict_on({"type": "webpage", "URL": f"{registries.base}/page/hksj"})
    assert (told.status, told.repair_doi) == ("review", HKSJ.doi)
    assert told.reason.startswith("The entry has only a web address. The page there says that it is about “The Hartung")
