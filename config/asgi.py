"""ASGI application: HTTP by Django, WebSockets by Channels (same origin and signed-in users only)."""

import os

from channels.routing import ProtocolTypeRouter, URLRouter
from channels.sessions import SessionMiddlewareStack
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()  # first, since the consumers need Django to be set up

from jobs.consumers import SameOrigin, sockets  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": SameOrigin(SessionMiddlewareStack(URLRouter(sockets)))})
