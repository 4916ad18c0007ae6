"""Pages that belong to no app: health checks, the 500 page, and the AI engine in use."""

import sys
from typing import Any
from uuid import UUID

from asgiref.sync import async_to_sync
from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.defaults import server_error

from analysis.r_client.client import health as engine_health
from config.command_palette import palette
from core.db_errors import is_temporary
from jobs.notify import redis_answers
from jobs.waiting_reason import worker_is_running
from llm.claude.client import host_of
from llm.engine import Described, EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
from projects.access import get_project
from projects.middleware import busy
from projects.signed_in_request import PersonRequest
from sources.providers import PROVIDERS, Provider

ROLES = {
    "brief": "Turns the question into a research brief",
    "decompose": "Splits a question into sub-questions",
    "research": "Researches one question with tools",
    "condense": "Extracts findings from passages",
    "sufficiency": "Judges whether a question is answered",
    "synthesize": "Writes the report",
    "verify": "Checks claims against their sources",
    "route": "Selects which of your files a question needs",
    "digest": "Reads uploaded files",
    "draft": "Drafts the introduction, the review of literature and the discussion",
    "draft_plain": "Drafts other sections, rewrites and shortens",
    "assist": "Answers short questions",
}


@login_not_required
@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Return 200 while this process runs."""
    return HttpResponse("ok", content_type="text/plain")


@login_not_required
@require_safe
def readiness(request: HttpRequest) -> JsonResponse:
    """Return 200 if the database answers and a worker reported in the last 30 seconds, else 503 with what is missing.

    Redis and R are reported if they are configured, but never cause 503, since everything else works without them.
    `analysis` is true if any R process answers.
    """
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        database = True
        worker = worker_is_running()
    except DatabaseError:
        database = worker = False
    found = {"database": database, "worker": worker}
    if settings.REDIS_URL:
        found["redis"] = redis_answers()
    if settings.R_PLUMBER_URLS:
        found["analysis"] = any(process["ok"] for process in async_to_sync(engine_health)())
    return JsonResponse(found, status=200 if database and worker else 503)


def fault(request: HttpRequest) -> HttpResponseBase:
    """Show the 500 page, or the 503 page if the database failed while the signed-in user was loaded."""
    error = sys.exc_info()[1]
    return busy() if isinstance(error, Exception) and is_temporary(error) else server_error(request)


@require_safe
def palette_page(request: PersonRequest) -> HttpResponse:
    """Show where ?words= lead, in the thesis ?project= or in all; for htmx only the places."""
    given, words = request.GET.get("project", ""), request.GET.get("words", "")[:200]
    project = None
    if given:
        try:
            project = get_project(request.user, UUID(given))
        except ValueError as error:
            raise Http404 from error
    context = {"project": project, "words": words, "groups": palette(request.user, project, words)}
    return render(request, f"config/command_palette.html{'#found' if request.htmx else ''}", context)


@require_safe
def keys(request: HttpRequest) -> HttpResponse:
    """Show the keyboard shortcuts of all pages."""
    return render(request, "config/keys.html")


@require_safe
def engine(request: HttpRequest) -> HttpResponse:
    """Show the page of the AI engine, or (htmx) the part of it that the account page includes."""
    context: dict[str, Any] = {"catalogues": [_catalogue(provider) for provider in PROVIDERS.values()]}
    try:
        context["engine"] = engine_of_this_installation()
    except EngineUnavailable as error:
        context["trouble"] = str(error)
    else:
        context |= _models(context["engine"])
    return render(request, f"config/engine.html{'#engine' if request.htmx else ''}", context)  # type: ignore[attr-defined]


def _models(engine: Described) -> dict[str, Any]:
    """Return the host of the AI provider and the model of each role; nothing for the offline engine."""
    if engine.name == OfflineEngine.name:
        return {}
    return {
        "host": host_of(settings.ANTHROPIC_BASE_URL),
        "models": [
            {"does": ROLES[role], "model": model, "setting": f"LLM_MODEL_{role.upper()}"}
            for role, model in settings.LLM_MODELS.items()
        ],
    }


def _catalogue(provider: Provider) -> dict[str, Any]:
    """Return a catalogue's label, settings, and whether it has its key and can be searched. Never includes a key."""
    names = provider.needs or tuple(filter(None, [provider.host.key_setting]))
    return {
        "label": provider.label,
        "settings": names,
        "has_key": all(getattr(settings, name) for name in names),
        "is_searched": not provider.missing(),
    }
