"""Keeps a django-q2 cluster alive and its lost work moving (docs/decisions/jobs.md).

django-q2's ORM broker survives kill -9 of a busy worker only after `retry`, and a killed idle worker can hang
the whole cluster. So the watchdog looks every second for three things: jobs whose lease expired or whose
process is gone, jobs that wait with nothing left to wake a worker up, and a cluster that takes nothing
although it is free. It also does what rooms want done regularly (jobs.registry.regularly).
"""

import ctypes
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from datetime import timedelta
from time import monotonic

import psutil
from django.conf import settings
from django.db import Error as DatabaseError
from django.db import connection
from django.utils import timezone
from django_q.models import OrmQ

from jobs.models import Job, State, WorkerBeat
from jobs.registry import Duty, duties

log = logging.getLogger("scholium.worker")

MARK = "SCHOLIUM_CLUSTER"  # in the environment of every process of one cluster, however it was forked
PATIENCE = timedelta(seconds=10)
FORGOTTEN = timedelta(days=1)
STUCK = 10.0  # seconds a free cluster may leave a task lying before it is restarted
STARTING = 30.0  # seconds a new cluster has before that is held against it; a busy machine starts slowly
GRACE = 10.0  # seconds a cluster has to stop by itself


def die_with_parent() -> None:
    """In a child, on Linux: be told to stop when its parent is killed, so that nothing is left behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Watchdog:
    def __init__(self) -> None:
        self.mark = ""
        self.cluster: subprocess.Popen[bytes] | None = None
        self.idle_since: float | None = None
        self.oldest_due: int | None = None  # the task that has lain longest, by its row
        self.started = 0.0
        self.done_at: dict[Duty, float] = {}  # by the monotonic clock
        self.name = f"{socket.gethostname()[:40]}:{os.getpid()}"

    def start(self) -> None:
        WorkerBeat.objects.filter(at__lt=timezone.now() - FORGOTTEN).delete()  # of watchdogs that were killed
        self.mark = secrets.token_hex(8)
        self.started, self.idle_since = monotonic(), None
        # Without Django's checks: `manage.py worker` has just made them, and they load every page.
        self.cluster = subprocess.Popen(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "qcluster", "--skip-checks"],
            env={**os.environ, MARK: self.mark},
            preexec_fn=die_with_parent,
        )

    def look(self) -> None:
        """One round. The database being busy is no reason to die: the next round looks again."""
        try:
            WorkerBeat.objects.update_or_create(name=self.name, defaults={"at": timezone.now()})
            expire_dead()
            wake_lost()
            self.do_duties()
            has_ended = self.cluster is None or self.cluster.poll() is not None
            if has_ended or self.is_stuck():
                log.warning(
                    "The cluster %s; starting it again.",
                    "has ended" if has_ended else "takes no work although it is free",
                )
                self.restart()
        except DatabaseError as error:
            connection.close()  # a broken one would fail every later round too
            log.warning("The database did not answer: %s", error)

    def do_duties(self) -> None:
        """What is done regularly and has waited its time. One that fails costs itself alone, and is tried again."""
        for duty in duties():
            if monotonic() - self.done_at.get(duty, -duty.seconds) < duty.seconds:
                continue
            self.done_at[duty] = monotonic()
            try:
                duty.function()
            except DatabaseError:
                raise  # the round is over: the next one looks again
            except Exception:
                log.exception("A regular duty failed: %s", duty.function.__name__)

    def is_stuck(self) -> bool:
        """Return whether one and the same task has lain for STUCK seconds although a worker was free."""
        due = OrmQ.objects.filter(lock__lte=timezone.now()).order_by("pk").values_list("pk", flat=True).first()
        busy = Job.objects.filter(state=State.RUNNING, lease_by__startswith=f"{socket.gethostname()[:40]}:").count()
        if due is None or busy >= settings.Q_CLUSTER["workers"]:
            self.idle_since = None
            return False
        if self.idle_since is None or due != self.oldest_due:
            self.idle_since, self.oldest_due = monotonic(), due
        return monotonic() - max(self.idle_since, self.started + STARTING) > STUCK

    def restart(self) -> None:
        self.kill()
        expire_dead()
        self.start()

    def kill(self) -> None:
        """End every process of the cluster at once, also those whose parent is gone already."""
        for process in psutil.process_iter():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                if process.environ().get(MARK) == self.mark:
                    process.kill()
        if self.cluster is not None:
            self.cluster.wait()

    def stop(self) -> None:
        """Let running tasks end if they do so soon; their jobs resume at the next start otherwise."""
        with suppress(DatabaseError):
            WorkerBeat.objects.filter(name=self.name).delete()
        if self.cluster is None:
            return
        self.cluster.send_signal(signal.SIGTERM)
        try:
            self.cluster.wait(GRACE)
        except subprocess.TimeoutExpired:
            self.kill()


def expire_dead() -> None:
    """Running jobs of this machine whose process is gone: their lease need not run out by itself."""
    here = f"{socket.gethostname()[:40]}:"
    now = timezone.now()
    for job in Job.objects.filter(state=State.RUNNING, lease_by__startswith=here, lease_until__gt=now):
        if not psutil.pid_exists(int(job.lease_by.removeprefix(here).split(":")[0])):
            Job.objects.filter(pk=job.pk, lease_by=job.lease_by).update(lease_until=now - timedelta(milliseconds=1))


def wake_lost() -> None:
    """Wake a worker up for each job that was lost or forgotten, at most once per PATIENCE and job."""
    now = timezone.now()
    waiting = {arg for task in OrmQ.objects.filter(lock__lte=now) for arg in task.args() or ()}  # for a free worker
    for job in [*Job.objects.lost(), *Job.objects.filter(state=State.QUEUED, queued_at__lt=now - PATIENCE)]:
        just_woken = job.woken_at and job.woken_at > now - PATIENCE or str(job.pk) in waiting
        if not just_woken and Job.objects.filter(pk=job.pk, woken_at=job.woken_at).update(woken_at=now):
            job.enqueue()
