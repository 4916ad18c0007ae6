"""The site's owner is asked once for a contact address for catalogues; nobody else sees anything of it (SPEC C1)."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from projects.models import DEMO_EMAIL, Project, User
from sources.contact_address import stored_address
from tests.people import person, signed_in

pytestmark = pytest.mark.django_db

PAGE, API, ASKED = "/account/contact/", "/api/contact-address", "A contact address for catalogues"


@pytest.fixture(autouse=True)
def unset(settings: Any) -> None:
    settings.CROSSREF_MAILTO = ""


def home(user: User) -> str:
    return signed_in(user).get("/").content.decode()


def put(client: Client, address: Any) -> Any:
    return client.put(API, json.dumps({"address": address}), content_type="application/json")


def test_the_first_account_is_asked_on_the_home_page(owner: User, project: Project, outsider: User) -> None:
    page = home(owner)
    assert ASKED in page
    assert 'value="asha@example.org"' in page
    assert ASKED not in home(outsider)


def test_the_demo_account_is_not_the_owner(db: Any) -> None:
    demo = person(DEMO_EMAIL, "Demo")
    assert ASKED not in home(demo)
    assert ASKED in home(person("late@example.org", "Late Comer"))
    assert ASKED not in home(demo)


def test_superusers_are_asked_instead_where_there_are_any(owner: User, outsider: User) -> None:
    third = person("third@example.org", "Third Person")
    User.objects.filter(pk__in=[outsider.pk, third.pk]).update(is_superuser=True)
    assert ASKED not in home(owner)
    for one in (outsider, third):
        assert ASKED in home(User.objects.get(pk=one.pk))


def test_saving_stores_it_and_the_question_is_gone(owner: User) -> None:
    client = signed_in(owner)
    page = client.post(PAGE, {"from": "home", "address": "ada@example.org"}, follow=True)
    assert page.redirect_chain == [("/", 302)]
    assert "Contact address saved" in page.content.decode()
    assert ASKED not in page.content.decode()
    assert stored_address() == "ada@example.org"


def test_not_now_stays_put_away_whatever_is_in_the_field(owner: User) -> None:
    page = signed_in(owner).post(PAGE, {"from": "home", "address": "not yet", "act": "later"}, follow=True)
    assert ASKED not in page.content.decode()
    assert stored_address() == ""
    assert ASKED not in home(owner)
    assert "/account/contact/" in signed_in(owner).get("/account/").content.decode()


def test_it_is_changed_and_removed_later(owner: User) -> None:
    client = signed_in(owner)
    client.post(PAGE, {"address": "ada@example.org"})
    assert 'value="ada@example.org"' in client.get(PAGE).content.decode()
    client.post(PAGE, {"address": "bo@example.org"})
    assert stored_address() == "bo@example.org"
    page = client.post(PAGE, {"address": "bo@example.org", "act": "remove"}, follow=True).content.decode()
    assert "Contact address removed." in page
    assert "Remove</button>" not in page
    assert stored_address() == ""


@pytest.mark.parametrize("bad", ["", "   ", "ada", "ada@example.org\nX: 1", "<b>@example.org"])
def test_a_bad_address_is_explained_and_nothing_is_stored(owner: User, bad: str) -> None:
    response = signed_in(owner).post(PAGE, {"from": "home", "address": bad})
    assert response.status_code == 422
    assert "Enter an e-mail address such as name@example.org" in response.content.decode()
    assert "<b>@" not in response.content.decode()
    assert stored_address() is None


def test_where_the_environment_sets_it_there_is_no_form(owner: User, settings: Any) -> None:
    settings.CROSSREF_MAILTO = "site@example.org"
    client = signed_in(owner)
    assert ASKED not in home(owner)
    page = client.get(PAGE).content.decode()
    assert "site@example.org" in page
    assert "CROSSREF_MAILTO" in page
    assert 'name="address"' not in page
    answer = client.post(PAGE, {"address": "ada@example.org"})
    assert answer.status_code == 422
    assert "can only be changed there" in answer.content.decode()
    assert client.get(API).json() == {"address": "site@example.org", "is_set_by_environment": True}
    assert put(client, "ada@example.org").json()["error"]["code"] == "set_elsewhere"
    assert stored_address() is None


def test_the_api_reads_changes_and_removes_it(owner: User) -> None:
    client = signed_in(owner)
    assert client.get(API).json() == {"address": "", "is_set_by_environment": False}
    assert put(client, "ada@example.org").json()["address"] == "ada@example.org"
    assert stored_address() == "ada@example.org"
    refused = put(client, "ada")
    assert (refused.status_code, refused.json()["error"]["field"]) == (422, "address")
    assert put(client, 7).status_code == 422
    assert put(client, "").json()["address"] == ""


def test_the_command_shows_changes_and_removes_it(db: Any, settings: Any) -> None:
    def command(*words: str) -> str:
        out = StringIO()
        call_command("contact_address", *words, stdout=out)
        return out.getvalue().strip()

    assert command() == "There is no contact address."
    assert command("ada@example.org") == command() == "ada@example.org"
    for wrong in (["ada"], [""], ["eve@example.org", "--remove"]):
        with pytest.raises(CommandError) as refused:
            command(*wrong)
        assert refused.value.returncode == 2
    assert stored_address() == "ada@example.org"
    assert command("--remove") == "There is no contact address."
    settings.CROSSREF_MAILTO = "site@example.org"
    assert command() == "site@example.org"
    with pytest.raises(CommandError, match="can only be changed there"):
        command("ada@example.org")


def test_others_find_nothing(owner: User, outsider: User) -> None:
    client = signed_in(outsider)
    assert "contact" not in client.get("/account/").content.decode().lower()
    assert client.get(PAGE).status_code == client.post(PAGE, {"address": "o@example.org"}).status_code == 404
    assert client.get(API).status_code == put(client, "o@example.org").status_code == 404
    assert stored_address() is None
    assert Client().get(PAGE)["Location"].startswith("/accounts/login/")
    assert Client().get(API).status_code == 401


def test_wrong_methods(owner: User) -> None:
    client = signed_in(owner)
    assert client.put(PAGE).status_code == client.delete(PAGE).status_code == 405
    assert client.post(API).status_code == client.delete(API).status_code == 405


def test_an_answered_question_costs_the_home_page_one_query(owner: User, outsider: User, settings: Any) -> None:
    def cost() -> int:
        client = signed_in(owner)
        with CaptureQueriesContext(connection) as queries:
            client.get("/")
        return len(queries)

    put(signed_in(owner), "")
    answered = cost()
    settings.CROSSREF_MAILTO = "site@example.org"
    assert answered == cost() + 1
