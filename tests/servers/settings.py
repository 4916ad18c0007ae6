"""Settings of the real processes a test starts: the real ones, with a job that tests can start, watch and kill.

The environment says the rest (tests/servers/processes.py): database, media, static files, workers.
"""

import os
from pathlib import Path

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS, STATIC_ROOT

INSTALLED_APPS = [*INSTALLED_APPS, "tests.servers.counting"]
STATIC_ROOT = Path(os.environ.get("SCHOLIUM_TEST_STATIC") or STATIC_ROOT)
