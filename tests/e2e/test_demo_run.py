"""From the demo question to the words each sentence rests on, in a browser (SPEC P7, R10 to R12)."""

import re
from datetime import datetime

import pytest
from bibtexparser.entrypoint import parse_file
from playwright.sync_api import Locator, Page, expect

from config.demo.install import QUESTION, TITLE
from tests.e2e.conftest import OpenWindow, ask, numbers_of, sign_in, wait_for_report

BUDGET = 20.0  # seconds from question to report
PHONE = {"width": 390, "height": 844}


def squeezed(text: str) -> str:
    """`text` without white space: pages break lines where they like."""
    return re.sub(r"\s+", "", text)


def marked(place: Locator) -> str:
    return squeezed("".join(place.locator("mark").all_inner_texts()))


def seconds_of_run(page: Page) -> float:
    clock = page.locator("#run-head time[data-since]")
    since, until = clock.get_attribute("data-since"), clock.get_attribute("data-until")
    assert since is not None
    assert until is not None
    return (datetime.fromisoformat(until) - datetime.fromisoformat(since)).total_seconds()


def test_a_question_becomes_a_report_while_one_watches(page: Page) -> None:
    sign_in(page)
    page.get_by_role("link", name=TITLE).first.click()
    page.get_by_role("link", name="Research", exact=True).click()
    ask(page, re.sub(r"research/$", "", page.url))
    expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
    page.evaluate("window.neverReloaded = true")
    first = len(numbers_of(page))
    expect(page.locator("ol.stream li[data-kind=phase_research]")).to_be_visible(timeout=30_000)
    wait_for_report(page)
    assert len(numbers_of(page)) > first
    assert page.evaluate("window.neverReloaded") is True
    shown = numbers_of(page)
    assert shown == list(range(1, len(shown) + 1))
    expect(page.locator("ol.stream li[data-kind=job_done]")).to_be_visible()
    assert int(page.locator("[data-counter=findings]").inner_text()) > 0
    expect(page.locator("#run-files li[data-state=ready]").first).to_be_visible()
    assert "debug" not in page.content().lower()  # without UI_DEBUG there is no such pane, not even hidden (X9)
    expect(page.locator("#run-tree li").first).to_be_visible()
    assert seconds_of_run(page) < BUDGET


@pytest.mark.parametrize("script", [True, False])
def test_start_at_once_reads_the_files(open_window: OpenWindow, demo: object, thesis: str, script: bool) -> None:
    """The files are chosen as the page arrives, with script and without: nobody has to wait for them."""
    page = open_window(signed_in=demo, java_script_enabled=script)
    page.goto(f"{thesis}research/", wait_until="commit")
    page.get_by_label("What do you want to know?").fill(QUESTION)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*/")
    expect(page.locator("[data-counter=files_ready]").first).to_be_visible()
    expect(page.get_by_text("No files were chosen")).to_have_count(0)


def test_a_marker_leads_to_the_words_in_their_place(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    kinds = set()
    page.goto(f"{finished_run}report/")
    for number in range(min(page.locator("a.marker").count(), 12)):
        page.goto(f"{finished_run}report/")
        page.locator("a.marker").nth(number).click()
        evidence = page.locator("#evidence:popover-open")
        expect(evidence.locator("mark")).to_be_visible()
        words = marked(evidence)
        assert words
        place = evidence.get_by_role("link", name="Show in context")
        kind = "file" if "/files/" in (place.get_attribute("href") or "") else "reference"
        if kind in kinds:
            continue
        kinds.add(kind)
        place.click()
        expect(page.locator("mark").first).to_be_in_viewport()
        assert words in marked(page.locator("main"))
    assert kinds == {"file", "reference"}


def test_every_cited_sentence_stands_in_its_source(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    """The offline engine quotes, so the claim check finds nothing unsupported."""
    page = open_window(signed_in=demo)
    page.goto(f"{finished_run}report/")
    assert page.locator("a.marker").count() > 5
    check = page.get_by_role("complementary", name="Claim check")
    counted = re.match(r"(\d+) of (\d+)", check.locator("b").first.inner_text())
    assert counted is not None
    assert counted[1] == counted[2]


def test_the_references_come_as_bibtex(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    page.goto(f"{finished_run}report/")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="BibTeX").click()
    assert waiting.value.suggested_filename.endswith(".bib")
    library = parse_file(str(waiting.value.path()))
    assert library.failed_blocks == []
    assert len(library.entries) > 5
    assert all(entry.get("title") for entry in library.entries)


@pytest.mark.parametrize(("label", "first"), [("Word", b"PK"), ("PDF", b"%PDF-")])
def test_the_report_comes_on_paper(
    open_window: OpenWindow, demo: object, finished_run: str, label: str, first: bytes
) -> None:
    page = open_window(signed_in=demo)
    page.goto(f"{finished_run}report/")
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as waiting:
        page.get_by_role("link", name=label, exact=True).click()
    assert waiting.value.path().read_bytes().startswith(first)


def test_the_log_of_the_run_holds(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo)
    page.goto(f"{finished_run}provenance/")
    expect(page.get_by_text("The log is valid.")).to_be_visible()


def test_nothing_of_a_run_is_wider_than_a_phone(open_window: OpenWindow, demo: object, finished_run: str) -> None:
    page = open_window(signed_in=demo, viewport=PHONE)
    parts = ("", "report/", "findings/", "sources/", "provenance/")
    assert wider_than_a_phone(page, *(f"{finished_run}{part}" for part in parts)) == []


def test_nothing_of_a_thesis_is_wider_than_a_phone(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo, viewport=PHONE)
    parts = ("", "citations/", "files/", "research/")
    assert wider_than_a_phone(page, *(f"{thesis}{part}" for part in parts)) == []


def wider_than_a_phone(page: Page, *addresses: str) -> list[str]:
    """Those of the pages at `addresses` that scroll sideways."""
    wider = []
    for address in addresses:
        page.goto(address)
        if page.evaluate("document.documentElement.scrollWidth") > PHONE["width"]:
            wider.append(address)
    return wider
