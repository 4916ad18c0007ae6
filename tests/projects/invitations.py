"""Invitations for tests: send one, read its link, answer it, and set its clock back."""

import re
from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.test import Client
from django.utils import timezone

from projects.models import Invitation, Project, User
from tests.people import signed_in

NOBODY = "nora@example.org"


@pytest.fixture(autouse=True)
def _confirmed(owner: User) -> None:
    """Asha's own address is confirmed: what she sends goes out."""
    confirmed(owner)


def invite(client: Client, project: Project, email: str = NOBODY, role: str = "supervisor") -> Any:
    return client.post(f"/projects/{project.pk}/members/", {"email": email, "role": role})


def link_in(text: str) -> str:
    """The path of the invitation's link in a page or a mail."""
    [path] = set(re.findall(r"https?://[^/\s]+(/invitations/[\w-]{43}/)", text))
    return str(path)


@pytest.fixture
def link(project: Project, owner: User, outsider: User) -> str:
    """The link of an invitation of Oskar as supervisor."""
    return link_in(invite(signed_in(owner), project, outsider.email).content.decode())


def act_on(client: Client, project: Project, invitation: Invitation, act: str) -> Any:
    return client.post(f"/projects/{project.pk}/invitations/{invitation.pk}/", {"act": act})


def confirmed(user: User) -> User:
    EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
    return user


def made_earlier(**ago: int) -> None:
    """Set the clock of every invitation back."""
    Invitation.objects.update(made_at=timezone.now() - timedelta(**ago))
