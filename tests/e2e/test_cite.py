"""Citing with the keyboard alone, against catalogues on this machine
(SPEC C8; what the panel beside the text says of it)."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.cite_pages import (
    BOX,
    CONFLICT,
    PREPRINT,
    RETRACTED,
    Desk,
    cite,
    expect_text,
    inserted,
    into,
    panel,
    paste,
    row,
    saved,
    serious,
    writing,
)
from tests.e2e.conftest import PATIENT, Server, Trouble
from tests.servers.browser_registries import Shelves

SOURCE = "latex-source .cm-content"


@pytest.fixture
def desk(server: Server, registries: Shelves, demo: Any) -> Desk:
    return Desk(server, registries, demo)


@pytest.fixture
def window(browser: Browser, desk: Desk, trouble: Trouble) -> Iterator[Page]:
    """A window on the source of a new thesis's introduction, with the caret in it."""
    with writing(desk, browser, trouble, "source") as page:
        yield page


def test_a_pasted_doi_is_in_the_text_and_proven_beside_it(window: Page) -> None:
    page = window
    page.keyboard.type("Fewer died .")
    page.keyboard.press("ArrowLeft")
    cite(page, "https://www.nejm.org/doi/full/10.1056/NEJMoa1705716?utm_source=mail")
    key = inserted(page, "Fewer died KEY.")
    expect(page.locator(SOURCE)).to_be_focused()
    expect(panel(page, "Annane 2018")).to_contain_text("DOI and title", timeout=PATIENT)
    page.keyboard.type("~Z")
    expect_text(page, f"Fewer died \\cite{{{key}}}~Z.")
    page.keyboard.press("ControlOrMeta+Z")
    page.keyboard.press("ControlOrMeta+Z")
    expect_text(page, "Fewer died .")


def test_the_saved_text_is_what_was_inserted(window: Page) -> None:
    page = window
    cite(page, "32876695")
    key = inserted(page)
    saved(page)
    page.reload()
    expect_text(page, f"\\cite{{{key}}}")
    expect(panel(page, "Tomazini 2020")).to_be_visible(timeout=PATIENT)


def test_three_dois_at_once_with_a_page(window: Page) -> None:
    page = window
    page.keyboard.press("Control+Shift+C")
    paste(page, "10.1056/NEJMoa1705716\n10.1136/bmj.l4898\nhttps://doi.org/10.1038/415530a\n")
    expect(page.locator("[data-part=tray] .cite")).to_have_count(3)
    for _ in range(8):  # past the filters and the list to the page
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "cite-locator":
            break
    page.keyboard.type("14-16")
    page.keyboard.press("Enter")
    expect_text(page, re.compile(r"^\\cite\[pp\.~14--16\]\{[\w.:-]+,[\w.:-]+,[\w.:-]+\}$"))
    expect(page.locator("#cited li .tier[data-tier=a]")).to_have_count(3, timeout=PATIENT)


def test_words_are_searched_and_rows_are_gathered_with_space(window: Page) -> None:
    page = window
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("copper oxide rectifier")  # a space is a space while somebody types
    expect(page.locator(BOX)).to_have_value("copper oxide rectifier")
    expect(row(page, "Starr")).to_be_visible()
    places = page.locator("#cite-found [role=option]").evaluate_all("rows => rows.map(row => row.textContent)")
    starr, brattain = (next(n for n, said in enumerate(places) if name in said) for name in ("Starr", "Brattain"))
    at = 0  # the first row is the current one
    for place in (starr, brattain):
        page.keyboard.press("Home")  # moving in the box gives Space back to typing
        for _ in range(abs(place - at)):
            page.keyboard.press("ArrowDown" if place > at else "ArrowUp")
        if place == at:
            page.keyboard.press("ArrowDown")
            page.keyboard.press("ArrowUp")
        page.keyboard.press(" ")
        at = place
    expect(page.locator(BOX)).to_have_value("copper oxide rectifier")
    expect(page.locator("[data-part=tray] .cite")).to_have_count(2)
    page.keyboard.press("Enter")
    expect_text(page, re.compile(r"^\\cite\{[\w.:-]+,[\w.:-]+\}$"))
    expect(page.locator("#cited li .tier[data-tier=a]")).to_have_count(2, timeout=PATIENT)
    expect(page.locator("#cited li a")).to_have_text(["Starr 1936", "Brattain 1951"])


def test_ctrl_enter_inserts_and_stays_and_esc_goes_back_to_the_caret(window: Page) -> None:
    page = window
    page.keyboard.type("ab")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Control+Shift+C")
    paste(page, "10.1056/NEJMoa1705716")
    page.keyboard.press("Control+Enter")
    key = inserted(page, "aKEYb")
    expect(page.locator(BOX)).to_be_focused()
    expect(page.locator(BOX)).to_have_value("")
    expect(row(page, key)).to_contain_text(f"In your library as {key}")
    page.keyboard.press("Escape")
    expect(page.locator("dialog.citing")).to_be_hidden()
    page.keyboard.type("!")
    expect_text(page, f"a\\cite{{{key}}}!b")


def test_a_work_that_is_here_keeps_its_key_whatever_it_is_asked_by(window: Page) -> None:
    page = window
    cite(page, "10.1056/NEJMoa1705716")
    key = inserted(page)
    saved(page)
    expect(panel(page, "Annane 2018")).to_contain_text("DOI and title", timeout=PATIENT)
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("septic shock fludro")
    expect(row(page, "Fludrocortisone")).to_contain_text(f"Already cited as {key}, once")
    expect(page.locator("#cite-found [role=option]").filter(has_text="Fludrocortisone")).to_have_count(1)
    page.keyboard.press("Escape")
    page.keyboard.press("End")
    cite(page, "PMID: 29490185")
    assert inserted(page, "KEYKEY") == key


def test_a_retracted_work_asks_with_its_notice(window: Page) -> None:
    page = window
    cite(page, RETRACTED.doi or "")
    question = page.get_by_role("dialog", name="This work was retracted")
    expect(question).to_contain_text("Retraction, reported by the publisher, 2020. Notice: 10.1056/nejmc2021225")
    page.keyboard.press("Enter")  # "Cancel" has the focus
    expect(question).to_be_hidden()
    expect_text(page, "")
    expect(page.locator(BOX)).to_be_focused()
    page.keyboard.press("Escape")
    page.reload()
    expect(page.locator("#cited")).to_contain_text("Nothing cited yet")
    into(page)
    cite(page, RETRACTED.doi or "")
    expect(question).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    key = inserted(page)
    expect(panel(page, key)).to_contain_text("Retracted", timeout=PATIENT)


def test_a_conflict_shows_its_difference(window: Page) -> None:
    page = window
    cite(page, CONFLICT)
    question = page.get_by_role("dialog", name="Its identifier belongs to another work")
    beside = page.locator("#cited li").filter(has_text="meduri2020")
    expect(question.or_(beside)).to_be_visible()
    if question.is_visible():  # the registries answered while it was added
        expect(question).to_contain_text("Effect of Hydrocortisone on Mortality")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
    expect_text(page, "\\cite{meduri2020}")
    expect(beside).to_contain_text("Conflict", timeout=PATIENT)
    expect(beside.get_by_role("link", name="Compare")).to_be_visible()
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("meduri")
    expect(row(page, "Rationale for prolonged")).to_contain_text("Conflict")
    page.keyboard.press("Enter")
    expect(question).to_contain_text("Effect of Hydrocortisone on Mortality")
    expect(question.get_by_role("link", name="Open the comparison")).to_be_visible()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(page.locator("dialog.citing")).to_be_visible()


def test_a_preprint_offers_what_was_published(window: Page) -> None:
    page = window
    page.keyboard.press("Control+Shift+C")
    paste(page, PREPRINT.doi or "")
    expect(row(page, "preliminary report")).to_contain_text("Now published as 10.1056/nejmoa2021436")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="This is a preprint")).to_be_visible()
    page.keyboard.press("Enter")
    inserted(page)
    expect(panel(page, "RECOVERY Collaborative Group 2021")).to_be_visible(timeout=PATIENT)


def test_with_the_catalogues_down_the_library_works_and_the_rest_is_proven_later(
    window: Page, desk: Desk, trouble: Trouble
) -> None:
    page = window
    trouble.expect(r"status of 50[234]")
    cite(page, "10.1056/NEJMoa1705716")
    key = inserted(page)
    expect(panel(page, "Annane 2018")).to_contain_text("DOI and title", timeout=PATIENT)
    desk.shelves.no_pubmed = True
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("fludrocortisone")
    expect(row(page, "Fludrocortisone")).to_have_count(1)
    expect(page.locator("[data-part=lines]")).to_contain_text("PubMed has a server error", timeout=PATIENT)
    expect(row(page, "Fludrocortisone")).to_have_count(1)
    page.keyboard.press("Enter")
    assert inserted(page, "KEYKEY") == key
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("A thesis nobody printed")
    page.get_by_role("button", name="Add it without proof").focus()
    page.keyboard.press("Enter")
    expect_text(page, re.compile(r"\\cite\{\w+\}$"))
    expect(page.locator("#cited li")).to_have_count(2)


def test_the_braces_of_a_cite_command_open_the_library_and_a_key_can_still_be_typed(window: Page) -> None:
    page = window
    page.keyboard.type("See \\cite{")
    expect(page.get_by_role("option", name="Search PubMed and Crossref")).to_be_visible()
    page.keyboard.type("sterne2020}")
    expect_text(page, "See \\cite{sterne2020}")
    expect(page.locator(SOURCE)).to_be_focused()
    saved(page)
    expect(panel(page, "sterne2020")).to_contain_text("No such reference")
    page.keyboard.type(" and \\citep{")
    paste(page, "10.1056/NEJMoa1705716")
    expect(page.get_by_role("option", name="10.1056/NEJMoa1705716").first).to_be_visible()
    page.keyboard.press("Enter")
    expect_text(page, re.compile(r"^See \\cite\{sterne2020\} and \\citep\{[\w.:-]+\}$"))
    expect(panel(page, "Annane 2018")).to_contain_text("DOI and title", timeout=PATIENT)


@pytest.mark.long
def test_axe_with_the_dialog_open(window: Page) -> None:
    page = window
    cite(page, "10.1056/NEJMoa1705716")
    inserted(page)
    page.keyboard.press("Control+Shift+C")
    page.keyboard.type("hydrocortisone covid")
    expect(row(page, "Hydrocortisone").first).to_be_visible()
    page.keyboard.press("ArrowDown")
    page.keyboard.press(" ")
    assert serious(page) == []
    page.keyboard.press("ControlOrMeta+A")
    paste(page, RETRACTED.doi or "")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name="This work was retracted")).to_be_visible()
    assert serious(page) == []
