"""The settings of real processes in tests, with an app whose migration fails."""

from tests.servers.settings import *  # noqa: F403
from tests.servers.settings import INSTALLED_APPS

INSTALLED_APPS = [*INSTALLED_APPS, "tests.upgrade.failing"]
