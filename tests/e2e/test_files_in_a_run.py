"""In the browser: files are brought, refused with reasons, and followed through a run without a reload
(SPEC X1, X8, X9)."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from config.demo.install import TITLE
from tests.e2e.axe import serious_at
from tests.e2e.conftest import PATIENT, OpenWindow, Server, wait_for_report
from tests.research.forest_thesis import ALDER, NITRATE
from tests.servers.thinking_model import Thinking

QUESTION = "How does alder change soil nitrogen? (7)"
LONG_NAME = "ø" * 3000 + ".md"
LARGE = 2 * 1024 * 1024  # bytes, more than this Scholium takes

# Drops files onto the page, as a person drags them there from a folder: [name, text, or a size of zeros].
DROP = """([selector, files]) => {
  const transfer = new DataTransfer();
  for (const [name, content] of files) {
    transfer.items.add(new File([typeof content === "number" ? new Uint8Array(content) : content], name));
  }
  const drop = document.querySelector(selector);
  for (const type of ["dragenter", "dragover", "drop"]) {
    drop.dispatchEvent(new DragEvent(type, {dataTransfer: transfer, bubbles: true, cancelable: true}));
  }
}"""
# Keeps each text that an element has had.
KEEP = """selector => {
  const place = document.querySelector(selector), kept = window.kept = [place.innerText];
  new MutationObserver(() => { if (kept.at(-1) !== place.innerText) kept.push(place.innerText); })
    .observe(place, {childList: true, subtree: true, characterData: true});
}"""
# Keeps how far each upload was shown to be.
PROGRESS = """() => {
  window.shown = [];
  document.addEventListener("htmx:xhr:progress", () => {
    const bar = document.querySelector("[data-drop] progress");
    window.shown.push(!bar.hidden);
  });
}"""


@pytest.fixture(scope="module")
def server(asking: Server) -> Server:
    return asking


def open_thesis(page: Page, part: str) -> None:
    page.goto("/")
    page.get_by_role("link", name=TITLE).first.click()
    page.get_by_role("link", name=part, exact=True).click()
    page.wait_for_url(f"**/{part.lower()}/")


@pytest.mark.long
def test_files_are_brought_and_followed_through_a_run(
    open_window: OpenWindow, signed_in: Any, thought: Thinking
) -> None:
    page = open_window(signed_in=signed_in)
    open_thesis(page, "Files")
    page.evaluate(PROGRESS)
    page.evaluate(DROP, ["form[data-drop]", [["large.pdf", LARGE]]])
    left = page.locator("[data-left]")
    expect(left).to_have_text("large.pdf is larger than 1 MB, which is the limit here. It was not uploaded.")
    files = [["alder.md", ALDER], [LONG_NAME, NITRATE], ["wrong.pdf", "no pdf"], ["empty.md", ""], ["large.pdf", LARGE]]
    page.evaluate(DROP, ["form[data-drop]", files])
    notice = page.locator("#files .notice")
    expect(notice).to_contain_text("2 uploaded, 2 not.")
    expect(notice).to_contain_text("wrong.pdf is named like a PDF, but is not one.")
    expect(notice).to_contain_text("empty.md is empty.")
    expect(left).to_contain_text("large.pdf is larger")  # still said beside what the server said
    assert page.evaluate("window.shown.some(Boolean)")
    page.evaluate("window.shown = []")
    page.evaluate(DROP, ["form[data-drop]", [["broken.pdf", "%PDF-1.4 and nothing else"]]])
    expect(page.locator("#files .title", has_text="broken.pdf")).to_be_visible()
    assert page.evaluate("window.shown.some(Boolean)"), "each upload shows its progress"
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")

    open_thesis(page, "Research")
    page.get_by_label("What do you want to know?").fill(QUESTION)
    for row in page.locator("#files li").all():
        box = row.locator("input[name=files]")
        if box.count():
            box.set_checked(any(name in row.inner_text() for name in ("alder.md", "øøø", "broken.pdf")))
    # The model holds its tongue at each step until the pane has shown it, however quick the machine is.
    with thought.held("research"):
        with thought.held("decompose"):
            with thought.held():
                page.get_by_role("button", name="Start").click()
                page.wait_for_url("**/runs/*/")
                run = page.url
                page.evaluate("window.neverReloaded = true")
                page.evaluate(KEEP, "#run-debug")
                mine = page.locator("#run-files")
                expect(mine.locator("li[data-state=ready]")).to_have_count(2, timeout=PATIENT)
                expect(mine.locator("li[data-state=error]")).to_contain_text("Could not be read")
                debug = page.locator("#run-debug")
                expect(debug).to_contain_text("2 of 3 ready, 1 with errors")
                expect(debug).to_contain_text("No question was given any notes yet.")
            expect(debug).to_contain_text("context of 1", timeout=PATIENT)
        expect(debug).to_contain_text("context of 1.", timeout=PATIENT)
    page.locator("#given-1").click()
    slip = page.locator("#given:popover-open")
    expect(slip).to_contain_text("Notes from your files for this question")
    expect(slip).to_contain_text("alder.md::S1")
    page.keyboard.press("Escape")
    expect(page.locator("#given-1")).to_be_focused()
    wait_for_report(page)
    expect(debug).to_contain_text("Full context attached")
    assert page.evaluate("window.neverReloaded") is True
    kept = page.evaluate("window.kept")
    order = [
        next(place for place, text in enumerate(kept) if said in text)
        for said in ("No question was given", "Debug: context of 1\n", "Debug: context of 1.", "Full context attached")
    ]
    assert order == sorted(set(order)), kept
    expect(page.locator("#run-tree")).to_contain_text("Run again", timeout=PATIENT)  # the run has ended
    live = [page.locator(place).inner_text() for place in ("#run-files", "#run-debug", "#run-tree")]
    page.reload()
    assert [page.locator(place).inner_text() for place in ("#run-files", "#run-debug", "#run-tree")] == live
    slip_link = page.locator("#given-1").get_attribute("href")
    page.goto(f"{slip_link}")
    page.get_by_role("link", name="alder.md::S1").first.click()
    expect(page.locator("mark#passage").first).to_be_visible()
    assert serious_at(page, run) == []
