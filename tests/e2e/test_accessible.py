"""No serious finding of axe-core on any page, in light and in dark (SPEC P8)."""

from typing import Any, Literal

import pytest
from playwright.sync_api import Page

from tests.e2e.conftest import OpenWindow
from tests.servers.processes import ROOT

AXE = (ROOT / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")
GRAVE = ("serious", "critical")
# The tool reads the page as it stands: styles are not fetched a second time.
RUN = """async () => {
  const found = await axe.run(document, {preload: false, resultTypes: ["violations"]});
  return found.violations.map(({id, impact, nodes}) => ({id, impact, places: nodes.map(node => node.target.join(" "))}));
}"""

OPEN = ["/accounts/login/", "/accounts/signup/", "/accounts/password/reset/"]
SIGNED_IN = ["/", "/projects/new/", "/account/", "/account/profiles/"]
OF_THESIS = ["", "citations/", "files/", "research/", "settings/"]
OF_RUN = ["", "report/", "findings/", "sources/", "methods/", "network/", "flow/", "provenance/", "given/1/"]

scheme = pytest.mark.parametrize("scheme", ["light", "dark"])
Scheme = Literal["light", "dark"]


def grave(page: Page, address: str) -> list[str]:
    """What axe-core finds serious on the page at `address`: "rule at selector"."""
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate(RUN)
    return [
        f"{address} {violation['id']} at {place}"
        for violation in found
        if violation["impact"] in GRAVE
        for place in violation["places"]
    ]


@scheme
def test_pages_for_everybody(open_window: OpenWindow, scheme: Scheme) -> None:
    page = open_window(color_scheme=scheme)
    assert [trouble for address in OPEN for trouble in grave(page, address)] == []


@scheme
def test_pages_of_a_person_and_a_thesis(open_window: OpenWindow, demo: object, thesis: str, scheme: Scheme) -> None:
    page = open_window(signed_in=demo, color_scheme=scheme)
    addresses = [*SIGNED_IN, *(f"{thesis}{part}" for part in OF_THESIS)]
    assert [trouble for address in addresses for trouble in grave(page, address)] == []


@scheme
def test_pages_of_a_run(open_window: OpenWindow, demo: object, finished_run: str, scheme: Scheme) -> None:
    page = open_window(signed_in=demo, color_scheme=scheme)
    addresses = [f"{finished_run}{part}" for part in OF_RUN]
    assert [trouble for address in addresses for trouble in grave(page, address)] == []


@scheme
def test_the_evidence_in_its_popover(open_window: OpenWindow, demo: object, finished_run: str, scheme: Scheme) -> None:
    page = open_window(signed_in=demo, color_scheme=scheme)
    page.goto(f"{finished_run}report/")
    page.locator("a.marker").first.click()
    page.locator("#evidence:popover-open mark").wait_for()
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    assert [violation for violation in found if violation["impact"] in GRAVE] == []
