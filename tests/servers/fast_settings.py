"""As tests/servers/settings.py, with passwords that are quick to check and no files for the browser: for many tries."""

from tests.servers.settings import *  # noqa: F403
from tests.servers.settings import STORAGES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
