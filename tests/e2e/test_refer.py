"""Refer to a table of another chapter, and to one that has no label yet, without LaTeX (SPEC T2)."""

from typing import Any

from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow
from tests.e2e.editor_pages import Desk, desk, headers
from tests.e2e.editor_texts import tool

OWN = r"""As in  others.

\begin{table}[htbp]
\centering
\caption{Age \& sex of \emph{all} patients}
\begin{tabular}{lr}
Age & 61 \\
\end{tabular}
\end{table}
"""
ELSEWHERE = r"""\section{Flow of patients}
\begin{table}[htbp]
\caption{Deaths by drug}\label{tab:deaths}
\begin{tabular}{lr}
Placebo & 9 \\
\end{tabular}
\end{table}
"""


def test_a_table_of_another_chapter_and_one_without_a_label(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, OWN)
    page = made.page
    put(made, "introduction", ELSEWHERE)
    made.open()

    made.caret_after("As in ")
    tool(page, "Refer to a table, figure or heading").focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Refer to")
    box = sheet.get_by_role("combobox")
    expect(box).to_be_focused()
    page.keyboard.type("drug deaths")
    expect(sheet.get_by_role("option")).to_have_count(1)
    expect(sheet.get_by_role("option")).to_contain_text("Deaths by drug")
    assert serious(page) == []
    page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    expect(made.text.locator(".ref")).to_have_text("Table\u00a01.1")
    page.keyboard.type(" and ")
    tool(page, "Refer to a table, figure or heading").click()
    sheet.get_by_role("option", name="Age & sex of all patients").click()
    expect(sheet).to_have_count(0)

    page.keyboard.type(", ")
    tool(page, "Refer to a table, figure or heading").click()
    expect(sheet.get_by_role("option", name="Flow of patients")).to_be_visible()  # of another chapter, without a label
    page.keyboard.type("flow of")
    page.keyboard.press("Enter")
    expect(sheet).to_have_count(0)
    expect(made.text.locator(".ref").nth(2)).to_have_text("Section\u00a01.1")
    assert ELSEWHERE.replace("patients}", "patients}\\label{sec:flow-of-patients}") == text_of(made, "introduction")

    page.keyboard.type(", ")
    tool(page, "Refer to a table, figure or heading").click()
    sheet.get_by_role("option", name="Chapter 5 Results").click()  # the title of this section, before its text
    expect(made.text.locator(".ref").nth(3)).to_have_text("Chapter\u00a05")

    refers = r"As in \Cref{tab:deaths} and \Cref{tab:age-sex-of-all-patients}, \Cref{sec:flow-of-patients}"
    wanted = OWN.replace("As in ", rf"\label{{sec:results}}{refers}, \Cref{{sec:results}}")
    wanted = wanted.replace("patients}\n", "patients}\n\\label{tab:age-sex-of-all-patients}\n")
    made.expect_latex(wanted)
    expect(made.text.locator(".ref").nth(1)).to_have_text("Table\u00a05.1")  # known once it is saved


def test_what_is_no_label_and_nothing_chosen(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, "As in \\ref{tab:gone} here.\n")
    made.open()
    chip = made.text.locator(".ref")
    expect(chip).to_have_text("??")
    expect(chip).to_have_attribute("title", "Nothing in the thesis has the label tab:gone")
    made.caret_after(" here")
    tool(made.page, "Refer to a table, figure or heading").click()
    made.page.keyboard.press("Escape")
    made.expect_latex("As in \\ref{tab:gone} here.\n")
    made.page.keyboard.type(".")
    made.expect_latex("As in \\ref{tab:gone} here..\n")
    chip.click()
    made.page.keyboard.type("tab:later")
    expect(made.page.get_by_role("status")).to_contain_text(["Nothing in the thesis has this label yet."])
    made.page.keyboard.press("Enter")
    made.expect_latex("As in \\ref{tab:later} here..\n")


def test_a_page_that_is_left_while_choosing_keeps_nothing_of_it(open_window: OpenWindow, demo: Any) -> None:
    made = desk(open_window, demo, OWN)
    page = made.page
    made.open()
    made.caret_after("As in ")
    page.keyboard.type("many ")
    tool(page, "Refer to a table, figure or heading").click()
    sheet = page.get_by_role("dialog", name="Refer to")
    with page.expect_response(lambda answer: answer.request.method == "PUT"):
        expect(sheet).to_be_visible()
    assert made.stored() == OWN.replace("As in ", "As in many ")  # saved while it is open
    page.reload()
    made.expect_latex(OWN.replace("As in ", "As in many "))

    made.caret_after("As in many ")
    tool(page, "Refer to a table, figure or heading").click()
    sheet.get_by_role("option", name="Age & sex of all patients").click()
    expect(made.text.locator(".ref")).to_have_count(1)
    tool(page, "Undo").click()
    expect(made.text.locator(".ref")).to_have_count(0)  # one step


def text_of(made: Desk, slug: str) -> str:
    request = made.page.context.request
    rows = request.get(f"/api/projects/{made.project}/sections").json()
    pk = next(one["id"] for one in rows if one["slug"] == slug)
    latex: str = request.get(f"/api/sections/{pk}").json()["latex"]
    return latex


def put(made: Desk, slug: str, latex: str) -> None:
    request = made.page.context.request
    row = next(one for one in request.get(f"/api/projects/{made.project}/sections").json() if one["slug"] == slug)
    held = {**headers(made.page.context), "If-Match": f'"{row["version"]}"'}
    expect(request.put(f"/api/sections/{row['id']}", data={"latex": latex}, headers=held)).to_be_ok()
