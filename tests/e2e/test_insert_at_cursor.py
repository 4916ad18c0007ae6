"""From the open editor to a page that inserts: the paragraph of the cursor is offered first (SPEC T7)."""

import re
from typing import Any

from playwright.sync_api import expect

from tests.e2e.conftest import OpenWindow, Server
from tests.e2e.writing import new_section, open_section

TEXT = "\\section{Flow}\nOf 212 patients 40 were lost.\n\n\\subsection{Sites}\nTwo.\n"


def test_at_the_cursor(open_window: OpenWindow, server: Server, demo: Any, thesis: str, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT, title="Here the cursor is")
    open_section(page, section, "visual")
    page.locator(".visual p").first.click()
    page.goto(f"{finished_run}findings/")
    page.get_by_role("checkbox", name=re.compile(r"^Select F")).first.check()
    page.get_by_role("button", name="Insert into a section").click()
    place = page.get_by_label("Place", exact=True)
    expect(place.locator("option").first).to_have_text(
        "At the cursor, after the paragraph that begins “Of 212 patients 40 were lost”"
    )
    expect(place).to_have_value("cursor")
    expect(page.get_by_label("Section")).to_have_value(section.path.rstrip("/").rpartition("/")[2])
    page.get_by_role("button", name="Insert as a proposal").click()
    page.wait_for_url("**?beside=draft")
    page.locator("draft-proposal").first.get_by_role("button", name=re.compile("^Accept( all)?$")).click()
    section.comes_to(lambda latex: "% From research “" in latex)
    assert section.latex.index("lost.") < section.latex.index("% From research") < section.latex.index("{Sites}")
    undo = page.get_by_role("button", name="Undo", exact=True)
    expect(undo).to_have_attribute("aria-disabled", "false")
    undo.click()
    section.comes_to(TEXT)
