"""The references of a thesis with the keyboard alone:
proven while one looks on, compared, attested, edited (SPEC C9, P8)."""

from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.citations.real_works import WORKS
from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow, Server, Trouble
from tests.servers.browser_registries import Shelves

CODEX, RECOVERY = WORKS["codex"], WORKS["recovery"]
# What is right, what has another work's DOI, and what nobody wrote; between them enough to scroll.
ENTRIES = "\n".join(
    [
        *(
            f"@article{{{name}, title={{{WORKS[name].title}}}, doi={{{WORKS[name].doi}}}, year={{{WORKS[name].year}}},"
            f" author={{{' and '.join(one.family or one.literal or '' for one in WORKS[name].authors)}}}}}"
            for name in ("remapcap", "cape", "villar", "covidsteroid", "covbarrier", "aprocchss", "isaric", "crash")
        ),
        f"@article{{wrongdoi, title={{{CODEX.title}}}, author={{Tomazini, "
        "Bruno M. and Maia, Israel S.}, year={2020},"
        f" journal={{JAMA}}, volume={{324}}, pages={{1307--1316}}, doi={{{RECOVERY.doi}}}}}",
        "@article{nowhere, title={Alder in mixed stands of beech}, author={Ibe, Chidi}, year={2019}, journal={Wood}}",
    ]
)
_FOCUSED = """words => {
  const at = document.activeElement;
  if (at === document.body) return false;
  const label = at.labels?.[0]?.textContent ?? "";
  return `${at.getAttribute("aria-label") ?? ""} ${label} ${at.textContent}`.includes(words);
}"""
_TOP = "document.activeElement.getBoundingClientRect().top"


@pytest.fixture
def open_page(open_window: OpenWindow, demo: Any, registries: Shelves) -> OpenWindow:
    """Opens windows of the demo person."""
    return partial(open_window, signed_in=demo)


def go_to(page: Page, words: str) -> None:
    """Press Tab until what has the focus says `words`."""
    for _ in range(120):
        page.keyboard.press("Tab")
        if page.evaluate(_FOCUSED, words):
            return
    pytest.fail(f"Tab never reaches {words!r}")


def press(page: Page, words: str) -> None:
    go_to(page, words)
    page.keyboard.press("Enter")


def new_thesis(page: Page) -> str:
    """The address of the references of a new thesis, which has none."""
    page.goto("/projects/new/")
    page.get_by_label("Title").fill("Alder and soil")
    page.get_by_role("button", name="Create thesis").click()
    page.wait_for_url("**/projects/*-*/")
    page.goto(f"{page.url}citations/")
    return page.url


def row(page: Page, key: str) -> Any:
    return page.locator("tr", has=page.locator(f"code:text-is('{key}')"))


def test_from_a_pasted_list_to_proof(open_page: OpenWindow, registries: Shelves, trouble: Trouble) -> None:
    trouble.expect("422")
    page = open_page()
    references = new_thesis(page)

    # Added while no registry answers: all are here, and say that they are being checked.
    registries.free.clear()
    go_to(page, "DOI, PMID, ISBN")
    page.keyboard.insert_text(ENTRIES)
    press(page, "Add")
    expect(page.locator("#added")).to_be_focused()
    expect(page.locator("#added")).to_contain_text("10 added.")
    expect(row(page, "nowhere")).to_contain_text("Being looked up")
    expect(page.locator("#check")).to_contain_text("Stop")
    assert serious(page) == []

    # They turn without a reload, and what has the focus keeps it and its place.
    go_to(page, "Alder in mixed stands")
    before = page.evaluate(_TOP)
    registries.free.set()
    expect(row(page, "nowhere")).to_contain_text("Not found", timeout=PATIENT)
    expect(row(page, "remapcap")).to_contain_text("DOI and title")
    expect(row(page, "wrongdoi")).to_contain_text("Conflict")
    expect(page.locator("#check")).to_contain_text("The check has ended. 8 of 10 are proven, 2 to look at.")
    expect(page.locator("#told")).to_contain_text("8 proven, 2 to look at.")
    expect(page.locator("#audit")).to_contain_text("10 entries never cited")
    assert page.evaluate(_FOCUSED, "Alder in mixed stands")
    assert abs(page.evaluate(_TOP) - before) < 2
    assert serious(page) == []

    # The one with another work's DOI: both side by side, and the right one taken.
    go_to(page, "Show them")
    page.keyboard.press("Enter")
    expect(page.locator("#rows tbody tr")).to_have_count(2)
    expect(page).to_have_url(f"{references}?show=doubtful")
    page.locator("#q").focus()
    press(page, "Compare wrongdoi")
    expect(page.get_by_text("What the identifier leads to")).to_be_visible()
    expect(page.locator("#why")).to_contain_text(RECOVERY.title)
    assert serious(page) == []
    press(page, "Use this record’s DOI")
    expect(page.get_by_text("Why tier A?")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("link", name=CODEX.doi or "", exact=True)).to_be_visible()
    assert serious(page) == []

    # Looked up again, with the focus where it was.
    page.goto(f"{references}?show=d")
    go_to(page, "Look up again for nowhere")
    page.keyboard.press("Enter")
    expect(page.locator("#check")).to_contain_text("The check has ended.", timeout=PATIENT)
    expect(row(page, "nowhere")).to_contain_text("Not found")
    assert page.evaluate(_FOCUSED, "Look up again for nowhere")

    # Attested, with a reason and an ISBN.
    page.goto(references)
    page.locator("#q").focus()
    go_to(page, "Alder in mixed stands")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Why tier D?")).to_be_visible()
    press(page, "Attest…")
    page.wait_for_url("**/attest/")
    go_to(page, "Why is this reference right?")
    page.keyboard.insert_text("I hold the book.")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.insert_text("978-1-119-53662-9")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This is not a valid ISBN")).to_be_visible()
    expect(page.get_by_label("Why is this reference right?")).to_have_value("I hold the book.")
    assert serious(page) == []
    page.get_by_label("ISBN or web address").focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("978-1-119-53662-8")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Why tier B?")).to_be_visible()
    expect(page.get_by_text("“I hold the book.”")).to_be_visible()
    assert serious(page) == []


@pytest.mark.long  # its pages: tests/citations/test_edit_page.py, tests/citations/test_change_reference.py
def test_edit_and_delete(open_page: OpenWindow, trouble: Trouble) -> None:
    trouble.expect("422")
    page = open_page()
    references = new_thesis(page)
    go_to(page, "DOI, PMID, ISBN")
    page.keyboard.insert_text(CODEX.doi or "")
    press(page, "Add")
    expect(row(page, "tomazini2020")).to_contain_text("DOI and title", timeout=PATIENT)

    press(page, "Edit tomazini2020")
    page.wait_for_url("**/edit/fields/")
    assert serious(page) == []
    press(page, "BibTeX")
    page.wait_for_url("**/edit/")
    box = page.get_by_label("BibTeX")
    text = box.input_value()
    go_to(page, "BibTeX")  # the tab; the box is behind it
    page.keyboard.press("Tab")
    expect(box).to_be_focused()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text("@article{tomazini2020, title = {never closed")
    press(page, "Save")
    expect(page.get_by_text("Line 1:")).to_be_visible()
    expect(box).to_have_value("@article{tomazini2020, title = {never closed")
    assert serious(page) == []
    box.focus()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text.replace("{2020}", "{2011}"))
    press(page, "Save")
    expect(page.get_by_text("Is this the right work?")).to_be_visible(timeout=PATIENT)
    expect(page.locator("tr[data-state=differs]")).to_contain_text("2011")

    press(page, "Delete")
    expect(page.locator("#ask")).to_contain_text("Delete tomazini2020?")
    press(page, "Delete")
    page.wait_for_url(references)
    expect(page.get_by_text("No citations yet")).to_be_visible()


@pytest.mark.long
def test_registries_that_are_down_are_not_held_against_anybody(
    open_page: OpenWindow, registries: Shelves, server: Server
) -> None:
    """On a phone: what waits says so, and is asked again when a person wants it."""
    page = open_page(viewport={"width": 390, "height": 844})
    new_thesis(page)
    registries.down = True
    page.get_by_label("DOI, PMID, ISBN").fill(WORKS["rob2"].doi or "")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#check")).to_contain_text("will be repeated", timeout=PATIENT)
    expect(page.locator("#rows")).to_contain_text("did not answer")
    expect(page.locator("#rows")).not_to_contain_text("Not found")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert serious(page) == []
    registries.down = False
    server.forget_services()
    page.get_by_role("button", name="Try again now").click()
    expect(page.locator("#rows")).to_contain_text("DOI and title", timeout=PATIENT)
