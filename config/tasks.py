"""What the worker does for this room: the demo's data and analyses."""

from config.demo.install import KIND, bring_data
from jobs.registry import does

does(KIND)(bring_data)
