"""In the browser: a file with personal data makes the run wait, and by keyboard it goes on without that file (X2)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, expect

from config.demo.install import TITLE
from tests.e2e.axe import serious_at
from tests.e2e.conftest import PATIENT, OpenWindow, Server, serving, signed_in_at, wait_for_report
from tests.servers.thinking_model import Thinking

LIST = "# Who keeps the plots\n\nAnna Muster, born 12.03.1954, anna.muster@example.org, keeps the plots of alder.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, static: Path, thought: Thinking) -> Iterator[Server]:
    """A Scholium whose model is at an address that is not known to be this machine."""
    settings = dict(thought.settings)
    settings["ANTHROPIC_BASE_URL"] = settings["ANTHROPIC_BASE_URL"].replace("127.0.0.1", "127.1")
    with serving(tmp_path_factory.mktemp("elsewhere"), static, **settings) as running:
        yield running


@pytest.fixture
def signed_in(browser: Browser, server: Server) -> Any:
    return signed_in_at(browser, server)


@pytest.mark.long  # a server of its own; what is left out and sent: tests/research_model/test_consent.py
def test_a_file_is_left_out_by_keyboard(open_window: OpenWindow, signed_in: Any, thought: Thinking) -> None:
    page, asked = open_window(signed_in=signed_in), len(thought.asked)
    page.goto("/")
    page.get_by_role("link", name=TITLE).first.click()
    page.get_by_role("link", name="Files", exact=True).click()
    keepers: FilePayload = {"name": "keepers.md", "mimeType": "text/markdown", "buffer": LIST.encode()}
    page.locator("#files input[type=file]").set_input_files(keepers)
    expect(page.get_by_role("link", name="keepers.md").first).to_be_visible()

    page.get_by_role("link", name="Research", exact=True).click()
    page.get_by_label("What do you want to know?").fill("How does alder change soil nitrogen?")
    page.get_by_label("Profile", exact=True).select_option("general")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*/")
    decide = page.get_by_role("link", name="Review your files")
    expect(decide).to_be_visible(timeout=PATIENT)
    assert len(thought.asked) == asked
    decide.press("Enter")
    page.wait_for_url("**/consent/")
    assert serious_at(page, page.url) == []

    reached: list[str] = []
    page.locator("h1").click()
    for _ in range(8):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.innerText.trim()"))
        if reached[-1] == "Leave this file out":
            break
    assert reached[-1] == "Leave this file out", reached
    page.keyboard.press("Enter")
    page.wait_for_url("**/runs/*/")
    wait_for_report(page)
    expect(page.locator("#run-files")).to_contain_text("Left out")
    assert len(thought.asked) > asked
    assert not [call for call in thought.asked if "Muster" in str(call)]
