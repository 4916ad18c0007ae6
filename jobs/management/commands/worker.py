"""manage.py worker: the django-q2 cluster under a watchdog."""

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand

from jobs.watchdog import Watchdog


class Command(BaseCommand):
    help = "Runs background jobs: starts the task cluster and restarts it if it dies or hangs. Ctrl+C to stop."

    def handle(self, *args: Any, **options: Any) -> None:
        told_to_stop = threading.Event()
        for signum in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signum, lambda *_: told_to_stop.set())
        watchdog = Watchdog()
        watchdog.start()
        try:
            while not told_to_stop.wait(1):
                watchdog.look()
        finally:
            watchdog.stop()
