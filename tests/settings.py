"""Settings of the tests: the real ones with a temporary database, media and mail, and a fast password hasher.

The database is a SQLite file, or is created on the server of TEST_DATABASE_URL.
"""

import os
import sys
import tempfile
from pathlib import Path

_ROOT = Path(os.environ.get("SCHOLIUM_TEST_DIR") or tempfile.mkdtemp(prefix="scholium-tests-"))
# Bytecode is written whatever the environment says. Otherwise each process of the tests compiles everything again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
os.environ["SECRET_KEY"] = "only for tests, never anywhere else, 0123456789"
for name in ("DATABASE_URL", "LLM_ENGINE", "DEBUG", "UI_DEBUG"):
    os.environ.pop(name, None)
for name in ("RESEARCH_PROFILES", "RESEARCH_DEFAULT_PROFILE", "RESEARCH_CITATION_STYLE", "RESEARCH_EXPORT_FORMAT"):
    os.environ.pop(name, None)
for name in ("REDIS_URL", "REDIS_URL_FILE"):
    os.environ.pop(name, None)  # tests that need Redis start it (tests/servers/redis.py)
for name in ("R_PLUMBER_URLS", "R_PLUMBER_TOKEN", "R_PLUMBER_TOKEN_FILE"):
    os.environ.pop(name, None)  # tests that need R start it (analysis/r_client/local_service.py)
for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY_FILE", "ANTHROPIC_BASE_URL"):
    os.environ.pop(name, None)  # no test reaches a service that costs money
# No test reaches a catalogue: where none stands in for it, the connection is refused at once. Processes inherit this.
for name in (
    *("CROSSREF", "DOI", "PUBMED", "S2", "OPENALEX", "TAVILY", "GOOGLE"),
    *("DATACITE", "ARXIV", "OPENLIBRARY", "UNPAYWALL"),
):
    os.environ[f"{name}_BASE_URL"] = f"http://127.0.0.1:9/{name.lower()}"
for name in ("S2", "PUBMED", "OPENALEX", "TAVILY", "GOOGLE"):
    for ending in ("_API_KEY", "_API_KEY_FILE"):
        os.environ.pop(name + ending, None)
os.environ["DATABASE_URL"] = os.environ.get("TEST_DATABASE_URL") or f"sqlite:///{_ROOT / 'scholium.sqlite3'}"
os.environ["MEDIA_ROOT"] = str(_ROOT / "media")

from config.settings import *  # noqa: E402, F403
from config.settings import DATABASES, STORAGES  # noqa: E402

if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file and not memory, since several threads and processes share the database, as they do in production.
    DATABASES["default"]["TEST"] = {"NAME": str(_ROOT / "test.sqlite3")}
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
ALLOWED_HOSTS = ["*"]
RESEARCH_RETRY_PAUSE = 0.0
SOURCE_BACKOFF = 0.02
STATIC_ROOT = _ROOT / "static"
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
