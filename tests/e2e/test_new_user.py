"""Somebody new brings a file and asks about it: every figure of the report is from that file (SPEC P3, X1, X2, P7)."""

import random
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENT, Trouble, ask, wait_for_report


def field_notes(drained: float, wet: float, bogs: int) -> str:
    return f"""# Cloudberry on drained bogs

## Sites

We counted cloudberry on {bogs} bogs between June and August. Half of the bogs had been drained before 1960.

## Yield

On drained bogs the mean cloudberry yield was {drained} kg per hectare. On bogs that were never drained the mean
cloudberry yield was {wet} kg per hectare. Drainage lowered the cloudberry yield in every year of the study.

## Limits

Bogs were not drawn at random, and pollinators were not counted.
"""


def sign_up(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Create an account").click()
    page.get_by_label("Your name").fill("Ylva Sund")
    page.get_by_label("E-mail").fill(f"ylva-{random.randrange(10**9)}@example.org")
    page.get_by_label("Password").fill("cloudberries in the fog")
    page.get_by_role("button", name="Create account").click()
    page.get_by_role("link", name="Choose a template").click()


def test_from_an_account_to_a_report_of_an_own_file(page: Page, tmp_path: Path, trouble: Trouble) -> None:
    drained, wet, bogs = (round(random.uniform(*span), 1) for span in ((11, 40), (60, 99), (12, 48)))
    notes = tmp_path / "cloudberry.md"
    notes.write_text(field_notes(drained, wet, int(bogs)), encoding="utf-8")

    sign_up(page)
    page.get_by_label("Title").fill("Cloudberry and drainage")
    page.get_by_role("button", name="Create thesis").click()
    page.get_by_role("link", name="Files", exact=True).click()
    page.locator("#files-input").set_input_files(notes)
    expect(page.get_by_role("link", name="cloudberry.md", exact=True)).to_be_visible()
    thesis = page.url.removesuffix("files/")

    ask(page, thesis, "How does drainage change the cloudberry yield of bogs?")
    wait_for_report(page)
    page.get_by_role("link", name="Read the report").click()
    report = page.locator("article.manuscript")
    for figure in (drained, wet):
        expect(report).to_contain_text(f"{figure} kg per hectare")

    sentence = report.locator("p, li").filter(has_text=f"{wet} kg").first
    sentence.locator("a.marker").first.click()
    expect(page.locator("#evidence:popover-open mark")).to_be_visible()
    page.get_by_role("link", name="Show in context").click()
    expect(page.get_by_role("heading", name="cloudberry.md")).to_be_visible()
    expect(page.locator("mark").first).to_be_in_viewport()

    ask(page, thesis, "Which violin makers worked in Cremona around 1700?")
    expect(page.get_by_role("alert")).to_contain_text("The run stopped.", timeout=PATIENT)
    said = page.get_by_role("alert").locator("p").inner_text()
    assert len(said) > 30
    assert "note" not in said.split()  # an answer, not a fault of ours
    page.get_by_role("link", name="Ask again").click()
    expect(page.get_by_role("row", name="Which violin makers")).to_contain_text("Stopped")
