"""What a person typed is never lost (SPEC T2): saved by itself, kept while nothing can be saved, replayed, and said."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Dialog, Page, expect
from playwright.sync_api import Error as PlaywrightError

from config.demo.install import EMAIL, PASSWORD
from tests.e2e.conftest import UP, OpenWindow, Server, Trouble, sign_in
from tests.e2e.writing import expect_saved, expect_text, new_section, open_section, ready, text_of, type_after
from tests.servers.processes import ROOT, answers, end, environment, free_port, until

LEFT = """() => new Promise((resolve, reject) => {
  const opening = indexedDB.open("scholium-unsaved");
  opening.onerror = () => reject(opening.error);
  opening.onsuccess = () => {
    const all = opening.result.transaction("unsaved").objectStore("unsaved").getAll();
    all.onsuccess = () => { opening.result.close(); resolve(all.result); };
  };
})"""
TEXT = "The first paragraph.\n\nThe second paragraph.\n"


def left_in(page: Page) -> list[Any]:
    """What the browser keeps of texts that no server has acknowledged."""
    found: list[Any] = page.evaluate(LEFT)
    return found


def wait_for_left(page: Page, count: int) -> None:
    until(lambda: len(left_in(page)) == count, 20, f"{count} texts in the journal")


def sign_up(page: Page, email: str) -> None:
    page.goto("/accounts/signup/")
    page.get_by_label("Your name").fill("Somebody Else")
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").fill("cloudberries in the fog")
    page.get_by_role("button", name="Create account").click()
    page.wait_for_url("**/")


@pytest.mark.sample(1)
@pytest.mark.parametrize("view", ["source", "visual"])
def test_typed_and_saved_and_there_again(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, view: str
) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section, view)
    type_after(page, "first paragraph", " of mine")
    expect(page.locator("#save")).to_contain_text("Not saved yet")
    expect(page.locator("#save")).to_contain_text(re.compile(r"Saved \d\d:\d\d"))
    wanted = TEXT.replace("first paragraph", "first paragraph of mine")
    assert section.latex == wanted
    page.reload()
    ready(page)
    assert text_of(page) == wanted


def test_typed_offline_and_reloaded_and_back_online(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect(
        "ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "412"
    )  # two pages send the same: the second knows it again
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.context.set_offline(True)
    type_after(page, "first paragraph", " typed offline")
    expect(page.locator("#save")).to_contain_text("Offline. Not saved yet")
    expect(page.locator(".notice.safe")).to_contain_text("Your text is kept in this browser")
    with pytest.raises(PlaywrightError):
        page.reload()
    page.context.set_offline(False)
    page.goto(section.path)
    wanted = TEXT.replace("first paragraph", "first paragraph typed offline")
    section.comes_to(wanted)
    expect_text(page, wanted)
    expect_saved(page)
    wait_for_left(page, 0)


def test_offline_and_back_without_leaving(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("ERR_INTERNET_DISCONNECTED")
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.context.set_offline(True)
    type_after(page, "first paragraph", " typed offline")
    expect(page.locator("#save")).to_contain_text("Offline")
    page.context.set_offline(False)
    section.comes_to(lambda text: "typed offline" in text, seconds=3)
    expect_saved(page)
    expect(page.locator(".notice.safe")).to_be_hidden()


def test_closed_in_the_middle_of_a_word(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    """Leaving asks nothing: what was typed is sent on its way out, or is in the journal."""
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    asked: list[str] = []

    def answer(dialog: Dialog) -> None:
        asked.append(dialog.type)
        dialog.accept()

    page.on("dialog", answer)
    type_after(page, "second paragraph", " in the mid")
    page.close(run_before_unload=True)
    section.comes_to(lambda text: "in the mid" in text)
    assert asked == []


def test_a_window_that_was_killed_is_taken_up_by_the_next(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    """Two windows of one browser: a living one's text is left alone, a dead one's is put back."""
    # 412: a window that closes may still get its text out, and the next one then merges the same text
    trouble.expect("ERR_INTERNET_DISCONNECTED", "ERR_FAILED", "412")
    one = open_window(signed_in=demo)
    section = new_section(one, server, thesis, TEXT)
    open_section(one, section)
    one.context.route("**/api/sections/*", lambda route: route.abort())
    type_after(one, "first paragraph", " of one window")
    expect(one.locator("#save")).to_contain_text("Not saved yet")
    wait_for_left(one, 1)
    other = one.context.new_page()
    open_section(other, section)
    other.wait_for_timeout(500)
    assert text_of(other) == TEXT  # the first window lives
    one.close()
    expect_text(other, TEXT.replace("first paragraph", "first paragraph of one window"))
    other.context.unroute("**/api/sections/*")
    section.comes_to(lambda text: "of one window" in text)
    expect_saved(other)
    assert left_in(other) == []


@contextmanager
def web(database: Path, folder: Path, static: Path, port: int) -> Iterator[str]:
    """The web process alone, on `port`: the test stops it and starts it again."""
    env = environment(database, folder, SCHOLIUM_TEST_STATIC=str(static))
    daphne = [sys.executable, "-m", "daphne", "-v", "0", "-b", "127.0.0.1", "-p", str(port), "config.asgi:application"]
    process = subprocess.Popen(daphne, cwd=ROOT, env=env, start_new_session=True)
    address = f"http://127.0.0.1:{port}"
    try:
        until(lambda: answers(port, "/healthz"), UP, "the web process")
        yield address
    finally:
        end(process)


@pytest.mark.long
def test_the_server_goes_away_and_comes_back(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble, static: Path, tmp_path: Path
) -> None:
    trouble.expect("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "^htmx:")
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    port = free_port()
    with web(server.database, tmp_path, static, port) as address:
        page.goto(f"{address}{section.path}")
        open_section(page, replace(section, path=f"{address}{section.path}"))
    type_after(page, "first paragraph", " typed to nobody")
    expect(page.locator("#save")).to_contain_text("No response. Not saved yet")
    assert section.latex == TEXT
    with web(server.database, tmp_path, static, port):
        section.comes_to(lambda text: "typed to nobody" in text)
        expect_saved(page)


def test_signed_out_while_typing(
    open_window: OpenWindow, server: Server, demo: object, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("401", "403")  # the second for a token that is out of date
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.context.clear_cookies()  # the token is gone with the session
    type_after(page, "first paragraph", " typed signed out")
    expect(page.locator("#save")).to_contain_text("Signed out. Not saved yet")
    with page.context.expect_page() as opened:
        page.get_by_role("link", name="Sign in again").click()
    other = opened.value
    other.get_by_label("E-mail").fill(EMAIL)
    other.get_by_label("Password").fill(PASSWORD)
    other.get_by_role("button", name="Sign in").click()
    section.comes_to(lambda text: "typed signed out" in text)
    expect_saved(page)
    expect(page.locator(".notice.safe")).to_be_hidden()


@pytest.mark.long
def test_somebody_else_signs_in_in_the_same_browser(
    open_window: OpenWindow, server: Server, demo: object, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("409", "404", "403", "401")
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.context.clear_cookies()
    other = page.context.new_page()
    sign_up(other, "somebody.else@example.org")
    type_after(page, "first paragraph", " of Asha")
    page.evaluate(
        "window.dispatchEvent(new Event('focus'))"
    )  # one that is signed out asks again once somebody comes back
    expect(page.locator(".notice.safe")).to_contain_text("Another user has signed in in this browser")
    other.goto(section.path)
    assert "of Asha" not in other.content()
    assert section.latex == TEXT
    page.context.clear_cookies()
    sign_in(other)
    section.comes_to(lambda text: "of Asha" in text)


def test_no_longer_allowed_to_write(
    open_window: OpenWindow, server: Server, demo: object, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("403")
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    with server.rows() as rows:
        owner = (
            "project_id = (SELECT project_id FROM sections_section WHERE id = ?)"
            " AND user_id = (SELECT id FROM projects_user WHERE email = ?)"
        )
        whose = [UUID(section.id).hex, EMAIL]
        rows.execute(f"UPDATE projects_membership SET role = 'reader' WHERE {owner}", whose)
        try:
            type_after(page, "first paragraph", " as a reader")
            expect(page.locator(".notice.safe")).to_contain_text("You can no longer edit this section")
            with page.expect_download() as download:
                page.get_by_role("button", name="Download my text").click()
            assert "as a reader" in Path(download.value.path()).read_text()
        finally:
            rows.execute(f"UPDATE projects_membership SET role = 'owner' WHERE {owner}", whose)
    page.get_by_role("button", name="Try now").click()
    section.comes_to(lambda text: "as a reader" in text)


def test_what_the_server_refuses_is_said_in_its_words(
    open_window: OpenWindow, server: Server, demo: object, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("422")
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.evaluate(
        """() => { const it = document.querySelector('section-editor');
        it.replace(it.latex + "\\u0000"); it.dispatchEvent(new CustomEvent("edited", {bubbles: true})); }"""
    )
    expect(page.locator("#save")).to_contain_text("Not saved")
    expect(page.locator(".notice.safe")).to_contain_text(re.compile("NUL|character"))
    page.evaluate(
        """() => { const it = document.querySelector('section-editor');
        it.replace("Mended.\\n"); it.dispatchEvent(new CustomEvent("edited", {bubbles: true})); }"""
    )
    section.comes_to("Mended.\n")
    expect_saved(page)


def test_a_full_store_is_said_and_saving_goes_on(
    open_window: OpenWindow, server: Server, demo: object, thesis: str
) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    devtools = page.context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": server.address, "quotaSize": 1})
    type_after(page, "first paragraph", " without room")
    expect(page.locator(".notice.safe")).to_contain_text("This browser’s storage is full")
    section.comes_to(lambda text: "without room" in text)
    expect_saved(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download my text").click()
    assert Path(download.value.path()).read_text() == section.latex
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": server.address})
    type_after(page, "first paragraph", " again")
    expect(page.locator(".notice.safe")).to_be_hidden()


def test_control_s_and_sending_the_form_save_now(
    open_window: OpenWindow, server: Server, demo: object, thesis: str
) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    type_after(page, "first paragraph", " A")
    page.keyboard.press("Control+s")
    section.comes_to(lambda text: "A." in text, seconds=0.9)
    expect_saved(page)
    type_after(page, "second paragraph", " B")
    page.evaluate("document.querySelector('form#text').requestSubmit()")
    section.comes_to(lambda text: "B." in text, seconds=0.9)


def test_the_counts_and_the_page_hear_of_a_save(
    open_window: OpenWindow, server: Server, demo: object, thesis: str
) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    page.evaluate("document.body.addEventListener('section-saved', event => (window.told = event.detail))")
    type_after(page, "first paragraph", " now longer")
    section.comes_to(lambda text: "now longer" in text)
    until(lambda: page.evaluate("window.told ?? null"), 5, "the page to be told")
    assert page.evaluate("window.told") == {"version": section.row("version"), "words": 8, "clean": True}
    expect(page.locator("[data-count=section]")).to_have_text("8 words")


@pytest.mark.long
def test_five_megabytes_are_saved_too(open_window: OpenWindow, server: Server, demo: object, thesis: str) -> None:
    page = open_window(signed_in=demo)
    section = new_section(page, server, thesis, TEXT)
    open_section(page, section)
    long = "\n\n".join(f"Paragraph {n} {'of a very long chapter ' * 12}" for n in range(17_500))
    assert len(long) > 5_000_000
    page.evaluate(
        """long => { const it = document.querySelector('section-editor');
        it.replace(long); it.dispatchEvent(new CustomEvent("edited", {bubbles: true})); }""",
        long,
    )
    section.comes_to(lambda text: text == long)
    expect_saved(page)
