"""Django settings, read from the environment; docs/settings.md explains each name."""

import os
from pathlib import Path

from csp.constants import NONE, SELF

from config.environment import env, kept_secret_key, networks, secret

BASE_DIR = Path(__file__).resolve().parent.parent
VAR = BASE_DIR / "var"

DEBUG = env.bool("DEBUG", default=False)
UI_DEBUG = env.bool("UI_DEBUG", default=False)  # the run page also shows the input of each question (SPEC X9)
SECRET_KEY = secret("SECRET_KEY") or kept_secret_key(VAR / "secret-key")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
HTTPS = env.bool("HTTPS", default=False)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
# X-Forwarded-For is trusted only from these (projects/rate_limits.py).
TRUSTED_PROXIES = networks(env.list("TRUSTED_PROXIES", default=[]))
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "allauth",
    "allauth.account",
    "channels",
    "ninja",
    "csp",
    "django_htmx",
    "django_q",
    "template_partials",
    "config",
    "projects",
    "sources",
    "jobs",
    "llm",
    "sections",
    "citations",
    "contextfiles",
    "analysis",
    "research",
    "thesis",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "projects.middleware.PrivatePages",
    "projects.middleware.AccountLimits",
    "projects.middleware.SignInRequired",
]

ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "jobs.progress.running",
                "config.manual.manual_address",
            ],
            "builtins": [
                "django.templatetags.static",
                "template_partials.templatetags.partials",
                "django_htmx.templatetags.django_htmx",
                "projects.templatetags.scholium",
            ],
        },
    },
]

# SQLite: WAL and immediate transactions, so that several processes write without "database is locked"
# (docs/decisions/sqlite.md). PostgreSQL: time limits for waiting on locks and for idle transactions, and only the
# worker's processes keep connections open (docs/decisions/postgresql.md). Other databases: DATABASE_URL as given.
DATABASES = {"default": env.db_url_config(secret("DATABASE_URL") or f"sqlite:///{VAR / 'scholium.sqlite3'}")}
# The worker's cluster polls for tasks twenty times a second; opening the database each time took most of that.
KEPT_OPEN = 60 if "SCHOLIUM_CLUSTER" in os.environ else 0  # seconds
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["CONN_MAX_AGE"] = KEPT_OPEN
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": (
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA busy_timeout=20000; PRAGMA foreign_keys=ON;"
            " PRAGMA secure_delete=ON;"  # what is deleted is overwritten (docs/privacy.md)
        ),
    }
if DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"] = {
        "CONN_MAX_AGE": KEPT_OPEN,
        "CONN_HEALTH_CHECKS": True,
        **DATABASES["default"],
        "OPTIONS": {
            "options": "-c lock_timeout=20s -c idle_in_transaction_session_timeout=60s",
            "keepalives_idle": 30,
            **DATABASES["default"].get("OPTIONS", {}),
        },
    }
REDIS_URL = secret("REDIS_URL")  # only notifies readers of new events (jobs/notify.py); without it they poll
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

AUTH_USER_MODEL = "projects.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "projects.password_validators.LongEnough"},
    {"NAME": "projects.password_validators.HardToGuess"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "projects:home"
LOGOUT_REDIRECT_URL = "account_login"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_ADAPTER = "projects.account_adapter.AccountAdapter"
ACCOUNT_FORMS = {"signup": "projects.forms.SignupForm"}
ACCOUNT_EMAIL_VERIFICATION = "optional"  # mandatory for new accounts if mail is set up (projects/account_adapter.py)
ACCOUNT_LOGIN_ON_EMAIL_CONFIRMATION = True  # in the browser that signed up
ACCOUNT_LOGIN_ON_PASSWORD_RESET = (
    True  # a reset mail signs in despite sign-in limits (docs/decisions/accounts-and-members.md)
)
ACCOUNT_RATE_LIMITS = False  # allauth counts per process; ours are in the database (projects/rate_limits.py)
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = "Scholium: "

vars().update(env.email_url_config(secret("EMAIL_URL") or "consolemail://"))
DEFAULT_FROM_EMAIL = env("EMAIL_FROM", default="Scholium <scholium@localhost>")

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False

STATIC_URL = "static/"
STATIC_ROOT = VAR / "static"
STATICFILES_DIRS = [BASE_DIR / "static" / "dist"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
# Scripts import each other by the build's own hashed names (chunks/chunk-HASH.js), so those are served too.
WHITENOISE_KEEP_ONLY_HASHED_FILES = False
# Not compressed: formats that already are, and source maps, which only developers request.
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ("jpg", "jpeg", "png", "gif", "webp", "zip", "gz", "br", "woff", "woff2", "map")
MEDIA_ROOT = env.path("MEDIA_ROOT", default=str(VAR / "media"))()
UPLOAD_MAX_BYTES = env.int("UPLOAD_MAX_MB", default=50) * 1024 * 1024
# Time limit of a LaTeX build.
BUILD_SECONDS = env.int("BUILD_SECONDS", default=120)
# The processes of the R service, used in turn; if empty, `make run` starts two with the R of this machine.
R_PLUMBER_URLS = [url.rstrip("/") for url in env.list("R_PLUMBER_URLS", default=[]) if url.strip()]
R_PLUMBER_TOKEN = secret("R_PLUMBER_TOKEN")
FILE_UPLOAD_PERMISSIONS = 0o600
# A section of 6,000,000 characters in any script must fit into one request (files have their own limit).
DATA_UPLOAD_MAX_NUMBER_FILES = 500
DATA_UPLOAD_MAX_NUMBER_FIELDS = 6000  # the column types form has fields for 200 columns
DATA_UPLOAD_MAX_MEMORY_SIZE = 32 * 1024 * 1024

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "font-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    },
}

# django-q2 only wakes up a worker; jobs.Job handles attempts, leases and retries (docs/decisions/jobs.md).
# `retry` therefore exceeds the longest job, and every task is acknowledged, failed or not.
Q_CLUSTER = {
    "name": "scholium",
    "orm": "default",
    "broker_class": "jobs.broker.Broker",
    "workers": env.int("WORKERS", default=10),
    "queue_limit": 2,
    "poll": 0.05,
    "timeout": 4 * 3600,
    "retry": 5 * 3600,
    "max_attempts": 1,
    "ack_failures": True,
    "catch_up": False,
    "save_limit": 200,
    "guard_cycle": 0.5,
    "label": "Scholium",
}

DRAFTING = env.bool("DRAFTING", default=True)  # whether AI may draft text at all (projects/access.py)
LLM_ENGINE = env("LLM_ENGINE", default="auto")
ANTHROPIC_API_KEY = secret("ANTHROPIC_API_KEY")
ANTHROPIC_BASE_URL = env("ANTHROPIC_BASE_URL", default="https://api.anthropic.com")
LLM_MODELS = {
    "brief": env("LLM_MODEL_BRIEF", default="claude-opus-5-5"),
    "decompose": env("LLM_MODEL_DECOMPOSE", default="claude-opus-5-5"),
    "research": env("LLM_MODEL_RESEARCH", default="claude-sonnet-5-5"),
    "condense": env("LLM_MODEL_CONDENSE", default="claude-haiku-5-5"),
    "sufficiency": env("LLM_MODEL_SUFFICIENCY", default="claude-sonnet-5-5"),
    "synthesize": env("LLM_MODEL_SYNTHESIZE", default="claude-opus-5-5"),
    "verify": env("LLM_MODEL_VERIFY", default="claude-haiku-5-5"),
    "route": env("LLM_MODEL_ROUTE", default=env("LLM_MODEL_DECOMPOSE", default="claude-opus-5-5")),
    "digest": env("LLM_MODEL_DIGEST", default="claude-haiku-5-5"),
    "draft": env("LLM_MODEL_DRAFT", default="claude-opus-5-5"),
    "draft_plain": env("LLM_MODEL_DRAFT_PLAIN", default="claude-sonnet-5-5"),
    "assist": env("LLM_MODEL_ASSIST", default="claude-sonnet-5-5"),
}
RESEARCH_PROFILES = env("RESEARCH_PROFILES", default="")  # JSON, validated in research/setup/profile_registry.py
RESEARCH_DEFAULT_PROFILE = env("RESEARCH_DEFAULT_PROFILE", default="general")
RESEARCH_CITATION_STYLE = env("RESEARCH_CITATION_STYLE", default="default")
RESEARCH_EXPORT_FORMAT = env("RESEARCH_EXPORT_FORMAT", default="md")
RESEARCH_DEFAULT_BUDGET_USD = env("RESEARCH_DEFAULT_BUDGET_USD", default="5.00")  # read in research/setup/budget.py
RESEARCH_RETRY_PAUSE = max(0.0, env.float("RESEARCH_RETRY_PAUSE", default=35.0))
RESEARCH_CONCURRENCY = max(1, env.int("RESEARCH_CONCURRENCY", default=32))

# Catalogues and search engines (sources/host_limits.py)
CROSSREF_MAILTO = env("CROSSREF_MAILTO", default="")
PUBMED_API_KEY = secret("PUBMED_API_KEY")
S2_API_KEY = secret("S2_API_KEY")
OPENALEX_API_KEY = secret("OPENALEX_API_KEY")
TAVILY_API_KEY = secret("TAVILY_API_KEY")
GOOGLE_API_KEY = secret("GOOGLE_API_KEY")
GOOGLE_CX = env("GOOGLE_CX", default="")
CROSSREF_BASE_URL = env("CROSSREF_BASE_URL", default="https://api.crossref.org")
DOI_BASE_URL = env("DOI_BASE_URL", default="https://doi.org")
PUBMED_BASE_URL = env("PUBMED_BASE_URL", default="https://eutils.ncbi.nlm.nih.gov/entrez/eutils")
S2_BASE_URL = env("S2_BASE_URL", default="https://api.semanticscholar.org")
OPENALEX_BASE_URL = env("OPENALEX_BASE_URL", default="https://api.openalex.org")
DATACITE_BASE_URL = env("DATACITE_BASE_URL", default="https://api.datacite.org")
ARXIV_BASE_URL = env("ARXIV_BASE_URL", default="https://export.arxiv.org")
OPENLIBRARY_BASE_URL = env("OPENLIBRARY_BASE_URL", default="https://openlibrary.org")
UNPAYWALL_BASE_URL = env("UNPAYWALL_BASE_URL", default="https://api.unpaywall.org")
TAVILY_BASE_URL = env("TAVILY_BASE_URL", default="https://api.tavily.com")
GOOGLE_BASE_URL = env("GOOGLE_BASE_URL", default="https://www.googleapis.com")
SOURCE_PACE = {name: float(pace) for name, pace in env.json("SOURCE_PACE", default={}).items()}
SOURCE_BACKOFF = 0.5  # seconds before a request is sent again, if the host names none; twice as long each time
FETCH_ALLOW_PRIVATE = env.list("FETCH_ALLOW_PRIVATE", default=[])

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    "loggers": {"scholium": {"level": "INFO"}, "django-q": {"level": "WARNING"}, "daphne": {"level": "WARNING"}},
}
