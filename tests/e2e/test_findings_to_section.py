"""Flow 18: findings go into a section, and the works they rest on into its references;
support for a sentence (SPEC T7, T3)."""

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow, Server
from tests.e2e.writing import new_section, open_section, text_of
from tests.servers.processes import until

SENTENCE = "Corticosteroids lowered 28-day mortality in critically ill patients with COVID-19."


def test_findings_and_support(
    open_window: OpenWindow, server: Server, demo: Any, thesis: str, finished_run: str
) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, f"Before.\n\n{SENTENCE}\n", title="A test of findings")

    # Findings, chosen where they are listed
    page.goto(f"{finished_run}findings/")
    boxes = page.get_by_role("checkbox", name=re.compile(r"^Select F"))
    boxes.nth(0).check()
    boxes.nth(1).check()
    page.get_by_role("button", name="Insert into a section").click()
    expect(page.get_by_role("heading", name="Insert into a section")).to_be_visible()
    page.get_by_label("Section").select_option(value=section.path.rstrip("/").rpartition("/")[2])
    coming = page.locator("#coming")
    expect(coming.get_by_label("As it will be printed").locator(".cite").first).to_be_visible()
    expect(coming.get_by_label("LaTeX")).to_contain_text("% From research “")
    keys = {
        key
        for keys in re.findall(r"\\cite\{([^}]+)\}", coming.get_by_label("LaTeX").text_content() or "")
        for key in keys.split(",")
    }
    assert keys
    page.wait_for_load_state("networkidle")
    assert serious(page) == []
    page.get_by_role("button", name="Insert as a proposal").click()

    # The proposal beside the text; taken, it is there with its sources
    page.wait_for_url("**?beside=draft")
    proposal = page.locator("draft-proposal").first
    expect(proposal).to_contain_text(re.compile("Proposal: findings", re.IGNORECASE))
    expect(proposal.get_by_role("button", name=re.compile("^Accept( all)?$"))).to_be_enabled()
    assert "% From research" not in section.latex
    proposal.get_by_role("button", name=re.compile("^Accept( all)?$")).click()
    section.comes_to(lambda latex: all(key in latex for key in keys) and "% From research “" in latex)
    assert section.kept("proposed")
    project = thesis.strip("/").split("/")[1]
    bibtex = page.context.request.get(f"/api/projects/{project}/citations/export?format=bibtex").text()
    assert all(re.search(rf"^@\w+\{{{re.escape(key)},", bibtex, re.MULTILINE) for key in keys), keys

    # Support for a sentence: looked for, told, and cited in the text of the page
    open_section(page, section)
    page.get_by_role("tab", name="Draft").click()
    ask = page.locator("#support-ask")
    ask.locator("summary").click()
    ask.get_by_label("Sentence").fill(SENTENCE)
    ask.get_by_role("button", name="Find support").click()
    support = page.locator("support-offers")
    expect(support).to_contain_text("Searching for works about it.")
    offers = support.locator(".offers > li")
    expect(offers.first).to_be_visible(timeout=PATIENT)
    expect(offers.first.locator("blockquote")).to_contain_text("mortality")
    assert serious(page) == []
    before = text_of(page)
    offers.first.get_by_role("button", name=re.compile("^Cite")).click()
    expect(offers.first).to_contain_text("Cited as")
    key = offers.first.locator("[data-cited] code").inner_text()
    assert text_of(page) == before.replace(SENTENCE, SENTENCE.replace("-19.", f"-19~\\cite{{{key}}}."))
    section.comes_to(text_of(page))
    page.locator(".cm-content").click()
    page.keyboard.press("Control+z")
    until(lambda: text_of(page) == before, 5, "the text before the citation")


@pytest.mark.parametrize("width", [390])
def test_narrow(open_window: OpenWindow, demo: Any, finished_run: str, width: int) -> None:
    page = open_window(signed_in=demo, viewport={"width": width, "height": 800})
    page.goto(f"{finished_run}report/put/")
    expect(page.get_by_role("heading", name="Insert into a section")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
