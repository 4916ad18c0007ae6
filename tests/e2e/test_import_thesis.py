"""References brought and taken away with the keyboard:
a short and a long list, an export, a style (SPEC C10, C12, P8)."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow
from tests.e2e.editor_pages import headers
from tests.servers.browser_registries import Shelves

MANY = {"light": 10_000, "dark": 10_000}
BROKEN = "@article{broken, title = {Never closed,\n"
SHORT = f"""@article{{menon2021, title = {{Alder and soil}}, author = {{Menon, Asha}}, year = 2021,
 journal = {{Trees}}}}
@article{{two words, title = {{Birch}} year = 2020}}
{BROKEN}"""


Opened = Callable[[], tuple[Page, str]]


@pytest.fixture
def open_page(open_window: OpenWindow, demo: Any, registries: Shelves) -> Iterator[Opened]:
    """Opens a window of the demo person with a thesis of its own: that, and the address of its references."""
    made: list[tuple[Page, str]] = []

    def opened() -> tuple[Page, str]:
        page = open_window(signed_in=demo)
        page.goto("/projects/new/")
        page.get_by_label("Title").fill("Alder and soil")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Citations").first.click()
        page.wait_for_url("**/citations/")
        made.append((page, page.url))
        return page, page.url

    yield opened
    for page, address in made:  # nobody goes on to look its works up while other tests run
        project = address.removesuffix("/citations/").rpartition("/")[2]
        page.request.delete(f"/api/projects/{project}", headers=headers(page.context))


def long_list(count: int) -> bytes:
    """A file of `count` entries and one that is broken."""
    entries = "".join(
        f"@article{{k{number}, title = {{Caf\\'e number {number}}}, author = {{Menon, Asha and M{{\\\"u}}ller, Ida}},"
        f" journal = {{Trees}}, year = 2021, volume = {number}, doi = {{10.1000/t{number}}}}}\n"
        for number in range(count)
    )
    return (BROKEN + entries).encode()


def test_a_short_list_is_brought_looked_up_and_taken_away(open_page: Opened) -> None:
    page, address = open_page()
    page.get_by_label("Or paste entries").fill(SHORT)
    page.get_by_label("Or paste entries").press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 added, 0 updated, 0 unchanged.")).to_be_visible()
    expect(page.get_by_role("heading", name="1 left out")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="two words")
    expect(row.filter(has_text="cannot cite this key")).to_be_visible()
    assert serious(page) == []

    page.get_by_role("button", name="Export").press("Enter")
    expect(page.get_by_role("dialog", name="Export all citations")).to_be_visible()
    assert serious(page) == []
    for label, suffix in (("BibTeX", "bib"), ("RIS", "ris"), ("CSL-JSON", "json")):
        with page.expect_download() as download:
            page.get_by_role("link", name=label).press("Enter")
        assert download.value.suggested_filename == f"alder-and-soil.{suffix}"
    items = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [item["id"] for item in items] == ["menon2021", "twowords"]
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Import").press("Enter")
    expect(page.get_by_role("dialog", name="Import citations")).to_be_visible()
    assert serious(page) == []


def test_a_style_is_found_seen_and_taken(open_page: Opened) -> None:
    page, address = open_page()
    page.get_by_label("Or paste entries").fill(SHORT)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    page.get_by_role("link", name="Change style").press("Enter")
    preview = page.get_by_role("region", name="Preview")
    expect(preview).to_contain_text("Menon, A. (2021).")
    page.get_by_label("Find a style").fill("vancouver")
    expect(page.get_by_text("for “vancouver”")).to_be_visible()
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    expect(preview).to_contain_text("Menon A. Alder and soil.")
    assert serious(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_text("Citation style changed to Vancouver.")).to_be_visible()
    expect(page.locator("#style-line")).to_contain_text("Vancouver")


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_long_list_comes_in_while_one_looks_on(
    open_page: Opened, scheme: Literal["light", "dark"], registries: Shelves
) -> None:
    """All of it in the one, and in the other stopped half-way."""
    registries.down = True  # what is looked up afterwards is another matter
    page, address = open_page()
    page.emulate_media(color_scheme=scheme)
    file: FilePayload = {"name": "library.bib", "mimeType": "text/plain", "buffer": long_list(MANY[scheme])}
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Import of library.bib")).to_be_visible()
    expect(page.get_by_text("You can leave this page and come back.")).to_be_visible()
    expect(page.get_by_text(f"of {MANY[scheme]:,} entries")).to_be_visible(timeout=PATIENT)
    assert serious(page, scheme) == []
    if scheme == "dark":
        page.get_by_role("button", name="Stop").press("Enter")
        expect(page.get_by_text("Go to citations")).to_be_visible(timeout=PATIENT)
    else:
        expect(page.get_by_text("10,000 added, 0 updated, 0 unchanged.")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("heading", name="1 left out")).to_be_visible()
    assert serious(page, scheme) == []
