"""Windows of the section editor for tests of citing, and what they hold."""

import json
from collections.abc import Iterator
from sqlite3 import Row
from typing import Any
from uuid import UUID, uuid4

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.e2e.cite_pages import (
    Desk,
    headers,
    into,
    project_of,
    writing,
)
from tests.e2e.conftest import Server, Trouble
from tests.servers.browser_registries import Shelves

PAGE = "section-editor .ProseMirror"
SOURCE = "latex-source .cm-content"
LIST = "#cite-inline"
SELECTED = f"{PAGE} .cites.ProseMirror-selectednode"


@pytest.fixture
def desk(server: Server, registries: Shelves, demo: Any) -> Desk:
    return Desk(server, registries, demo)


@pytest.fixture
def window(browser: Browser, desk: Desk, trouble: Trouble) -> Iterator[Page]:
    """A window on the introduction of a new thesis as a page, with the caret in it."""
    with writing(desk, browser, trouble, "visual") as page:
        yield page


@pytest.fixture
def source(browser: Browser, desk: Desk, trouble: Trouble) -> Iterator[Page]:
    """A window on its LaTeX."""
    with writing(desk, browser, trouble, "source") as page:
        yield page


def chips(page: Page) -> Locator:
    return page.locator(f"{PAGE} .cites .cite")


def add(page: Page, *texts: str) -> list[str]:
    """Add works to the thesis of the page; their keys."""
    address = f"/api/projects/{project_of(page)}/citations"
    answers = [page.request.post(address, data={"text": one}, headers=headers(page.context)) for one in texts]
    return [one.json()["citations"][0]["cite_key"] for one in answers]


def add_many(desk: Desk, page: Page, count: int) -> None:
    """`count` proven works of the thesis, author0 and so on, as checking them all would leave them."""
    (key,) = add(page, "10.1056/NEJMoa1705716")
    expect(page.locator("#cited")).to_be_visible()
    with desk.server.rows() as rows:
        rows.row_factory = Row
        of = (UUID(project_of(page)).hex, key)
        one = dict(
            rows.execute("SELECT * FROM citations_citation WHERE project_id = ? AND cite_key = ?", of).fetchone()
        )
        one |= {"status": "verified", "tier": "A", "evidence_type": "doi", "doi": "", "pmid": "", "check_due_at": None}
        one["year"] = 2018  # catalogues that are slow to answer have not said it yet
        made = [
            one | {"id": uuid4().hex, "cite_key": f"author{n}", "authors": f"Author{n}", "title": f"Alder, part {n}"}
            for n in range(count)
        ]
        places = ", ".join(f":{name}" for name in one)
        rows.execute("BEGIN")
        rows.executemany(f"INSERT INTO citations_citation ({', '.join(one)}) VALUES ({places})", made)
        rows.execute("COMMIT")


def write(page: Page, latex: str) -> None:
    """Have `latex` be the saved text of the section, and open it anew."""
    section = page.locator("section-editor").get_attribute("section")
    version = page.locator("section-editor").get_attribute("version")
    answer = page.request.put(
        f"/api/sections/{section}",
        data=json.dumps({"latex": latex}),
        headers={**headers(page.context), "If-Match": f'"{version}"', "Content-Type": "application/json"},
    )
    assert answer.ok, answer.text()
    page.reload()
    into(page)
