"""Flow 7: yesterday's version is found in the history, compared and brought back, with the keyboard (SPEC T2)."""

from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious, serious_at
from tests.e2e.conftest import OpenWindow, Server
from tests.e2e.writing import Written, expect_text, new_section, open_section

YESTERDAY = "Seven trials were pooled.\n\nDeaths were fewer with \\emph{steroids}.\n\nNo harm was seen."
TODAY = "Eight trials were pooled.\n\nDeaths were fewer with \\emph{steroids}.\n"


@pytest.fixture
def chapter(open_window: OpenWindow, server: Server, demo: Any, thesis: str) -> Written:
    """A section that said YESTERDAY a day ago and says TODAY now."""
    page = open_window(signed_in=demo)
    made = new_section(page, server, thesis, YESTERDAY, "A chapter with a past")
    with server.rows() as rows:
        change = "UPDATE sections_sectionversion SET {0} = datetime({0}, '-1 day') WHERE section_id = ?"
        for column in ("began_at", "saved_at"):
            rows.execute(change.format(column), [UUID(made.id).hex])
    page.evaluate(
        """async ([path, latex]) => {
          const token = /csrftoken=([^;]+)/.exec(document.cookie)[1];
          const headers = {"Content-Type": "application/json", "X-CSRFToken": token, "If-Match": '"1"'};
          await fetch(path, {method: "PUT", headers, body: JSON.stringify({latex})});
        }""",
        [f"/api/sections/{made.id}", TODAY],
    )
    assert made.latex == TODAY
    return made


@pytest.fixture
def page(open_window: OpenWindow, demo: Any) -> Page:
    return open_window(signed_in=demo)


def tab_to(page: Page, name: str) -> None:
    """Press Tab until the link or button of that name has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement?.textContent.trim().replace(/\\s+/g, ' ')") == name:
            return
    raise AssertionError(f"{name} is not reached by Tab.")


def test_yesterdays_version_comes_back_by_keyboard_alone(page: Page, chapter: Written) -> None:
    open_section(page, chapter)
    page.get_by_role("tab", name="Sources").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="History")).to_be_focused()
    panel = page.get_by_role("tabpanel", name="History")
    expect(panel.get_by_role("heading", name="Yesterday")).to_be_visible()
    tab_to(page, "Compare version 1")
    page.keyboard.press("Enter")
    expect(page.locator(".changes del", has_text="Seven")).to_be_visible()
    expect(page.locator(".changes ins", has_text="Eight")).to_be_visible()
    tab_to(page, "Restore this version")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{chapter.path}")
    expect_text(page, YESTERDAY)
    assert chapter.latex == YESTERDAY
    assert chapter.kept("typed") == [YESTERDAY, TODAY]
    expect(page.get_by_role("tab", name="History")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#history")).to_contain_text("restored")


def test_the_panel_follows_what_is_saved(page: Page, chapter: Written) -> None:
    open_section(page, chapter)
    page.get_by_role("tab", name="History").click()
    before = page.locator("#history").inner_text()
    page.evaluate("const it = document.querySelector('section-editor'); it.show(0); it.focus()")
    page.keyboard.type("Nine and ")
    chapter.comes_to(lambda text: text.startswith("Nine and "))
    page.wait_for_function("was => document.querySelector('#history').innerText !== was", arg=before)


def test_the_address_chooses_the_panel_too(page: Page, chapter: Written) -> None:
    page.goto(f"{chapter.path}?beside=history")
    expect(page.locator("#history")).to_be_visible()
    expect(page.locator("#beside-sources")).to_be_hidden()


def test_a_state_of_the_thesis_is_kept_and_brought_back(page: Page, chapter: Written, thesis: str) -> None:
    page.goto(f"{thesis}snapshots/")
    page.get_by_label("Name").fill("Sent to Dr Iyer")
    page.get_by_role("button", name="Save this version").click()
    expect(page.get_by_text("The whole thesis was saved as")).to_be_visible()
    open_section(page, chapter)
    page.evaluate("const it = document.querySelector('section-editor'); it.show(0); it.focus()")
    page.keyboard.type("Changed: ")
    chapter.comes_to(lambda text: text.startswith("Changed: "))
    page.goto(f"{thesis}snapshots/")
    page.get_by_role("link", name="Sent to Dr Iyer").first.click()
    page.get_by_role("button", name="Restore A chapter with a past").click()
    expect(page.get_by_text("was restored")).to_be_visible()
    assert chapter.latex == TODAY


@pytest.mark.long
def test_axe_finds_nothing_serious(page: Page, chapter: Written, thesis: str) -> None:
    page.goto(f"{chapter.path}?beside=history")
    expect(page.locator("#history")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert serious(page) == []
    past = f"{chapter.path}versions/1/"
    assert serious_at(page, past, f"{past}?view=source", f"{past}?view=source&lines=one", f"{thesis}snapshots/") == []


def test_a_phone_scrolls_down_only(open_window: OpenWindow, demo: Any, chapter: Written) -> None:
    page = open_window(signed_in=demo, viewport={"width": 390, "height": 800})
    past = f"{chapter.path}versions/1/"
    for address in (past, f"{past}?view=source", f"{chapter.path}history/", f"{chapter.path}?beside=history"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
