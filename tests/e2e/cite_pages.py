"""A thesis that is cited in, against catalogues on this machine: what the tests of citing share."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.e2e import axe
from tests.e2e.conftest import STEADY, Server, Trouble
from tests.servers.browser_registries import PREPRINT, RETRACTED, Shelves

__all__ = ["PREPRINT", "RETRACTED"]

# The DOI is that of REMAP-CAP; the title and the author are of another work.
CONFLICT = (
    "@article{meduri2020, title={Rationale for prolonged corticosteroid treatment in the acute respiratory distress"
    " syndrome caused by coronavirus disease 2019}, author={Meduri, G Umberto and Bridges, Leslie}, year={2020},"
    " journal={Crit Care Explor}, doi={10.1001/jama.2020.17022}}"
)
BOX = "#cite-box"
KEY = r"[\w.:-]+"
TEXT = "document.querySelector('section-editor').latex"


@dataclass
class Desk:
    """A running Scholium, the catalogues it asks, and what the demo person's browser keeps."""

    server: Server
    shelves: Shelves
    state: Any


@contextmanager
def writing(desk: Desk, browser: Browser, trouble: Trouble, view: str, **options: Any) -> Iterator[Page]:
    """A window on the introduction of a new thesis in `view` ("visual" or "source"), with the caret in its text."""
    desk.shelves.mend()
    context = browser.new_context(base_url=desk.server.address, storage_state=desk.state, **options)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.on("page", lambda page: page.on("pageerror", lambda error: trouble.note(f"{error}")))
    context.on("console", trouble.on_console)
    context.add_init_script(f"if (location.protocol === 'http:') localStorage['scholium:view'] ??= '{view}'")
    page = context.new_page()
    made = context.request.post("/api/projects", data={"title": "Corticosteroids"}, headers=headers(context))
    page.goto(f"/projects/{made.json()['id']}/sections/introduction/")
    into(page)
    yield page
    context.close()


def headers(context: BrowserContext) -> dict[str, str]:
    """What the API asks of a browser that changes something."""
    token = next(one["value"] for one in context.cookies() if one["name"] == "csrftoken")
    return {"X-CSRFToken": token}


def project_of(page: Page) -> str:
    found = re.search(r"/projects/([\w-]+)/", page.url)
    assert found is not None
    return found[1]


def into(page: Page) -> None:
    """The focus is in the text, once the editor is there."""
    page.locator("section-editor[view=visual] .ProseMirror, latex-source .cm-content").focus()


def text(page: Page) -> str:
    """The LaTeX as it stands in the editor now."""
    latex: str = page.evaluate(TEXT)
    return latex


def expect_text(page: Page, wanted: str | re.Pattern[str]) -> None:
    """The LaTeX becomes `wanted`, or what that pattern finds, before long."""
    ask = f"([wanted, isPattern]) => isPattern ? new RegExp(wanted).test({TEXT}) : {TEXT} === wanted"
    given = [wanted.pattern, True] if isinstance(wanted, re.Pattern) else [wanted, False]
    try:
        page.wait_for_function(ask, arg=given, timeout=STEADY)
    except Exception as error:
        raise AssertionError(f"The text is {text(page)!r}, not {wanted!r}") from error


def inserted(page: Page, around: str = "KEY") -> str:
    """The key that stands in the text where `around` has KEY, once it does.

    A work's key is its author and year where the catalogues answer while it is added, else made of its identifier:
    on a busy machine either may be the case.
    """
    pattern = re.escape(around.replace("KEY", "\\cite{KEY}")).replace("KEY", f"({KEY})", 1).replace("KEY", r"\1")
    expect_text(page, re.compile(f"^{pattern}$"))
    found = re.search(pattern, text(page))
    assert found is not None
    return found[1]


def paste(page: Page, words: str) -> None:
    page.evaluate("words => navigator.clipboard.writeText(words)", words)
    page.keyboard.press("ControlOrMeta+V")


def cite(page: Page, words: str) -> None:
    """Open the dialog, paste `words` and press Enter at once."""
    page.keyboard.press("Control+Shift+C")
    expect(page.locator(BOX)).to_be_focused()
    paste(page, words)
    page.keyboard.press("Enter")


def saved(page: Page) -> None:
    """What stands in the text is on the server."""
    page.keyboard.press("ControlOrMeta+S")
    expect(page.locator("#save")).to_contain_text("Saved")


def panel(page: Page, key: str) -> Locator:
    """The row of the panel beside the text whose link or key is `key`."""
    return page.locator("#cited li").filter(has_text=key)


def row(page: Page, words: str) -> Locator:
    return page.locator("#cite-found [role=option]").filter(has_text=words)


def serious(page: Page) -> list[str]:
    """What axe-core finds serious, in light and in dark."""
    page.emulate_media(reduced_motion="reduce")
    return axe.serious(page)
