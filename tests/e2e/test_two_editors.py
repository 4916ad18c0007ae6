"""Two windows on one section (SPEC T2): different paragraphs are put together, the same one is asked about,
nothing is lost."""

import random
import re
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import UUID

import pytest
from playwright.sync_api import Error, Locator, Page, Route, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Server, Trouble
from tests.e2e.test_saving import sign_up
from tests.e2e.writing import (
    Written,
    expect_saved,
    expect_text,
    new_section,
    open_section,
    text_of,
    type_after,
)

TEXT = "The first paragraph stands here.\n\nThe second paragraph stands there.\n\nThe third.\n"
SEED = 20_260_101
EDITS = 200
API = "**/api/sections/*"


def two_windows(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, view: str
) -> tuple[Page, Page, Written]:
    one = open_window(signed_in=demo)
    section = new_section(one, server, thesis, TEXT)
    other = one.context.new_page()
    open_section(one, section, view)
    open_section(other, section, view)
    return one, other, section


def second_person(page: Page, server: Server, section: Written, name: str) -> None:
    """The person who has just signed up in `page` may write in the thesis of `section`, as `name`."""
    with server.rows() as rows:
        person = rows.execute("SELECT id FROM projects_user ORDER BY date_joined DESC LIMIT 1").fetchone()[0]
        rows.execute("UPDATE projects_user SET name = ? WHERE id = ?", [name, person])
        project = rows.execute("SELECT project_id FROM sections_section WHERE id = ?", [UUID(section.id).hex])
        columns = "project_id, user_id, role, first_steps_put_away"
        query = f"INSERT INTO projects_membership ({columns}) VALUES (?, ?, 'editor', 0)"
        rows.execute(query, [project.fetchone()[0], person])


@pytest.mark.sample(1)
@pytest.mark.parametrize("view", ["source", "visual"])
def test_different_paragraphs_are_put_together(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble, view: str
) -> None:
    trouble.expect("412")
    one, other, section = two_windows(open_window, demo, server, thesis, view)
    type_after(one, "first paragraph", " of one")
    section.comes_to(lambda text: "of one" in text)
    type_after(other, "second paragraph", " of the ")
    wanted = TEXT.replace("first paragraph", "first paragraph of one")
    expect(other.locator(".toasts")).to_contain_text("Your changes from another window were added.")
    other.keyboard.type("other")  # the caret is where it was
    wanted = wanted.replace("second paragraph", "second paragraph of the other")
    section.comes_to(wanted)
    expect_text(other, wanted)
    expect(other.locator("dialog#merge")).to_be_hidden()


@pytest.mark.long
def test_whose_changes_were_added_is_said(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("412")
    one = open_window(signed_in=demo)
    section = new_section(one, server, thesis, TEXT)
    open_section(one, section)
    other = open_window()
    sign_up(other, "edda@example.org")
    second_person(other, server, section, "Edda Berg")
    open_section(other, section)
    type_after(other, "The third", " by Edda")
    section.comes_to(lambda text: "by Edda" in text)
    type_after(one, "first paragraph", " by Asha")
    expect(one.locator(".toasts")).to_contain_text("Changes of Edda Berg were added.")
    section.comes_to(TEXT.replace("third", "third by Edda").replace("first paragraph", "first paragraph by Asha"))


def conflict(one: Page, other: Page, section: Written) -> Locator:
    """Both windows change the first sentence; the dialog of `other`, which comes second."""
    type_after(one, "The first", " and best")
    section.comes_to(lambda text: "first and best" in text)
    type_after(other, "paragraph stands", " or falls")
    dialog = other.locator("dialog#merge")
    expect(dialog).to_be_visible()
    return dialog


FIRST = TEXT.split("\n\n")[0]
MINE = FIRST.replace("stands", "stands or falls")
THEIRS = FIRST.replace("The first", "The first and best")


@pytest.mark.sample(1)
@pytest.mark.parametrize("choice", ["mine", "theirs", "both", "hand"])
def test_the_same_sentence_is_asked_about_by_keyboard(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble, choice: str
) -> None:
    trouble.expect("412")
    one, other, section = two_windows(open_window, demo, server, thesis, "source")
    dialog = conflict(one, other, section)
    expect(dialog).to_contain_text("changed by you in another window too")
    expect(dialog.locator("[data-part=mine]")).to_have_class("as-read")  # set, not LaTeX
    expect(dialog.locator("[data-part=mine]")).to_have_text(MINE)
    expect(dialog.locator("[data-part=mine] mark")).to_have_text(re.compile("or falls"))
    expect(dialog.locator("[data-part=theirs]")).to_have_text(THEIRS)
    expect(dialog.locator("input[value=mine]")).to_be_focused()
    other.keyboard.press("Space")
    for _ in range(["mine", "theirs", "both", "hand"].index(choice)):
        other.keyboard.press("ArrowDown")
    if choice == "hand":
        other.keyboard.press("Tab")
        other.keyboard.press("Control+a")
        other.keyboard.insert_text("Put together by hand.")
        other.keyboard.press("Tab")
        other.keyboard.press("Tab")
    other.keyboard.press("Enter")
    stands = {"mine": MINE, "theirs": THEIRS, "both": f"{MINE}\n\n{THEIRS}", "hand": "Put together by hand."}[choice]
    section.comes_to(TEXT.replace(FIRST, stands))
    expect(dialog).to_be_hidden()
    expect_text(other, TEXT.replace(FIRST, stands))
    expect_saved(other)
    whole = TEXT.replace(FIRST, MINE)
    assert section.kept("kept") == ([whole] if choice in ("theirs", "hand") else [])


def test_escape_loses_nothing_and_it_can_be_decided_later(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("412")
    one, other, section = two_windows(open_window, demo, server, thesis, "source")
    dialog = conflict(one, other, section)
    dialog.get_by_role("radio", name="By hand").check()
    dialog.locator("textarea").fill("Half put together")
    other.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    expect(other.locator("#save")).to_contain_text("Changed elsewhere. Compare")
    type_after(other, "The third", " as well")
    other.reload()
    expect(dialog).to_be_visible()  # what was typed is there again, and so is the question
    assert "or falls" in text_of(other)
    assert "third as well" in text_of(other)
    expect(dialog.locator("textarea")).to_have_value("Half put together")
    dialog.get_by_label("Both, mine first").check()
    dialog.get_by_role("button", name="Keep this").click()
    section.comes_to(TEXT.replace(FIRST, f"{MINE}\n\n{THEIRS}").replace("third", "third as well"))


@pytest.mark.long
def test_what_changes_beside_the_open_dialog_is_kept(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("412")
    one, other, section = two_windows(open_window, demo, server, thesis, "source")
    conflict(one, other, section)
    other.evaluate(f"async () => {{ ({EDIT})(['change', 2, 'of all.']); ({DECIDE})(); }}")
    section.comes_to(lambda text: "The third. of all." in " ".join(text.split()) and "stands or falls" in text)


@pytest.mark.long
def test_the_dialog_has_no_serious_finding(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    trouble.expect("412")
    one, other, section = two_windows(open_window, demo, server, thesis, "source")
    dialog = conflict(one, other, section)
    dialog.get_by_role("radio", name="By hand").check()
    for width in (1440, 390):
        other.set_viewport_size({"width": width, "height": 800})
        assert serious(other) == []
        assert other.evaluate("document.querySelector('#merge').scrollWidth <= innerWidth")


EDIT = """([what, place, word]) => {
  const it = document.querySelector('section-editor');
  const parts = it.latex.split("\\n\\n");
  const one = place % parts.length;
  let gone = null;
  if (what === "drop" && parts.length > 3) [gone] = parts.splice(one, 1);
  else if (what === "add") parts.splice(one, 0, word);
  else parts[one] += ` ${word}`;
  it.replace(parts.join("\\n\\n"), {undoable: true});
  it.dispatchEvent(new CustomEvent("edited", {bubbles: true}));
  return gone;
}"""
DECIDE = """() => {
  const dialog = document.querySelector("#merge[open]");
  if (!dialog) return 0;
  dialog.querySelectorAll("input[value=both]").forEach(radio => radio.click());
  dialog.querySelector("[data-part=done]").click();
  return 1;
}"""
AT_REST = (
    "() => document.querySelector('#save').textContent.includes('Saved ') && !document.querySelector('#merge').open"
)


@dataclass
class Storm:
    """A network that loses requests on the way there, or their answers on the way back, and what was typed in it."""

    chance: random.Random
    requests: int = 0
    lost: int = 0
    unheard: int = 0
    asked: int = 0
    typed: list[str] = field(default_factory=list)
    dropped: set[str] = field(default_factory=set)

    def network(self, route: Route) -> None:
        self.requests += 1
        if self.requests % 7 == 2:
            self.lost += 1
            route.abort()
        elif self.requests % 7 == 4:
            self.unheard += 1
            route.fetch()
            with suppress(Error):  # the network may be well again by now, and the request its own
                route.abort()
        else:
            route.continue_()

    def edit(self, page: Page, number: int) -> None:
        self.asked += page.evaluate(DECIDE)
        what = self.chance.choice(["change", "change", "change", "add", "add", "drop"])
        word = f"w{number}."
        gone = page.evaluate(EDIT, [what, self.chance.randrange(1000), word])
        if gone is not None:  # an empty paragraph may go as well; then `word` is not written
            self.dropped.update(re.findall(r"w\d+\.", gone))
        else:
            self.typed.append(word)
        if self.chance.random() < 0.08:
            page.context.set_offline(True)
        elif self.chance.random() < 0.3:
            page.context.set_offline(False)
        page.wait_for_timeout(self.chance.choice([0, 20, 60, 250]))

    def calm(self, pages: list[Page]) -> None:
        """The network is well again; wait until both windows have come to rest."""
        for page in pages:
            page.context.unroute(API)
            page.context.set_offline(False)
        for _ in range(100):
            for page in pages:
                self.asked += page.evaluate(DECIDE)
                page.evaluate("document.dispatchEvent(new CustomEvent('save-now'))")
                page.wait_for_timeout(100)
            if all(page.evaluate(AT_REST) for page in pages):
                return
        raise AssertionError("The windows do not come to rest.")

    def missing(self, text: str) -> list[str]:
        """What was typed, never taken out, and is not in `text`."""
        there = set(re.findall(r"w\d+\.", text))
        return [word for word in self.typed if word not in there and word not in self.dropped]


@pytest.mark.long
def test_two_hundred_edits_over_a_network_that_breaks(
    open_window: OpenWindow, demo: object, server: Server, thesis: str, trouble: Trouble
) -> None:
    """Every word that was typed is in the text at the end, and conflicts were reported, not decided by themselves."""
    trouble.expect("412", "ERR_FAILED", "ERR_INTERNET_DISCONNECTED", "htmx:")  # the panels beside the text ask too
    storm = Storm(random.Random(SEED))
    first = open_window(signed_in=demo)
    section = new_section(first, server, thesis, "\n\n".join(f"Paragraph {n}." for n in range(12)))
    windows = [first, open_window(signed_in=demo)]
    for page in windows:
        open_section(page, section)
        page.context.route(API, storm.network)
    for number in range(EDITS):
        storm.edit(storm.chance.choice(windows), number)
    storm.calm(windows)
    assert storm.missing(section.latex) == []
    assert storm.lost
    assert storm.unheard
    assert storm.asked
