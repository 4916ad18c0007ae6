"""The people of the tests as fixtures. Asha owns the thesis; Oskar, the outsider, is no member of it."""

import string
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from django.utils.crypto import get_random_string

from projects.models import Membership, Project, User


def person(email: str, name: str) -> User:
    return User.objects.create_user(email, "correct horse", name=name)


def asha() -> User:
    return person("asha@example.org", "Asha Menon")


def her_thesis(owner: User) -> Project:
    return Project.objects.create_for(owner, title="Alder and soil", discipline="Forestry", degree="MSc")


@pytest.fixture
def owner(db: Any) -> User:
    return asha()


@pytest.fixture
def outsider(db: Any) -> User:
    return person("oskar@example.org", "Oskar Lund")


@pytest.fixture
def project(owner: User) -> Project:
    return her_thesis(owner)


def _member(project: Project, email: str, name: str, role: Membership.Role) -> User:
    user = person(email, name)
    project.memberships.create(user=user, role=role)
    return user


@pytest.fixture
def editor(project: Project) -> User:
    return _member(project, "edda@example.org", "Edda Berg", Membership.Role.EDITOR)


@pytest.fixture
def supervisor(project: Project) -> User:
    return _member(project, "ravi@example.org", "Ravi Iyer", Membership.Role.SUPERVISOR)


@pytest.fixture
def reader(project: Project) -> User:
    return _member(project, "rosa@example.org", "Rosa Vidal", Membership.Role.READER)


def open_data(project: Project) -> None:
    """Let all members of a thesis open its datasets and uploads, as its owner can."""
    Project.objects.filter(pk=project.pk).update(data_open_to=Project.DataOpenTo.MEMBERS)


def signed_in(user: User) -> Client:
    """Return a client in which `user` is signed in.

    The session is written with one query; `Client.force_login` takes ten, which no test of a page needs.
    """
    key = get_random_string(32, string.ascii_lowercase + string.digits)
    held = {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
        HASH_SESSION_KEY: user.get_session_auth_hash(),
    }
    until = timezone.now() + timedelta(days=1)
    Session.objects.create(session_key=key, session_data=SessionStore().encode(held), expire_date=until)
    client = Client()
    client.cookies[settings.SESSION_COOKIE_NAME] = key
    return client
