"""Reading a thesis as set text in a browser: outline, citations, the way to the editor and back (SPEC G1)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Server
from tests.e2e.test_comments import select_set_words
from tests.e2e.writing import Written, new_section, ready

TEXT = r"""\section{First}
Alder fixes nitrogen, as in Table~\ref{tab:plots}.

\begin{table}\caption{Plots}\label{tab:plots}\begin{tabular}{lr}\toprule Plot & Trees \\ \midrule North & 12 \\
\bottomrule\end{tabular}\end{table}

\section{Second}
The mean was $\bar{x} = 3$ in \emph{fourteen} plots of red alder."""


@pytest.fixture
def chapter(open_window: OpenWindow, server: Server, demo: Any, thesis: str) -> Written:
    return new_section(open_window(signed_in=demo), server, thesis, TEXT, "A chapter to read")


@pytest.fixture
def page(open_window: OpenWindow, demo: Any, chapter: Written) -> Page:
    made = open_window(signed_in=demo)
    read_at(made, chapter)
    return made


def read_at(page: Page, chapter: Written) -> None:
    """Open the manuscript at `chapter`, with all chapters on the page."""
    thesis, _, slug = chapter.path.strip("/").partition("/sections/")
    page.goto(f"/{thesis}/read/?section={slug}")
    page.wait_for_function("() => !document.querySelector('.chapter.waiting')")
    expect(here(page, chapter).get_by_role("heading", name="A chapter to read")).to_be_in_viewport()


def here(page: Page, chapter: Written) -> Locator:
    return page.locator(f"#s-{chapter.path.strip('/').split('/')[-1]}")


def outline_of(page: Page, chapter: Written) -> Locator:
    return page.locator(f"#at-{chapter.path.strip('/').split('/')[-1]}")


def test_from_words_to_the_editor_and_back(page: Page, chapter: Written) -> None:
    select_set_words(page, "plots of red alder")
    page.dispatch_event("#manuscript", "pointerup")
    page.get_by_role("link", name="Edit here").click()
    ready(page)
    # The caret is before these words, and nothing is selected that the next key would replace.
    before = "e.visual.state.doc.textBetween(0, e.visual.state.selection.from, ' ', ' ')"
    page.wait_for_function(
        f"() => (e => e.visual.state.selection.empty && {before}.endsWith('fourteen '))"
        "(document.querySelector('section-editor'))"
    )
    page.get_by_role("navigation", name="Thesis").get_by_role("link", name="Read").click()
    expect(here(page, chapter).get_by_text("Alder fixes nitrogen")).to_be_attached()


def test_the_outline_and_references_lead_to_their_place(page: Page, chapter: Written) -> None:
    outline_of(page, chapter).get_by_role("link", name="Second").click()
    expect(here(page, chapter).get_by_role("heading", name="Second")).to_be_in_viewport()
    expect(page.locator("[data-outline] a[aria-current]")).to_contain_text("A chapter to read")
    here(page, chapter).locator("p a", has_text=re.compile(r"^\d+\.\d+$")).click()
    expect(here(page, chapter).get_by_text("North", exact=True)).to_be_in_viewport()


def test_a_citation_opens_its_card_and_axe_finds_nothing_serious(page: Page) -> None:
    page.locator("a.cite").first.click()
    card = page.locator("#card")
    expect(card).to_be_visible()
    expect(card.get_by_role("link", name="Open the reference")).to_be_visible()
    page.keyboard.press("Escape")
    expect(card).to_be_hidden()
    assert serious(page) == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_clipped_and_outline_and_comments_are_drawers(
    open_window: OpenWindow, demo: Any, chapter: Written, scheme: Any
) -> None:
    page = open_window(signed_in=demo, viewport={"width": 390, "height": 844}, color_scheme=scheme)
    read_at(page, chapter)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.locator(".bar .tabs").evaluate("one => one.scrollWidth <= one.clientWidth")
    expect(outline_of(page, chapter)).to_be_hidden()
    page.get_by_role("button", name="Outline").click()
    outline_of(page, chapter).get_by_role("link", name="Second").click()
    expect(outline_of(page, chapter)).to_be_hidden()
    expect(here(page, chapter).get_by_role("heading", name="Second")).to_be_in_viewport()
    page.get_by_role("button", name="Comments").click()
    expect(page.get_by_text("Write a comment")).to_be_visible()
    assert serious(page) == []
