"""The outline by mouse, finger and key: order, names, the bin, and the way to a heading (SPEC T1, P8)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Trouble


@pytest.fixture
def page(open_window: OpenWindow, demo: Any) -> Page:
    return open_window(signed_in=demo, viewport={"width": 1280, "height": 900})


def start(page: Page, outline: str = "Case report or case series") -> None:
    """A new thesis from `outline`, open at its first section."""
    page.goto("/projects/new/")
    page.get_by_label("Title").fill("Alder and soil")
    page.get_by_role("radio", name=outline).check()
    page.get_by_role("button", name="Create thesis").click()
    expect(page.get_by_role("heading", name="Front matter").first).to_be_visible()
    page.locator("outline-panel:defined").wait_for()


def rows(page: Page) -> list[str]:
    found: list[str] = page.eval_on_selector_all("li[data-section]", "rows => rows.map(row => row.dataset.title)")
    return found


def row(page: Page, title: str) -> Locator:
    return page.locator(f"li[data-title='{title}']")


def link(page: Page, title: str) -> Locator:
    return row(page, title).locator(".at > a")


def menu(page: Page, title: str, item: str) -> None:
    row(page, title).locator(".at").hover()
    page.get_by_role("button", name=f"Change {title}").click()
    page.get_by_role("menuitem", name=item).click()


def drag(page: Page, title: str, onto: str) -> None:
    row(page, title).locator(".at").hover()
    row(page, title).locator(".grip").hover()
    page.mouse.down()
    box = row(page, onto).locator(".at").bounding_box()
    assert box
    for part in (0.2, 0.4, 0.6):  # a hand comes by in steps
        page.mouse.move(box["x"] + 8, box["y"] + box["height"] * part, steps=8)
    page.mouse.up()


def test_a_thesis_starts_from_the_outline_that_was_seen(page: Page) -> None:
    page.goto("/projects/new/")
    page.get_by_label("Title").fill("Alder and soil")
    page.get_by_role("radio", name="Nursing").check()
    expect(page.locator(".shown:visible")).to_contain_text("Methodology")
    expect(page.locator(".shown:visible")).to_have_count(1)
    page.get_by_role("button", name="Create thesis").click()
    expect(link(page, "Methodology")).to_be_visible()
    assert len(rows(page)) == 9


def test_dragging_moves_a_section_and_the_order_lasts(page: Page) -> None:
    start(page)
    before = rows(page)
    drag(page, "Discussion", "Introduction")
    expect(page.locator("#outline-said")).to_contain_text("Discussion is now")
    moved = rows(page)
    assert moved != before
    assert moved.index("Discussion") < before.index("Discussion")
    assert sorted(moved) == sorted(before)
    page.reload()
    assert rows(page) == moved
    assert page.locator("li[data-section] .n").all_inner_texts() == ["", "", *map(str, range(1, 6))]


def test_a_drag_the_server_did_not_take_is_undone(page: Page, trouble: Trouble) -> None:
    trouble.expect("net::ERR_INTERNET_DISCONNECTED", "htmx:sendError", "htmx:afterRequest")
    start(page)
    before = rows(page)
    page.context.set_offline(True)
    drag(page, "Discussion", "Introduction")
    expect(page.locator(".toasts .notice").first).to_contain_text("The server is not responding")
    for place, title in enumerate(before):
        expect(page.locator("li[data-section]").nth(place)).to_have_attribute("data-title", title)
    page.context.set_offline(False)


def test_the_keyboard_moves_renames_and_says_so(page: Page) -> None:
    start(page)
    link(page, "Introduction").focus()
    page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.locator("#outline-said")).to_have_text("Introduction is now 4 of 7.")
    expect(link(page, "Introduction")).to_be_focused()
    page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.locator("#outline-said")).to_have_text("Introduction is now 5 of 7.")
    assert rows(page)[4] == "Introduction"
    for _ in range(3):  # faster than any server answers
        page.keyboard.press("Alt+Shift+ArrowDown")
    expect(page.locator("#outline-said")).to_contain_text("is already the last section")

    page.keyboard.press("F2")
    field = page.get_by_label("New title of Introduction")
    expect(field).to_be_focused()
    field.fill("Nothing")
    page.keyboard.press("Escape")
    expect(link(page, "Introduction")).to_be_focused()
    page.keyboard.press("F2")
    field.fill("Why alder")
    page.keyboard.press("Enter")
    expect(link(page, "Why alder")).to_be_focused()
    page.reload()
    assert "Why alder" in rows(page)


def test_renaming_the_open_section_changes_its_heading_and_keeps_the_text(page: Page) -> None:
    start(page)
    page.evaluate("document.querySelector('.manuscript').dataset.same = 'yes'")
    menu(page, "Front matter", "Rename")
    page.get_by_label("New title of Front matter").fill("Preliminaries")
    page.keyboard.press("Enter")
    expect(page.locator("#heading")).to_contain_text("Preliminaries")
    expect(page.locator(".manuscript")).to_have_attribute("data-same", "yes")


def test_a_title_of_nothing_changes_nothing(page: Page) -> None:
    start(page)
    menu(page, "Abstract", "Rename")
    page.get_by_label("New title of Abstract").fill("   ")
    page.keyboard.press("Enter")
    expect(link(page, "Abstract")).to_be_focused()


def test_adding_one_leaves_the_open_one_open(page: Page) -> None:
    start(page)
    page.get_by_text("Add a section", exact=True).click()
    page.get_by_label("Title of the new section").fill("Work plan")
    page.get_by_role("button", name="Add at the end").click()
    expect(link(page, "Work plan")).to_be_visible()
    expect(link(page, "Front matter")).to_have_attribute("aria-current", "page")
    drag(page, "Work plan", "Abstract")  # rows that came later are dragged as well
    expect(page.locator("#outline-said")).to_contain_text("Work plan is now")


def test_removed_undone_removed_and_put_back_from_the_bin(page: Page) -> None:
    start(page)
    before = rows(page)
    menu(page, "Introduction", "Remove")
    expect(page.get_by_role("button", name="Undo removing Introduction")).to_be_focused()
    assert "Introduction" not in rows(page)
    page.keyboard.press("Enter")
    expect(link(page, "Introduction")).to_be_focused()
    assert rows(page) == before

    menu(page, "Introduction", "Remove")
    expect(page.get_by_text("Bin, 1 section")).to_be_visible()
    page.reload()
    page.get_by_text("Bin, 1 section").click()
    page.get_by_role("button", name="Restore Introduction").click()
    expect(link(page, "Introduction")).to_be_visible()
    assert rows(page) == before


def test_the_open_section_can_be_removed_and_comes_back_with_its_words(page: Page) -> None:
    start(page)
    link(page, "Introduction").click()
    page.wait_for_url("**/introduction/")
    text = page.evaluate("document.querySelector('#latex').value")
    assert "Why this case is reported" in text
    menu(page, "Introduction", "Remove")
    page.wait_for_url(re.compile("review-of-literature.*removed=introduction"))
    page.get_by_role("button", name="Undo removing Introduction").click()
    link(page, "Introduction").click()
    page.wait_for_url("**/introduction/")
    assert page.evaluate("document.querySelector('#latex').value") == text


def test_headings_lead_into_the_text(page: Page) -> None:
    start(page)
    link(page, "Case presentation").click()
    page.wait_for_url("**/case-presentation/")
    headings = page.locator("#outline [data-heading]")
    expect(headings).to_have_count(8)
    asked = page.evaluate(
        """() => new Promise(done => {
            document.addEventListener("section-show", event => done(event.detail.offset), {once: true});
            document.querySelectorAll("#outline [data-heading]")[7].click();
        })"""
    )
    text = page.evaluate("document.querySelector('#latex').value")
    assert text[asked:].startswith("\\section{Consent}")


def test_the_menu_is_one_for_the_keyboard(page: Page) -> None:
    start(page)
    button = page.get_by_role("button", name="Change Front matter")
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("menuitem", name="Rename")).to_be_focused()
    page.keyboard.press("ArrowDown")  # Move up is not for the first
    expect(page.get_by_role("menuitem", name="Move down")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("menuitem", name="Remove")).to_be_focused()
    page.keyboard.press("Escape")
    expect(button).to_be_focused()
    expect(button).to_have_attribute("aria-expanded", "false")


def test_without_script_the_open_section_has_forms(open_window: OpenWindow, demo: Any, page: Page) -> None:
    start(page)
    plain = open_window(signed_in=demo, java_script_enabled=False)
    plain.goto(page.url)
    plain.get_by_text("Rename, move or remove Front matter").click()
    plain.get_by_role("button", name="Move down").click()
    expect(plain.locator("li[data-section] .at > a").nth(1)).to_contain_text("Front matter")
    plain.get_by_text("Rename, move or remove Front matter").click()
    plain.get_by_role("button", name="Remove").click()
    plain.get_by_role("button", name="Undo removing Front matter").click()
    expect(plain.locator("li[data-section] .at > a").nth(1)).to_contain_text("Front matter")


@pytest.mark.long
def test_nothing_grave_for_who_cannot_see_it(open_window: OpenWindow, demo: Any) -> None:
    page = open_window(signed_in=demo, viewport={"width": 390, "height": 844})
    start(page)
    menu(page, "Introduction", "Remove")
    page.get_by_text("Bin, 1 section").click()
    page.get_by_role("button", name="Change Abstract").click()
    assert serious(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
