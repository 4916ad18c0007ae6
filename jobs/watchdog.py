"""The watchdog of a django-q2 cluster: restarts it and recovers lost jobs (docs/decisions/jobs.md).

After kill -9 of a busy worker, django-q2's ORM broker recovers only after `retry`, and a killed idle worker can hang
the whole cluster. So every second the watchdog checks for jobs whose lease expired or whose process is gone, for
queued jobs without a task that would wake up a worker, and for a free cluster that takes no tasks. It also runs the
periodic tasks of the apps (jobs.registry.periodic_task).
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
from jobs.registry import PeriodicTask, duties

log = logging.getLogger("scholium.worker")

MARK = "SCHOLIUM_CLUSTER"  # environment variable that marks every process of one cluster
PATIENCE = timedelta(seconds=10)  # before a queued job is woken up again
FORGOTTEN = timedelta(days=1)  # age at which heartbeats of killed watchdogs are deleted
STUCK = 10.0  # seconds a free cluster may ignore a task before it is restarted
STARTING = 30.0  # seconds after a start in which that is tolerated; a busy machine starts slowly
GRACE = 10.0  # seconds to wait for a cluster to stop


def die_with_parent(signum: int = signal.SIGTERM) -> None:
    """Make this child process receive `signum` when its parent dies (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signum)


class Watchdog:
    """Starts, monitors and restarts one django-q2 cluster."""

    def __init__(self) -> None:
        self.mark = ""
        self.cluster: subprocess.Popen[bytes] | None = None
        self.idle_since: float | None = None
        self.oldest_due: int | None = None  # id of the task that has waited longest
        self.started = 0.0
        self.done_at: dict[PeriodicTask, float] = {}  # monotonic time of the last run of each periodic task
        self.name = f"{socket.gethostname()[:40]}:{os.getpid()}"

    def start(self) -> None:
        """Start the cluster."""
        WorkerBeat.objects.filter(at__lt=timezone.now() - FORGOTTEN).delete()  # of watchdogs that were killed
        self.mark = secrets.token_hex(8)
        self.started, self.idle_since = monotonic(), None
        # Without Django's system checks: `manage.py worker` has just run them, and they import all views.
        self.cluster = subprocess.Popen(
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "qcluster", "--skip-checks"],
            env={**os.environ, MARK: self.mark},
            preexec_fn=die_with_parent,
        )

    def look(self) -> None:
        """Do one round of checks. A database error only ends the round; the next one tries again."""
        try:
            WorkerBeat.objects.update_or_create(name=self.name, defaults={"at": timezone.now()})
            expire_dead()
            wake_lost()
            self.do_duties()
            has_ended = self.cluster is None or self.cluster.poll() is not None
            if has_ended or self.is_stuck():
                log.warning(
                    "The cluster %s; restarting it.",
                    "has stopped" if has_ended else "is free but takes no tasks",
                )
                self.restart()
        except DatabaseError as error:
            connection.close()  # a broken connection would make every later round fail too
            log.warning("The database did not answer: %s", error)

    def do_duties(self) -> None:
        """Run the periodic tasks that are due. If one fails, log it and go on; it is tried again at its next time."""
        for duty in duties():
            if monotonic() - self.done_at.get(duty, -duty.seconds) < duty.seconds:
                continue
            self.done_at[duty] = monotonic()
            try:
                duty.function()
            except DatabaseError:
                raise  # ends the round; the next one tries again
            except Exception:
                log.exception("A periodic task failed: %s", duty.function.__name__)

    def is_stuck(self) -> bool:
        """Return whether the same task has waited for STUCK seconds although a worker was free."""
        due = OrmQ.objects.filter(lock__lte=timezone.now()).order_by("pk").values_list("pk", flat=True).first()
        busy = Job.objects.filter(state=State.RUNNING, lease_by__startswith=f"{socket.gethostname()[:40]}:").count()
        if due is None or busy >= settings.Q_CLUSTER["workers"]:
            self.idle_since = None
            return False
        if self.idle_since is None or due != self.oldest_due:
            self.idle_since, self.oldest_due = monotonic(), due
        return monotonic() - max(self.idle_since, self.started + STARTING) > STUCK

    def restart(self) -> None:
        """Kill the cluster, expire the leases of its jobs, and start it again."""
        self.kill()
        expire_dead()
        self.start()

    def kill(self) -> None:
        """Kill every process of the cluster, also those whose parent has already exited."""
        for process in psutil.process_iter():
            with suppress(psutil.NoSuchProcess, psutil.AccessDenied, psutil.ZombieProcess):
                if process.environ().get(MARK) == self.mark:
                    process.kill()
        if self.cluster is not None:
            self.cluster.wait()

    def stop(self) -> None:
        """Stop the cluster. Running tasks get GRACE seconds to finish; unfinished jobs resume at the next start."""
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
    """Expire the leases of running jobs on this machine whose process is gone."""
    here = f"{socket.gethostname()[:40]}:"
    now = timezone.now()
    for job in Job.objects.filter(state=State.RUNNING, lease_by__startswith=here, lease_until__gt=now):
        if not psutil.pid_exists(int(job.lease_by.removeprefix(here).split(":")[0])):
            Job.objects.filter(pk=job.pk, lease_by=job.lease_by).update(lease_until=now - timedelta(milliseconds=1))


def wake_lost() -> None:
    """Queue a task for each job that lost its worker or waits without a task, at most once per PATIENCE and job."""
    now = timezone.now()
    waiting = {arg for task in OrmQ.objects.filter(lock__lte=now) for arg in task.args() or ()}  # for a free worker
    for job in [*Job.objects.lost(), *Job.objects.filter(state=State.QUEUED, queued_at__lt=now - PATIENCE)]:
        just_woken = job.woken_at and job.woken_at > now - PATIENCE or str(job.pk) in waiting
        if not just_woken and Job.objects.filter(pk=job.pk, woken_at=job.woken_at).update(woken_at=now):
            job.enqueue()
