import gc
import os

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    name = "jobs"

    def ready(self) -> None:
        # Each app says in its tasks.py what its kinds of job do (jobs/registry.py).
        autodiscover_modules("tasks")
        from jobs.models import hold_jobs, job_ended
        from jobs.registry import on_end, prepare_all
        from jobs.watchdog import MARK
        from projects.signals import project_leaving

        job_ended.connect(on_end, dispatch_uid="jobs.on_end")
        project_leaving.connect(hold_jobs, dispatch_uid="jobs.hold_jobs")

        if MARK in os.environ:
            prepare_all()
            gc.freeze()  # else the first collection in each worker copies all that they share
