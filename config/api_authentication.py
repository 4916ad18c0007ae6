"""How a request to the API proves who sends it: a personal token or the browser session.

A token may do what its user may (projects/access.py); it has no rights of its own.
"""

from typing import Any

from django.http import HttpRequest
from ninja.security import HttpBearer, SessionAuth

from projects import rate_limits
from projects.models import ApiToken, User
from projects.rate_limits import client_of


class Token(HttpBearer):
    """Authentication with a personal API token."""

    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """Return the user of a token, or None. Raises Refused after too many wrong tokens from one client.

        A valid token always works, whatever others behind the same address tried.
        """
        user = ApiToken.user_of(token)
        if user is None:
            rate_limits.check(rate_limits.TOKEN_TRIES, client_of(request), said="Too many invalid tokens.")
        else:
            request.user = user
        return user


class Session(SessionAuth):
    """Authentication with the browser session."""

    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        """Return the signed-in user, or None."""
        return request.user if request.user.is_authenticated else None
