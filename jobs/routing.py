"""The one socket of Scholium: /ws/jobs/{id}/?after=SEQ, any job's events as they happen."""

from typing import Any

from channels.security.websocket import WebsocketDenier
from django.urls import path

from jobs.consumers import JobStream

sockets: list[Any] = [
    path("ws/jobs/<uuid:job_id>/", JobStream.as_asgi()),
    path("<path:unknown>", WebsocketDenier.as_asgi()),
]
