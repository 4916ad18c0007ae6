"""Job handlers of this package: what fills a demo thesis."""

from config.demo.install import KIND, fill_demo
from jobs.registry import job_handler

job_handler(KIND, page="demo_copy")(fill_demo)
