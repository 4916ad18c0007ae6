"""A browser that signed in before is known again by a signed cookie, and has tries of its own (docs/decisions/people.md).

The cookie opens nothing. It holds a random id, and for the accounts that signed in with this browser a keyed hash each.
"""

import secrets

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

COOKIE = "scholium_device"
AGE = 365 * 24 * 3600
MOST = 8  # accounts that a browser is known for
_SALT = "projects.known_devices"


def known_device(request: HttpRequest, email: str) -> str:
    """The id of this browser, when the account `email` signed in with it before; else ""."""
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
