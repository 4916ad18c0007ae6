"""The app configuration: loads the job handlers of all apps and connects signals."""

import gc
import os

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class JobsConfig(AppConfig):
    """Configuration of the jobs app."""

    name = "jobs"

    def ready(self) -> None:
        # Each app registers its job handlers in its tasks.py (jobs/registry.py).
        autodiscover_modules("tasks")
        from jobs.models import hold_jobs, job_ended
        from jobs.registry import on_end, prepare_all
        from jobs.watchdog import MARK
        from projects.signals import project_leaving

        job_ended.connect(on_end, dispatch_uid="jobs.on_end")
        project_leaving.connect(hold_jobs, dispatch_uid="jobs.hold_jobs")

        if MARK in os.environ:
            prepare_all()
            gc.freeze()  # else the first garbage collection in each worker copies the memory they share
