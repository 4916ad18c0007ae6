"""SPEC T1, P3: the owner invites people by e-mail, with an account or without, and nobody learns who has one."""

import json
import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.utils import timezone

from projects import invitations
from projects.models import Invitation, Project, User
from tests.people import signed_in
from tests.projects.invitations import NOBODY, _confirmed, act_on, confirmed, invite, link, link_in, made_earlier

__all__ = ["_confirmed", "link"]


# Inviting


@pytest.mark.parametrize("role", ["editor", "supervisor", "reader"])
def test_a_link_goes_out_by_mail_and_is_shown_once(project: Project, owner: User, role: str) -> None:
    client = signed_in(owner)
    response = invite(client, project, " Nora@Example.org ", role)
    assert response.status_code == 201
    assert response["Cache-Control"].count("no-store") == 1
    page = response.content.decode()
    [message] = mail.outbox
    assert message.to == [NOBODY]
    assert message.subject == "Scholium: Asha Menon invites you to a thesis"
    assert f"“Alder and soil” in Scholium, as {role}." in message.body
    assert link_in(str(message.body)) == link_in(page)
    token = link_in(page).split("/")[-2]
    [row] = Invitation.objects.all()
    assert (row.email, row.role, row.made_by) == (NOBODY, role, owner)
    assert token not in str(vars(row))
    again = client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert NOBODY in again
    assert token not in again


def test_whether_there_is_an_account_changes_nothing(project: Project, owner: User, outsider: User) -> None:
    pages = [invite(signed_in(owner), project, email) for email in (outsider.email, "oskaa@example.org")]
    first, second = (
        re.sub(r"[\w-]{43}", "TOKEN", page.content.decode()).replace(outsider.email, "oskaa@example.org")
        for page in pages
    )
    assert {page.status_code for page in pages} == {201}
    assert "Oskar" not in first
    assert first.split('id="link"')[0].count("TOKEN") == second.split('id="link"')[0].count("TOKEN")
    assert project.role_of(outsider) is None


@pytest.mark.parametrize(
    ("backend", "said"), [("smtp", "could not be sent"), ("console", "This server does not send mail.")]
)
def test_without_mail_the_invitation_stands_and_the_link_is_handed_over(
    project: Project, owner: User, settings: Any, backend: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.EMAIL_BACKEND = f"django.core.mail.backends.{backend}.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nothing listens there
    response = invite(signed_in(owner), project)
    page = response.content.decode()
    assert response.status_code == 201
    assert said in page
    assert "Invitation sent" not in page
    assert link_in(page)
    assert Invitation.objects.count() == 1
    assert "/invitations/" not in capsys.readouterr().out


def test_a_name_cannot_write_headers_of_the_mail(project: Project, owner: User) -> None:
    User.objects.filter(pk=owner.pk).update(name="Asha\r\nBcc: all@example.org")
    assert invite(signed_in(owner), project).status_code == 201
    [message] = mail.outbox
    assert message.recipients() == [NOBODY]


@pytest.mark.parametrize("email", ["", "nora", "nora@", "a b@example.org", f"{'n' * 300}@example.org"])
def test_what_is_no_address_is_said_at_its_field(project: Project, owner: User, email: str) -> None:
    response = invite(signed_in(owner), project, email)
    assert response.status_code == 422
    assert f'value="{email}"' in response.content.decode() or not email
    assert not Invitation.objects.exists()
    assert not mail.outbox


@pytest.mark.parametrize("role", ["owner", "king", ""])
def test_a_role_nobody_can_be_given(project: Project, owner: User, role: str) -> None:
    assert invite(signed_in(owner), project, role=role).status_code == 422
    assert not Invitation.objects.exists()


def test_who_is_a_member_or_invited_is_not_invited_again(project: Project, owner: User, reader: User) -> None:
    client = signed_in(owner)
    assert "is already a member" in invite(client, project, reader.email.upper()).content.decode()
    invite(client, project)
    assert "is already invited" in invite(client, project, NOBODY.upper(), "reader").content.decode()
    assert [row.role for row in Invitation.objects.all()] == ["supervisor"]


def test_one_that_ran_out_makes_room_for_another(project: Project, owner: User) -> None:
    invite(signed_in(owner), project)
    Invitation.objects.update(expires_at=timezone.now())
    assert "Expired" in signed_in(owner).get(f"/projects/{project.pk}/settings/").content.decode()
    assert invite(signed_in(owner), project, role="reader").status_code == 201
    assert [row.role for row in Invitation.objects.all()] == ["reader"]


def test_fifty_can_wait_for_an_answer(project: Project, owner: User) -> None:
    for number in range(invitations.MOST_OPEN):
        invitations.invite(project, f"n{number}@example.org", "reader", owner)
    assert "Withdraw one first." in invite(signed_in(owner), project).content.decode()
    assert Invitation.objects.count() == 50


@pytest.fixture
def unconfirmed(owner: User) -> User:
    EmailAddress.objects.filter(user=owner).update(verified=False)
    return owner


def test_it_waits_until_the_inviters_own_address_is_confirmed(project: Project, unconfirmed: User) -> None:
    client = signed_in(unconfirmed)
    page = invite(client, project).content.decode()
    assert "will be sent once you confirm your own address" in page
    assert "/invitations/" not in page.replace(f"/projects/{project.pk}/invitations/", "")
    assert "Not sent yet" in client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert not mail.outbox

    client.post("/accounts/email/", {"action_send": "", "email": unconfirmed.email})
    [confirming] = re.findall(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    done = client.post(confirming, follow=True).content.decode()

    assert "Your waiting invitation was sent." in done
    assert mail.outbox[-1].to == [NOBODY]
    assert Client().get(link_in(str(mail.outbox[-1].body))).status_code == 200
    assert "Not sent yet" not in client.get(f"/projects/{project.pk}/settings/").content.decode()


def test_sending_again_waits_too(project: Project, unconfirmed: User) -> None:
    client = signed_in(unconfirmed)
    invite(client, project)
    made_earlier(seconds=61)
    assert "will be sent once you confirm" in act_on(client, project, Invitation.objects.get(), "send").content.decode()
    assert not mail.outbox


def test_the_api_says_that_it_waits_and_gives_no_link(project: Project, unconfirmed: User) -> None:
    answer = send(signed_in(unconfirmed), "post", f"/{project.pk}/members", {"email": NOBODY, "role": "reader"}).json()
    assert (answer["link"], answer["mailed"], answer["mail"]) == ("", False, "waits")


def test_what_waits_goes_on_waiting_when_the_mail_server_fails(
    project: Project, unconfirmed: User, settings: Any
) -> None:
    client = signed_in(unconfirmed)
    invite(client, project)
    client.post("/accounts/email/", {"action_send": "", "email": unconfirmed.email})
    [confirming] = re.findall(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 9  # nothing listens there
    assert "Some waiting invitations may not have been sent" in client.post(confirming, follow=True).content.decode()
    assert Invitation.objects.get().mail_waits


def test_it_goes_out_when_another_confirmed_address_becomes_the_first(project: Project, unconfirmed: User) -> None:
    EmailAddress.objects.filter(user=unconfirmed).update(primary=True)
    EmailAddress.objects.create(user=unconfirmed, email="asha@clinic.example", verified=True)
    client = signed_in(unconfirmed)
    invite(client, project)
    assert not mail.outbox
    done = client.post("/accounts/email/", {"action_primary": "", "email": "asha@clinic.example"}, follow=True)
    assert "Your waiting invitation was sent." in done.content.decode()
    assert [message.to for message in mail.outbox] == [[NOBODY]]


def test_it_goes_out_when_a_reset_by_mail_confirms_the_address(project: Project, unconfirmed: User) -> None:
    invite(signed_in(unconfirmed), project)
    client = Client()
    client.post("/accounts/password/reset/", {"email": unconfirmed.email})
    [link] = re.findall(r"https?://[^/\s]+(/accounts/password/reset/key/\S+)", str(mail.outbox[-1].body))
    form = client.get(link, follow=True).redirect_chain[-1][0]
    client.post(form, {"password1": "alder roots fix nitrogen", "password2": "alder roots fix nitrogen"})
    assert mail.outbox[-1].to == [NOBODY]


def test_ten_can_wait_for_it(project: Project, unconfirmed: User) -> None:
    for number in range(invitations.MOST_WAITING):
        invitations.invite(project, f"n{number}@example.org", "reader", unconfirmed)
    assert "Confirm your own e-mail address" in invite(signed_in(unconfirmed), project).content.decode()


def test_a_person_has_a_limit_over_all_theses(project: Project, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(invitations, "MOST_OPEN_BY", 3)
    other = Project.objects.create_for(owner, title="Birches")
    for number in range(3):
        invitations.invite((project, other)[number % 2], f"n{number}@example.org", "reader", owner)
    assert "over all your theses" in invite(signed_in(owner), other).content.decode()


@pytest.mark.long
def test_taking_back_does_not_make_room_for_more_mails(project: Project, owner: User) -> None:
    client = signed_in(owner)
    for _ in range(5):
        invite(client, project)
        act_on(client, project, Invitation.objects.get(), "remove")
    assert f"You have invited {NOBODY} several times. Try again in" in invite(client, project).content.decode()
    assert len(mail.outbox) == 5
    for number in range(55):
        assert invite(client, project, f"n{number % 50}{number}@example.org").status_code == 201
        Invitation.objects.all().delete()
    assert "many invitations today" in invite(client, project, "late@example.org").content.decode()


# Sending again, taking back


def test_sending_again_makes_a_new_link_and_ends_the_old(
    project: Project, owner: User, outsider: User, link: str
) -> None:
    Invitation.objects.update(expires_at=timezone.now())
    made_earlier(days=15)
    page = act_on(signed_in(owner), project, Invitation.objects.get(), "send").content.decode()
    newer = link_in(page)
    assert newer != link
    assert link_in(str(mail.outbox[-1].body)) == newer
    assert Client().get(link).status_code == 404
    signed_in(outsider).post(newer, {"act": "accept"})
    assert project.role_of(outsider) == "supervisor"


def test_mails_are_a_minute_apart(project: Project, owner: User, link: str) -> None:
    act_on(signed_in(owner), project, Invitation.objects.get(), "send")
    assert len(mail.outbox) == 1
    assert Client().get(link).status_code == 200
    made_earlier(seconds=61)
    act_on(signed_in(owner), project, Invitation.objects.get(), "send")
    assert len(mail.outbox) == 2


def test_what_is_taken_back_leads_nowhere(project: Project, owner: User, outsider: User, link: str) -> None:
    act_on(signed_in(owner), project, Invitation.objects.get(), "remove")
    assert not Invitation.objects.exists()
    assert signed_in(outsider).get(link).status_code == 404
    assert signed_in(outsider).post(link, {"act": "accept"}).status_code == 404
    assert project.role_of(outsider) is None


# Who may


@pytest.mark.parametrize("who", ["editor", "supervisor", "reader"])
def test_only_the_owner_invites(project: Project, link: str, who: str, request: pytest.FixtureRequest) -> None:
    client = signed_in(request.getfixturevalue(who))
    invitation = Invitation.objects.get()
    assert invite(client, project).status_code == 403
    assert act_on(client, project, invitation, "send").status_code == 403
    assert act_on(client, project, invitation, "remove").status_code == 403
    page = client.get(f"/projects/{project.pk}/settings/").content.decode()
    assert "oskar@example.org" not in page
    assert "Invite a member" not in page
    assert "Read text, results and references, but not change anything." in page
    assert Invitation.objects.get() == invitation


def test_a_stranger_finds_nothing(project: Project, outsider: User, link: str) -> None:
    client, invitation = signed_in(outsider), Invitation.objects.get()
    assert invite(client, project).status_code == 404
    assert act_on(client, project, invitation, "remove").status_code == 404


def test_the_owner_of_another_thesis_finds_nothing(owner: User, outsider: User, link: str) -> None:
    other = Project.objects.create_for(outsider, title="Another")
    assert act_on(signed_in(outsider), other, Invitation.objects.get(), "remove").status_code == 404
    assert Invitation.objects.exists()


def test_other_methods(project: Project, owner: User, outsider: User, link: str) -> None:
    client, invitation = signed_in(owner), Invitation.objects.get()
    assert client.get(f"/projects/{project.pk}/members/").status_code == 405
    assert client.get(f"/projects/{project.pk}/invitations/{invitation.pk}/").status_code == 405
    assert Client().put(link).status_code == 405
    assert signed_in(confirmed(outsider)).delete(f"/invitations/{invitation.pk}/").status_code == 405


def test_signing_in_comes_first(project: Project, link: str) -> None:
    invitation = Invitation.objects.get()
    for path in (f"/projects/{project.pk}/invitations/{invitation.pk}/", f"/invitations/{invitation.pk}/"):
        assert Client().post(path)["Location"].startswith("/accounts/login/")


# Through the API


def send(client: Client, method: str, path: str, payload: Any = None) -> Any:
    return getattr(client, method)(f"/api/projects{path}", json.dumps(payload), content_type="application/json")


def test_the_api_invites_lists_sends_again_and_takes_back(project: Project, owner: User) -> None:
    client, base = signed_in(owner), f"/{project.pk}"
    sent = send(client, "post", f"{base}/members", {"email": "Nora@example.org", "role": "reader"})
    assert sent.status_code == 201
    made = sent.json()
    assert (made["email"], made["role"], made["mailed"]) == (NOBODY, "reader", True)
    [listed] = client.get(f"/api/projects{base}/invitations").json()
    assert listed["id"] == made["id"]
    assert "link" not in listed
    assert send(client, "post", f"{base}/invitations/{made['id']}").json()["error"]["code"] == "too_soon"
    made_earlier(seconds=61)
    assert send(client, "post", f"{base}/invitations/{made['id']}").json()["link"] != made["link"]
    assert send(client, "delete", f"{base}/invitations/{made['id']}").status_code == 204
    assert not Invitation.objects.exists()


@pytest.mark.parametrize("named", ["token", "id"])
def test_the_api_answers_one(project: Project, outsider: User, link: str, named: str) -> None:
    client = signed_in(confirmed(outsider))
    [listed] = client.get("/api/projects/invited").json()
    assert (listed["title"], listed["role"], listed["invited_by"]) == ("Alder and soil", "supervisor", "Asha Menon")
    which = {"invitation": link.split("/")[-2] if named == "token" else listed["id"]}
    assert send(client, "post", "/invited/accept", which).json()["role"] == "supervisor"
    assert send(client, "post", "/invited/decline", which).status_code == (422 if named == "token" else 404)


def test_the_api_keeps_the_same_rules(project: Project, outsider: User, reader: User, link: str) -> None:
    which, listed = {"invitation": link.split("/")[-2]}, {"invitation": str(Invitation.objects.get().pk)}
    assert send(signed_in(reader), "post", "/invited/accept", which).status_code == 403
    assert send(signed_in(outsider), "post", "/invited/accept", listed).status_code == 404
    assert signed_in(outsider).get("/api/projects/invited").json() == []
    path = f"/{project.pk}/invitations/{listed['invitation']}"
    for client, status in ((signed_in(reader), 403), (signed_in(outsider), 404), (Client(), 401)):
        assert client.get(f"/api/projects/{project.pk}/invitations").status_code == status
        assert send(client, "post", path).status_code == status
        assert send(client, "delete", path).status_code == status
    assert Client().get("/api/projects/invited").status_code == 401
    assert send(Client(), "post", "/invited/decline", which).status_code == 401
    assert send(signed_in(reader), "put", "/invited/accept", which).status_code == 405


@pytest.mark.postgres
def test_an_invitation_is_for_no_address_that_only_looks_alike(project: Project, owner: User) -> None:
    """The long s is an s for PostgreSQL and in folded text, and another letter in an address."""
    other = User.objects.create_user("o\u017fkar@example.org", "alder roots fix nitrogen")
    EmailAddress.objects.create(user=other, email=other.email, verified=True, primary=True)
    invited, _ = invitations.invite(project, "oskar@example.org", "reader", owner)
    assert not invitations.addressed_to(other)
    assert not invitations.is_for(invited, other)
