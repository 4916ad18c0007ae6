"""The palette, the list of keys and the names of buttons (SPEC P8)."""

import re

from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow


def test_ctrl_k_leads_to_a_section_by_keyboard(shared_page: Page, thesis: str) -> None:
    page = shared_page
    page.goto(f"{thesis}citations/")
    page.keyboard.press("ControlOrMeta+K")
    palette = page.get_by_role("dialog", name="Go to")
    field = palette.get_by_role("combobox")
    expect(field).to_be_focused()
    expect(palette.get_by_role("option", name="Citations", exact=True)).to_be_visible()
    page.keyboard.type("meth")
    option = palette.get_by_role("option", name=re.compile("methods", re.IGNORECASE)).first
    expect(option).to_have_attribute("aria-selected", "true")
    assert serious(page) == []
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/sections/.*methods"))
    page.keyboard.press("ControlOrMeta+K")
    expect(palette).to_be_visible()
    page.keyboard.press("Escape")
    expect(palette).to_be_hidden()


def test_the_question_mark_lists_the_keys_but_not_while_typing(shared_page: Page, thesis: str) -> None:
    page = shared_page
    page.goto(f"{thesis}research/")
    page.get_by_label("What do you want to know?").fill("Why")
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keyboard shortcuts")
    expect(keys).to_be_hidden()
    page.get_by_role("heading", level=1).click()
    page.keyboard.press("?")
    expect(keys).to_be_visible()
    expect(keys).to_contain_text("Ctrl+Shift+C")


def test_a_button_with_an_icon_has_its_name_and_key(shared_page: Page, thesis: str) -> None:
    page = shared_page
    page.goto(f"{thesis}citations/")
    page.locator("[data-palette]").hover()
    expect(page.locator(".tooltip")).to_have_text(re.compile(r"Go to\s*(Ctrl|⌘)\+K"))
    page.keyboard.press("Escape")
    expect(page.locator(".tooltip")).to_be_hidden()


def test_without_scripts_it_is_a_page(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo, java_script_enabled=False)
    page.goto(f"{thesis}citations/")
    page.locator("[data-palette]").click()
    page.get_by_role("searchbox").fill("build")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("option", name="Build").click()
    page.wait_for_url("**/build/")
