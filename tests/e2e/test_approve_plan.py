"""In the browser: choices are made, the plan is read, changed by keyboard and approved,
and the run follows it (R2, R3)."""

import re

from playwright.sync_api import expect

from config.demo.install import QUESTION
from tests.e2e.conftest import PATIENT, OpenWindow, wait_for_report


def test_a_plan_is_changed_and_followed(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    page.goto(f"{thesis}research/")
    page.get_by_label("What do you want to know?").fill(QUESTION)
    page.get_by_label("Profile", exact=True).select_option("academic")
    page.get_by_text("More options").click()
    style = page.get_by_label("Citation style")
    expect(page.locator("[name=choices_of]")).to_have_value("academic")
    style.fill("vanc")
    expect(page.locator("#styles option[value=vancouver]")).to_be_attached()
    style.fill("vancouver")
    page.get_by_label("Profile", exact=True).select_option("local-only")
    expect(page.locator("[name=choices_of]")).to_have_value("local-only")
    expect(style).to_have_value("vancouver")  # what was chosen stays
    page.get_by_label("Review the plan before the search starts").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*/")
    page.get_by_role("link", name="Review the plan").click(timeout=PATIENT)

    for question in ("What did hydrocortisone do?", "What did dexamethasone do?"):
        count = page.get_by_label(re.compile(r"^Question \d$")).count()
        page.get_by_role("button", name="Add a question").press("Enter")
        page.get_by_label(f"Question {count + 1}").and_(page.locator("textarea")).fill(question)
    page.get_by_role("button", name="Move up question 2").press("Enter")
    expect(page.locator("#question-1")).to_have_value("What did dexamethasone do?")
    page.get_by_label("Key terms to search for").fill("corticosteroids\nmortality")
    page.get_by_role("button", name="Approve and search").click()
    page.wait_for_url("**/runs/*/")
    tree = page.locator("#run-tree")
    expect(tree.locator("#node-1\\.1")).to_contain_text("dexamethasone", timeout=PATIENT)
    expect(tree.locator("#node-1\\.2")).to_contain_text("hydrocortisone")
    wait_for_report(page)
    expect(page.locator(".stream")).to_contain_text("The plan was approved with changes: the brief")
