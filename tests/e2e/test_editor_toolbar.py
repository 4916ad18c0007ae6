"""The toolbar of the editor, what is typed by keyboard, and the view that is remembered (SPEC T2)."""

import re
from typing import Any

from playwright.sync_api import Route, expect

from tests.e2e.conftest import OpenWindow, Trouble
from tests.e2e.editor_pages import Desk, desk
from tests.e2e.editor_texts import CHAPTER, blank, changed, results, tool

__all__ = ["blank", "results"]


# Toolbar and keyboard


def test_bold_and_italic(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("One two three")
    blank.select("three")
    tool(page, "Bold").click()
    expect(tool(page, "Bold")).to_have_attribute("aria-pressed", "true")
    blank.expect_latex("One two \\textbf{three}")
    page.keyboard.press("ControlOrMeta+B")
    page.keyboard.press("ControlOrMeta+I")
    blank.expect_latex("One two \\emph{three}")
    expect(tool(page, "Italic")).to_have_attribute("aria-pressed", "true")


def test_the_toolbar_by_arrow_keys(blank: Desk) -> None:
    page = blank.page
    tool(page, "Visual").focus()
    page.keyboard.press("ArrowRight")
    for name in ("Source", "Undo", "Redo", "Find and replace"):
        expect(tool(page, name)).to_be_focused()
        page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Kind of paragraph")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(tool(page, "Bold")).to_be_focused()
    page.keyboard.press("Home")
    expect(tool(page, "Visual")).to_be_focused()
    stops = page.locator("[role=toolbar] :is(button, select):visible").evaluate_all(
        "all => all.filter(one => one.tabIndex === 0).length"
    )
    assert stops == 1


def test_a_list_by_the_button_and_by_typing(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("- Dexamethasone")
    page.keyboard.press("Enter")
    page.keyboard.type("Hydrocortisone")
    blank.expect_latex("\\begin{itemize}\n  \\item Dexamethasone\n  \\item Hydrocortisone\n\\end{itemize}")
    tool(page, "List").click()
    page.keyboard.type(".")
    assert "Hydrocortisone." in blank.latex()
    expect(blank.text.locator("li")).to_have_count(1)


# A page that is busy now and then: what the browser tells of caret and layout comes late.
BUSY = """() => {
  const busy = () => {
    const until = performance.now() + Math.random() * 40;
    while (performance.now() < until);
    setTimeout(busy, Math.random() * 20);
  };
  busy();
}"""


def test_the_first_letter_of_a_new_block_stays_first_on_a_busy_page(blank: Desk) -> None:
    page = blank.page
    page.evaluate(BUSY)
    for _ in range(12):
        page.keyboard.type("- Dexa")
        page.keyboard.press("Enter")
        page.keyboard.press("Enter")
        page.keyboard.type("Deaths")
        assert blank.latex() == "\\begin{itemize}\n  \\item Dexa\n\\end{itemize}\n\nDeaths"
        page.keyboard.press("ControlOrMeta+A")
        page.keyboard.press("Backspace")


def test_dollars_become_maths_and_prices_do_not(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("It cost 5$ and 10$ each; $x^2$ grew")
    expect(blank.text.locator(".maths .katex")).to_have_count(1)
    blank.expect_latex("It cost 5\\$ and 10\\$ each; $x^2$ grew")


def test_two_hyphens_become_a_dash_and_backspace_takes_it_back(blank: Desk) -> None:
    blank.text.click()
    blank.page.keyboard.type("Days 1--28")
    blank.expect_latex("Days 1–28")
    blank.page.keyboard.type(" --")
    blank.page.keyboard.press("Backspace")
    blank.page.keyboard.type("x")
    blank.expect_latex("Days 1–28 -{}-x")


def test_maths_is_edited_with_a_preview(results: Desk) -> None:
    page = results.page
    results.text.locator(".maths").click()
    sheet = page.get_by_role("dialog", name="Maths")
    box = sheet.get_by_label("LaTeX of the formula")
    expect(box).to_have_value("0.66")
    box.fill(r"\frac{1}{2")
    expect(sheet.locator(".wrong")).to_contain_text("cannot be drawn")
    results.expect_latex(changed("$0.66$", r"$\frac{1}{2}$"))  # the text around it stays readable, whatever happens
    box.fill(r"\frac{1}{2}")
    expect(sheet.locator(".preview .katex")).to_be_visible()
    page.keyboard.press("Escape")
    results.expect_latex(changed("$0.66$", r"$\frac{1}{2}$"))
    expect(results.text).to_be_focused()


def test_maths_that_cannot_be_drawn_is_kept(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, r"A $\frobnicate{x}$ here." + "\n")
    made.open()
    expect(made.text.locator(".maths[data-wrong]")).to_have_text(r"\frobnicate{x}")
    made.caret_after("A")
    made.page.keyboard.type("n odd")
    made.expect_latex(r"An odd $\frobnicate{x}$ here." + "\n")


def test_a_footnote_is_put_in_and_edited(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("Fewer died.")
    tool(page, "Footnote").click()
    sheet = page.get_by_role("dialog", name="Footnote")
    expect(sheet.get_by_role("textbox", name="Words of the footnote")).to_be_focused()
    page.keyboard.type("In 50% & ")
    page.keyboard.press("ControlOrMeta+I")
    page.keyboard.type("most")
    page.keyboard.press("ControlOrMeta+I")
    page.keyboard.type(" trials, $p<0.1$.")
    page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    page.keyboard.type(" So we hold.")
    blank.expect_latex(r"Fewer died.\footnote{In 50\% \& \emph{most} trials, $p<0.1$.} So we hold.")
    expect(blank.text.locator(".footnote")).to_have_text("1")


def test_a_table_is_filled_and_grows(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("See below.")
    page.keyboard.press("Enter")
    tool(page, "Table").click()
    page.keyboard.press("Enter")
    for words in ("Drug", "Trials", "Deaths", "Dexamethasone", "3", "166"):
        page.keyboard.type(words)
        page.keyboard.press("Tab")
    tool(page, "Change the table").click()
    page.get_by_role("button", name="Add a row below").click()
    expect(blank.text.locator("tr")).to_have_count(4)
    tool(page, "Change the table").click()
    page.get_by_role("button", name="Remove this column").click()
    expect(blank.text.locator("tr").first.locator("th")).to_have_text(["Trials", "Deaths"])
    latex = blank.latex()
    assert re.search(r"Trials & Deaths \\\\", latex), latex
    assert re.search(r"3 & 166 \\\\", latex), latex


def test_one_cell_of_a_table_is_changed(results: Desk) -> None:
    results.caret_after("166")
    results.page.keyboard.type("/459")
    results.expect_latex(changed("166", "166/459"))


def test_a_caption_is_typed_in(results: Desk) -> None:
    results.caret_after("Death at 28 days in seven trials")
    results.page.keyboard.type(", pooled")
    results.expect_latex(changed("in seven trials.", "in seven trials, pooled."))


def test_a_paragraph_is_split_and_joined(results: Desk) -> None:
    page = results.page
    results.caret_after("The odds ratio was")
    page.keyboard.press("Enter")
    assert "The odds ratio was\n\n" in results.latex()
    page.keyboard.press("Backspace")
    page.wait_for_timeout(100)
    assert results.latex().replace("was$", "was $") == CHAPTER or results.latex() == CHAPTER


def test_the_next_section_by_key(results: Desk) -> None:
    page = results.page
    results.caret_after("Deaths were")
    page.keyboard.press("Alt+ArrowDown")
    page.wait_for_url("**/sections/discussion/")
    page.wait_for_selector("section-editor[view=visual]")
    page.keyboard.press("Alt+ArrowUp")
    page.wait_for_url("**/sections/results/")


def test_the_view_is_remembered(results: Desk) -> None:
    page = results.page
    tool(page, "Source").click()
    page.wait_for_selector("section-editor[view=source]")
    page.reload()
    page.wait_for_selector("section-editor[view=source]")
    tool(page, "Visual").click()
    page.wait_for_selector("section-editor[view=visual]")
    page.reload()
    page.wait_for_selector("section-editor[view=visual]")


def test_what_is_typed_while_the_source_is_fetched_is_in_it(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, CHAPTER)
    held: list[Route] = []
    made.page.route("**/latex-source*.js", lambda route: held.append(route))
    made.open()
    made.caret_after("The odds ratio")
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.keyboard.type("s of all")
    made.page.keyboard.press("ControlOrMeta+/")  # back again, before it came
    made.page.keyboard.press("ControlOrMeta+/")
    made.page.keyboard.type(" seven")
    held[0].continue_()
    made.page.wait_for_selector("section-editor[view=source]")
    made.expect_latex(changed("The odds ratio", "The odds ratios of all seven"))


def test_a_source_that_cannot_be_fetched_is_the_plain_box(open_window: OpenWindow, demo: Any, trouble: Trouble) -> None:
    trouble.expect("net::ERR_FAILED")
    text = CHAPTER.replace("fewer\n", "fewer\r\n")
    made = desk(open_window, demo, text)
    made.page.route("**/latex-source*.js", lambda route: route.abort())
    made.open()
    made.text.click()
    made.page.keyboard.press("ControlOrMeta+/")
    box = made.page.get_by_role("textbox", name="as LaTeX")
    expect(box).to_be_focused()
    made.expect_latex(text)
    made.page.keyboard.press("ControlOrMeta+End")
    made.page.keyboard.type("More.")
    made.expect_latex(f"{text}More.")


def test_replacing_keeps_the_caret_and_is_one_step_back(results: Desk) -> None:
    page = results.page
    results.caret_after("The odds ratio")
    page.locator("section-editor").evaluate(
        """editor => editor.replace(editor.latex.replace("Seven trials", "Eight trials"), {undoable: true})"""
    )
    page.keyboard.type("s")
    results.expect_latex(changed("Seven trials", "Eight trials").replace("The odds ratio", "The odds ratios"))
    page.keyboard.press("ControlOrMeta+Z")
    page.keyboard.press("ControlOrMeta+Z")
    results.expect_latex(CHAPTER)
