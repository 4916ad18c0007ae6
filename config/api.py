"""The JSON API under /api/: authentication, the routers of all apps, and one format for every error.

Authentication is the browser session (with its CSRF token) or `Authorization: Bearer TOKEN` with a personal token.
An error is {"error": {"code", "message", "field"}}, with "choices" if the user must choose one of them.
"""

import logging
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.exceptions import ValidationError as DjangoValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError

from config.api_authentication import Session, Token
from core.db_errors import is_deleted, is_temporary
from core.errors import Refused

log = logging.getLogger("scholium.api")


api = NinjaAPI(
    title="Scholium",
    version="1",
    description="Everything the pages can do, for programs. Errors have the form {error: {code, message, field}}.",
    auth=[Token(), Session()],
    docs_url="/docs",
)


def answer(
    request: HttpRequest, status: int, code: str, message: str, field: str = "", choices: Sequence[str] = ()
) -> HttpResponse:
    """Return an error response in the format of this API."""
    error: dict[str, Any] = {"code": code, "message": message, "field": field or None}
    if choices:
        error["choices"] = list(choices)
    return api.create_response(request, {"error": error}, status=status)


@api.exception_handler(AuthenticationError)
def not_signed_in(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 401 for a request without valid authentication."""
    response = answer(request, 401, "not_signed_in", "Sign in, or send a personal token: Authorization: Bearer TOKEN.")
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 404 for an object that does not exist or is not visible to the user."""
    return answer(request, 404, "not_found", "Not found, or you do not have access.")


@api.exception_handler(PermissionDenied)
def forbidden(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 403 for an action that the user's role does not allow."""
    return answer(request, 403, "forbidden", str(error) or "Your role in this thesis does not allow that.")


@api.exception_handler(Refused)
def refused(request: HttpRequest, error: Any) -> HttpResponse:
    """Return a Refused error with its own status and code."""
    return answer(request, error.status, error.code, error.message, error.field, error.choices)


@api.exception_handler(RequestDataTooBig)
def too_big(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 413 for a request body over the size limit."""
    return answer(request, 413, "too_big", "The request is larger than this server accepts.")


@api.exception_handler(RawPostDataException)
def form_for_json(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 415 for form data sent instead of JSON: the CSRF check has already consumed the body."""
    return answer(request, 415, "not_json", "Send JSON with Content-Type: application/json, not form data.")


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 422 with the first validation error of the request."""
    first = error.errors[0] if error.errors else {"loc": [], "msg": "The request could not be read."}
    field = ".".join(str(part) for part in first["loc"][2:] or first["loc"][-1:])
    return answer(request, 422, "invalid", f"{field}: {first['msg']}" if field else str(first["msg"]), field)


@api.exception_handler(DjangoValidationError)
def malformed(request: HttpRequest, error: Any) -> HttpResponse:
    """Return 422 for a validation error raised by Django."""
    return answer(request, 422, "invalid", "; ".join(error.messages))


@api.exception_handler(Exception)
def fault(request: HttpRequest, error: Any) -> HttpResponse:
    """Log an unexpected exception and return 500, or 503 if the database is busy."""
    if is_deleted(error):  # deleted by somebody else during this request
        log.warning("%s %s: a row was deleted during the request", request.method, request.path, exc_info=error)
        return not_found(request, error)
    log.exception("%s %s failed", request.method, request.path)
    if is_temporary(error):
        return answer(request, 503, "busy", "The database is busy. Nothing was changed; try again in a moment.")
    return answer(request, 500, "fault", "Something went wrong on our side. No partial changes were saved.")


@api.exception_handler(HttpError)
def other(request: HttpRequest, error: Any) -> HttpResponse:
    """Return any other HTTP error of the API framework in our format."""
    return answer(request, error.status_code, "invalid", str(error))


api.add_router("/projects", "projects.api.router")
for app in ("sections", "citations", "contextfiles", "analysis", "research", "jobs", "thesis"):
    api.add_router("", f"{app}.api.router")
api.add_router("", "sections.files_api.router")
api.add_router("", "config.demo.api.router")
api.add_router("", "config.contact.router")
