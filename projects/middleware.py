"""Pages are private unless they say otherwise: sign-in, sign-up, reset and health are open."""

from collections.abc import Callable

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponseBase


class SignInRequired(LoginRequiredMiddleware):
    """Django's own middleware, except that the JSON API answers 401 by itself instead of a redirect."""

    def process_view(
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase], view_args: object, view_kwargs: object
    ) -> HttpResponseBase | None:
        if request.path.startswith("/api/"):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)
