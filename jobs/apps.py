import gc
import os

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        # Each app says in its tasks.py what its kinds of job do (jobs/registry.py).
        autodiscover_modules("tasks")
        from jobs.models import hold_jobs
        from jobs.registry import prepare_all
        from jobs.watchdog import MARK
        from projects.signals import project_leaving

        project_leaving.connect(hold_jobs, dispatch_uid="jobs.hold_jobs")

        if MARK in os.environ:
            prepare_all()
            gc.freeze()  # else the first collection in each worker copies all that they share
