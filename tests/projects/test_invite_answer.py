"""Answering an invitation: with an account or without, by its link or from the list of theses (SPEC T1, P3)."""

import re

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from projects.models import Invitation, Project, User
from tests.people import signed_in
from tests.projects.invitations import NOBODY, _confirmed, confirmed, invite, link, link_in

__all__ = ["_confirmed", "link"]


# Answering


def test_the_link_says_what_it_is_for_to_whoever_holds_it(link: str) -> None:
    page = Client().get(link).content.decode()
    assert "Asha Menon invites you to a thesis" in page
    assert "Alder and soil" in page
    assert "supervisor" in page
    assert f'href="/accounts/login/?next={link}"' in page
    assert f'href="/accounts/signup/?next={link}"' in page
    assert "oskar@" not in page, "the address is not for whoever the link was passed on to"


def test_accepting(project: Project, outsider: User, link: str) -> None:
    client = signed_in(outsider)
    assert "Accept" in client.get(link).content.decode()
    assert project.role_of(outsider) is None
    response = client.post(link, {"act": "accept"})
    assert response["Location"] == f"/projects/{project.pk}/"
    assert project.role_of(outsider) == "supervisor"
    again = client.get(link)
    assert again.status_code == 410
    assert "You accepted this invitation" in again.content.decode()
    assert "has already been accepted" in Client().get(link).content.decode()


def test_declining(project: Project, owner: User, outsider: User, link: str) -> None:
    assert signed_in(outsider).post(link, {"act": "decline"})["Location"] == "/"
    assert project.role_of(outsider) is None
    assert signed_in(outsider).get(link).status_code == 404
    assert invite(signed_in(owner), project, outsider.email).status_code == 201


def test_somebody_without_an_account_makes_one_and_comes_back(project: Project, owner: User) -> None:
    link = link_in(invite(signed_in(owner), project).content.decode())
    client = Client()
    assert f'name="next" value="{link}"' in client.get(f"/accounts/signup/?next={link}").content.decode()
    new = {"name": "Nora Holm", "email": "Nora@Example.org", "password1": "alder roots fix nitrogen", "next": link}
    assert client.post("/accounts/signup/", new)["Location"] == "/accounts/confirm-email/"
    [confirming] = re.findall(r"https?://[^/\s]+(/accounts/confirm-email/\S+)", str(mail.outbox[-1].body))
    assert client.post(confirming)["Location"] == link
    client.post(link, {"act": "accept"})
    assert project.role_of(User.objects.get(email=NOBODY)) == "supervisor"


def test_answering_before_signing_in_leads_there_and_back(project: Project, outsider: User, link: str) -> None:
    client = Client()
    there = client.post(link, {"act": "accept"})["Location"]
    assert there == f"/accounts/login/?next={link}"
    signed = client.post("/accounts/login/", {"login": outsider.email, "password": "correct horse", "next": link})
    assert signed["Location"] == link


@pytest.mark.parametrize("act", ["accept", "decline"])
def test_it_holds_for_the_address_it_was_sent_to(project: Project, reader: User, link: str, act: str) -> None:
    client = signed_in(reader)
    page = client.get(link).content.decode()
    assert "sent to another address" in page
    assert "o…@example.org" in page
    assert "oskar@example.org" not in page
    assert client.post(link, {"act": act}).status_code == 403
    assert project.role_of(reader) == "reader"
    assert Invitation.objects.get().accepted_at is None


def test_the_address_is_the_same_however_it_is_spelt(project: Project, outsider: User, link: str) -> None:
    User.objects.filter(pk=outsider.pk).update(email="Oskar@Example.ORG")
    outsider.refresh_from_db()
    signed_in(outsider).post(link, {"act": "accept"})
    assert project.role_of(outsider) == "supervisor"


def test_who_became_a_member_meanwhile_stays_what_they_are(project: Project, outsider: User, link: str) -> None:
    project.memberships.create(user=outsider, role="editor")
    signed_in(outsider).post(link, {"act": "accept"})
    assert project.role_of(outsider) == "editor"


def test_one_that_ran_out_says_so(outsider: User, project: Project, link: str) -> None:
    Invitation.objects.update(expires_at=timezone.now())
    for client in (Client(), signed_in(outsider)):
        response = client.get(link)
        assert response.status_code == 410
        assert "This invitation has expired" in response.content.decode()
    assert signed_in(outsider).post(link, {"act": "accept"}).status_code == 410
    assert project.role_of(outsider) is None


def test_a_link_nobody_made_says_nothing_of_any_thesis(project: Project, link: str) -> None:
    response = Client().get(f"/invitations/{'x' * 43}/")
    assert response.status_code == 404
    assert "Invitation not found" in response.content.decode()
    assert project.title not in response.content.decode()


def test_no_cache_keeps_the_page(link: str) -> None:
    assert "no-store" in Client().get(link)["Cache-Control"]


# The list of one's theses


def test_who_confirmed_the_address_sees_the_invitation_at_home(project: Project, outsider: User, link: str) -> None:
    client = signed_in(confirmed(outsider))
    page = client.get("/").content.decode()
    assert "You are invited to “Alder and soil”." in page
    [here] = re.findall(r'href="(/invitations/[0-9a-f-]{36}/)"', page)
    client.post(here, {"act": "accept"})
    assert project.role_of(outsider) == "supervisor"
    assert "You are invited" not in client.get("/").content.decode()


def test_an_address_nobody_confirmed_proves_nothing_until_the_link_is_opened(outsider: User, link: str) -> None:
    client = signed_in(outsider)
    here = f"/invitations/{Invitation.objects.get().pk}/"
    assert "You are invited" not in client.get("/").content.decode()
    assert client.get(here).status_code == 404
    assert client.post(here, {"act": "accept"}).status_code == 404
    client.get(link)
    assert "You are invited" in client.get("/").content.decode()
    assert client.get(here).status_code == 200


def test_others_see_nothing_of_it(reader: User, link: str) -> None:
    client = signed_in(confirmed(reader))
    client.get(link)
    assert "You are invited" not in client.get("/").content.decode()
    assert client.get(f"/invitations/{Invitation.objects.get().pk}/").status_code == 404
