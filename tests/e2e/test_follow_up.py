"""A finished run is asked, a gap is looked into and a question run again, in a browser (SPEC R17)."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.conftest import PATIENT, OpenWindow, ask, wait_for_report

PHONE = {"width": 390, "height": 844}
ASKED = "How many participants were there?"


@pytest.mark.long
def test_ask_extend_and_run_again(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    run = ask(page, thesis)
    wait_for_report(page)
    page.goto(f"{run}report/")
    page.get_by_label("Your question").fill(ASKED)
    page.get_by_role("button", name="Ask", exact=True).click()
    expect(page.get_by_role("heading", name=ASKED)).to_be_visible()
    # The answer comes by itself, without the page being loaded anew.
    page.evaluate("window.neverReloaded = true")
    expect(page.locator("#more-1 .answer")).to_be_visible(timeout=PATIENT)
    assert page.evaluate("window.neverReloaded") is True
    if page.locator("#more-1 .answer .marker").count():
        page.locator("#more-1 .answer .marker").first.click()
        expect(page.locator("#more-1 .reference:target")).to_be_visible()
    page.get_by_role("link", name="Evidence", exact=True).click()
    expect(page.get_by_role("heading", name=ASKED)).to_be_visible()

    page.goto(run)
    last = page.locator("ol.stream li").last
    expect(last).to_have_attribute("data-kind", "job_done")
    page.locator("#node-1").hover()
    page.get_by_role("button", name=re.compile(r"^Run again question 1$")).click()
    page.wait_for_url(f"**{run}")
    # The stream of a run that had ended goes on.
    expect(page.locator("ol.stream li[data-kind=follow_up_asked]").last).to_contain_text("Researching question")
    expect(page.locator("ol.stream li[data-kind=follow_up_answered]")).to_have_count(2, timeout=PATIENT)
    expect(page.get_by_role("link", name="Read the report")).to_be_visible(timeout=PATIENT)

    page.goto(f"{run}report/")
    expect(page.locator("#more-2")).to_contain_text("Research question 1 again")
    assert fits(page)
    small = open_window(signed_in=demo, viewport=PHONE)
    for path in ("report/", "follow-ups/", "follow-ups/1/", "follow-ups/2/"):
        small.goto(f"{run}{path}")
        assert fits(small), path


def fits(page: Page) -> bool:
    """Whether nothing makes the page scroll sideways."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))
