"""From an empty account to a sentence cited from a catalogue that needs no key, without a model (SPEC P7, T7)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import Server, serving, wait_for_report
from tests.e2e.test_new_user import sign_up
from tests.research.forest_thesis import QUESTION
from tests.research.keyless_catalogues import PAPERS, ROSE
from tests.research_model.catalogue_works import S2
from tests.servers.catalogues import Site


@pytest.fixture(scope="module")
def catalogue() -> Iterator[Site]:
    """The Semantic Scholar that `server` asks."""
    with Site() as site:
        site.answer(S2, {"total": len(PAPERS), "data": PAPERS})
        yield site


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, static: Path, catalogue: Site) -> Iterator[Server]:
    """A Scholium without any key, in place of the server of the other tests."""
    pace = json.dumps({"semantic_scholar": 1000.0})
    folder = tmp_path_factory.mktemp("keyless")
    with serving(folder, static, S2_BASE_URL=catalogue.base, SOURCE_PACE=pace) as running:
        yield running


@pytest.mark.long  # a server of its own; the run without it: tests/research/test_offline_catalogues.py
def test_a_sentence_with_its_citation(page: Page, catalogue: Site) -> None:
    sign_up(page)
    page.get_by_label("Title").fill("Alder and soil")
    page.get_by_role("button", name="Create thesis").click()
    page.get_by_role("link", name="Research", exact=True).click()
    page.get_by_label("What do you want to know?").fill(QUESTION)
    expect(page.locator("#reach")).to_contain_text(
        "General: words of your question are sent to Semantic Scholar. No model is asked; your files stay here."
    )
    assert serious(page) == []
    page.get_by_role("button", name="Start").click()
    wait_for_report(page)
    assert {asked.path for asked in catalogue.asked} == {S2}
    page.goto(f"{page.url}findings/")
    page.get_by_role("row").filter(has_text=ROSE).get_by_role("checkbox").first.check()
    page.get_by_role("button", name="Insert into a section").click()
    page.get_by_label("Section").select_option(label="Introduction")
    page.get_by_role("button", name="Insert as a proposal").click()
    page.wait_for_url("**?beside=draft")
    page.locator("draft-proposal").first.get_by_role("button", name=re.compile("^Accept( all)?$")).click()
    text = page.locator(".ProseMirror")
    expect(text).to_contain_text(ROSE.rstrip("."))
    expect(text.locator(".cite").first).to_be_visible()
