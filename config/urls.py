"""URLs of all apps."""

from django.urls import URLPattern, URLResolver, include, path

from config.api import api
from config.contact import contact
from config.demo import pages as demo_pages
from config.manual import manual, picture
from config.views import engine, health, keys, palette_page, readiness

handler500 = "config.views.fault"

urlpatterns: list[URLPattern | URLResolver] = [
    path("accounts/", include("allauth.urls")),
    path("api/", api.urls),
    path("account/contact/", contact, name="contact"),
    path("engine/", engine, name="engine"),
    path("keys/", keys, name="keys"),
    path("manual/", manual, name="manual"),
    path("manual/images/<slug:name>.png", picture, name="manual_picture"),
    path("manual/<slug:slug>/", manual, name="manual_page"),
    path("palette/", palette_page, name="palette"),
    path("demo/", demo_pages.demo, name="demo"),
    path("projects/<uuid:project_id>/demo/", demo_pages.copy_page, name="demo_copy"),
    path("projects/<uuid:project_id>/demo/progress/", demo_pages.copy_progress, name="demo_copy_progress"),
    path("projects/<uuid:project_id>/demo/stop/", demo_pages.copy_stop, name="demo_copy_stop"),
    path("healthz", health, name="health"),
    path("readyz", readiness, name="readiness"),
    path("", include("projects.urls")),
    path("", include("sections.urls")),
    path("", include("citations.urls")),
    path("", include("contextfiles.urls")),
    path("", include("analysis.urls")),
    path("", include("research.urls")),
    path("", include("thesis.urls")),
    path("", include("jobs.urls")),
]
