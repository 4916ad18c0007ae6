"""Guessing is slowed down, and whoever knows the password gets in: nobody can lock an account (SPEC P3)."""

from typing import Any

import pytest
from django.core import mail
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from projects import rate_limits
from projects.account_adapter import COOKIE
from projects.models import ApiToken, User
from projects.rate_limits import Allowance

PROXY = "127.0.0.1"


@pytest.fixture(autouse=True)
def _behind_a_proxy(settings: Any) -> None:
    from ipaddress import ip_network

    settings.TRUSTED_PROXIES = [ip_network(PROXY)]


def sign_in(email: str, password: str, address: str, client: Client | None = None) -> str:
    """What became of it: "in", "wrong" or "wait"."""
    typed = {"login": email, "password": password}
    answer = (client or Client()).post("/accounts/login/", typed, headers={"x-forwarded-for": address})
    if answer.status_code == 302:
        return "in"
    page = answer.content.decode()
    assert ("Wrong e-mail address or password" in page) != ("Too many attempts in a row" in page)
    return "wrong" if "Wrong e-mail address or password" in page else "wait"


def test_a_client_has_five_tries_at_an_account(owner: User) -> None:
    seen = [sign_in(owner.email, "wrong", "203.0.113.7") for _ in range(7)]
    assert seen == ["wrong"] * 5 + ["wait"] * 2
    assert sign_in(owner.email, "correct horse", "203.0.113.7") == "wait"
    assert sign_in(owner.email, "correct horse", "203.0.113.8") == "in"


def test_right_ones_are_not_counted(owner: User) -> None:
    assert {sign_in(owner.email, "correct horse", "203.0.113.7") for _ in range(12)} == {"in"}


def test_an_address_nobody_has_is_answered_alike(owner: User) -> None:
    for email in (owner.email, "nobody@example.org"):
        assert [sign_in(email, "wrong", "203.0.113.7") for _ in range(6)] == ["wrong"] * 5 + ["wait"]


@pytest.mark.long
def test_a_client_goes_through_few_accounts(owner: User) -> None:
    for number in range(30):
        assert sign_in(f"n{number}@example.org", "wrong", "203.0.113.7") == "wrong"
    assert sign_in("another@example.org", "wrong", "203.0.113.7") == "wait"
    assert sign_in(owner.email, "correct horse", "203.0.113.8") == "in"


def test_an_ipv6_network_is_one_client(owner: User) -> None:
    seen = [sign_in(owner.email, "wrong", f"2001:db8:1:2::{number:x}") for number in range(1, 8)]
    assert seen == ["wrong"] * 5 + ["wait"] * 2


@pytest.mark.long
def test_under_attack_from_many_addresses_who_knows_the_password_gets_in(owner: User) -> None:
    """Each unknown client has one try then, not five: 1,000 addresses have hardly more than 1,000 guesses."""
    known = Client()
    assert sign_in(owner.email, "correct horse", "198.51.100.1", known) == "in"
    seen = [
        sign_in(owner.email, f"guess {turn}", f"10.{number // 250}.0.{number % 250 + 1}")
        for turn in range(3)
        for number in range(100)
    ]
    assert 100 <= seen.count("wrong") <= 100 + rate_limits.SIGN_IN_ACCOUNT.most
    assert sign_in(owner.email, "correct horse", "203.0.113.7") == "in"
    known.post("/accounts/logout/")
    assert [sign_in(owner.email, "wrong", "10.0.0.1", known) for _ in range(3)] == ["wrong"] * 3
    assert sign_in(owner.email, "correct horse", "10.0.0.1", known) == "in"


def test_refused_tries_write_nothing_and_use_nothing_up(owner: User) -> None:
    for _ in range(5):
        sign_in(owner.email, "wrong", "203.0.113.7")
    before = sorted(Allowance.objects.values_list())
    with CaptureQueriesContext(connection) as asked:
        assert sign_in(owner.email, "wrong", "203.0.113.7") == "wait"
    assert not [query["sql"] for query in asked if not query["sql"].startswith("SELECT")]
    assert sorted(Allowance.objects.values_list()) == before


@pytest.mark.long
def test_a_wide_ipv6_network_is_no_crowd(owner: User) -> None:
    """A network of 48 bits, which anybody is given, holds 65,536 clients: they share what they have at an account."""
    for number in range(rate_limits.SIGN_IN_ACCOUNT.most):
        sign_in(owner.email, "wrong", f"198.51.100.{number}")
    seen = [sign_in(owner.email, "wrong", f"2001:db8:1:{number:x}::1") for number in range(35)]
    assert seen == ["wrong"] * 30 + ["wait"] * 5
    assert sign_in(owner.email, "correct horse", "2001:db8:2:1::1") == "in"


def test_a_known_browser_has_its_own_tries_and_no_more(owner: User) -> None:
    client = Client()
    sign_in(owner.email, "correct horse", "203.0.113.7", client)
    client.post("/accounts/logout/")
    seen = [sign_in(owner.email, "wrong", f"203.0.113.{number}", client) for number in range(1, 13)]
    assert seen == ["wrong"] * 10 + ["wait"] * 2


@pytest.mark.parametrize("value", ["", "x", "W10:1abc:def", '["a",["b"]]'])
def test_a_made_up_cookie_is_no_known_browser(owner: User, value: str) -> None:
    client = Client()
    client.cookies[COOKIE] = value
    assert [sign_in(owner.email, "wrong", "203.0.113.7", client) for _ in range(6)][-1] == "wait"


def test_a_browser_known_for_another_account_is_none_for_this(owner: User, outsider: User) -> None:
    client = Client()
    sign_in(outsider.email, "correct horse", "203.0.113.7", client)
    client.post("/accounts/logout/")
    assert [sign_in(owner.email, "wrong", "203.0.113.7", client) for _ in range(6)][-1] == "wait"


def test_the_cookie_is_for_the_server_alone(owner: User) -> None:
    client = Client()
    sign_in(owner.email, "correct horse", "203.0.113.7", client)
    cookie = client.cookies[COOKIE]
    assert (cookie["httponly"], cookie["samesite"]) == (True, "Lax")
    assert "asha" not in cookie.value


def test_a_new_password_by_mail_opens_the_way_at_once(owner: User) -> None:
    client, headers = Client(), {"x-forwarded-for": "203.0.113.7"}
    for _ in range(6):
        sign_in(owner.email, "wrong", "203.0.113.7")
    client.post("/accounts/password/reset/", {"email": owner.email}, headers=headers)
    link = next(line for line in str(mail.outbox[-1].body).splitlines() if line.startswith("http"))
    form = client.get(link, follow=True)
    new = {"password1": "alder roots fix nitrogen", "password2": "alder roots fix nitrogen"}
    client.post(form.redirect_chain[-1][0], new, headers=headers)
    assert client.session["_auth_user_id"] == str(owner.pk)
    client.post("/accounts/logout/")
    assert sign_in(owner.email, "alder roots fix nitrogen", "203.0.113.7") == "wait"
    assert sign_in(owner.email, "alder roots fix nitrogen", "203.0.113.7", client) == "in"  # it is a known browser now


@pytest.mark.sample(1)
@pytest.mark.parametrize("path", ["signup", "password/reset"])
def test_the_other_forms_are_limited_by_client(db: None, path: str) -> None:
    def answer(address: str) -> Any:
        return Client().post(f"/accounts/{path}/", {}, headers={"x-forwarded-for": address})

    seen = [answer("203.0.113.7") for _ in range(32)]
    assert seen[0].status_code == 200
    assert seen[-1].status_code == 429
    assert "Try again in" in seen[-1].content.decode()
    assert int(seen[-1]["Retry-After"]) > 0
    assert answer("203.0.113.8").status_code == 200
    assert Client().get(f"/accounts/{path}/", headers={"x-forwarded-for": "203.0.113.7"}).status_code == 200


def test_mails_to_one_address_are_limited_whoever_asks_and_the_page_says_so(owner: User) -> None:
    for email in (owner.email, "nobody@example.org"):
        mail.outbox.clear()
        pages = []
        for number in range(5):
            headers = {"x-forwarded-for": f"203.0.113.{number}"}
            answer = Client().post("/accounts/password/reset/", {"email": email}, headers=headers, follow=True)
            pages.append(answer.content.decode())
        assert len(mail.outbox) == 3
        assert ["We sent a message" in page for page in pages] == [True] * 3 + [False] * 2
        assert "so no other was sent" in pages[-1]


def test_wrong_tokens_are_counted_and_a_right_one_passes(owner: User) -> None:
    _, token = ApiToken.issue(owner, "Backup")

    def answer(token: str) -> int:
        headers = {"authorization": f"Bearer {token}", "x-forwarded-for": "203.0.113.7"}
        return Client().get("/api/projects", headers=headers).status_code

    assert [answer(f"sch_{number}") for number in range(32)][29:] == [401, 429, 429]
    assert answer(token) == 200


def test_tokens_made_are_limited(owner: User) -> None:
    for _ in range(60):
        ApiToken.issue(owner, "Backup")[0].delete()
    client = Client()
    client.force_login(owner)
    page = client.post("/account/tokens/", {"name": "One more"})
    assert page.status_code == 422
    assert "You have made many tokens today. Try again in" in page.content.decode()


def test_the_counts_say_nothing_of_anybody(owner: User) -> None:
    sign_in(owner.email, "wrong", "203.0.113.7")
    assert Allowance.objects.count() == 3
    assert not Allowance.objects.filter(key__contains="asha").exists()


@pytest.mark.postgres
def test_an_address_is_no_other_that_only_looks_alike(owner: User) -> None:
    """PostgreSQL compares without capitals in such a way that the long s is an s: as many names of an account, each
    with its tries; and who signed up with one had it closed.
    """
    alike = "a\u017fha@example.org"
    assert sign_in(alike, "correct horse", "203.0.113.7") == "wrong"
    assert Client().post("/accounts/signup/", {"name": "N", "email": alike, "password1": "alder roots fix nitrogen"})
    assert User.objects.count() == 2
    assert sign_in(owner.email, "correct horse", "203.0.113.8") == "in"
    assert sign_in(owner.email.upper(), "correct horse", "203.0.113.8") == "in"
