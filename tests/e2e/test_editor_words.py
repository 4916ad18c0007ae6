"""What is typed as words prints as typed: quotation marks, formulas by buttons (SPEC T2)."""

from playwright.sync_api import expect

from tests.e2e.editor_pages import Desk
from tests.e2e.editor_texts import blank, tool

__all__ = ["blank"]


def test_quotation_marks(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("""She said "it's 'so'" („ja“), क्षति "मरम्मत".""")
    blank.expect_latex("She said “it’s ‘so’” („ja“), क्षति “मरम्मत”.")
    page.keyboard.type(' 5"')
    page.keyboard.press("Backspace")  # as it was typed
    blank.expect_latex('She said “it’s ‘so’” („ja“), क्षति “मरम्मत”. 5"')


def test_a_formula_without_latex(blank: Desk) -> None:
    page = blank.page
    page.keyboard.type("Thus ")
    tool(page, "Maths").click()
    sheet = page.get_by_role("dialog", name="Maths")
    sheet.get_by_role("button", name="Fraction").click()
    page.keyboard.type("a")
    sheet.get_by_role("button", name="Power").click()
    page.keyboard.type("2")
    page.keyboard.press("Tab")
    sheet.get_by_label("Greek letter").select_option(label="α alpha")
    page.keyboard.press("End")
    page.keyboard.type("≥1")
    expect(sheet.locator(".preview .katex")).to_be_visible()
    page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    page.keyboard.type(".")
    blank.expect_latex(r"Thus $\frac{a^{2}}{\alpha }\geq1$.")
