"""manage.py up: web servers, worker and R service on one machine.

`up` opens the socket and its web processes take connections from it, so a browser that comes while one of them is being
restarted waits a moment and is not refused (docs/decisions/web-processes.md).
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from http.client import HTTPConnection, HTTPException
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from analysis.r_client import local_service
from config.demo.install import EMAIL, PASSWORD, install_on_empty
from config.management.commands.migrate import is_behind
from jobs.watchdog import die_with_parent
from projects.models import User

START = 30.0  # seconds to wait for the web process
LOOPBACK = {"127.0.0.1", "::1", "localhost"}
WILDCARDS = {"0.0.0.0", "::", ""}
GRACE = 15.0  # seconds to wait for a process to stop
R_PROCESSES = 2  # processes of the R service, if R is installed
WEB_PROCESSES = min(2, os.cpu_count() or 1)  # that share one listening socket; Python uses one core per process
BACKLOG = 1024  # connections that may wait to be taken; the kernel allows net.core.somaxconn of them, usually 4096


def is_for_this_machine(host: str) -> bool:
    """Return whether only this machine can reach the site: neither over the network nor through a proxy."""
    names = {name.strip("[]") for name in settings.ALLOWED_HOSTS}
    return host in LOOPBACK and names <= LOOPBACK and not settings.HTTPS and not settings.TRUSTED_PROXIES


class Command(BaseCommand):
    environment: Mapping[str, str] = {}  # extra variables for the processes
    help = "Runs Scholium on this machine (web and worker) until Ctrl+C. Installs the demo on an empty database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
        parser.add_argument("--port", type=int, default=8000, help="port to listen on (default 8000)")

    def handle(self, *args: Any, **options: Any) -> None:
        host, port = options["host"], options["port"]
        self.listening = self.listen(host, port)
        self.told_to_stop = threading.Event()
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, lambda *_: self.told_to_stop.set())

        fd = str(self.listening.fileno())
        daphne = [sys.executable, "-m", "daphne", "-v", "0", "--fd", fd, "config.asgi:application"]
        web = ["web", *(f"web {number}" for number in range(2, WEB_PROCESSES + 1))]
        commands = {
            **dict.fromkeys(web, daphne),
            "worker": [sys.executable, str(settings.BASE_DIR / "manage.py"), "worker"],
        }
        engine = local_service.LocalService(R_PROCESSES)
        if not settings.R_PLUMBER_URLS and local_service.is_r_installed():
            engine.reserve()  # R starts last, but the web process needs its addresses now
        self.environment = (
            {"R_PLUMBER_URLS": ",".join(engine.urls), "R_PLUMBER_TOKEN": engine.token} if engine.urls else {}
        )
        upgrades = is_behind(connection)
        if upgrades:  # before anything else can write, so that a failed upgrade can be restored
            call_command("migrate", interactive=False, verbosity=0, stdout=self.stdout)
        # Start the web process first, and create the tables of a new database meanwhile. The worker starts after it,
        # since on a small machine the two would slow each other down.
        processes = {"web": self.spawn(daphne)}
        try:
            if not upgrades:
                call_command("migrate", interactive=False, verbosity=0)
            # The demo password is public, so the demo is installed only where nobody else can reach the site.
            if is_for_this_machine(host) and install_on_empty():
                self.stdout.write("The demo thesis is installed.")
            self.announce(host, port, processes["web"])
            processes |= {name: self.spawn(commands[name]) for name in ("worker", *web[1:])}
            engine.start()
            while not self.told_to_stop.wait(1):
                for port in engine.look():
                    self.stderr.write(f"The R process on port {port} stopped; restarting it.")
                for name, process in processes.items():
                    if process.poll() is not None:
                        self.stderr.write(f"The {name} process stopped (code {process.returncode}); restarting it.")
                        processes[name] = self.spawn(commands[name])
        finally:
            self.stop(list(processes.values()))
            self.listening.close()
            engine.stop()

    def spawn(self, command: list[str]) -> "subprocess.Popen[bytes]":
        """Start a process in its own session, so that Ctrl+C reaches only `up`, which stops them in order."""
        is_web = "daphne" in command
        return subprocess.Popen(
            command,
            cwd=settings.BASE_DIR,
            env={**os.environ, **self.environment},
            start_new_session=True,
            # If `up` is killed, a web process that waits for its last request would keep the port.
            preexec_fn=partial(die_with_parent, signal.SIGKILL) if is_web else die_with_parent,
            pass_fds=[self.listening.fileno()] if is_web else [],
        )

    def announce(self, host: str, port: int, web: "subprocess.Popen[bytes]") -> None:
        """Print the address once the web process answers. Raises CommandError after START seconds."""
        near = "127.0.0.1" if host in WILDCARDS else host
        address = f"http://{f'[{near}]' if ':' in near else near}:{port}"
        until = time.monotonic() + START
        while not self.told_to_stop.is_set() and not self.answers(near, port):
            if web.poll() is not None or time.monotonic() > until:
                raise CommandError("The web process did not start; see the messages above.")
            time.sleep(0.1)
        self.stdout.write(f"Scholium is ready at {address}  (Ctrl+C to stop)")
        if User.objects.filter(email=EMAIL).exists():
            self.stdout.write(f"Sign in as {EMAIL} with password {PASSWORD}, or create your own account.")
        self.stdout.flush()

    def answers(self, host: str, port: int) -> bool:
        """Return whether the web process answers its health check."""
        # http.client, since an httpx client would load all certificates of the machine at each call.
        with closing(HTTPConnection(host, port, timeout=2)) as web:
            try:
                # A host name that ALLOWED_HOSTS accepts.
                name = settings.ALLOWED_HOSTS[0].lstrip(".") if settings.ALLOWED_HOSTS else "localhost"
                web.request("GET", "/healthz", headers={"Host": name})
                return web.getresponse().status == 200
            except (OSError, HTTPException):
                return False

    def listen(self, host: str, port: int) -> socket.socket:
        """Return a socket that listens on `port`. Raises CommandError if it is in use or not of this machine."""
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            return socket.create_server((host, port), family=family, backlog=BACKLOG)
        except OSError as error:
            why = str(error.strerror).partition(" (while")[0]
            raise CommandError(
                f"Port {port} on {host} cannot be used ({why}). Another Scholium may be running; "
                f"stop it, or choose another port: manage.py up --port {port + 1}"
            ) from None

    def stop(self, processes: "list[subprocess.Popen[bytes]]") -> None:
        """Terminate the processes, and kill those still running after GRACE seconds."""
        for process in processes:
            if process.poll() is None:
                process.terminate()
        for process in processes:
            try:
                process.wait(GRACE)
            except subprocess.TimeoutExpired:
                process.kill()
