"""A new password ends the sessions elsewhere and the API tokens; the browser it was changed in stays signed in."""

from typing import Any

import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client

from core.errors import Refused
from projects.models import ApiToken, User
from tests.people import signed_in

NEW = {"password1": "alder roots fix nitrogen", "password2": "alder roots fix nitrogen"}


def is_in(client: Client) -> bool:
    return client.get("/account/").status_code == 200


def token_works(token: str) -> bool:
    return Client().get("/api/projects", headers={"authorization": f"Bearer {token}"}).status_code == 200


def test_changing_it(owner: User, outsider: User) -> None:
    here, elsewhere = signed_in(owner), signed_in(owner)
    (_, token), (_, others) = ApiToken.issue(owner, "Backup"), ApiToken.issue(outsider, "Backup")
    before = here.get("/accounts/password/change/").content.decode()
    assert "deletes your API tokens (1)" in before

    done = here.post(
        "/accounts/password/change/", {"oldpassword": "correct horse", **NEW}, follow=True
    ).content.decode()

    assert "You are signed out everywhere else, and your API tokens no longer work." in done
    assert (is_in(here), is_in(elsewhere)) == (True, False)
    assert (token_works(token), token_works(others)) == (False, True)
    with pytest.raises(Refused, match="changed just now"):  # by a request that was under way meanwhile
        ApiToken.issue(owner, "Backup")
    owner.refresh_from_db()
    assert token_works(ApiToken.issue(owner, "Backup")[1])


def test_a_wrong_one_ends_nothing(owner: User) -> None:
    here, elsewhere = signed_in(owner), signed_in(owner)
    _, token = ApiToken.issue(owner, "Backup")
    here.post("/accounts/password/change/", {"oldpassword": "wrong horse", **NEW})
    assert is_in(elsewhere)
    assert token_works(token)


def test_choosing_another_by_mail(owner: User) -> None:
    elsewhere, client = signed_in(owner), Client()
    _, token = ApiToken.issue(owner, "Backup")
    for _ in range(2):
        client.post("/accounts/password/reset/", {"email": owner.email})
    first, second = (
        next(line for line in str(sent.body).splitlines() if line.startswith("http")) for sent in mail.outbox
    )
    form = client.get(first, follow=True)
    assert "deletes your API tokens" in form.content.decode()
    done = client.post(form.redirect_chain[-1][0], NEW, follow=True).content.decode()

    assert "You are signed out everywhere" in done
    assert not is_in(elsewhere)
    assert not token_works(token)
    assert "This link does not work" in Client().get(second, follow=True).content.decode()


def test_setting_it_on_the_command_line(owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    _, token = ApiToken.issue(owner, "Backup")
    monkeypatch.setattr("getpass.getpass", lambda **asked: "alder roots fix nitrogen")  # a terminal's own prompt
    call_command("changepassword", owner.email, verbosity=0)
    assert not token_works(token)


def test_storing_the_same_one_in_a_newer_way_ends_nothing(owner: User, settings: Any) -> None:
    _, token = ApiToken.issue(owner, "Backup")
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher",
        "django.contrib.auth.hashers.MD5PasswordHasher",
    ]
    answer = Client().post("/accounts/login/", {"login": owner.email, "password": "correct horse"})
    assert answer.status_code == 302
    owner.refresh_from_db()
    assert owner.password.startswith("pbkdf2_sha1")
    assert token_works(token)


def test_a_change_of_name_ends_nothing(owner: User) -> None:
    _, token = ApiToken.issue(owner, "Backup")
    signed_in(owner).post("/account/", {"name": "Asha K. Menon"})
    assert token_works(token)
