"""Job handlers of this package: the data and analyses of the demo."""

from config.demo.install import KIND, bring_data
from jobs.registry import job_handler

job_handler(KIND)(bring_data)
