"""Pages are private unless they say otherwise: sign-in, sign-up, reset and health are open."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase


class SignInRequired(LoginRequiredMiddleware):
    """Django's own middleware, except where a redirect to the sign-in page would not be seen.

    The JSON API answers 401 by itself. htmx would put the sign-in page into the middle of the page that is open,
    beside text that is not saved yet: it is answered 401, and the page says so and stays.
    """

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        if request.path.startswith("/api/"):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]  # an answer that is no redirect
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseBase:
        if request.headers.get("HX-Request"):
            return HttpResponse("You are signed out.", status=401, content_type="text/plain")
        return super().handle_no_permission(request, view_func)
