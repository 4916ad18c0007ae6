"""References brought and taken away with the keyboard: a short and a long list, an export, a style (SPEC C10, C12, P8)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.citations.real_works import WORKS
from tests.e2e.conftest import PATIENT, Server, Trouble, serving, sign_in
from tests.e2e.test_accessible import AXE, GRAVE, RUN, Scheme, scheme
from tests.servers.holdings import Holdings

MANY = {"light": 10_000, "dark": 3_000}
BROKEN = "@article{broken, title = {Never closed,\n"
SHORT = f"""@article{{menon2021, title = {{Alder and soil}}, author = {{Menon, Asha}}, year = 2021, journal = {{Trees}}}}
@article{{two words, title = {{Birch}} year = 2020}}
{BROKEN}"""


@pytest.fixture(scope="module")
def registries() -> Iterator[Holdings]:
    with Holdings(WORKS.values()) as served:
        yield served
        served.free.set()


@pytest.fixture(scope="module")
def bringing(tmp_path_factory: pytest.TempPathFactory, static: Path, registries: Holdings) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("bringing"), static, **registries.environment()) as server:
        yield server


@pytest.fixture
def open_page(browser: Browser, bringing: Server, trouble: Trouble) -> Iterator[Any]:
    """A window of the demo person, in a scheme, with a thesis of its own; the address of its references."""
    contexts = []

    def opened(**options: Any) -> tuple[Page, str]:
        context = browser.new_context(base_url=bringing.address, **options)
        contexts.append(context)
        context.on("page", lambda page: page.on("pageerror", lambda error: trouble.note(f"{error}")))
        context.on("console", trouble.on_console)
        page = context.new_page()
        sign_in(page)
        page.goto("/projects/new/")
        page.get_by_label("Title").fill("Alder and soil")
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Citations").first.click()
        page.wait_for_url("**/citations/")
        return page, page.url

    yield opened
    for context in contexts:
        context.close()


def grave(page: Page) -> list[str]:
    """What axe-core finds serious on the page as it stands."""
    page.evaluate(AXE)
    found = page.evaluate(RUN)
    return [f"{one['id']} at {place}" for one in found if one["impact"] in GRAVE for place in one["places"]]


def long_list(count: int) -> bytes:
    """A file of `count` entries and one that is broken."""
    entries = "".join(
        f"@article{{k{number}, title = {{Caf\\'e number {number}}}, author = {{Menon, Asha and M{{\\\"u}}ller, Ida}},"
        f" journal = {{Trees}}, year = 2021, volume = {number}, doi = {{10.1000/t{number}}}}}\n"
        for number in range(count)
    )
    return (BROKEN + entries).encode()


@scheme
def test_a_short_list_is_brought_looked_up_and_taken_away(open_page: Any, scheme: Scheme, tmp_path: Path) -> None:
    page, address = open_page(color_scheme=scheme)
    page.get_by_label("Or paste entries").fill(SHORT)
    page.get_by_label("Or paste entries").press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("2 added, 0 updated, 0 here already.")).to_be_visible()
    expect(page.get_by_role("heading", name="1 left out")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="two words")
    expect(row.filter(has_text="cannot cite this key")).to_be_visible()
    assert grave(page) == []

    page.get_by_role("button", name="Export").press("Enter")
    expect(page.get_by_role("dialog", name="Export all citations")).to_be_visible()
    assert grave(page) == []
    for label, suffix in (("BibTeX", "bib"), ("RIS", "ris"), ("CSL-JSON", "json")):
        with page.expect_download() as download:
            page.get_by_role("link", name=label).press("Enter")
        assert download.value.suggested_filename == f"alder-and-soil.{suffix}"
    items = json.loads(Path(download.value.path()).read_text(encoding="utf-8"))
    assert [item["id"] for item in items] == ["menon2021", "twowords"]
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Import").press("Enter")
    expect(page.get_by_role("dialog", name="Import citations")).to_be_visible()
    assert grave(page) == []


@scheme
def test_a_style_is_found_seen_and_taken(open_page: Any, scheme: Scheme) -> None:
    page, address = open_page(color_scheme=scheme)
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
    assert grave(page) == []
    page.keyboard.press("Enter")
    expect(page.get_by_text("References are printed in Vancouver.")).to_be_visible()
    expect(page.locator("#style-line")).to_contain_text("Vancouver")


@scheme
def test_a_long_list_comes_in_while_one_looks_on(open_page: Any, scheme: Scheme, registries: Holdings) -> None:
    """All of it in the one, and in the other stopped half-way."""
    registries.down = True  # what is looked up afterwards is another matter
    page, address = open_page(color_scheme=scheme)
    file = {"name": "library.bib", "mimeType": "text/plain", "buffer": long_list(MANY[scheme])}
    page.get_by_label("A file").set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).press("Enter")
    expect(page.get_by_role("heading", name="Import of library.bib")).to_be_visible()
    expect(page.get_by_text("You can leave this page and come back.")).to_be_visible()
    expect(page.get_by_text(f"of {MANY[scheme]:,} entries")).to_be_visible(timeout=PATIENT)
    assert grave(page) == []
    if scheme == "dark":
        page.get_by_role("button", name="Stop").press("Enter")
        expect(page.get_by_text("See the citations")).to_be_visible(timeout=PATIENT)
    else:
        expect(page.get_by_text("10,000 added, 0 updated, 0 here already.")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("heading", name="1 left out")).to_be_visible()
    assert grave(page) == []
