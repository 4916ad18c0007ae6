"""A broken line costs no event and repeats none; pause, resume and stop work from the page (SPEC P2, R16)."""

from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.e2e.conftest import PATIENT, OpenWindow, Trouble, ask, numbers_of, wait_for_report

TRIES = 5
SOON = 5000  # milliseconds in which a button that is there can be pressed
SETTLED = 1500  # milliseconds after which a paused run asks for nothing more
# The last is of a part of the page that was being renewed when the network went.
NO_NETWORK = (r"ERR_INTERNET_DISCONNECTED", r"WebSocket connection to .* failed", r"^htmx:(afterRequest|sendError), ")


def ask_and_pause(page: Page, thesis: str, key: str = "") -> str:
    """Start the demo's question and pause it in the middle, by `key` or by a click; returns the run's address.

    On a busy machine a run may be over before the button is reached; then the question is asked again.
    """
    resume_button = page.get_by_role("button", name="Resume")
    for _ in range(TRIES):
        run = ask(page, thesis)
        button = page.get_by_role("button", name="Pause", exact=True)
        with suppress(TimeoutError):
            button.press(key, timeout=SOON) if key else button.click(timeout=SOON)
            expect(resume_button.or_(page.get_by_role("link", name="Read the report"))).to_be_visible(timeout=PATIENT)
        if resume_button.is_visible():
            return run
    raise AssertionError(f"None of {TRIES} runs could be paused.")


def resume(page: Page) -> None:
    page.get_by_role("button", name="Resume").click()


def test_what_happens_while_the_network_is_away_is_there_afterwards(
    open_window: OpenWindow, demo: object, thesis: str, trouble: Trouble
) -> None:
    trouble.expect(*NO_NETWORK)
    page, elsewhere = open_window(signed_in=demo), open_window(signed_in=demo)
    run = ask_and_pause(page, thesis)
    before = numbers_of(page)
    page.context.set_offline(True)
    expect(page.locator("[data-stream-status]")).to_contain_text("Connection lost")

    elsewhere.goto(run)
    resume(elsewhere)
    wait_for_report(elsewhere)

    page.context.set_offline(False)
    wait_for_report(page)
    expect(page.locator("ol.stream li[data-kind=job_done]")).to_have_count(1)
    shown = numbers_of(page)
    assert len(shown) > len(before)
    assert shown == list(range(1, len(shown) + 1))
    elsewhere.reload()
    assert numbers_of(elsewhere)[-1] == shown[-1]


@pytest.mark.long
def test_a_page_opened_in_the_middle_shows_everything_once(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    ask(page, thesis)
    for _ in range(3):
        page.reload()
    wait_for_report(page)
    shown = numbers_of(page)
    assert shown == list(range(1, len(shown) + 1))


@pytest.mark.long
def test_pause_and_resume_go_on_without_losing_anything(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    ask_and_pause(page, thesis)
    expect(page.locator("ol.stream li[data-kind=job_paused]")).to_be_visible()
    resume(page)
    expect(page.locator("ol.stream li[data-kind=job_resumed]")).to_be_visible()
    wait_for_report(page)
    assert numbers_of(page) == list(range(1, len(numbers_of(page)) + 1))


def test_stopping_keeps_what_was_found(open_window: OpenWindow, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    stopped = page.get_by_text("The run was cancelled.")
    for _ in range(TRIES):  # on a busy machine a run may be over before the button is reached
        ask(page, thesis)
        expect(page.locator("ol.stream li[data-kind=findings_condensed]").first).to_be_visible(timeout=PATIENT)
        with suppress(TimeoutError):
            page.get_by_role("button", name="Stop and keep findings").click(timeout=SOON)
        expect(stopped.or_(page.get_by_role("link", name="Read the report"))).to_be_visible(timeout=PATIENT)
        if stopped.is_visible():
            break
    expect(stopped).to_be_visible()
    page.get_by_role("link", name="View findings").click()
    expect(page.locator("table.ledger tbody tr[id]").first).to_be_visible()
    page.get_by_role("link", name="Provenance log").click()
    expect(page.get_by_text("The log is valid.")).to_be_visible()


@pytest.mark.sample(1)
@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_focus_stays_on_the_button_that_was_pressed(
    open_window: OpenWindow, demo: object, thesis: str, key: str
) -> None:
    """SPEC P8: the header is renewed around it, from Pause over Pausing to Resume and back."""
    page = open_window(signed_in=demo)
    ask_and_pause(page, thesis, key)
    expect(page.get_by_role("button", name="Resume")).to_be_focused(timeout=PATIENT)
    page.keyboard.press(key)
    onward = page.get_by_role("button", name="Pause", exact=True).or_(page.get_by_role("link", name="Read the report"))
    expect(onward).to_be_focused(timeout=PATIENT)


@pytest.mark.long
def test_who_may_not_listen_any_more_is_told_and_nothing_is_tried_again(
    open_window: OpenWindow, demo: object, thesis: str, trouble: Trouble
) -> None:
    """SPEC P3: here somebody signed out in another tab."""
    trouble.expect(*NO_NETWORK)
    page = open_window(signed_in=demo)
    ask_and_pause(page, thesis)
    status = page.locator("[data-stream-status]")
    page.wait_for_timeout(SETTLED)  # the header is not being renewed any more
    page.context.clear_cookies()
    page.context.set_offline(True)
    expect(status).to_contain_text("Connection lost")
    page.context.set_offline(False)
    expect(status).to_have_text("You can no longer see this run.")
    sockets: list[str] = []
    page.on("websocket", lambda socket: sockets.append(socket.url))
    page.evaluate("window.dispatchEvent(new Event('online'))")
    page.wait_for_timeout(SETTLED)
    assert sockets == []
    expect(status).to_have_text("You can no longer see this run.")
