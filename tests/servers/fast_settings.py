"""Settings like tests/servers/settings.py, with a fast password hasher and without built static files."""

from tests.servers.settings import *  # noqa: F403
from tests.servers.settings import STORAGES

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
