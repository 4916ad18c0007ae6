"""Where mail is set up, no form tells who has an account; and pages say whether a mail went out (SPEC P3)."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings as live
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail
from django.test import Client

from projects.models import User

PASSWORD = "alder roots fix nitrogen"
NO_MAIL = "django.core.mail.backends.console.EmailBackend"


class Counting(MD5PasswordHasher):
    """Counts how often a password is hashed, which is what takes time when somebody signs up or in."""

    algorithm = "counting"
    done = 0

    def encode(self, password: str, salt: str) -> str:
        type(self).done += 1
        return super().encode(password, salt)


@pytest.fixture
def hashes(settings: Any) -> type[Counting]:
    settings.PASSWORD_HASHERS = [f"{__name__}.Counting", *live.PASSWORD_HASHERS]
    return Counting


def seen(client: Client, path: str, typed: dict[str, str]) -> tuple[Any, ...]:
    """All of the answer, and of the page it leads to, that a stranger can compare."""
    answer = client.post(path, typed)
    page = client.get(answer["Location"]) if answer.status_code == 302 else answer
    text = re.sub(r"\b[\w]{64}\b|n\w+@example.org|again in \d+ seconds?", "", page.content.decode()).replace(
        "asha@example.org", ""
    )
    headers = {
        name: value for name, value in answer.headers.items() if name not in ("Content-Length", "ETag", "Expires")
    }
    return answer.status_code, headers, sorted(client.cookies), text


def sign_up(email: str) -> tuple[Any, ...]:
    return seen(Client(), "/accounts/signup/", {"name": "Nora Holm", "email": email, "password1": PASSWORD})


def test_signing_up_looks_the_same(owner: User, hashes: type[Counting]) -> None:
    before = hashes.done
    new = sign_up("nora@example.org")
    between = hashes.done
    taken = sign_up(owner.email)
    assert new == taken
    assert between - before == hashes.done - between == 1
    assert [message.to for message in mail.outbox] == [["nora@example.org"], [owner.email]]
    assert "You already have an account" in mail.outbox[1].body
    assert User.objects.count() == 2
    owner.refresh_from_db()
    assert owner.check_password("correct horse")


def test_nor_does_signing_in_after_it(owner: User, hashes: type[Counting]) -> None:
    """With the password just chosen: an account that was made answers as one with another password, however often."""
    for email in ("nora@example.org", owner.email):
        sign_up(email)
    owner.set_password("correct horse")  # in the way of the fixture
    owner.save()
    mail.outbox.clear()
    for _ in range(7):
        before, took, pages = hashes.done, [], []
        for email in ("nora@example.org", owner.email):
            pages.append(seen(Client(), "/accounts/login/", {"login": email, "password": PASSWORD}))
            took.append(hashes.done - before)
            before = hashes.done
        assert pages[0] == pages[1]
        assert took[0] == took[1]
    assert "Too many attempts in a row" in pages[0][-1]
    assert not mail.outbox


def test_the_link_in_the_mail_lets_in(db: None) -> None:
    client = Client()
    client.post("/accounts/signup/", {"name": "Nora Holm", "email": "nora@example.org", "password1": PASSWORD})
    assert client.post(link_in_mail()).headers["Location"] == "/"
    answer = Client().post("/accounts/login/", {"login": "nora@example.org", "password": PASSWORD})
    assert answer["Location"] == "/"


def test_a_new_password_by_mail_confirms_the_address_and_lets_in(db: None) -> None:
    """For who lost the first mail: signing up again tells them of this way."""
    sign_up("nora@example.org")
    client = Client()
    client.post("/accounts/password/reset/", {"email": "nora@example.org"})
    form = client.get(link_in_mail(), follow=True)
    new = "birch bark holds betulin"
    client.post(form.redirect_chain[-1][0], {"password1": new, "password2": new})
    assert "_auth_user_id" in client.session
    assert EmailAddress.objects.get(email="nora@example.org").verified
    assert Client().post("/accounts/login/", {"login": "nora@example.org", "password": new})["Location"] == "/"


def test_an_account_of_the_command_line_is_entered_though_somebody_asked_for_a_reset(owner: User) -> None:
    Client().post("/accounts/password/reset/", {"email": owner.email})
    answer = Client().post("/accounts/login/", {"login": owner.email, "password": "correct horse"})
    assert answer["Location"] == "/"


def link_in_mail() -> str:
    return next(line for line in str(mail.outbox[-1].body).splitlines() if line.startswith("http"))


def test_nor_do_mistakes_in_the_form(owner: User) -> None:
    pages = [
        seen(Client(), "/accounts/signup/", {"name": "N", "email": email, "password1": "short"})
        for email in ("nora@example.org", owner.email)
    ]
    assert pages[0] == pages[1]


def test_asking_for_a_new_password_looks_the_same(owner: User) -> None:
    paths = [seen(Client(), "/accounts/password/reset/", {"email": email}) for email in ("no@example.org", owner.email)]
    assert paths[0] == paths[1]
    assert len(mail.outbox) == 2


def test_signing_in_takes_as_long(owner: User, hashes: type[Counting]) -> None:
    owner.set_password("correct horse")
    owner.save()
    counts = []
    for email in (owner.email, "nobody@example.org"):
        before = hashes.done
        Client().post("/accounts/login/", {"login": email, "password": "wrong"})
        counts.append(hashes.done - before)
    assert counts[0] == counts[1] > 0


def test_who_signed_in_before_mail_was_set_up_still_does(settings: Any, db: None) -> None:
    backend, settings.EMAIL_BACKEND = settings.EMAIL_BACKEND, NO_MAIL
    sign_up("nora@example.org")
    settings.EMAIL_BACKEND = backend
    assert not EmailAddress.objects.get(email="nora@example.org").verified
    answer = Client().post("/accounts/login/", {"login": "nora@example.org", "password": PASSWORD})
    assert answer["Location"] == "/"


def test_without_mail_it_is_said_at_the_field(owner: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = NO_MAIL
    page = Client().post("/accounts/signup/", {"name": "N", "email": owner.email, "password1": PASSWORD})
    assert "already registered" in page.content.decode()


@pytest.mark.parametrize(("backend", "said"), [("smtp", "rejected it"), ("console", "This server does not send mail")])
@pytest.mark.parametrize("email", ["asha@example.org", "nobody@example.org"])
def test_a_reset_says_that_no_mail_went_out(
    owner: User, settings: Any, backend: str, said: str, email: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nothing listens there
    page = Client().post("/accounts/password/reset/", {"email": email}, follow=True).content.decode()
    assert said in page
    assert "No mail was sent" in page
    assert "We sent" not in page
    assert ("/accounts/" in capsys.readouterr().out) == (backend == "console")


@pytest.mark.parametrize("email", ["asha@example.org", "nobody@example.org"])
def test_signing_up_says_that_no_mail_went_out_alike(owner: User, settings: Any, email: str) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9
    client = Client()
    typed = {"name": "N", "email": email, "password1": PASSWORD}
    page = client.post("/accounts/signup/", typed, follow=True).content.decode()
    assert page.count("the mail server rejected it") == 1
    assert "We sent" not in page
    assert "Nothing was changed" not in page  # an account may have been made
