"""Flow 2: bring a LaTeX thesis in, look at what became of it, take it out untouched:
the same bytes (SPEC T2, T5, P8)."""

import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import PATIENT, OpenWindow
from tests.thesis.make_thesis import project_files, word, zipped
from tests.thesis.word_files import MENON as WORK
from tests.thesis.word_files import comment, heading, para, text, word_file, zotero, zotero_item


def import_thesis(page: Page, name: str, data: bytes) -> None:
    """Bring a file in from the page of new theses, and wait for its report."""
    page.goto("/projects/new/")
    page.get_by_role("link", name="Import an existing thesis instead").click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )
    page.get_by_role("button", name="Import").click()
    page.wait_for_url("**/brought/*/")
    expect(page.get_by_role("heading", name="All files")).to_be_visible(timeout=PATIENT)


def unpacked(page: Page) -> dict[str, bytes]:
    """What "Download the source" gives."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the source").click()
    data = Path(download.value.path()).read_bytes()
    with zipfile.ZipFile(BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_in_and_out_untouched(open_window: OpenWindow, demo: object) -> None:
    page = open_window(signed_in=demo)
    import_thesis(page, "alder.zip", zipped(project_files()))
    expect(page.get_by_role("heading", name="3 sections, 11 files")).to_be_visible()
    expect(page.get_by_role("row", name="chapters/methods.tex")).to_contain_text("section “Methods & materials”")
    expect(page.get_by_role("row", name="refs.bib")).to_contain_text("references: 2")
    assert unpacked(page) == project_files()
    page.get_by_role("link", name="Start writing").click()
    expect(page.get_by_role("navigation", name="Outline")).to_contain_text("Methods & materials")
    page.get_by_role("link", name="Settings and members").click()
    assert unpacked(page) == project_files()


@pytest.mark.long  # its pages: tests/thesis/test_import_document.py
def test_a_word_file_as_sections(open_window: OpenWindow, demo: object) -> None:
    page = open_window(signed_in=demo)
    import_thesis(page, "one.tex", b"\\chapter{Only}\nText.\n")
    page.get_by_role("link", name="Start writing").click()
    page.get_by_text("Add a section", exact=True).click()
    page.get_by_role("link", name="Add a section from a file").click()
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "draft.docx", "mimeType": "application/octet-stream", "buffer": word()}
    )
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("link", name="Open the new section")).to_be_visible(timeout=PATIENT)
    page.get_by_role("link", name="Open Methods").click()
    expect(page.get_by_role("navigation", name="Outline")).to_contain_text("Methods")


def test_what_is_refused_is_said_on_the_page(open_window: OpenWindow, demo: object, trouble: object) -> None:
    page = open_window(signed_in=demo)
    trouble.expect("status of 422")  # type: ignore[attr-defined]
    page.goto("/projects/bring/")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"%PDF-1.4"}
    )
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("upload the file it was made from")).to_be_visible()


def test_a_project_of_several_documents_asks_which_one_it_is(
    open_window: OpenWindow, demo: object, trouble: object
) -> None:
    page = open_window(signed_in=demo)
    trouble.expect("status of 422")  # type: ignore[attr-defined]
    document = "\\documentclass{book}\\begin{document}\\chapter{%s}Words.\\end{document}"
    files = {f"{name}.tex": (document % name).encode() for name in ("one", "two")}
    page.goto("/projects/bring/")
    page.get_by_label("File", exact=True).set_input_files(
        {"name": "several.zip", "mimeType": "application/zip", "buffer": zipped(files)}
    )
    page.get_by_role("button", name="Import").click()
    page.get_by_role("group", name="Which file is the thesis?").get_by_label("two.tex").check()
    page.get_by_role("button", name="Import").click()  # the file is still chosen
    page.wait_for_url("**/brought/*/")
    expect(page.get_by_role("row", name="two.tex")).to_contain_text(
        "the main file, with section “two”", timeout=PATIENT
    )


def serious_at_all_widths(page: Page) -> list[str]:
    """What is serious for axe on the page, once it has come to rest, in light on a desk and in dark on a phone."""
    page.wait_for_load_state("networkidle")
    found: list[str] = []
    for scheme, width in (("light", 1280), ("dark", 390)):
        page.set_viewport_size({"width": width, "height": 800})
        found += [f"{width} {said}" for said in serious(page, scheme)]
    return found


@pytest.mark.long
def test_nothing_serious_for_axe(open_window: OpenWindow, demo: object) -> None:
    page = open_window(signed_in=demo, viewport={"width": 1280, "height": 800})
    page.goto("/projects/bring/")
    assert serious_at_all_widths(page) == []
    page.get_by_text("What is imported").click()
    files = {**project_files(), "notes/bad.tex": b"x\0", "__MACOSX/x": b"", "../evil": b"x"}
    import_thesis(page, "a-thesis-with-a-very-long-name-that-nobody-would-ever-type-by-hand.zip", zipped(files))
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing stands out to the right"
    assert serious_at_all_widths(page) == []
    page.set_viewport_size({"width": 1280, "height": 800})
    page.get_by_role("link", name="Start writing").click()
    page.goto(page.url.split("/sections/")[0] + "/bring/")
    assert serious_at_all_widths(page) == []


def test_a_typed_list_is_linked_once_confirmed(open_window: OpenWindow, demo: object) -> None:
    page = open_window(signed_in=demo)
    data = word_file(
        heading("Results"),
        para(
            text("Alder "),
            zotero("(Menon, 2019)", zotero_item(WORK)),
            comment(0, text(" grows [1]")),
            text(" but [7]."),
        ),
        heading("Literatur"),
        para(text("[1] Okoro N. Soils and their trees of the north. 2nd ed. London: Birch Press; 2015.")),
        comments=[{"author": "Dr Iyer", "date": "2024-05-03T14:05:00Z", "text": "Where?"}],
    )
    import_thesis(page, "typed.docx", data)
    expect(page.get_by_text("1 citation from Zotero.")).to_be_visible()
    expect(page.get_by_text("1 comment is at its words")).to_be_visible()
    assert serious_at_all_widths(page) == []
    page.get_by_role("link", name="Check and link the references").press("Enter")
    expect(page.get_by_role("heading", name="1 mark to link")).to_be_visible()
    expect(page.get_by_text("The list has no entry 7.")).to_be_visible()
    assert serious_at_all_widths(page) == []
    page.get_by_role("button", name="Link 1 mark").press("Enter")
    expect(page.get_by_text("1 mark linked, 1 left as typed.")).to_be_visible()
    page.get_by_role("link").filter(has_text="[7]").click()
    expect(page.get_by_role("navigation", name="Outline")).to_contain_text("Results")
