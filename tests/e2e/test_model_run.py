"""A run that a model conducts over the catalogues, within a budget, as the person who asked for it sees it.

The model and the catalogues are of this machine and take their time (tests/servers/thinking_model.py).
"""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from config.demo.install import TITLE
from tests.e2e.axe import serious_at
from tests.e2e.conftest import PATIENT, OpenWindow, Server, Trouble, numbers_of, wait_for_report
from tests.e2e.test_stream_reconnect import NO_NETWORK, resume
from tests.servers.processes import until
from tests.servers.thinking_model import Thinking

MODEL, QUICK = 0.5, 0.02  # seconds before an answer
QUESTION = "How does alder change soil nitrogen? ({})"  # the number keeps what runs ask apart
LONG = 60.0


@pytest.fixture(scope="module")
def server(asking: Server) -> Server:
    return asking


@pytest.fixture(scope="module")
def finished(browser: Browser, server: Server, signed_in: Any) -> str:
    """The path of a run that has its report."""
    with browser.new_context(base_url=server.address, storage_state=signed_in) as context:
        page = context.new_page()
        run = ask_within_budget(page, 1)
        wait_for_report(page)
        return run


def ask_within_budget(page: Page, number: int) -> str:
    """Start a run with the form; the path of its page, which is then open."""
    page.goto("/")
    page.get_by_role("link", name=TITLE).first.click()
    page.get_by_role("link", name="Research", exact=True).click()
    page.get_by_label("What do you want to know?").fill(QUESTION.format(number))
    page.get_by_label("Profile", exact=True).select_option("academic")
    expect(page.locator("#reach")).to_contain_text("Semantic Scholar, OpenAlex")
    page.get_by_label("Budget in USD").fill("2")
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**/runs/*/")
    return "/" + page.url.split("/", 3)[3]


def counter(page: Page, name: str) -> Locator:
    return page.locator(f"#run-head span[data-counter={name}], #run-head dd[data-counter={name}]")


def spent(page: Page) -> float:
    return float(counter(page, "spent_usd").inner_text())


def event_count(server: Server, run: str) -> int:
    """How many events the run has told, whoever saw them."""
    with server.rows() as rows:
        asked = "SELECT last_seq FROM jobs_job WHERE id = (SELECT job_id FROM research_run WHERE id = ?)"
        number: int = rows.execute(asked, [run.strip("/").split("/")[1].replace("-", "")]).fetchone()[0]
        return number


def assert_nothing_missed(page: Page) -> None:
    shown = numbers_of(page)
    assert shown == list(range(1, len(shown) + 1))


@pytest.mark.long
def test_spend_rises_while_one_watches_and_a_pause_stops_it(
    open_window: OpenWindow, server: Server, signed_in: Any, thought: Thinking, trouble: Trouble
) -> None:
    trouble.expect(*NO_NETWORK)
    thought.model = MODEL
    page, elsewhere = open_window(signed_in=signed_in), open_window(signed_in=signed_in)
    run = ask_within_budget(page, 2)
    page.evaluate("window.neverReloaded = true")
    expect(page.locator("#run-head")).to_contain_text("of 2.00 USD")
    first = until(lambda: spent(page), LONG, "something to be spent")
    until(lambda: spent(page) > first, LONG, "more to be spent")
    expect(counter(page, "sources")).not_to_have_text("0", timeout=PATIENT)
    expect(counter(page, "model_calls")).not_to_have_text("0")

    with thought.held():
        page.context.set_offline(True)
        expect(page.locator("[data-stream-status]")).to_contain_text("Connection lost")
        seen = numbers_of(page)[-1]
    until(lambda: event_count(server, run) > seen, LONG, "something to be told meanwhile")
    with thought.held():
        page.context.set_offline(False)
        expect(page.locator("[data-stream-status]")).to_have_text("Live")
        expect(page.locator(f"ol.stream li[data-seq='{event_count(server, run)}']")).to_be_visible()
        assert_nothing_missed(page)
        page.get_by_role("button", name="Pause", exact=True).click()
        paused = page.get_by_role("button", name="Resume")
        expect(page.get_by_role("button", name="Pausing at the next step").or_(paused)).to_be_visible()
    expect(paused).to_be_visible(timeout=PATIENT)
    expect(page.locator("ol.stream li[data-kind=job_paused]")).to_be_visible()

    calls, paid = len(thought.asked), page.locator("meter[data-counter=spent_usd]").evaluate("meter => meter.value")
    elsewhere.goto(run)
    expect(elsewhere.get_by_role("button", name="Resume")).to_be_visible()
    assert len(thought.asked) == calls
    thought.model = QUICK
    resume(page)
    wait_for_report(page)
    assert page.evaluate("window.neverReloaded") is True
    assert paid < page.locator("meter[data-counter=spent_usd]").evaluate("meter => meter.value") == spent(page) < 2
    assert_nothing_missed(page)
    elsewhere.reload()
    assert numbers_of(elsewhere) == numbers_of(page)


@pytest.mark.long
def test_a_marker_of_the_report_opens_the_passage(open_window: OpenWindow, signed_in: Any, finished: str) -> None:
    page = open_window(signed_in=signed_in)
    page.goto(finished)
    page.get_by_role("link", name="Read the report").click()
    reference = page.locator(".reference", has_text="Okafor, A. (2019").first
    number = reference.locator(".n").inner_text().strip("[]")
    page.get_by_role("link", name=re.compile(rf"Source {number}, .+: show evidence")).first.click()
    expect(page.locator("#evidence:popover-open mark")).to_contain_text("Alder raised soil nitrogen")


@pytest.mark.long  # a server and a run for one page; tests/research/test_sources_are_counted_once.py has its list
def test_what_several_catalogues_found_is_listed_once(open_window: OpenWindow, signed_in: Any, finished: str) -> None:
    page = open_window(signed_in=signed_in)
    page.goto(f"{finished}sources/")
    titles = page.locator("table.works tbody tr .title").all_inner_texts()
    assert len(titles) > 8
    assert sorted(set(titles)) == sorted(titles)


@pytest.mark.long
def test_a_run_with_a_budget_is_accessible(open_window: OpenWindow, signed_in: Any, finished: str) -> None:
    page = open_window(signed_in=signed_in)
    assert serious_at(page, *(f"{finished}{part}" for part in ("", "report/", "sources/"))) == []
    page.goto(finished)
    expect(page.get_by_role("meter", name="Spent of the budget, in USD")).to_be_visible()
