"""A section of a new thesis open as a page, in a window of the demo person."""

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import BrowserContext, Locator, Page, expect

from tests.e2e.conftest import OpenWindow


def headers(context: BrowserContext) -> dict[str, str]:
    """What the API asks of a browser that changes something."""
    token = next(one["value"] for one in context.cookies() if one["name"] == "csrftoken")
    return {"X-CSRFToken": token}


@dataclass
class Desk:
    """A window on one section: its page, the ids of its thesis and of itself, its path."""

    page: Page
    project: str
    section: str
    path: str

    @property
    def text(self) -> Locator:
        """The text as a page."""
        return self.page.locator(".visual")

    def latex(self) -> str:
        """The LaTeX that the editor holds."""
        held: str = self.page.evaluate("document.querySelector('section-editor').latex")
        return held

    def expect_latex(self, wanted: str) -> None:
        try:
            self.page.wait_for_function(
                "wanted => document.querySelector('section-editor').latex === wanted", arg=wanted, timeout=5_000
            )
        except Exception:
            assert self.latex() == wanted, f"{self.latex()!r} instead of {wanted!r}"
            raise

    def stored(self) -> str:
        """The LaTeX that the server holds."""
        held: str = self.page.context.request.get(f"/api/sections/{self.section}").json()["latex"]
        return held

    def open(self, view: str = "visual") -> None:
        """Open the section and wait until it stands there in `view`."""
        self.page.goto(self.path)
        self.page.wait_for_selector(f"section-editor[view={view}]")

    def caret_after(self, words: str) -> None:
        """Put the caret behind `words`, as a click there would."""
        self.page.evaluate(
            """words => {
              const visual = document.querySelector(".visual");
              const walker = document.createTreeWalker(visual, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(words);
                if (at < 0) continue;
                visual.focus();
                getSelection().collapse(walker.currentNode, at + words.length);
                return;
              }
              throw new Error(`${words} does not stand in the text`);
            }""",
            words,
        )
        self.page.wait_for_timeout(30)  # the browser tells of a new selection a moment later

    def select(self, words: str) -> None:
        """Select `words`, from their end to their beginning."""
        self.caret_after(words)
        for _ in words:
            self.page.keyboard.press("Shift+ArrowLeft")


def desk(open_window: OpenWindow, demo: Any, latex: str = "", **options: Any) -> Desk:
    """A window on the results of a new thesis, which hold `latex`. `options` are those of the browser's context."""
    return desk_in(open_window(signed_in=demo, **options), latex)


def desk_in(page: Page, latex: str = "") -> Desk:
    """The same in a window that is there."""
    request = page.context.request
    token = headers(page.context)
    project = request.post("/api/projects", data={"title": "Steroids in intensive care"}, headers=token).json()["id"]
    rows = request.get(f"/api/projects/{project}/sections").json()
    row = next(one for one in rows if one["slug"] == "results")
    if latex:
        held = {**token, "If-Match": f'"{row["version"]}"'}
        saved = request.put(f"/api/sections/{row['id']}", data={"latex": latex}, headers=held)
        expect(saved).to_be_ok()
    return Desk(page, project, row["id"], f"/projects/{project}/sections/results/")
