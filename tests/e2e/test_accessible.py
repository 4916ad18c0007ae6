"""No serious finding of axe-core on any page, in light and in dark (SPEC P8)."""

import pytest
from playwright.sync_api import Page

from tests.e2e.axe import AXE, GRAVE, RUN, serious, serious_at
from tests.e2e.conftest import OpenWindow

__all__ = ["AXE", "GRAVE", "RUN"]

OPEN = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
SIGNED_IN = ["/", "/projects/new/", "/account/", "/account/profiles/"]
OF_THESIS = [
    "",
    "citations/",
    "files/",
    "research/",
    "analyses/",
    "data/add/",
    "drafting/",
    "layout/",
    "build/",
    "settings/",
]
OF_RUN = ["", "report/", "findings/", "sources/", "methods/", "network/", "flow/", "provenance/", "given/1/"]


def test_pages_for_everybody(page: Page) -> None:
    assert serious_at(page, *OPEN) == []


def test_pages_of_a_person_and_a_thesis(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    assert serious_at(page, *SIGNED_IN, *(f"{thesis}{part}" for part in OF_THESIS)) == []


@pytest.mark.long
def test_pages_of_a_run(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    assert serious_at(page, *(f"{finished_run}{part}" for part in OF_RUN)) == []


def test_the_evidence_in_its_popover(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    page.goto(f"{finished_run}report/")
    page.locator("a.marker").first.click()
    page.locator("#evidence:popover-open mark").wait_for()
    assert serious(page) == []
    assert page.locator("#evidence:popover-open mark").is_visible()  # in dark too
