"""Making an account, signing in and out, and getting back in by mail (SPEC P3)."""

import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.urls import reverse

from projects.models import Project, User
from tests.people import signed_in

NEW = {"name": "Nora Holm", "email": "Nora@Example.org", "password1": "alder roots fix nitrogen"}


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def link_in(message: mail.EmailMessage) -> str:
    """The path of the one link of a message."""
    [path] = re.findall(r"https?://[^/\s]+(/accounts/\S+)", str(message.body))
    return str(path)


@pytest.mark.django_db
def test_signing_up_makes_an_account_that_is_entered_by_the_link_in_the_mail() -> None:
    client = Client()
    page = client.get(reverse("account_signup"))
    assert "Create an account" in page.content.decode()

    answer = client.post(reverse("account_signup"), NEW)

    assert answer.status_code == 302
    assert answer["Location"] == reverse("account_email_verification_sent")
    assert "We sent a message to your address." in client.get(answer["Location"]).content.decode()
    assert not is_signed_in(client)
    user = User.objects.get(email="nora@example.org")
    assert user.name == "Nora Holm"
    [message] = mail.outbox
    assert message.subject == "Scholium: Confirm your address"
    assert "Hello Nora Holm" in message.body
    assert client.post(link_in(message))["Location"] == reverse("projects:home")
    assert is_signed_in(client)


@pytest.mark.django_db
def test_where_no_mail_is_set_up_signing_up_signs_in_and_says_that_nothing_was_sent(settings: Any) -> None:
    settings.EMAIL_BACKEND = "django.core.mail.backends.console.EmailBackend"
    client = Client()

    answer = client.post(reverse("account_signup"), NEW)

    assert answer["Location"] == reverse("projects:home")
    assert is_signed_in(client)
    page = client.get(answer["Location"]).content.decode()
    assert "This server does not send mail, so nora@example.org is not confirmed yet. You can go on without it;" in page
    assert "We sent" not in page


@pytest.mark.django_db
def test_the_address_is_confirmed_by_the_link_in_the_mail() -> None:
    client = Client()
    client.post(reverse("account_signup"), NEW)
    link = link_in(mail.outbox[0])

    page = client.get(link)
    assert "Is this your address?" in page.content.decode()
    client.post(link)

    assert EmailAddress.objects.get(email="nora@example.org").verified
    assert "This link does not work" in Client().get(link.replace(":", "x")).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("name", "", "This field is required."),
        ("email", "nora", "Enter a valid email address."),
        ("password1", "abc", "This has 3 characters. Use 10 or more"),
    ],
)
def test_signing_up_with_a_mistake_says_it_at_the_field_and_keeps_what_was_typed(
    field: str, value: str, said: str
) -> None:
    answer = Client().post(reverse("account_signup"), {**NEW, field: value})

    page = answer.content.decode()
    assert answer.status_code == 200
    assert said in page
    tag = re.search(rf'<input[^>]*id="id_{field}"[^>]*>', page)
    assert tag
    assert 'aria-invalid="true"' in tag[0]
    assert f"id_{field}_error" in tag[0]
    assert f'id="id_{field}_error"' in page
    assert ("Nora Holm" in page) == (field != "name")
    assert not User.objects.exists()


def test_signing_up_with_an_address_that_has_an_account_makes_no_second_one(owner: User) -> None:
    Client().post(reverse("account_signup"), {**NEW, "email": owner.email})

    assert User.objects.count() == 1


def test_signing_in(owner: User) -> None:
    client = Client()

    answer = client.post(reverse("account_login"), {"login": "Asha@example.org", "password": "correct horse"})

    assert answer.status_code == 302
    assert answer["Location"] == reverse("projects:home")
    assert is_signed_in(client)


@pytest.mark.parametrize("email", ["asha@example.org", "nobody@example.org"])
def test_a_wrong_password_and_an_unknown_address_are_told_the_same(owner: User, email: str) -> None:
    client = Client()

    answer = client.post(reverse("account_login"), {"login": email, "password": "wrong horse"})

    page = answer.content.decode()
    assert "Wrong e-mail address or password." in page
    assert "Your account is not locked." in page
    assert email in page
    assert "wrong horse" not in page
    assert not is_signed_in(client)


def test_signing_in_goes_on_to_the_page_that_was_asked_for(owner: User) -> None:
    client = Client()
    wanted = reverse("projects:account")
    answer = client.get(wanted)
    assert answer["Location"] == f"{reverse('account_login')}?next={wanted}"

    page = client.get(answer["Location"]).content.decode()
    assert f'<input type="hidden" name="next" value="{wanted}">' in page
    answer = client.post(reverse("account_login"), {"login": owner.email, "password": "correct horse", "next": wanted})

    assert answer["Location"] == wanted


def test_signing_in_never_leads_to_another_site(owner: User) -> None:
    answer = Client().post(
        reverse("account_login"),
        {"login": owner.email, "password": "correct horse", "next": "https://evil.example/"},
    )

    assert answer["Location"] == reverse("projects:home")


def test_signing_out_takes_a_post(owner: User) -> None:
    client = signed_in(owner)

    page = client.get(reverse("account_logout")).content.decode()
    assert "Sign out?" in page
    assert is_signed_in(client)

    answer = client.post(reverse("account_logout"))
    assert answer["Location"] == reverse("account_login")
    assert not is_signed_in(client)


def test_a_lost_password_is_replaced_by_mail(owner: User) -> None:
    client = Client()
    answer = client.post(reverse("account_reset_password"), {"email": owner.email})
    assert answer["Location"] == reverse("account_reset_password_done")
    [message] = mail.outbox
    assert message.to == [owner.email]
    assert message.subject == "Scholium: Reset your password"
    assert "Hello Asha Menon" in message.body

    link = link_in(message)
    form = client.get(link, follow=True)
    assert "Choose a new password" in form.content.decode()
    typed = {"password1": "alder roots fix nitrogen", "password2": "alder roots fix nitrogen"}
    done = client.post(form.redirect_chain[-1][0], typed, follow=True)

    assert "Your password was changed" in done.content.decode()
    owner.refresh_from_db()
    assert owner.check_password("alder roots fix nitrogen")
    assert "This link does not work" in Client().get(link, follow=True).content.decode()


@pytest.mark.django_db
def test_asking_for_a_password_does_not_tell_who_has_an_account() -> None:
    answer = Client().post(reverse("account_reset_password"), {"email": "nobody@example.org"})

    assert answer["Location"] == reverse("account_reset_password_done")
    [message] = mail.outbox
    assert "There is no account with this address." in message.body


def test_the_password_is_changed_by_who_knows_it(owner: User) -> None:
    client = signed_in(owner)
    new = {"password1": "alder roots fix nitrogen", "password2": "alder roots fix nitrogen"}

    refused = client.post(reverse("account_change_password"), {"oldpassword": "wrong horse", **new})
    assert "Please type your current password." in refused.content.decode()
    client.post(reverse("account_change_password"), {"oldpassword": "correct horse", **new})

    owner.refresh_from_db()
    assert owner.check_password("alder roots fix nitrogen")


@pytest.mark.usefixtures("owner")
def test_too_many_tries_are_slowed_down_kindly() -> None:
    client = Client()
    for _ in range(5):
        client.post(reverse("account_login"), {"login": "asha@example.org", "password": "wrong horse"})

    answer = client.post(reverse("account_login"), {"login": "asha@example.org", "password": "correct horse"})

    assert "Too many attempts in a row." in answer.content.decode()
    assert not is_signed_in(client)


@pytest.mark.parametrize("name", ["account_change_password", "account_email"])
@pytest.mark.django_db
def test_account_pages_are_for_people_who_are_signed_in(name: str) -> None:
    answer = Client().get(reverse(name))

    assert answer["Location"] == f"{reverse('account_login')}?next={reverse(name)}"


@pytest.mark.django_db
def test_a_page_that_is_not_there_says_so_in_our_words() -> None:
    answer = Client().get("/nothing/here/")

    assert answer.status_code == 404
    assert "Page not found" in answer.content.decode()


def test_opening_an_address_that_only_receives_forms_says_so(project: Project, owner: User) -> None:
    address = f"/projects/{project.pk}/citations/import/"
    answer = signed_in(owner).get(address)
    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert "only receives a form" in answer.content.decode()
    assert signed_in(owner).put(address).content == b""


def test_a_form_without_its_token_is_refused_in_our_words(owner: User) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(owner)

    answer = client.post(reverse("account_logout"))

    assert answer.status_code == 403
    assert "Please try again" in answer.content.decode()
    assert is_signed_in(client)


@pytest.mark.django_db
def test_the_gate_holds_to_the_content_policy() -> None:
    """No inline script or style, and a policy that would refuse them (SPEC P8)."""
    answer = Client().get(reverse("account_login"))

    page = answer.content.decode()
    assert "script-src 'self'" in answer["Content-Security-Policy"]
    assert "unsafe" not in answer["Content-Security-Policy"]
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script>", page)
