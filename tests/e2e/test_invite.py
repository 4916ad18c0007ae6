"""From an invitation to a thesis: the owner hands a link over, a person without an account makes one (SPEC T1, P3)."""

import random
from typing import Any

from playwright.sync_api import Page, expect

from tests.e2e.axe import serious
from tests.e2e.conftest import OpenWindow, Trouble


def invited(page: Page, thesis: str, email: str) -> str:
    """Invite `email` as supervisor; the link, which the page shows since this server sends no mail."""
    page.goto(f"{thesis}settings/")
    page.get_by_label("E-mail address").fill(email)
    page.get_by_label("Role", exact=True).select_option("supervisor")
    page.get_by_role("button", name="Send invitation").click()
    expect(page.get_by_text(f"{email} is invited. This server does not send mail.")).to_be_visible()
    return page.locator("#link").inner_text()


def test_somebody_new_joins(open_window: OpenWindow, demo: Any, thesis: str, trouble: Trouble) -> None:
    trouble.expect("status of 410")
    owner = open_window(signed_in=demo)
    email = f"ravi-{random.randrange(10**9)}@example.org"
    link = invited(owner, thesis, email)
    assert serious(owner) == []

    guest = open_window()
    guest.goto(link)
    expect(guest.get_by_role("heading", name="invites you to a thesis")).to_be_visible()
    assert serious(guest) == []
    guest.get_by_role("link", name="Create an account").click()
    guest.get_by_label("Your name").fill("Ravi Lindqvist")
    guest.get_by_label("E-mail").fill(email)
    guest.get_by_label("Password").fill("cloudberries in the fog")
    guest.get_by_role("button", name="Create account").click()
    expect(guest.get_by_role("button", name="Decline")).to_be_visible()
    guest.goto("/")
    guest.get_by_role("link", name="View invitation").click()
    assert serious(guest) == []
    guest.get_by_role("button", name="Accept").click()
    expect(guest.get_by_text("Your role here: supervisor.")).to_be_visible()

    owner.goto(f"{thesis}settings/")
    expect(owner.get_by_role("row", name="Ravi Lindqvist")).to_contain_text(email)
    guest.goto(link)
    expect(guest.get_by_role("heading", name="You accepted this invitation")).to_be_visible()


def test_the_wrong_account_is_told_and_can_change(open_window: OpenWindow, demo: Any, thesis: str) -> None:
    owner = open_window(signed_in=demo)
    link = invited(owner, thesis, f"rosa-{random.randrange(10**9)}@example.org")
    owner.goto(link)
    expect(owner.get_by_text("This invitation was sent to another address.")).to_be_visible()
    expect(owner.get_by_role("button", name="Accept")).to_have_count(0)


def test_what_is_taken_back_is_gone(open_window: OpenWindow, demo: Any, thesis: str, trouble: Trouble) -> None:
    trouble.expect("status of 404")
    owner = open_window(signed_in=demo)
    email = f"nora-{random.randrange(10**9)}@example.org"
    link = invited(owner, thesis, email)
    owner.get_by_role("button", name=f"Withdraw the invitation to {email}").click()
    expect(owner.get_by_text("Its link no longer works.")).to_be_visible()
    guest = open_window()
    guest.goto(link)
    expect(guest.get_by_role("heading", name="Invitation not found")).to_be_visible()
