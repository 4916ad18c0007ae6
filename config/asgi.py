"""HTTP by Django, sockets by Channels: only from our own pages, only for people signed in."""

import os

from channels.auth import AuthMiddlewareStack
from channels.routing import ProtocolTypeRouter, URLRouter
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
pages = get_asgi_application()  # first: it sets Django up, which the consumers need

from jobs.consumers import SameOrigin, sockets  # noqa: E402

application = ProtocolTypeRouter({"http": pages, "websocket": SameOrigin(AuthMiddlewareStack(URLRouter(sockets)))})
