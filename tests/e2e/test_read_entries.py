"""From a stored file to references with the keyboard alone, and a long file through a real worker
(SPEC X1, C10, P8)."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.citations.sample_files import FOUR, long_text
from tests.e2e.axe import serious_at
from tests.e2e.conftest import PATIENT, OpenWindow

# Asked for so that the demo's thesis is found before these tests make newer ones.
pytestmark = pytest.mark.usefixtures("thesis")

_FOCUSED = """words => {
  const at = document.activeElement;
  return `${at.getAttribute("aria-label") ?? ""} ${at.textContent}`.includes(words);
}"""


def upload(page: Page, name: str, text: str) -> None:
    """Bring a file to a new thesis, so that the demo's references stay as they are, and open its page."""
    page.goto("/projects/new/")
    page.get_by_label("Title").fill("Alder and soil")
    page.get_by_role("button", name="Create thesis").click()
    page.wait_for_url("**/projects/*-*/")
    page.goto(f"{page.url}files/")
    page.locator("#files-input").set_input_files({"name": name, "mimeType": "text/plain", "buffer": text.encode()})
    page.get_by_role("link", name=name, exact=True).click()
    page.wait_for_url("**/files/*-*/")


def go_to(page: Page, words: str) -> None:
    """Press Tab until what has the focus says `words`."""
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate(_FOCUSED, words):
            return
    pytest.fail(f"Tab never reaches {words!r}")


def test_reading_and_importing_with_the_keyboard(open_window: OpenWindow, demo: Any) -> None:
    page = open_window(signed_in=demo)
    upload(page, "refs.bib", FOUR)
    go_to(page, "Read entries")
    page.keyboard.press("Enter")
    page.wait_for_url("**/entries/")
    assert serious_at(page, page.url) == []
    button = page.locator("[data-ticked]")
    expect(button).to_have_text("Import 3 references")
    go_to(page, "Select all")
    page.keyboard.press("Space")
    expect(button).to_have_text("Import 0 references")
    go_to(page, "Import lund2020")
    page.keyboard.press("Space")
    expect(button).to_have_text("Import 1 reference")
    page.get_by_text("Show text").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Never closed")).to_be_visible()
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 imported")).to_be_visible()


@pytest.mark.long  # as the test above, and the job: tests/citations/test_read_entries.py
def test_a_long_file_shows_its_progress_and_then_its_entries(open_window: OpenWindow, demo: Any) -> None:
    page = open_window(signed_in=demo)
    upload(page, "long.bib", long_text())
    page.get_by_role("button", name="Read entries").click()
    expect(page.get_by_text("136 entries read: 136 new")).to_be_visible(timeout=PATIENT)
    page.get_by_role("button", name="Import 136 references").click()
    expect(page.get_by_text("136 imported")).to_be_visible()
