"""From the page to the text, and back: words clicked in the built PDF and in the preview lead to them in the editor
(SPEC T6)."""

import re
import shutil
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow
from tests.e2e.editor_pages import Desk, desk
from tests.e2e.writing import ready

needs_tex = pytest.mark.skipif(
    shutil.which("latexmk") is None, reason="latexmk is not installed, so nothing is set by LaTeX"
)

NAMES = ("weight", "height", "pressure", "temperature", "breathing")
TEXT = "\n\n".join(
    f"\\section{{Part {name}}}\n\nThe {name} of each patient was measured by two nurses, who were not told the arm. "
    f"Values of {name} that were missing were not replaced."
    for name in NAMES
)
AFTER = """() => {
  const { doc, selection } = document.querySelector("section-editor").visual.state;
  return doc.textBetween(selection.from, Math.min(selection.from + 40, doc.content.size), " ");
}"""


def caret_is_before(page: Page, words: str) -> None:
    page.wait_for_function(f"words => ({AFTER})().startsWith(words)", arg=words)


def word(page: Page, first: str, words: str) -> Locator:
    """The printed word `first` of the line that has `words`."""
    return page.locator(".printed-words text", has_text=words).last.locator("tspan", has_text=first).first


def middle_of(made: Locator) -> tuple[float, float]:
    made.scroll_into_view_if_needed()
    box = made.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def build(made: Desk) -> Page:
    page = made.page
    page.goto(f"/projects/{made.project}/build/")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#built")).to_contain_text("The PDF is ready.", timeout=PATIENT)
    page.locator("aside").get_by_role("link", name="Open the PDF").click()
    page.wait_for_url(re.compile(r"/builds/[^/]+/view/"))
    return page


@needs_tex
def test_a_word_of_the_built_pdf_is_clicked_and_the_caret_stands_at_it(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, TEXT)
    page = build(made)
    viewer = page.url
    printed = word(page, "pressure", "The pressure of each")
    expect(printed).to_be_attached(timeout=PATIENT)  # the words of all pages come by themselves
    assert serious(page) == []

    page.mouse.click(*middle_of(printed))
    page.get_by_role("link", name="Edit here").click()
    ready(page)
    caret_is_before(page, "pressure of each patient")

    page.goto(viewer)
    expect(word(page, "breathing", "The breathing of each")).to_be_attached(timeout=PATIENT)
    page.mouse.dblclick(*middle_of(word(page, "breathing", "The breathing of each")))
    ready(page)
    caret_is_before(page, "breathing of each patient")

    # Back: the page is scrolled to the caret
    page.get_by_role("link", name="Show in PDF").first.click()
    page.wait_for_url(re.compile(r"/view/\?section=results&at=\d+"))
    expect(page.locator(".place-mark")).to_be_in_viewport()
    number = page.locator("[data-page]", has=page.locator(".place-mark")).get_attribute("data-page") or ""
    expect(page.get_by_label("Page", exact=True)).to_have_value(number)

    page.get_by_label("Page", exact=True).fill("1")
    page.keyboard.press("Enter")
    expect(page.locator("#page-1 img")).to_be_in_viewport()
    page.get_by_role("button", name="Zoom in").click()
    expect(page.get_by_role("button", name="Fit width")).to_have_attribute("aria-pressed", "false")


def test_words_of_the_preview_are_clicked_and_the_caret_is_shown(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, TEXT, viewport={"width": 1280, "height": 800})
    made.open()
    page = made.page
    page.keyboard.press("Control+Alt+p")
    image = page.locator("#preview img").first
    page.wait_for_function("image => image.complete && image.naturalWidth > 600", arg=image.element_handle())
    expect(page.get_by_role("tab", name="Sources")).to_be_visible()  # the panel stands beside it

    mark = page.locator("#preview .place-mark")
    page.wait_for_load_state("networkidle")
    expect(mark).to_have_count(0)  # opening the preview marks the place of the caret as well, for four seconds
    made.caret_after("The pressure of each ")
    page.keyboard.press("Control+Alt+Shift+p")
    expect(mark).to_be_in_viewport()
    mark.click(position={"x": 2, "y": 4}, force=True)  # pages above may still move it, so its place is asked here
    caret_is_before(page, "The pressure of each patient")

    page.get_by_role("tab", name="Comments").click()
    expect(page.locator("#preview")).to_be_visible()
    page.set_viewport_size({"width": 1200, "height": 800})
    expect(page.get_by_role("tab", name="Comments")).to_be_hidden()
    assert serious(page) == []
