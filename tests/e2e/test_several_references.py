"""Several references at once, with the keyboard alone: selected, tagged, filtered, deleted (SPEC C5, C9, P8)."""

from functools import partial
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow
from tests.e2e.test_references import go_to, new_thesis, press

ENTRIES = "\n".join(
    f"@article{{k{n}, title={{Alder in stand {n}}}, author={{Ibe, Chidi}}, year={{{2000 + n}}}}}" for n in range(8)
)


@pytest.fixture
def open_page(open_window: OpenWindow, demo: Any, registries: Any) -> OpenWindow:
    """Opens windows of the demo person."""
    return partial(open_window, signed_in=demo)


def test_a_range_is_tagged_filtered_saved_and_deleted(open_page: OpenWindow) -> None:
    page = open_page()
    references = new_thesis(page)
    go_to(page, "DOI, PMID, ISBN")
    page.keyboard.insert_text(ENTRIES)
    press(page, "Add")
    expect(page.locator("#added")).to_contain_text("8 added.")
    page.goto(references)
    hint = page.locator("[data-ticked]")
    expect(hint).to_contain_text("Select works to look up, tag, export or delete several at once.")
    assert page.get_by_role("button", name="Delete", exact=True).count() == 0

    # A range: the first with the space bar, the fourth with Shift and the space bar.
    go_to(page, "Select k0")
    page.keyboard.press("Enter")  # presses no button
    page.keyboard.press("Space")
    expect(hint).to_have_text("1 selected")
    for _ in range(3):
        go_to(page, "Select k")
    page.keyboard.press("Shift+Space")
    expect(hint).to_have_text("4 selected")
    assert serious(page) == []

    # The field of a tag has the focus, and Enter adds the tag.
    page.locator("[data-tick-all]").focus()
    page.keyboard.press("Shift+Tab")
    page.get_by_role("button", name="Tags", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.locator("#bulk-tag")).to_be_focused()
    assert serious(page) == []
    page.keyboard.insert_text("To read")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 works tagged.")).to_be_visible()
    expect(page.locator("td .chip")).to_have_count(4)

    # Filtered by the tag, sorted, and saved under a name.
    page.locator("td .chip").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#rows tbody tr")).to_have_count(4)
    page.locator("#sort").select_option("year")
    expect(page.locator("#rows tbody tr").first).to_contain_text("k3")
    page.locator("#filter-name").focus()
    page.keyboard.insert_text("Newest to read")
    page.keyboard.press("Enter")
    expect(page.locator(".saved-filters [aria-current]")).to_have_text("Newest to read")
    assert serious(page) == []

    # All on the page, and deleted after a page that says what is cited.
    page.locator("[data-tick-all]").focus()
    page.keyboard.press("Space")
    expect(page.locator("[data-ticked]")).to_have_text("4 selected")
    page.get_by_role("button", name="Delete", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Delete 4 works?")).to_be_visible()
    assert serious(page) == []
    go_to(page, "Delete 4")
    page.keyboard.press("Enter")
    expect(page.get_by_text("4 works were deleted.")).to_be_visible()
    for path in ("tags/", "keys/"):
        page.goto(f"{references}{path}")
        assert serious(page) == []
