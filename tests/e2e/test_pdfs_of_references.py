"""PDFs and identifiers dropped on the page of references, and the report of a heap, by keyboard too (SPEC C9, P8)."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow
from tests.e2e.test_references import go_to, new_thesis, press
from tests.thesis.pdf_papers import paper, scan

ENTRY = (
    "@article{ibe2001, title={Alder in stand one and its soil}, author={Ibe, Chidi}, year={2001}, doi={10.1000/one}}"
)

# What a browser does when something is dropped: a DataTransfer can only be made in the page.
DROP = """([place, kind, what]) => {
    const moved = new DataTransfer();
    if (kind === "text") moved.setData("text/plain", what);
    else for (const [name, base64] of what) {
        const bytes = Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0));
        moved.items.add(new File([bytes], name, { type: name.endsWith(".pdf") ? "application/pdf" : "" }));
    }
    const target = document.querySelector(place);
    for (const name of ["dragenter", "dragover", "drop"])
        target.dispatchEvent(new DragEvent(name, { bubbles: true, cancelable: true, dataTransfer: moved }));
}"""


@pytest.fixture
def references(open_window: OpenWindow, demo: Any, registries: Any) -> tuple[Page, str]:
    """A page with a thesis of one reference, and the address of its references."""
    page = partial(open_window, signed_in=demo)()
    address = new_thesis(page)
    go_to(page, "DOI, PMID, ISBN")
    page.keyboard.insert_text(ENTRY)
    press(page, "Add")
    expect(page.locator("#added")).to_be_visible()
    page.goto(address)
    expect(page.locator("#pdf-drop")).to_be_visible()
    return page, address


def dropped(page: Page, kind: str, what: Any, place: str = "#citations h1") -> None:
    page.evaluate(DROP, [place, kind, what])


def encoded(**files: bytes) -> list[list[str]]:
    from base64 import b64encode

    return [[name.replace("_", "."), b64encode(data).decode()] for name, data in files.items()]


def test_dropped_and_pasted(references: tuple[Page, str]) -> None:
    page, address = references
    dropped(page, "text", "https://doi.org/10.1000/one")
    page.wait_for_url("**/citations/?q=ibe2001#work-*")
    expect(page.locator("#rows tbody tr")).to_have_count(1)

    # Pasted beside all fields; into a field a text is pasted as everywhere.
    page.goto(address)
    page.evaluate("document.activeElement.blur()")
    paste = """(text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData });
        return document.activeElement.dispatchEvent(event);
    }"""
    page.locator("#q").focus()
    assert page.evaluate(paste, "10.1000/one")
    page.locator("h1").first.click()
    assert not page.evaluate(paste, "10.1000/two")
    page.wait_for_url("**/citations/add/?text=10.1000%2Ftwo")
    expect(page.locator("#add_text")).to_have_value("10.1000/two")
    assert serious(page) == []

    page.goto(address)
    expect(page.locator("#pdf-drop")).to_be_visible()
    dropped(page, "text", "10.1000/two\n10.1000/three")
    expect(page.locator("#add")).to_be_visible()
    expect(page.locator("#add_text")).to_have_value("10.1000/two\n10.1000/three")
    page.keyboard.press("Escape")
    dropped(page, "files", encoded(a_bib=ENTRY.encode()))
    expect(page.locator("dialog#import")).to_be_visible()


def test_a_heap_by_drop_and_by_keyboard(references: tuple[Page, str], tmp_path: Path) -> None:
    page, address = references
    own = paper("Alder in stand one and its soil", authors="Chidi Ibe", year=2001, doi="10.1000/one", pages=4)
    dropped(page, "files", encoded(one_pdf=own, scan_pdf=scan()))
    page.wait_for_url(re.compile(r"/pdfs/[0-9a-f-]{36}/$"))
    expect(page.get_by_role("heading", name="Attached (1)")).to_be_visible(timeout=PATIENT)
    expect(page.get_by_role("heading", name="Scan without text (1)")).to_be_visible()
    assert serious(page) == []

    # The scan is attached by hand, with the keyboard.
    go_to(page, "Reference for scan.pdf")
    page.keyboard.insert_text("ibe2001")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Attached (2)")).to_be_visible()
    page.get_by_role("link", name="ibe2001").first.click()
    panel = page.locator("#pdfs")
    expect(panel.get_by_role("link", name="one.pdf")).to_be_visible()
    assert serious(page) == []

    # Its pages are pictures with words.
    panel.get_by_role("link", name="one.pdf").click()
    expect(page.locator(".pdf-page")).to_have_count(4)
    expect(page.locator("#page-1 .printed-words")).to_contain_text("Alder in stand one")
    assert page.locator("#page-1 img").evaluate("(one) => one.decode().then(() => one.naturalWidth)") > 500
    page.locator("#page-number").fill("3")
    page.keyboard.press("Enter")
    expect(page.locator("#page-3")).to_be_in_viewport()
    assert serious(page) == []

    # Detached, and attached again from a file.
    page.go_back()
    page.get_by_role("button", name="Detach scan.pdf").press("Enter")
    expect(panel.get_by_role("link", name="scan.pdf")).to_have_count(0)
    file = tmp_path / "another.pdf"
    file.write_bytes(scan(7))
    page.locator("#pdfs input[type=file]").set_input_files(file)
    expect(panel.get_by_role("link", name="another.pdf")).to_be_visible()
    page.goto(address)
    expect(page.get_by_text("Your newest PDFs")).to_be_visible()
