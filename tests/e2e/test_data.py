"""A file of data is brought, looked at and confirmed, by hand and by keyboard, in any scheme and on a phone
(SPEC N1)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.analysis.database_rows import PATIENTS
from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow, Trouble

PHONE: ViewportSize = {"width": 390, "height": 844}


@pytest.fixture
def page(open_window: OpenWindow, demo: Any) -> Page:
    return open_window(signed_in=demo)


def choice(page: Page, column: str) -> Any:
    return page.get_by_label(f"Type of {column}", exact=True)


def fits(page: Page) -> bool:
    """Whether the page is no wider than the window."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_from_a_file_to_columns_that_are_confirmed(page: Page, thesis: str, trouble: Trouble) -> None:
    trouble.expect("status of 422")
    # Brought: it is read while one looks on, and the form comes without a reload
    page.goto(thesis)
    page.get_by_role("link", name="Analyses").click()
    page.get_by_role("link", name="Add data").first.click()
    page.get_by_label("Drop a file here").set_input_files(
        {"name": "ward.csv", "mimeType": "text/csv", "buffer": PATIENTS.encode()}
    )
    page.get_by_role("button", name="Upload").click()
    page.wait_for_url(re.compile(r"/data/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("heading", name="Column types")).to_be_visible(timeout=PATIENT)

    # What it holds, and what is wrong with it
    expect(page.get_by_text("One column looks like personal data")).to_be_visible()
    expect(page.locator("tr", has_text="n/k").locator(".wrong")).to_contain_text("Row 4")
    expect(choice(page, "age")).to_have_value("number")

    # What was chosen stays when something cannot be
    choice(page, "pain").select_option("ordered")
    confirm = page.get_by_role("button", name="Confirm")
    confirm.click()
    expect(page.get_by_role("alert")).to_contain_text("n/k")
    expect(choice(page, "pain")).to_have_value("ordered")
    assert page.get_by_role("alert").evaluate("one => one.getBoundingClientRect().top < innerHeight")

    # By keyboard: a tick, and what is behind "More"
    page.get_by_role("alert").get_by_role("link", name="Go to crp").press("Enter")
    page.get_by_label(re.compile("Count “n/k” in crp")).focus()
    page.keyboard.press("Space")
    labels = page.locator("details", has=page.get_by_label("Label of control in group"))
    labels.locator("summary").first.focus()
    page.keyboard.press("Enter")
    page.get_by_label("Label of control in group").fill("No steroid")
    page.locator("summary", has_text="More about group").focus()
    page.keyboard.press("Enter")
    page.locator("#types").get_by_label("Unit").nth(1).fill("group")
    assert serious(page) == []
    confirm.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("link", name="Edit columns")).to_be_visible()
    expect(page.locator("tr", has_text="pain").first).to_contain_text("Ordered categories")
    assert serious(page, "light") == []

    # On a phone nothing is wider than the window, and Confirm is in sight
    page.set_viewport_size(PHONE)
    assert fits(page)
    page.get_by_role("link", name="Edit columns").click()
    assert fits(page)
    expect(confirm).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 800})

    # Read another way it is a new version; then it goes
    page.locator("summary", has_text="Read options").click()
    page.get_by_label("Codes for missing values in all columns").fill("-99")
    page.get_by_role("button", name="Read again").click()
    expect(page.locator(".rail a[aria-current]")).to_contain_text("v2", timeout=PATIENT)
    expect(page.get_by_role("heading", name="Column types")).to_be_visible(timeout=PATIENT)
    page.locator("summary", has_text="Rename, remove columns or delete").click()
    page.get_by_role("link", name="Delete this data").click()
    page.get_by_role("button", name="Delete permanently").click()
    expect(page.get_by_text("ward.csv was deleted.")).to_be_visible()


def test_a_web_page_with_another_name_is_told_at_once(page: Page, thesis: str, trouble: Trouble) -> None:
    trouble.expect("status of 422")
    page.goto(f"{thesis}data/add/")
    page.get_by_label("Drop a file here").set_input_files(
        {"name": "patients.csv", "mimeType": "text/csv", "buffer": b"<!doctype html><html><table><tr><td>1"}
    )
    page.get_by_label("Name").fill("Ward 4")
    page.get_by_role("button", name="Upload").click()
    expect(page.get_by_role("alert").filter(has_text="is a web page")).to_be_visible()
    expect(page.get_by_label("Name")).to_have_value("Ward 4")
    assert serious(page, "dark") == []
