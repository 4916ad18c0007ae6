"""Commenting on words of the text, as the writer and as the supervisor, by mouse and by keyboard (SPEC T2)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Server, sign_in
from tests.e2e.writing import Written, new_section, open_section, ready, text_of

TEXT = "Seven trials were pooled 😀.\n\nBy day 28, 222 of 678 patients had died.\n\nNo harm was seen."
PASSWORD = "correct horse battery"


@pytest.fixture
def chapter(open_window: OpenWindow, server: Server, demo: Any, thesis: str) -> Written:
    return new_section(open_window(signed_in=demo), server, thesis, TEXT, "A chapter with remarks")


@pytest.fixture
def page(open_window: OpenWindow, demo: Any) -> Page:
    return open_window(signed_in=demo)


@pytest.fixture(scope="module")
def supervisor(browser: Browser, server: Server, thesis: str) -> Any:
    """What the browser of a supervisor of the thesis keeps once signed in."""
    return new_supervisor(browser, server, thesis, "Ravi Iyer", "ravi.iyer@example.org")


def new_supervisor(browser: Browser, server: Server, thesis: str, name: str, email: str) -> Any:
    """Sign a supervisor of `thesis` up and in; what their browser then keeps."""
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    page.goto("/accounts/signup/")
    page.get_by_label("Your name").fill(name)
    page.get_by_label("E-mail").fill(email)
    page.get_by_label("Password").first.fill(PASSWORD)
    page.get_by_role("button", name="Create account").or_(
        page.get_by_role("button", name="Create thesis")
    ).first.click()
    page.wait_for_url("**/")
    with server.rows() as rows:
        [user] = rows.execute("SELECT id FROM projects_user WHERE email = ?", [email]).fetchone()
        project = thesis.strip("/").split("/")[1].replace("-", "")
        columns = "project_id, user_id, role, first_steps_put_away"
        insert = f"INSERT INTO projects_membership ({columns}) VALUES (?, ?, 'supervisor', 0)"
        rows.execute(insert, [project, user])
    context.close()
    context = browser.new_context(base_url=server.address)
    page = context.new_page()
    sign_in(page, email, PASSWORD)
    state = context.storage_state()
    context.close()
    return state


def select(page: Page, words: str) -> None:
    """Select `words` in the source, by keyboard."""
    at = text_of(page).index(words)
    # The editor counts UTF-16 units.
    units = len(text_of(page)[:at].encode("utf-16-le")) // 2
    page.evaluate("at => { const it = document.querySelector('section-editor'); it.show(at); it.focus(); }", units)
    for _ in words:
        page.keyboard.press("Shift+ArrowRight")


def marked(page: Page) -> list[str]:
    """The words the editor paints as commented on."""
    words: list[str] = page.evaluate(
        """() => { const it = document.querySelector('section-editor');
                   return it.marks.map(({start, end}) => it.latex.slice(start, end)); }"""
    )
    return words


def test_a_comment_by_keyboard_alone(page: Page, chapter: Written) -> None:
    open_section(page, chapter)
    select(page, "222 of 678")
    page.keyboard.press("Control+Alt+m")
    box = page.locator("#comment-body")
    expect(box).to_be_focused()
    expect(page.locator("#new-comment .quote")).to_have_text("222 of 678")
    page.keyboard.type("Which trials?")
    page.keyboard.press("Control+Enter")
    thread = page.locator(".thread")
    expect(thread).to_contain_text("Which trials?")
    expect(thread).to_be_focused()
    assert marked(page) == ["222 of 678"]
    expect(page.locator("[data-open-comments]")).to_contain_text("1")


def test_the_words_keep_their_comment_while_one_types(page: Page, chapter: Written) -> None:
    open_section(page, chapter)
    select(page, "222 of 678")
    page.get_by_role("button", name="Comment", exact=True).first.click()
    page.locator("#comment-body").fill("Which trials?")
    page.locator("#new-comment").get_by_role("button", name="Comment").click()
    expect(page.locator(".thread")).to_be_visible()
    page.evaluate("const it = document.querySelector('section-editor'); it.show(0); it.focus()")
    page.keyboard.type("A new beginning. ")
    chapter.comes_to(lambda text: text.startswith("A new beginning"))
    page.reload()
    ready(page)
    expect(page.locator(".thread")).to_be_visible()
    page.wait_for_function("document.querySelector('section-editor').marks.length === 1")
    assert marked(page) == ["222 of 678"]
    page.get_by_role("link", name="Show in text").click()
    start = page.evaluate("document.querySelector('section-editor').caret.start")
    assert start >= len("A new beginning. ")


def select_set_words(page: Page, words: str) -> None:
    """Select `words` in the manuscript, as a mouse or a thumb does."""
    page.evaluate(
        """words => { const place = document.getElementById('manuscript');
                      const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
                      let found = null;
                      while (texts.nextNode()) if (texts.currentNode.data.includes(words)) found = texts.currentNode;
                      const range = document.createRange(); const at = found.data.indexOf(words);
                      found.parentElement.scrollIntoView({block: 'center'});
                      range.setStart(found, at); range.setEnd(found, at + words.length);
                      getSelection().removeAllRanges(); getSelection().addRange(range); }""",
        words,
    )


def painted(page: Page) -> list[str]:
    """The words that the manuscript paints as commented on."""
    words: list[str] = page.evaluate("[...(CSS.highlights.get('commented') ?? [])].map(String)")
    return words


def open_manuscript(page: Page, chapter: Written) -> None:
    page.goto(chapter.path)
    expect(page).to_have_url(re.compile("/read/"))
    page.wait_for_function("() => document.querySelector('[data-comments]')?.hidden === false")
    expect(page.locator("#comments")).to_have_attribute("data-section", chapter.id)


def test_a_supervisor_reads_and_comments(
    page: Page, open_window: OpenWindow, supervisor: Any, chapter: Written
) -> None:
    theirs = open_window(signed_in=supervisor)
    open_manuscript(theirs, chapter)
    select_set_words(theirs, "No harm")
    expect(theirs.locator("[data-chosen]")).to_be_visible()
    theirs.keyboard.press("Control+Alt+m")
    expect(theirs.locator("#new-comment .quote")).to_have_text("No harm")
    theirs.keyboard.type("None at all?")
    theirs.locator("#new-comment").get_by_role("button", name="Comment").click()
    expect(theirs.locator(".thread")).to_contain_text("Ravi Iyer")
    assert painted(theirs) == ["No harm"]
    theirs.get_by_text("Reply", exact=True).first.click()
    theirs.wait_for_load_state("networkidle")
    assert serious(theirs) == []
    # The writer sees it, answers and resolves it.
    open_section(page, chapter)
    page.get_by_role("tab", name="Comments").click()
    page.wait_for_function("document.querySelector('section-editor').marks.length === 1")
    assert marked(page) == ["No harm"]
    page.get_by_text("Reply", exact=True).first.click()
    page.get_by_label("Your reply").fill("None reported.")
    page.get_by_role("button", name="Reply").click()
    expect(page.locator(".reply")).to_contain_text("None reported.")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_text("Resolved, 1")).to_be_visible()
    page.wait_for_function("document.querySelector('section-editor').marks.length === 0")
    expect(page.locator("[data-open-comments]")).to_be_hidden()


def test_clicking_commented_words_shows_the_comment(open_window: OpenWindow, supervisor: Any, chapter: Written) -> None:
    page = open_window(signed_in=supervisor)
    page.goto(f"{chapter.path}?view=source&beside=comments")
    page.get_by_text("Write a comment").click()
    page.locator("#comment-body").fill("About all of it")
    page.locator("#new-comment").get_by_role("button", name="Comment").click()
    page.evaluate(
        """async ([path]) => {
          const token = /csrftoken=([^;]+)/.exec(document.cookie)[1];
          const headers = {"Content-Type": "application/json", "X-CSRFToken": token};
          await fetch(path, {method: "POST", headers, body: JSON.stringify({body: "Which?", start: 0, end: 12})});
        }""",
        [f"/api/sections/{chapter.id}/comments"],
    )
    open_manuscript(page, chapter)
    page.wait_for_function("() => CSS.highlights.get('commented')?.size === 1")
    assert painted(page) == ["Seven trials"]
    words = page.locator(f"[data-section='{chapter.id}']").get_by_text("Seven trials were pooled")
    words.click(position={"x": 30, "y": 10})
    expect(page.locator(".thread[data-current]")).to_contain_text("Which?")
    # The same in the LaTeX, which a reader can ask for.
    page.goto(f"{chapter.path}?view=source&beside=sources")
    page.locator("pre.latex mark").click()
    expect(page.locator(".thread[data-current]")).to_contain_text("Which?")


def test_a_box_somebody_writes_in_is_not_taken_away(page: Page, chapter: Written) -> None:
    open_section(page, chapter)
    page.get_by_role("tab", name="Comments").click()
    page.get_by_text("Write a comment").click()
    page.locator("#comment-body").fill("Half a thou")
    page.evaluate("document.body.dispatchEvent(new CustomEvent('section-saved', {detail: {version: 2, words: 3}}))")
    page.wait_for_timeout(900)
    expect(page.locator("#comment-body")).to_have_value("Half a thou")
    page.get_by_role("tab", name="History").click()
    page.get_by_role("tab", name="Comments").click()
    expect(page.locator("#comment-body")).to_have_value("Half a thou")


def test_a_phone_scrolls_down_only(open_window: OpenWindow, supervisor: Any, chapter: Written) -> None:
    page = open_window(signed_in=supervisor, viewport={"width": 390, "height": 800})
    for address in (chapter.path, f"{chapter.path}?view=source&beside=comments", f"{chapter.path}comments/"):
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, address
