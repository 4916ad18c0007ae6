"""The JSON API under /api/: who is asking, the rooms' routers, and one shape for every error.

Authentication is the session of the browser (with its CSRF token) or `Authorization: Bearer TOKEN` with a
personal token. An error is {"error": {"code", "message", "field"}}, with "choices" where one of them is asked for.
"""

import logging
from collections.abc import Sequence
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.core.exceptions import ValidationError as DjangoValidationError
from django.db import OperationalError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import RawPostDataException
from ninja import NinjaAPI
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.security import HttpBearer, SessionAuth

from core.db_errors import is_gone
from core.errors import Refused
from projects import rate_limits
from projects.models import ApiToken, User
from projects.rate_limits import client_of

log = logging.getLogger("scholium.api")


class Token(HttpBearer):
    def authenticate(self, request: HttpRequest, token: str) -> User | None:
        """Whose token it is. Wrong ones are counted for each client; a right one passes whatever others there tried."""
        user = ApiToken.user_of(token)
        if user is None:
            rate_limits.check(rate_limits.TOKEN_TRIES, client_of(request), said="Too many tokens that do not exist.")
        else:
            request.user = user
        return user


class Session(SessionAuth):
    def authenticate(self, request: HttpRequest, key: str | None) -> Any:
        return request.user if request.user.is_authenticated else None


api = NinjaAPI(
    title="Scholium",
    version="1",
    description="Every action of the pages, for programs. Errors come as {error: {code, message, field}}.",
    auth=[Token(), Session()],
    docs_url="/docs",
)


def answer(
    request: HttpRequest, status: int, code: str, message: str, field: str = "", choices: Sequence[str] = ()
) -> HttpResponse:
    error: dict[str, Any] = {"code": code, "message": message, "field": field or None}
    if choices:
        error["choices"] = list(choices)
    return api.create_response(request, {"error": error}, status=status)


@api.exception_handler(AuthenticationError)
def not_signed_in(request: HttpRequest, error: Any) -> HttpResponse:
    response = answer(request, 401, "not_signed_in", "Sign in, or send a personal token: Authorization: Bearer TOKEN.")
    response["WWW-Authenticate"] = "Bearer"
    return response


@api.exception_handler(Http404)
def not_found(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, 404, "not_found", "There is nothing here, or it is not yours to see.")


@api.exception_handler(PermissionDenied)
def forbidden(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, 403, "forbidden", str(error) or "Your role in this thesis does not allow that.")


@api.exception_handler(Refused)
def refused(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, error.status, error.code, error.message, error.field, error.choices)


@api.exception_handler(RequestDataTooBig)
def too_big(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, 413, "too_big", "The request is larger than this server takes.")


@api.exception_handler(RawPostDataException)
def form_for_json(request: HttpRequest, error: Any) -> HttpResponse:
    """A form where JSON is meant: looking for the page's token has read it, so that its body is gone."""
    return answer(request, 415, "not_json", "Send JSON, with Content-Type: application/json. This was a form.")


@api.exception_handler(ValidationError)
def invalid(request: HttpRequest, error: Any) -> HttpResponse:
    """The first thing wrong with the request, named by its field."""
    first = error.errors[0] if error.errors else {"loc": [], "msg": "The request could not be read."}
    field = ".".join(str(part) for part in first["loc"][2:] or first["loc"][-1:])
    return answer(request, 422, "invalid", f"{field}: {first['msg']}" if field else str(first["msg"]), field)


@api.exception_handler(DjangoValidationError)
def malformed(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, 422, "invalid", "; ".join(error.messages))


@api.exception_handler(Exception)
def fault(request: HttpRequest, error: Any) -> HttpResponse:
    """Anything nobody foresaw: the log has it, the answer has the shape of every other."""
    if is_gone(error):  # deleted by somebody else while this request worked on it
        log.warning("%s %s: a row went meanwhile", request.method, request.path, exc_info=error)
        return not_found(request, error)
    log.exception("%s %s failed", request.method, request.path)
    if isinstance(error, OperationalError):
        return answer(request, 503, "busy", "The database is busy. Nothing was changed; please try again in a moment.")
    return answer(request, 500, "fault", "Something went wrong on our side. Nothing was changed by half.")


@api.exception_handler(HttpError)
def other(request: HttpRequest, error: Any) -> HttpResponse:
    return answer(request, error.status_code, "invalid", str(error))


api.add_router("/projects", "projects.api.router")
for room in ("sections", "citations", "contextfiles", "analysis", "research", "jobs", "thesis"):
    api.add_router("", f"{room}.api.router")
api.add_router("", "sections.files_api.router")
