"""Pages say what became of a mail, whatever the mail server does (SPEC P3)."""

import socket
import time
from collections.abc import Iterator
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core.mail import EmailMessage
from django.test import Client

from projects import mail
from projects.mail import MailOutcome
from projects.models import Invitation, Project, User
from tests.people import signed_in
from tests.servers.smtp import MailServer, mail_server

PASSWORD = "alder roots fix nitrogen"


@pytest.fixture
def server(settings: Any) -> Iterator[MailServer]:
    with mail_server() as started:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = started.server_address[:2]
        yield started


def send() -> MailOutcome:
    return mail.send(EmailMessage("Hello", "text", to=["nora@example.org"]))


def test_what_was_taken_is_sent(server: MailServer) -> None:
    assert send() == MailOutcome.SENT
    [taken] = server.taken
    assert "To: nora@example.org" in taken


@pytest.mark.parametrize(
    ("command", "answer"),
    [("MAIL", "550 no"), ("RCPT", "550 nobody here"), ("DATA", "451 later"), (".", "554 spam"), ("EHLO", "421 busy")],
)
def test_what_was_refused_is_not(server: MailServer, command: str, answer: str) -> None:
    server.answers = {command: answer, "HELO": answer} if command == "EHLO" else {command: answer}
    assert send() == MailOutcome.FAILED
    assert not server.taken


def test_one_that_hangs_up_after_the_text_may_have_taken_it(server: MailServer) -> None:
    server.answers = {".": ""}
    assert send() == MailOutcome.UNSURE
    assert len(server.taken) == 1


@pytest.mark.long
def test_one_that_is_slow_with_each_answer_does_not_hold_the_page(
    server: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each answer comes in time, all together do not; the mail goes out later, so it is not said that it did not."""
    monkeypatch.setattr(mail, "PATIENCE", 0.6)
    server.pause = 0.3
    assert send() == MailOutcome.UNSURE
    assert not server.taken
    late = time.monotonic() + 20
    while not server.taken and time.monotonic() < late:
        time.sleep(0.05)
    assert len(server.taken) == 1


def test_one_that_says_nothing(settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mail, "PATIENCE", 0.2)
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    with socket.create_server(("127.0.0.1", 0)) as silent:
        settings.EMAIL_HOST, settings.EMAIL_PORT = silent.getsockname()
        assert send() == MailOutcome.UNSURE


@pytest.mark.sample(3)
@pytest.mark.parametrize("email", ["asha@example.org", "nobody@example.org"])
@pytest.mark.parametrize(
    ("answers", "said", "unsaid"),
    [
        ({}, "We sent a message", "No mail was sent"),
        ({"RCPT": "550 no"}, "the mail server rejected it", "We sent"),
        ({".": ""}, "The mail server did not answer in time", "No mail was sent"),
    ],
)
def test_pages_say_it(
    owner: User, server: MailServer, email: str, answers: dict[str, str], said: str, unsaid: str
) -> None:
    server.answers = answers
    for path, typed in (
        ("password/reset", {"email": email}),
        ("signup", {"name": "N", "email": email, "password1": PASSWORD}),
    ):
        page = Client().post(f"/accounts/{path}/", typed, follow=True).content.decode()
        assert said in page
        assert unsaid not in page
        assert "Nothing was changed" not in page  # an account may have been made


def test_mails_that_failed_are_none_that_went_to_the_address(owner: User, server: MailServer) -> None:
    """So the page does not say that several went there, nor is who tries on kept waiting."""
    server.answers = {"RCPT": "451 later"}
    for _ in range(5):
        page = Client().post("/accounts/password/reset/", {"email": owner.email}, follow=True).content.decode()
        assert "the mail server rejected it" in page
    server.answers = {}
    page = Client().post("/accounts/password/reset/", {"email": owner.email}, follow=True).content.decode()
    assert "We sent a message" in page


@pytest.mark.parametrize(
    ("answers", "said", "mailed"),
    [
        ({}, "Invitation sent to nora@example.org", "sent"),
        ({"RCPT": "550 no"}, "could not be sent", "failed"),
        ({".": ""}, "the mail server did not answer in time", "unsure"),
    ],
)
def test_so_does_an_invitation(
    project: Project, owner: User, server: MailServer, answers: dict[str, str], said: str, mailed: str
) -> None:
    server.answers = answers
    EmailAddress.objects.create(user=owner, email=owner.email, verified=True, primary=True)
    client, typed = signed_in(owner), {"email": "nora@example.org", "role": "reader"}
    page = client.post(f"/projects/{project.pk}/members/", typed).content.decode()
    assert said in page
    assert "/invitations/" in page  # the link, to be handed over
    Invitation.objects.all().delete()
    answer = client.post(f"/api/projects/{project.pk}/members", typed, content_type="application/json").json()
    assert (answer["mail"], answer["mailed"]) == (mailed, mailed == "sent")
