"""ASGI application: HTTP by Django, WebSockets by Channels (same origin and signed-in users only)."""

import gc
import os

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()  # first, since the consumers need Django to be set up

from django.urls import get_resolver  # noqa: E402

from jobs.consumers import SameOrigin, sockets  # noqa: E402

get_resolver().url_patterns  # noqa: B018  loads all pages, which the first request would wait for
gc.collect()
gc.freeze()  # garbage collections no longer visit the modules, which took up to 0.2 s of a page's time

application = ProtocolTypeRouter({"http": pages, "websocket": SameOrigin(SessionMiddlewareStack(URLRouter(sockets)))})
