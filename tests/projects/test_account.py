"""SPEC P3, P4: signing up with a name, changing it, and personal tokens for programs."""

import re
from datetime import timedelta
from typing import Any

from django.test import Client
from django.utils import timezone

from projects.models import ApiToken, User
from tests.people import signed_in


def new_token(client: Client, name: str = "Backup") -> str:
    response = client.post("/account/tokens/", {"name": name})
    assert response.status_code == 201
    assert "no-store" in response["Cache-Control"]
    found = re.search(r'<code id="token">(sch_[\w-]+)</code>', response.content.decode())
    assert found
    return found[1]


def test_sign_up_keeps_the_name(db: Any) -> None:
    response = Client().post(
        "/accounts/signup/",
        {"name": " Asha  Menon", "email": "Asha@Example.org", "password1": "alder catkins in march"},
    )
    assert response.status_code == 302
    user = User.objects.get()
    assert (user.name, user.email) == ("Asha Menon", "asha@example.org")
    assert user.initials == "AM"


def test_sign_up_asks_for_a_name(db: Any) -> None:
    Client().post("/accounts/signup/", {"name": " ", "email": "a@example.org", "password1": "alder catkins in march"})
    assert not User.objects.exists()


def test_the_name_can_be_changed(owner: User) -> None:
    client = signed_in(owner)
    assert client.post("/account/", {"name": "Asha K. Menon"}).status_code == 302
    page = client.get("/account/").content.decode()
    assert 'value="Asha K. Menon"' in page
    assert owner.email in page


def test_the_engine_is_asked_for_by_address(owner: User) -> None:
    assert 'hx-get="/engine/"' in signed_in(owner).get("/account/").content.decode()


def test_a_token_is_shown_once_and_works(owner: User) -> None:
    client = signed_in(owner)
    token = new_token(client)
    assert ApiToken.user_of(token) == owner
    assert token not in client.get("/account/").content.decode()
    assert not ApiToken.objects.filter(digest__contains=token).exists()


def test_use_is_noted_to_the_minute(owner: User) -> None:
    row, token = ApiToken.issue(owner, "Backup")
    ApiToken.user_of(token)
    row.refresh_from_db()
    first = row.last_used_at
    assert first is not None
    ApiToken.user_of(token)
    row.refresh_from_db()
    assert row.last_used_at == first
    ApiToken.objects.update(last_used_at=timezone.now() - timedelta(minutes=5))
    ApiToken.user_of(token)
    row.refresh_from_db()
    assert row.last_used_at > first


def test_a_removed_token_stops_working(owner: User) -> None:
    client = signed_in(owner)
    token = new_token(client)
    assert client.post(f"/account/tokens/{ApiToken.objects.get().pk}/delete/").status_code == 302
    assert ApiToken.user_of(token) is None


def test_nobody_removes_another_persons_token(owner: User, outsider: User) -> None:
    row, _ = ApiToken.issue(owner, "Backup")
    assert signed_in(outsider).post(f"/account/tokens/{row.pk}/delete/").status_code == 404
    assert ApiToken.objects.exists()


def test_a_token_needs_a_name(owner: User) -> None:
    assert signed_in(owner).post("/account/tokens/", {"name": " "}).status_code == 422


def test_fifty_tokens_are_enough(owner: User) -> None:
    for n in range(50):
        ApiToken.issue(owner, str(n))
    response = signed_in(owner).post("/account/tokens/", {"name": "One more"})
    assert response.status_code == 422
    assert "Remove one" in response.content.decode()


def test_signing_in_comes_first(db: Any) -> None:
    client = Client()
    for address in ("/account/", "/account/tokens/", "/account/tokens/1/delete/"):
        assert client.post(address)["Location"].startswith("/accounts/login/")


def test_only_posting(owner: User) -> None:
    client = signed_in(owner)
    assert client.get("/account/tokens/").status_code == 405
    assert client.get("/account/tokens/1/delete/").status_code == 405
