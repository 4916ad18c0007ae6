"""The preview beside the editor: pages that follow what is saved, by keyboard and on a phone (SPEC T6)."""

from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow
from tests.e2e.editor_pages import desk

WORDS = "Estimates varied little between the trials, and none was large. " * 20
LONG = "\\section{Deaths}\n\n" + f"{WORDS}\n\n" * 9
FIRST = "#preview img >> nth=0"


def shown(page: Page) -> str:
    """The address of the first page once it is drawn."""
    page.wait_for_function(
        "() => { const it = document.querySelector('#preview img'); return it?.complete && it.naturalWidth > 600; }",
        timeout=PATIENT,
    )
    address: str = page.locator(FIRST).get_attribute("src") or ""
    return address


def test_the_preview_follows_what_is_saved(open_window: OpenWindow, demo: object) -> None:
    made = desk(open_window, demo, LONG)
    made.open()
    page = made.page
    pane, button = page.locator("#preview"), page.get_by_role("button", name="Preview", exact=True)
    page.keyboard.press("Control+Alt+p")
    first = shown(page)
    expect(pane.get_by_role("heading", name="Preview: not the final layout")).to_be_visible()
    expect(page.get_by_role("img", name="Page 1 of")).to_be_visible()
    assert button.get_attribute("aria-expanded") == "true"
    pages = pane.locator("[data-pages]")
    expect(pages).to_be_focused()
    page.keyboard.press("End")
    page.wait_for_function(
        "() => { const it = document.querySelector('#preview [data-pages]'); return "
        "it.scrollTop > it.scrollHeight - it.clientHeight - 3; }"
    )
    top = page.evaluate("document.querySelector('#preview [data-pages]').scrollTop")

    made.caret_after("was large. ")
    page.keyboard.type("More words. ")
    page.wait_for_function(
        "first => document.querySelector('#preview img').getAttribute('src') !== first", arg=first, timeout=PATIENT
    )
    assert shown(page) != first
    assert abs(page.evaluate("document.querySelector('#preview [data-pages]').scrollTop") - top) < 5
    assert serious(page) == []

    page.reload()
    assert shown(page)  # it stays open
    pages.focus()
    page.keyboard.press("Escape")
    expect(pane).to_be_hidden()
    expect(button).to_be_focused()
    expect(page.get_by_role("tab", name="Sources")).to_be_visible()


def test_a_chapter_that_cannot_be_read_is_told_on_a_phone_too(open_window: OpenWindow, demo: object) -> None:
    made = desk(
        open_window, demo, "Words.\n\n\\begin{tabular}{l}\nDeaths \\\\\n", viewport={"width": 390, "height": 844}
    )
    made.page.goto(made.path)
    made.page.get_by_role("button", name="Preview", exact=True).click()
    shown(made.page)
    notes = made.page.locator("#preview [data-notes]")
    notes.locator("summary").click()
    expect(notes).to_contain_text(r"\begin{tabular} is never closed (line 3)")
    assert made.page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(made.page) == []
