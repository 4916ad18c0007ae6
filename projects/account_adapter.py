"""How accounts are signed in to, written to and confirmed: django-allauth, with the rules of this site (SPEC P3).

A browser that signed in before is known again by a signed cookie, and has tries of its own (docs/decisions/accounts-and-members.md).
The cookie opens nothing. It holds a random id, and for the accounts that signed in with this browser a keyed hash each.
"""

import secrets
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.app_settings import EmailVerificationMethod
from allauth.account.internal.flows.email_verification import verify_email_indirectly
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from allauth.account.stages import EmailVerificationStage
from allauth.core import context as allauth_context
from django.conf import settings
from django.contrib import messages
from django.contrib.sites.shortcuts import get_current_site
from django.core import signing
from django.core.exceptions import ValidationError
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from projects import mail, rate_limits
from projects.models import User
from projects.rate_limits import Limit, client_address, client_of, wide_network_of

# By its name, as allauth lists its own.
CONFIRMED_ADDRESS = "projects.account_adapter.ConfirmedAddress"
MAILED = "mailed"  # in the session: what became of the last mail about the account, for the page that says so
# What is said of an address is the same whether or not it has an account, so these are counted together.
_SAME = {"unknown_account": "password_reset_key", "account_already_exists": "email_confirmation"}


class ConfirmedAddress(EmailVerificationStage):  # type: ignore[misc]
    """Where mail is set up, an account that signed up is entered once its address is confirmed."""

    def handle(self) -> Any:
        """Ask for the confirmation, or let the person in.

        Signing up then looks the same whether or not there was an account.
        """
        user = self.login.user
        if confirms_first(user) if user else mail.is_set_up():
            self.login.email_verification = EmailVerificationMethod.MANDATORY
        return super().handle()


def confirms_first(user: User) -> bool:
    """Return whether `user` signed up, has never been let in, and has not confirmed the address, where mail is set up.

    Who was let in before mail was set up, or whose account was made on the command line, signs in as before: only
    signing up gives an account a first address that is not confirmed.
    """
    if not mail.is_set_up() or user.last_login is not None:
        return False
    return bool(EmailAddress.objects.filter(user=user, primary=True, verified=False).exists())


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    def get_client_ip(self, request: HttpRequest) -> str:
        return str(client_address(request.META) or "")

    # Signing in

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Who has these credentials, or None. A try is counted before the password is looked at, so that tries side by
        side count too, and given back when the password was right. Raises ValidationError beyond the limits.

        An account whose address has to be confirmed first answers as to a wrong password, else the password somebody
        chose when they signed up would tell whether the address had an account before.
        """
        taken = _take_try(request, str(credentials.get("email", "")))
        user = super().authenticate(request, **credentials)
        if user is not None and confirms_first(user):
            User().set_password(credentials["password"])  # takes as long as when the second backend is asked, too
            return None
        if user is not None:
            for limit, who in taken:
                rate_limits.give_back(limit, *who)
        return user

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """The limits are those of `authenticate`."""

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Show where signing in leads. The browser is known for this account from now on."""
        response: HttpResponse = super().post_login(request, user, **details)
        remember_device(request, response, details.get("email") or user.email)
        return response

    def get_login_stages(self) -> list[str]:
        """allauth's stages, with ours for confirming the address."""
        return [
            CONFIRMED_ADDRESS if stage.endswith(".EmailVerificationStage") else stage
            for stage in super().get_login_stages()
        ]

    # Mails

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send it, and keep in the session what became of it. Where no mail is set up, the server prints it."""
        request = allauth_context.request
        kind = template_prefix.rpartition("/")[2].removesuffix("_signup")
        counted = (_SAME.get(kind, kind), email.lower())
        if rate_limits.take(rate_limits.ADDRESS_MAILS, *counted):
            request.session[MAILED] = mail.Outcome.ENOUGH.value
            return
        message = self.render_mail(
            template_prefix,
            email,
            {"request": request, "email": email, "current_site": get_current_site(request), **context},
        )
        outcome = mail.send(message)
        if outcome == mail.Outcome.NOT_SET_UP:
            message.send()
        if outcome in (mail.Outcome.NOT_SET_UP, mail.Outcome.FAILED):
            rate_limits.give_back(rate_limits.ADDRESS_MAILS, *counted)  # none went to the address
        request.session[MAILED] = outcome.value

    def add_message(
        self, request: HttpRequest, level: int, message_template: Any = None, message_context: Any = None, **more: Any
    ) -> None:
        """As allauth does; that a link was sent is said only of one that was, and once: who has to confirm an address
        before signing in sees a page on it."""
        if message_template == "account/messages/email_confirmation_sent.txt":
            outcome = request.session.get(MAILED)
            if not request.user.is_authenticated and outcome != mail.Outcome.NOT_SET_UP:
                return
            message_context = {**(message_context or {}), "mailed": outcome}
            level = messages.INFO if outcome == mail.Outcome.SENT else messages.WARNING
        super().add_message(request, level, message_template, message_context, **more)


def _take_try(request: HttpRequest, email: str) -> list[tuple[Limit, tuple[str, ...]]]:
    """Count a try at the account `email`: what was counted. Raises ValidationError with the time to wait.

    All are read before any is counted: most refused tries write nothing, and use nothing up of what others share.
    """
    wait = 0.0
    for _ in range(3):  # somebody else may come between the question and the answer
        rules = _rules(request, email)
        if wait := max(rate_limits.wait_for(limit, *who) for limit, who in rules):
            break
        taken: list[tuple[Limit, tuple[str, ...]]] = []
        for limit, who in rules:
            if wait := rate_limits.take(limit, *who):
                break
            taken.append((limit, who))
        else:
            return taken
        for limit, who in taken:
            rate_limits.give_back(limit, *who)
    raise ValidationError(f"Try again in {rate_limits.in_words(wait)}.", code="too_many_login_attempts")


def _rules(request: HttpRequest, email: str) -> list[tuple[Limit, tuple[str, ...]]]:
    """Return what a try at the account `email` counts for: of a browser that is known one number, of others those of their client."""
    account, client, wide = email.strip().lower(), client_of(request), wide_network_of(request)
    if device := known_device(request, email):
        return [(rate_limits.SIGN_IN_DEVICE, (device, account))]
    rules: list[tuple[Limit, tuple[str, ...]]] = [
        (rate_limits.SIGN_IN, (client, account)),
        (rate_limits.SIGN_IN_CLIENT, (client,)),
        *([(rate_limits.SIGN_IN_WIDE, (wide,))] if wide else []),
    ]
    if not rate_limits.wait_for(rate_limits.SIGN_IN_ACCOUNT, account):
        return [*rules, (rate_limits.SIGN_IN_ACCOUNT, (account,))]
    return [
        *rules,
        (rate_limits.SIGN_IN_PRESSED, (client, account)),
        *([(rate_limits.SIGN_IN_WIDE_PRESSED, (wide, account))] if wide else []),
    ]


@receiver(password_reset)
def confirm_by_reset(request: HttpRequest, user: User, **signal: Any) -> None:
    """Who opened the link of a reset has the mail of the account, so its address is confirmed, where it has only one."""
    addresses = list(EmailAddress.objects.filter(user=user)[:2])
    if len(addresses) == 1:
        verify_email_indirectly(request, user, addresses[0].email)


COOKIE = "scholium_device"
AGE = 365 * 24 * 3600
MOST = 8  # accounts that a browser is known for
_SALT = "projects.known_devices"  # stays as it was: cookies that are out there are signed with it


def known_device(request: HttpRequest, email: str) -> str:
    """Return the id of this browser, when the account `email` signed in with it before; else ""."""
    device, accounts = _read(request)
    return device if _mark(email) in accounts else ""


def remember_device(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Have the browser known for the account `email`."""
    device, accounts = _read(request)
    mark = _mark(email)
    kept = [*(other for other in accounts if other != mark), mark][-MOST:]
    response.set_cookie(
        COOKIE,
        signing.dumps([device or secrets.token_hex(16), kept], salt=_SALT),
        max_age=AGE,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        device, accounts = signing.loads(request.COOKIES.get(COOKIE, ""), salt=_SALT, max_age=AGE)
    except (signing.BadSignature, ValueError):
        return "", []
    return device, accounts


def _mark(email: str) -> str:
    return salted_hmac(_SALT, email.strip().lower()).hexdigest()[:20]
