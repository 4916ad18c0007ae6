"""New comments are mailed to those who write, and answers to those who are answered (SPEC T2)."""

import json
import threading
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.utils import timezone

from projects.models import Membership, Project, User
from sections.models import Comment, Section
from tests.people import signed_in

pytestmark = pytest.mark.django_db


@pytest.fixture
def results(project: Project, owner: User, editor: User, supervisor: User, reader: User) -> Section:
    for user in (owner, editor, supervisor, reader):
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    section: Section = project.sections.get(slug="results")
    return section.write("Growth was measured.", based_on=0, by=owner)


def mailed() -> list[str]:
    """The addresses that were mailed to since the last call."""
    for thread in threading.enumerate():
        if thread.name in ("comment mail", "mail"):
            thread.join(10)
    to = [address for message in mail.outbox for address in message.to]
    mail.outbox.clear()
    return sorted(to)


def comment(user: User, section: Section, body: str) -> Any:
    where = f"/projects/{section.project_id}/sections/{section.slug}/comments/"
    return signed_in(user).post(where, {"body": body})


def an_hour_later() -> None:
    Membership.objects.update(comments_mailed_at=timezone.now() - timedelta(minutes=61))


def test_a_comment_reaches_those_who_write(results: Section, supervisor: User, owner: User, editor: User) -> None:
    comment(supervisor, results, "Which plots?")
    for thread in threading.enumerate():
        if thread.name in ("comment mail", "mail"):
            thread.join(10)
    message = next(one for one in mail.outbox if one.to == [owner.email])
    assert message.subject == "Scholium: Ravi Iyer commented on Results"
    assert "Which plots?" in message.body
    assert f"/projects/{results.project_id}/sections/results/comments/" in message.body
    assert mailed() == sorted([owner.email, editor.email])


def test_the_mail_shows_the_words_as_they_are_read(results: Section, supervisor: User, owner: User) -> None:
    latex = r"\subsection{Growth} It grew by 5\,\% \cite{lee}, ``fast''."
    results.write(latex, based_on=results.version, by=owner)
    where = f"/projects/{results.project_id}/sections/results/comments/"
    sent = {"body": "Which plots?", "quote": latex[12:-1], "before": latex[:12], "after": ".", "start": "12"}
    page = signed_in(supervisor).post(where, sent)
    words = "Growth It grew by 5 % [lee], “fast”"
    assert words in signed_in(supervisor).get(page["Location"]).content.decode()
    for thread in threading.enumerate():
        if thread.name in ("comment mail", "mail"):
            thread.join(10)
    assert f"About the words “{words}”:" in next(one for one in mail.outbox if one.to == [owner.email]).body


def test_at_most_once_an_hour(results: Section, supervisor: User, owner: User, editor: User) -> None:
    comment(supervisor, results, "Which plots?")
    comment(supervisor, results, "And when?")
    assert mailed() == sorted([owner.email, editor.email])
    an_hour_later()
    comment(supervisor, results, "And why?")
    assert mailed() == sorted([owner.email, editor.email])


def test_an_answer_reaches_who_asked(results: Section, supervisor: User, owner: User, reader: User) -> None:
    comment(supervisor, results, "Which plots?")
    mailed()
    an_hour_later()
    first = Comment.objects.get()
    body = json.dumps({"body": "All fourteen."})
    address = f"/api/comments/{first.pk}/replies"
    assert signed_in(owner).post(address, body, content_type="application/json").status_code == 201
    told = mailed()
    assert supervisor.email in told
    assert owner.email not in told
    assert reader.email not in told


def test_who_does_not_want_it_or_has_not_confirmed_gets_none(
    results: Section, supervisor: User, owner: User, editor: User
) -> None:
    page = signed_in(owner).get("/account/").content.decode()
    assert "Mail me about new comments" in page
    assert signed_in(owner).post("/account/", {"name": "Asha Menon"}).status_code == 302
    EmailAddress.objects.filter(user=editor).update(verified=False)
    comment(supervisor, results, "Which plots?")
    assert mailed() == []


def test_without_mail_nothing_is_counted(results: Section, supervisor: User, owner: User, settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    comment(supervisor, results, "Which plots?")
    assert mailed() == []
    assert not Membership.objects.exclude(comments_mailed_at=None).exists()
    assert "Mail me about" not in signed_in(owner).get("/account/").content.decode()


def test_a_comment_that_is_refused_is_not_mailed(results: Section, supervisor: User, reader: User) -> None:
    comment(supervisor, results, " ")
    assert comment(reader, results, "May I?").status_code == 403
    assert mailed() == []
