r"""Writing as on a page, with LaTeX kept exactly below it
(SPEC T2; the flows 1, 8 and 9 of the editor, toolbar and keyboard)."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow
from tests.e2e.editor_pages import Desk, desk, headers
from tests.e2e.editor_texts import CHAPTER, blank, changed, results

__all__ = ["blank", "results"]


# Flow 1: a thesis from the template is written in


def test_a_new_thesis_is_written_in_and_saved(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("Aim")
    page.get_by_label("Kind of paragraph").select_option("Heading")
    page.keyboard.press("Enter")
    page.keyboard.type("Deaths fell by 5% & costs too.")
    blank.expect_latex("\\section{Aim}\n\nDeaths fell by 5\\% \\& costs too.")
    page.keyboard.press("ControlOrMeta+S")
    expect(page.locator("#save")).to_contain_text("Saved", timeout=10_000)
    assert blank.stored() == "\\section{Aim}\n\nDeaths fell by 5\\% \\& costs too."
    page.reload()
    expect(blank.text.locator("h3")).to_have_text("Aim")


def test_a_text_that_is_only_looked_at_is_not_changed(results: Desk) -> None:
    assert results.latex() == CHAPTER
    results.text.click()
    results.page.keyboard.press("ControlOrMeta+/")
    results.page.wait_for_selector("section-editor[view=source]")
    assert results.latex() == CHAPTER
    results.page.keyboard.press("ControlOrMeta+/")
    results.page.wait_for_selector("section-editor[view=visual]")
    assert results.latex() == CHAPTER


def test_mixed_line_endings_stay_in_the_source(open_window: OpenWindow, demo: Any) -> None:
    text = "One.\r\nTwo.\n\nThree.\rFour.\n"
    made = desk(open_window, demo, text)
    made.open()
    made.text.click()
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.wait_for_selector("section-editor[view=source]")
    made.open("source")
    expect(made.page.locator("#save")).to_contain_text("Saved")
    made.page.wait_for_timeout(300)  # in which a text that is not the one that was sent would be found
    assert made.latex() == text
    expect(made.page.locator("#save")).to_contain_text("Saved")


@pytest.mark.parametrize("ending", ["\r\n", "\n"])
def test_line_endings_stay(open_window: OpenWindow, demo: Any, ending: str) -> None:
    text = CHAPTER.replace("\n", ending)
    made = desk(open_window, demo, text)
    made.open()
    made.caret_after("Deaths were fewer")
    made.page.keyboard.type(" by far")
    made.expect_latex(text.replace("Deaths were fewer", "Deaths were fewer by far"))


# Flow 8: around what only LaTeX understands


def test_words_around_a_macro_change_and_nothing_else(results: Desk) -> None:
    page = results.page
    expect(results.text.locator(".raw").filter(has_text="\\gls{ards}")).to_be_visible()
    results.caret_after("point the same")
    page.keyboard.type(" old")
    results.expect_latex(changed("point the same", "point the same old"))
    results.caret_after("Deaths were")
    page.keyboard.type(" much")
    results.expect_latex(changed("point the same", "point the same old").replace("Deaths were", "Deaths were much"))
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(changed("point the same", "point the same old"))
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(CHAPTER)


def test_a_macro_is_selected_before_it_is_deleted_and_can_be_edited(results: Desk) -> None:
    page = results.page
    results.caret_after("point")
    for _ in range(len(" point")):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Backspace")
    assert results.latex() == CHAPTER
    expect(results.text.locator(".raw.ProseMirror-selectednode")).to_have_text("\\gls{ards}")
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="LaTeX, kept exactly as written")
    sheet.get_by_label("LaTeX").fill(r"\glspl{ards}")
    page.keyboard.press("Escape")
    results.expect_latex(changed(r"\gls{ards}", r"\glspl{ards}"))
    expect(results.text).to_be_focused()


def test_typing_while_a_drawing_is_selected_leaves_it_alone(results: Desk) -> None:
    results.caret_after("of our own.")
    results.page.keyboard.press("ArrowRight")
    expect(results.text.locator(".raw-block.ProseMirror-selectednode")).to_have_count(1)
    results.page.keyboard.type("After it.")
    results.expect_latex(changed("\\end{tikzpicture}\n\n", "\\end{tikzpicture}\n\nAfter it.\n\n"))


def test_a_drawing_is_kept_and_edited_in_its_place(results: Desk) -> None:
    page = results.page
    block = results.text.locator(".raw-block")
    expect(block).to_contain_text("Show source")
    block.click()
    box = block.get_by_role("textbox")
    expect(box).to_be_focused()
    expect(box).to_have_value(re.compile(re.escape("\\draw (0,0) -- (1,1); % kept exactly as written")))
    box.press("ControlOrMeta+End")
    box.press("ArrowUp")
    box.press("End")
    page.keyboard.type("\n  \\draw (1,1) -- (2,0);")
    page.keyboard.press("Escape")
    results.expect_latex(changed("% kept exactly as written", "% kept exactly as written\n  \\draw (1,1) -- (2,0);"))


def test_a_block_that_leaves_a_brace_open_says_so_and_stays_within_itself(results: Desk) -> None:
    page = results.page
    block = results.text.locator(".raw-block")
    block.click()
    box = block.get_by_role("textbox")
    box.press("ControlOrMeta+Home")
    box.press("End")
    page.keyboard.type("\n{\\bfseries")
    page.keyboard.press("Escape")
    says = block.get_by_role("alert")
    expect(says).to_contain_text("Line 2: This brace { is never closed.")
    expect(box).to_have_attribute("aria-invalid", "true")
    assert serious(page) == []
    whole = changed("scale=2]", "scale=2]\n{\\bfseries")
    results.expect_latex(whole.replace("\\end{tikz", "}\\end{tikz"))
    box.focus()
    page.keyboard.type("}")
    expect(says).to_be_hidden()
    page.keyboard.press("Escape")
    expect(box).to_have_count(0)


# Flow 9: broken LaTeX


def test_broken_latex_opens_in_source_and_as_a_page_once_it_is_whole(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "Before.\n\n\\begin{itemize}\n\\item One\n\nAfter.\n")
    made.open("source")
    page = made.page
    banner = page.get_by_role("status").filter(has_text="itemize")
    expect(banner).to_contain_text("3")
    assert made.latex() == "Before.\n\n\\begin{itemize}\n\\item One\n\nAfter.\n"
    page.get_by_role("button", name="Visual", exact=True).click()
    expect(page.locator("section-editor")).to_have_attribute("view", "source")
    page.locator("section-editor").evaluate(
        "editor => editor.replace(editor.latex.replace('One\\n', 'One\\n\\\\end{itemize}\\n'))"
    )
    page.get_by_role("button", name="Visual", exact=True).click()
    expect(page.locator("section-editor")).to_have_attribute("view", "visual")
    expect(made.text.locator("li")).to_have_text("One")


def test_a_very_long_text_opens_in_source_and_says_why(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "Long words of a long text. " * 16_000)
    made.open("source")
    expect(made.page.locator("[data-part=banner]")).to_contain_text("longer than 400,000 characters")


# What is shown


def test_the_text_stands_as_it_is_printed(results: Desk) -> None:
    text = results.text
    expect(text.locator("h3")).to_have_text("Mortality at 28 days")
    expect(text.locator("em")).to_have_text("RECOVERY")
    expect(text.locator(".maths .katex")).to_have_count(1)
    expect(text.locator(".math-block .katex-display")).to_be_visible()
    expect(text.locator("li")).to_have_text(["Dexamethasone", "Hydrocortisone"])
    expect(text.locator("th")).to_have_text(["Drug", "Trials", "Deaths"])
    expect(text.locator(".table-caption")).to_have_text("Deaths at 28 days by drug.")
    expect(text.locator("figcaption")).to_have_text("Death at 28 days in seven trials.")
    expect(text.locator(".plate.no-picture")).to_contain_text("figures/forest.png")
    expect(text.locator(".plate.no-picture")).to_contain_text("This picture is missing.")
    expect(text.locator(".footnote")).to_be_visible()


def test_a_formula_that_never_ends_and_a_very_long_one(open_window: OpenWindow, demo: Any) -> None:
    long = "+".join(f"a_{{{one}}}" for one in range(60))
    latex = f"It costs $5 here.\n\nAs ${long}$ shows.\n"
    made = desk(open_window, demo, latex)
    made.open()
    expect(made.text.locator(".raw")).to_have_text("$ formula not closed")
    formula = made.text.locator(".maths")
    expect(formula.locator(".katex")).to_have_count(1)
    assert formula.evaluate(
        "one => one.scrollWidth > one.clientWidth && one.clientWidth <= one.parentElement.clientWidth"
    )
    made.caret_after("shows")
    made.page.keyboard.type(" it")
    made.expect_latex(latex.replace("shows", "shows it"))


def test_arabic_and_hindi_run_their_own_way(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "النتائج في المرضى\n\nपरिणाम अच्छे रहे।\n")
    made.open()
    ways = made.text.locator("p").evaluate_all("rows => rows.map(row => getComputedStyle(row).direction)")
    assert ways == ["rtl", "ltr"]
    made.caret_after("المرضى")
    made.page.keyboard.insert_text(" كانت")
    made.expect_latex("النتائج في المرضى كانت\n\nपरिणाम अच्छे रहे।\n")


def test_comments_are_painted_and_stay_with_their_words(results: Desk) -> None:
    page = results.page
    start = CHAPTER.index("222 of 678")
    remark = {"body": "Which trials?", "start": start, "end": start + len("222 of 678")}
    answer = page.request.post(f"/api/sections/{results.section}/comments", data=remark, headers=headers(page.context))
    assert answer.status == 201, answer.text()
    results.open()
    painted = results.text.locator("[data-comment]")
    expect(painted).to_have_text("222 of 678")
    results.caret_after("Seven")
    page.keyboard.type(" or more")
    expect(painted).to_have_text("222 of 678")


def test_nothing_serious_for_axe(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER)
    made.open()
    page = made.page
    expect(made.text.locator(".math-block .katex")).to_be_visible()
    found = serious(page)
    made.text.locator(".maths").click()
    assert found + serious(page) == []


@pytest.mark.parametrize("width", [1280, 1440, 1920])
def test_the_toolbar_is_one_row(open_window: OpenWindow, demo: Any, width: int) -> None:
    made = desk(open_window, demo, CHAPTER, viewport={"width": width, "height": 800})
    made.open()
    bar = made.page.locator("[role=toolbar]").first
    tops = bar.locator(":is(button, select, .save):visible").evaluate_all(
        "all => all.map(one => { const box = one.getBoundingClientRect(); return (box.top + box.bottom) / 2; })"
    )
    assert max(tops) - min(tops) < 8
    needed, there = bar.evaluate("one => [one.scrollWidth, one.clientWidth]")
    assert needed <= there + 1


def test_a_phone_shows_the_origin_of_a_table_above_the_next_paragraph(open_window: OpenWindow, demo: Any) -> None:
    table = r"\begin{table}\caption{Counts}\begin{tabular}{l}a\\\end{tabular}\end{table}"
    origin = "% From analysis 1 “Counts” (analysis 8e51ecd3-dd12-4449-b376-220db410192b), trials.csv version 1"
    made = desk(open_window, demo, f"{table}\n{origin}\n\nWords below.\n", viewport={"width": 390, "height": 844})
    made.open()
    note = made.text.locator(".source-comment").bounding_box()
    below = made.text.locator("p", has_text="Words below.").bounding_box()
    assert note is not None
    assert below is not None
    assert below["width"] > 300
    assert below["y"] >= note["y"] + note["height"]


def test_a_phone_has_all_tools_and_does_not_scroll_sideways(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER, viewport={"width": 390, "height": 844}, has_touch=True)
    made.open()
    page = made.page
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    paragraph = made.text.locator("p").first.bounding_box()
    assert paragraph is not None
    assert paragraph["width"] > 300, "the margins of a wide page are gone"
    boxes = [one.bounding_box() for one in page.locator("[role=toolbar] button[data-act]").all()]
    edges = sorted((box["x"], box["x"] + box["width"]) for box in boxes if box)
    assert all(after[0] > before[1] for before, after in zip(edges, edges[1:], strict=False))
