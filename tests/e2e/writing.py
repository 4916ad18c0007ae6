"""A section open in a real browser: making one, typing into it, and what the server then has of it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from playwright.sync_api import Page, expect

from tests.e2e.conftest import Server
from tests.servers.processes import until

SOON = 20.0  # seconds a save has, retries included
_ASK = """async ([method, path, body, ifMatch]) => {
  const token = /csrftoken=([^;]+)/.exec(document.cookie)[1];
  const headers = {"Content-Type": "application/json", "X-CSRFToken": token, ...(ifMatch ? {"If-Match": ifMatch} : {})};
  const response = await fetch(path, {method, headers, body: JSON.stringify(body)});
  return response.json();
}"""


@dataclass
class Written:
    """A section of a thesis: its page's path, its id, and the server it is on."""

    path: str
    id: str
    server: Server

    def row(self, what: str = "latex") -> Any:
        with self.server.rows() as rows:
            query = f"SELECT {what} FROM sections_section WHERE id = ?"  # a column's name, of these tests
            return rows.execute(query, [UUID(self.id).hex]).fetchone()[0]

    @property
    def latex(self) -> str:
        text: str = self.row()
        return text

    def kept(self, kind: str) -> list[str]:
        """The texts of that kind in the history."""
        with self.server.rows() as rows:
            query = "SELECT latex FROM sections_sectionversion WHERE section_id = ? AND kind = ? ORDER BY version"
            return [latex for (latex,) in rows.execute(query, [UUID(self.id).hex, kind])]

    def comes_to(self, wanted: Callable[[str], bool] | str, seconds: float = SOON) -> None:
        """Wait until the server has the text."""
        has = wanted if callable(wanted) else lambda text: text == wanted
        try:
            until(lambda: has(self.latex), seconds, "the text on the server")
        except AssertionError as late:
            raise AssertionError(f"{late} It is {self.latex[:500]!r}, wanted {wanted!r}.") from late


def new_section(page: Page, server: Server, thesis: str, latex: str, title: str = "A test of saving") -> Written:
    """A section of its own with `latex` in it, made from `page`."""
    page.goto(f"{thesis}settings/")
    project = thesis.strip("/").split("/")[1]
    made = page.evaluate(_ASK, ["POST", f"/api/projects/{project}/sections", {"title": title}, None])
    page.evaluate(_ASK, ["PUT", f"/api/sections/{made['id']}", {"latex": latex}, '"0"'])
    return Written(f"{thesis}sections/{made['slug']}/", made["id"], server)


def open_section(page: Page, written: Written, view: str = "source") -> None:
    """Open the page of the section in `view`, once its text is kept safe."""
    page.add_init_script(f"try {{ localStorage.setItem('scholium:view', {json.dumps(view)}) }} catch {{}}")
    page.goto(written.path)
    ready(page)


def ready(page: Page) -> None:
    expect(page.locator("form[data-safe]")).to_be_attached()
    expect(page.locator("#save")).to_contain_text("aved")
    comes_true(page, "() => document.querySelector('section-editor').view !== 'text'")


def text_of(page: Page) -> str:
    """The LaTeX as the window has it."""
    text: str = page.evaluate("document.querySelector('section-editor').latex")
    return text


def type_after(page: Page, words: str, typed: str) -> None:
    """Put the caret behind `words` and type."""
    select(page, words)
    page.keyboard.press("ArrowRight")
    page.keyboard.type(typed)


def select(page: Page, words: str) -> None:
    page.evaluate("quote => document.querySelector('section-editor').show({quote})", words)
    comes_true(page, "words => document.querySelector('section-editor').selected.text === words", words)


def expect_saved(page: Page) -> None:
    expect(page.locator("#save")).to_contain_text("Saved ")


def expect_text(page: Page, wanted: str) -> None:
    comes_true(page, "wanted => document.querySelector('section-editor').latex === wanted", wanted)


def comes_true(page: Page, expression: str, argument: Any = None) -> None:
    """Wait in this process: the page's policy lets nothing be evaluated in it again and again."""
    until(lambda: page.evaluate(expression, argument), SOON, expression)
