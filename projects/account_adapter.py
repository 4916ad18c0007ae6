"""Sign-in, account mail and address confirmation: django-allauth with this site's rules (SPEC P3).

A signed cookie recognises a browser that signed in before, which then has a sign-in limit of its own
(docs/decisions/accounts-and-members.md). The cookie grants no access. It holds a random id and a keyed hash of each
account that signed in with this browser.
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

# The dotted path of the login stage below, as allauth lists its own stages.
CONFIRMED_ADDRESS = "projects.account_adapter.ConfirmedAddress"
MAILED = "mailed"  # session key: the outcome of the last account mail, for the page that reports it
# Counted together, since pages answer the same for an address with an account and one without.
_SAME = {"unknown_account": "password_reset_key", "account_already_exists": "email_confirmation"}


class ConfirmedAddress(EmailVerificationStage):  # type: ignore[misc]
    """Login stage: where mail is set up, a new account can sign in only once its address is confirmed."""

    def handle(self) -> Any:
        """Require confirmation of the address, or continue the sign-in.

        Sign-up then looks the same whether or not the address already had an account.
        """
        user = self.login.user
        if confirms_first(user) if user else mail.is_set_up():
            self.login.email_verification = EmailVerificationMethod.MANDATORY
        return super().handle()


def confirms_first(user: User) -> bool:
    """Return whether `user` must confirm their address before the first sign-in. Always False without mail.

    Users who signed in before mail was set up, or whose account was created on the command line, are not asked: only
    sign-up creates an account whose primary address is unconfirmed.
    """
    if not mail.is_set_up() or user.last_login is not None:
        return False
    return bool(EmailAddress.objects.filter(user=user, primary=True, verified=False).exists())


class AccountAdapter(DefaultAccountAdapter):  # type: ignore[misc]
    """allauth's account adapter with this site's sign-in limits, mail limits and recognised browsers."""

    def get_client_ip(self, request: HttpRequest) -> str:
        return str(client_address(request.META) or "")

    # Signing in

    def authenticate(self, request: HttpRequest, **credentials: Any) -> Any:
        """Return the user with these credentials, or None. Raises ValidationError beyond the limits.

        An attempt is counted before the password is checked, so that parallel attempts count too, and refunded when
        the password is right.

        An account whose address is not confirmed yet answers as to a wrong password. Otherwise the password chosen
        at sign-up would reveal whether the address already had an account.
        """
        taken = _take_try(request, str(credentials.get("email", "")))
        user = super().authenticate(request, **credentials)
        if user is not None and confirms_first(user):
            User().set_password(credentials["password"])  # takes as long as when the second backend runs too
            return None
        if user is not None:
            for limit, who in taken:
                rate_limits.refund_attempt(limit, *who)
        return user

    def pre_authenticate(self, request: HttpRequest, **credentials: Any) -> None:
        """Skip allauth's own limits: `authenticate` has them."""

    def post_login(self, request: HttpRequest, user: User, **details: Any) -> HttpResponse:
        """Return the redirect after sign-in, and remember this browser for the account."""
        response: HttpResponse = super().post_login(request, user, **details)
        remember_device(request, response, details.get("email") or user.email)
        return response

    def get_login_stages(self) -> list[str]:
        """Return allauth's login stages, with ours for confirming the address."""
        return [
            CONFIRMED_ADDRESS if stage.endswith(".EmailVerificationStage") else stage
            for stage in super().get_login_stages()
        ]

    # Mails

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Send an account mail and store its outcome in the session. Without mail set up, print it on the server."""
        request = allauth_context.request
        kind = template_prefix.rpartition("/")[2].removesuffix("_signup")
        counted = (_SAME.get(kind, kind), email.lower())
        if rate_limits.count_attempt(rate_limits.ADDRESS_MAILS, *counted):
            request.session[MAILED] = mail.MailOutcome.ENOUGH.value
            return
        message = self.render_mail(
            template_prefix,
            email,
            {"request": request, "email": email, "current_site": get_current_site(request), **context},
        )
        outcome = mail.send(message)
        if outcome == mail.MailOutcome.NOT_SET_UP:
            message.send()
        if outcome in (mail.MailOutcome.NOT_SET_UP, mail.MailOutcome.FAILED):
            rate_limits.refund_attempt(rate_limits.ADDRESS_MAILS, *counted)  # no mail went out
        request.session[MAILED] = outcome.value

    def add_message(
        self, request: HttpRequest, level: int, message_template: Any = None, message_context: Any = None, **more: Any
    ) -> None:
        """Add allauth's message; report a confirmation link as sent only when it was.

        Users who must confirm their address before signing in see a page about it instead of the message.
        """
        if message_template == "account/messages/email_confirmation_sent.txt":
            outcome = request.session.get(MAILED)
            if not request.user.is_authenticated and outcome != mail.MailOutcome.NOT_SET_UP:
                return
            message_context = {**(message_context or {}), "mailed": outcome}
            level = messages.INFO if outcome == mail.MailOutcome.SENT else messages.WARNING
        super().add_message(request, level, message_template, message_context, **more)


def _take_try(request: HttpRequest, email: str) -> list[tuple[Limit, tuple[str, ...]]]:
    """Count a sign-in attempt at the account `email` and return the limits that were counted.

    Raises ValidationError with the time to wait. All limits are read before any is counted, so that most refused
    attempts write nothing and do not use up limits shared with others.
    """
    wait = 0.0
    for _ in range(3):  # another process may count in between
        rules = _rules(request, email)
        if wait := max(rate_limits.seconds_to_wait(limit, *who) for limit, who in rules):
            break
        taken: list[tuple[Limit, tuple[str, ...]]] = []
        for limit, who in rules:
            if wait := rate_limits.count_attempt(limit, *who):
                break
            taken.append((limit, who))
        else:
            return taken
        for limit, who in taken:
            rate_limits.refund_attempt(limit, *who)
    raise ValidationError(f"Try again in {rate_limits.in_words(wait)}.", code="too_many_login_attempts")


def _rules(request: HttpRequest, email: str) -> list[tuple[Limit, tuple[str, ...]]]:
    """Return the limits a sign-in attempt at `email` counts for: the browser's if it is known, else the client's."""
    account, client, wide = email.strip().lower(), client_of(request), wide_network_of(request)
    if device := known_device(request, email):
        return [(rate_limits.SIGN_IN_DEVICE, (device, account))]
    rules: list[tuple[Limit, tuple[str, ...]]] = [
        (rate_limits.SIGN_IN, (client, account)),
        (rate_limits.SIGN_IN_CLIENT, (client,)),
        *([(rate_limits.SIGN_IN_WIDE, (wide,))] if wide else []),
    ]
    if not rate_limits.seconds_to_wait(rate_limits.SIGN_IN_ACCOUNT, account):
        return [*rules, (rate_limits.SIGN_IN_ACCOUNT, (account,))]
    return [
        *rules,
        (rate_limits.SIGN_IN_PRESSED, (client, account)),
        *([(rate_limits.SIGN_IN_WIDE_PRESSED, (wide, account))] if wide else []),
    ]


@receiver(password_reset)
def confirm_by_reset(request: HttpRequest, user: User, **signal: Any) -> None:
    """Confirm the address of an account after a password reset by mail, if the account has only one address."""
    addresses = list(EmailAddress.objects.filter(user=user)[:2])
    if len(addresses) == 1:
        verify_email_indirectly(request, user, addresses[0].email)


COOKIE = "scholium_device"
AGE = 365 * 24 * 3600
MOST = 8  # accounts that one browser is remembered for
_SALT = "projects.known_devices"  # must not change: existing cookies are signed with it


def known_device(request: HttpRequest, email: str) -> str:
    """Return the id of this browser if the account `email` signed in with it before, else ""."""
    device, accounts = _read(request)
    return device if _mark(email) in accounts else ""


def remember_device(request: HttpRequest, response: HttpResponse, email: str) -> None:
    """Set the cookie that recognises this browser for the account `email`."""
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
