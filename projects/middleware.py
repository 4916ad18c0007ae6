"""Middleware: sign-in required by default, no shared caching of private pages, limits on account pages."""

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

from core.db_errors import is_deleted, is_temporary
from projects import rate_limits

log = logging.getLogger("scholium.pages")


def busy() -> HttpResponse:
    """Show the 503 page for a database that is busy or unreachable. The page itself makes no queries."""
    return HttpResponse(render_to_string("503.html"), status=503, headers={"Retry-After": "5"})


class SignInRequired(LoginRequiredMiddleware):
    """Django's LoginRequiredMiddleware, except where a redirect to the sign-in page would not work.

    The JSON API answers 401 by itself. htmx would insert the sign-in page into the open page, next to unsaved text;
    it gets 401 instead, and the open page shows a message and stays.
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
    """Cache headers for private pages, and pages instead of bare errors.

    Responses to signed-in users are private and revalidated each time. Opening an address that only receives forms
    gives a page that says so (405). A database locked for longer than a request
    waits gives 503; an object deleted by somebody else during the request gives 404.
    """

    async_capable = False  # so that all middleware of a request runs in one thread, with one database connection

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        if request.user.is_authenticated and not response.has_header("Cache-Control"):
            patch_cache_control(response, private=True, no_cache=True)
        if response.status_code == 405 and request.method == "GET" and not request.path.startswith("/api/"):
            page = render(request, "405.html", status=405)
            page["Allow"] = response["Allow"]
            return page
        return response

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if is_temporary(exception):
            return busy()
        if is_deleted(exception):
            log.warning("%s %s: a row was deleted during the request", request.method, request.path, exc_info=exception)
            return render(request, "404.html", status=404)
        return None


class AccountLimits(MiddlewareMixin):
    """Rate limits for POST requests to account pages, per client or per user (projects/rate_limits.py)."""

    async_capable = False  # as above

    def process_view(self, request: HttpRequest, *view: Any) -> HttpResponse | None:
        """Return 429 with the time to wait if the limit is exceeded."""
        named = request.resolver_match.view_name if request.resolver_match else ""
        if request.method != "POST" or named not in rate_limits.PAGES:
            return None
        limit, who = rate_limits.PAGES[named]
        wait = rate_limits.count_attempt(limit, who(request))
        if not wait:
            return None
        answer = render(request, "429.html", {"wait": rate_limits.in_words(wait)}, status=429)
        answer["Retry-After"] = str(math.ceil(wait))
        return answer
