"""Every address of Scholium, room by room."""

from django.urls import URLPattern, URLResolver, include, path

from config.api import api
from config.views import engine, health, readiness

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/", include("allauth.urls")),
    path("api/", api.urls),
    path("engine/", engine, name="engine"),
    path("healthz", health, name="health"),
    path("readyz", readiness, name="readiness"),
]
import importlib.util  # noqa: E402  TEMPORARY until every room is there

for room in ("projects", "sections", "citations", "contextfiles", "research", "jobs"):
    if importlib.util.find_spec(f"{room}.urls"):
        urlpatterns.append(path("", include(f"{room}.urls")))
