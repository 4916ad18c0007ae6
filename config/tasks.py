"""What the worker does for this room: the demo's data and analyses."""

from config.demo import data
from jobs.registry import does

does(data.KIND)(data.bring_data)
