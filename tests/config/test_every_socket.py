"""SPEC P3: every socket, opened by a stranger and by somebody not signed in.

A new socket is walked without being named here. Its work is done in other threads, which see what is committed only.
"""

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from config.asgi import application
from jobs.consumers import sockets
from projects.models import Project, User
from tests.config.addresses import filled, ids_of
from tests.jobs.conftest import cookie_of
from tests.research.forest_thesis import forest, researched

__all__ = ["forest"]

pytestmark = pytest.mark.django_db(transaction=True)


async def first_message(address: str, user: User | None) -> Any:
    """The first message to `user`, who opens the socket at `address`; None for somebody who is not let in."""
    headers = [*await sync_to_async(cookie_of)(user), (b"host", b"testserver"), (b"origin", b"http://testserver")]
    line = WebsocketCommunicator(application, address, headers=headers)
    accepted, _ = await line.connect()
    first = await line.receive_output() if accepted else None
    if first is None or first["type"] == "websocket.close":
        assert await line.receive_nothing()
    await line.disconnect()
    return first


async def test_every_socket_is_closed_to_them(forest: Project, owner: User, outsider: User) -> None:
    run = await sync_to_async(researched)(forest, owner)
    things = await sync_to_async(ids_of)(run, owner)
    addresses = [filled(str(socket.pattern), things) for socket in sockets]
    assert addresses
    for address in addresses:
        for user in (outsider, None):
            # A browser hears only of an open socket why it is closed.
            assert await first_message(address, user) in (None, {"type": "websocket.close", "code": 4404}), (
                "nothing before"
            )
    told = [first["type"] for first in [await first_message(address, owner) for address in addresses] if first]
    assert "websocket.send" in told, "there was something to hear"
