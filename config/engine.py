"""The page that says which engine is on, with which models, and which catalogues have a key."""

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from llm.claude.client import host_of
from llm.engine import Described, EngineUnavailable, engine_of_this_installation
from llm.offline import OfflineEngine
from sources.providers import PROVIDERS, Provider

ROLES = {
    "brief": "Turns the question into a brief",
    "decompose": "Breaks a question into narrower ones",
    "research": "Works on one question with tools",
    "condense": "Draws findings from passages",
    "sufficiency": "Judges whether a question is answered",
    "synthesize": "Writes the report",
    "verify": "Checks claims against their sources",
    "route": "Chooses what a question needs from your files",
    "digest": "Reads an uploaded file",
    "draft": "Drafts the introduction, the review of literature and the discussion",
    "draft_plain": "Drafts the other sections, rewrites and shortens",
    "assist": "Answers short questions",
}


@require_safe
def engine(request: HttpRequest) -> HttpResponse:
    """A page of its own, or what of it the account page shows."""
    context: dict[str, Any] = {"catalogues": [_catalogue(provider) for provider in PROVIDERS.values()]}
    try:
        context["engine"] = engine_of_this_installation()
    except EngineUnavailable as error:
        context["trouble"] = str(error)
    else:
        context |= _models(context["engine"])
    template = "config/engine.html#engine" if request.htmx else "config/engine.html"  # type: ignore[attr-defined]
    return render(request, template, context)


def _models(engine: Described) -> dict[str, Any]:
    """The host of a model, and who answers in which role; nothing for the offline engine."""
    if engine.name == OfflineEngine.name:
        return {}
    models = [
        {"does": ROLES[role], "model": model, "setting": f"LLM_MODEL_{role.upper()}"}
        for role, model in settings.LLM_MODELS.items()
    ]
    return {"host": host_of(settings.ANTHROPIC_BASE_URL), "models": models}


def _catalogue(provider: Provider) -> dict[str, Any]:
    """Whether a catalogue has its key and is searched. Nothing here holds any part of a key."""
    names = provider.needs or tuple(filter(None, [provider.host.key_setting]))
    return {
        "label": provider.label,
        "settings": names,
        "has_key": all(getattr(settings, name) for name in names),
        "is_searched": not provider.missing(),
    }
