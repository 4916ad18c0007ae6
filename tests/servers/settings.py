"""Settings of the processes that tests start: the real ones, with a kind of job that tests can start and kill.

Database, media, static files and workers are set by the environment (tests/servers/processes.py).
"""

import os
from pathlib import Path

from config.settings import *  # noqa: F403
from config.settings import INSTALLED_APPS, STATIC_ROOT

INSTALLED_APPS = [*INSTALLED_APPS, "tests.servers.counting"]
STATIC_ROOT = Path(os.environ.get("SCHOLIUM_TEST_STATIC") or STATIC_ROOT)
