"""Find and replace (SPEC T2): one bar over both views of a section, and the whole thesis on a page of its own."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow
from tests.e2e.editor_pages import Desk, desk, desk_in, headers

TEXT = r"""Hypertension is common \cite{hypertension}. Severe \textbf{hyper}tension is
rare: 5\% \& less.

\begin{tikzpicture}
  \draw hypertension; % as it is
\end{tikzpicture}

No hypertension\footnote{Or hypertension.} at all.
"""


@pytest.fixture
def section(shared_page: Page) -> Desk:
    made = desk_in(shared_page, TEXT)
    made.open()
    return made


def count(page: Page) -> Any:
    return page.locator("[data-find=count]")


def test_the_bar_in_the_visual_view(section: Desk) -> None:
    page = section.page
    page.keyboard.press("ControlOrMeta+F")
    field = page.get_by_role("textbox", name="Find", exact=True)
    expect(field).to_be_focused()
    page.keyboard.type("hypertension")
    expect(count(page)).to_have_text("1 of 3")
    expect(page.locator(".found-word")).to_have_text("Hypertension")
    expect(page.locator("[data-find=hidden]")).to_contain_text("2 more in captions, notes or LaTeX source.")
    page.keyboard.press("Enter")
    expect(count(page)).to_have_text("2 of 3")
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(count(page)).to_have_text("3 of 3")
    page.get_by_role("button", name="Match case").click()
    expect(count(page)).to_have_text(re.compile("of 2"))
    page.get_by_role("button", name="Match case").click()
    field.fill("tension")
    page.get_by_role("button", name="Whole words").click()
    expect(count(page)).to_have_text("No matches")
    page.get_by_role("button", name="Whole words").click()
    field.fill("less")
    expect(count(page)).to_have_text("1 of 1")
    page.keyboard.press("Escape")
    expect(page.locator("[data-part=find]")).to_be_hidden()
    expect(section.text).to_be_focused()
    assert page.evaluate("getSelection().toString()") == "less"
    expect(page.locator(".found-word")).to_have_count(0)


def test_replacing_changes_nothing_else_and_is_one_undo_step(section: Desk) -> None:
    page = section.page
    page.keyboard.press("ControlOrMeta+H")
    page.get_by_role("textbox", name="Find", exact=True).fill("hypertension")
    page.get_by_role("textbox", name="Replace with").fill("R&D 5% hypertension")
    page.get_by_role("button", name="Replace all").click()
    expect(count(page)).to_have_text("3 replaced")
    new = r"R\&D 5\% hypertension"
    section.expect_latex(
        TEXT.replace("Hypertension is", f"{new} is")
        .replace(r"\textbf{hyper}tension", rf"\textbf{{{new}}}")
        .replace("No hypertension", f"No {new}")
    )
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+Z")
    section.expect_latex(TEXT)


def test_replacing_one_after_the_other_does_not_find_the_new_words_again(section: Desk) -> None:
    page = section.page
    page.keyboard.press("ControlOrMeta+H")
    page.get_by_role("textbox", name="Find", exact=True).fill("rare")
    page.get_by_role("textbox", name="Replace with").fill("very rare")
    page.keyboard.press("Enter")
    section.expect_latex(TEXT.replace("rare", "very rare"))
    expect(count(page)).to_have_text("1 of 1")


def test_the_bar_in_the_source_view_takes_everything_as_written(section: Desk) -> None:
    page = section.page
    page.keyboard.press("ControlOrMeta+F")
    page.get_by_role("textbox", name="Find", exact=True).fill("hypertension")
    page.get_by_role("button", name="Open Source").click()
    page.wait_for_selector("section-editor[view=source]")
    expect(count(page)).to_have_text(re.compile("of 5"))
    page.get_by_role("textbox", name="Find", exact=True).fill(r"\cite{hypertension}")
    expect(count(page)).to_have_text("1 of 1")
    page.get_by_role("button", name="Replace", exact=True).first.click()
    page.get_by_role("textbox", name="Replace with").fill(r"\citep{b}")
    page.get_by_role("button", name="Replace all").click()
    section.expect_latex(TEXT.replace(r"\cite{hypertension}", r"\citep{b}"))
    page.keyboard.press("Escape")
    page.keyboard.press("ControlOrMeta+Z")
    section.expect_latex(TEXT)
    page.locator("[data-view=visual]").click()
    page.wait_for_selector("section-editor[view=visual]")


def test_the_whole_thesis(open_window: OpenWindow, demo: Any) -> None:
    here = desk(open_window, demo, TEXT)
    page = here.page
    sections = f"/api/projects/{here.project}/sections"
    other = next(one for one in page.request.get(sections).json() if one["slug"] == "discussion")
    held = {**headers(page.context), "If-Match": f'"{other["version"]}"'}
    expect(page.request.put(f"/api/sections/{other['id']}", data={"latex": "Hypertension."}, headers=held)).to_be_ok()
    here.open()
    here.caret_after("rare: 5% & less")
    page.keyboard.type(" hypertension")
    page.keyboard.press("ControlOrMeta+F")
    page.get_by_role("textbox", name="Find", exact=True).fill("hypertension")
    page.get_by_role("link", name="In the whole thesis").click()

    # What was typed a moment ago is among the matches.
    expect(page.get_by_role("status").filter(has_text="6 matches in 2 sections.")).to_be_visible()
    page.get_by_label("Replace with").fill("high blood pressure")
    page.get_by_role("checkbox", name="Replace match 1 in Results").uncheck()
    assert serious(page) == []
    page.get_by_role("button", name="Replace 5 in 2 sections").click()
    expect(page.get_by_text("5 matches in 2 sections were replaced.")).to_be_visible()
    assert "less high blood pressure" in here.stored()
    assert here.stored().startswith(r"Hypertension is common \cite{hypertension}.")
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("5 matches in 2 sections were put back.")).to_be_visible()
    assert here.stored() == TEXT.replace("less.", "less hypertension.")

    page.get_by_role("textbox", name="Find").fill("at all")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="at all").click()
    page.wait_for_selector("section-editor[view=visual]")
    expect(here.text).to_be_focused()
