"""Pages are private unless they say otherwise: sign-in, sign-up, reset and health are open."""

import logging
import math
from collections.abc import Callable
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.cache import patch_cache_control
from django.utils.deprecation import MiddlewareMixin

from core.db_errors import is_gone, is_passing
from projects import rate_limits

log = logging.getLogger("scholium.pages")


def busy() -> HttpResponse:
    """Show the page that says so when the database is busy or away: it asks the database for nothing."""
    return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})


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


class PrivatePages(MiddlewareMixin):
    """What only members may see is kept by no cache between us and them, and asked for again each time.

    A database that is locked for longer than a request waits is said in a sentence, not as a fault; what somebody else
    deletes while a request works on it is not found.
    """

    async_capable = False  # so that all middleware of a request runs in one thread

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.user.is_authenticated and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if is_passing(exception):
            return busy()
        if is_gone(exception):
            log.warning("%s %s: a row went meanwhile", request.method, request.path, exc_info=exception)
            return render(request, "404.html", status=404)
        return None


class AccountLimits(MiddlewareMixin):
    """What is posted to the pages of accounts is counted for each client, or each person (projects/rate_limits.py)."""

    async_capable = False  # as above

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """429 with the time to wait, beyond the limit."""
        named = request.resolver_match.view_name if request.resolver_match else ""
        if request.method != "POST" or named not in rate_limits.PAGES:
            return None
        limit, who = rate_limits.PAGES[named]
        wait = rate_limits.take(limit, who(request))
        if not wait:
            return None
        answer = render(request, "429.html", {"wait": rate_limits.in_words(wait)}, status=429)
        answer["Retry-After"] = str(math.ceil(wait))
        return answer
