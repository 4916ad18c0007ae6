"""Doing a job in the foreground, for a command: what it tells is passed on as it happens, and Ctrl+C stops it."""

import signal
import threading
import time
from collections.abc import Callable

from django.db import connection

from jobs.models import Job, JobEvent, State
from jobs.work import perform

_LOOK = 0.1  # seconds between two looks at what it tells
_AGAIN = 1.0  # seconds until a job is tried again that was put back, since the database was busy


def do_here(job: Job, tell: Callable[[JobEvent], None]) -> None:
    """Do `job` until it comes to rest; `tell` gets its events in their order, in a thread of its own.

    Ctrl+C asks it to stop at its next step, so that what it has made is kept; a second one ends the process at once.
    """
    ended, wanted, news = threading.Event(), threading.Event(), threading.Event()

    def interrupted(signum: int, frame: object) -> None:
        wanted.set()
        news.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def follow() -> None:
        seen, asked = 0, False
        try:
            while True:
                last = ended.is_set()
                if wanted.is_set() and not asked:
                    asked = job.ask("cancel")
                for event in job.events.filter(seq__gt=seen):
                    tell(event)
                    seen = event.seq
                if last:
                    return
                news.wait(_LOOK)
                news.clear()
        finally:
            connection.close()

    teller = threading.Thread(target=follow, daemon=True)
    teller.start()
    before = signal.signal(signal.SIGINT, interrupted)
    try:
        perform(str(job.pk))
        while Job.objects.filter(pk=job.pk, state=State.QUEUED).exists():
            time.sleep(_AGAIN)
            perform(str(job.pk))
    finally:
        signal.signal(signal.SIGINT, before)
        ended.set()
        news.set()
        teller.join(5)
