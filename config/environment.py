"""Reading settings from the environment, and secrets also from files.

`SETTINGS` lists every name Scholium reads. docs/settings.md documents each of them, and a test fails when one is
missing there.
"""

import os
import secrets
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

SECRETS = {
    "SECRET_KEY",
    "DATABASE_URL",
    "REDIS_URL",
    "EMAIL_URL",
    "ANTHROPIC_API_KEY",
    "PUBMED_API_KEY",
    "S2_API_KEY",
    "OPENALEX_API_KEY",
    "TAVILY_API_KEY",
    "GOOGLE_API_KEY",
    "R_PLUMBER_TOKEN",
}
SETTINGS = {
    "DATABASE_URL",
    "REDIS_URL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "DEBUG",
    "UI_DEBUG",
    "HTTPS",
    "TRUSTED_PROXIES",
    "MEDIA_ROOT",
    "EMAIL_URL",
    "EMAIL_FROM",
    "WORKERS",
    "UPLOAD_MAX_MB",
    "BUILD_SECONDS",
    "R_PLUMBER_URLS",
    "R_PLUMBER_TOKEN",
    "DRAFTING",
    "LLM_ENGINE",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "LLM_MODEL_BRIEF",
    "LLM_MODEL_DECOMPOSE",
    "LLM_MODEL_RESEARCH",
    "LLM_MODEL_CONDENSE",
    "LLM_MODEL_SUFFICIENCY",
    "LLM_MODEL_SYNTHESIZE",
    "LLM_MODEL_VERIFY",
    "LLM_MODEL_ROUTE",
    "LLM_MODEL_DIGEST",
    "LLM_MODEL_DRAFT",
    "LLM_MODEL_DRAFT_PLAIN",
    "LLM_MODEL_ASSIST",
    "RESEARCH_PROFILES",
    "RESEARCH_DEFAULT_PROFILE",
    "RESEARCH_CITATION_STYLE",
    "RESEARCH_EXPORT_FORMAT",
    "RESEARCH_CONCURRENCY",
    "RESEARCH_DEFAULT_BUDGET_USD",
    "RESEARCH_RETRY_PAUSE",
    "CROSSREF_MAILTO",
    "PUBMED_API_KEY",
    "S2_API_KEY",
    "OPENALEX_API_KEY",
    "TAVILY_API_KEY",
    "GOOGLE_API_KEY",
    "GOOGLE_CX",
    "CROSSREF_BASE_URL",
    "DOI_BASE_URL",
    "PUBMED_BASE_URL",
    "S2_BASE_URL",
    "OPENALEX_BASE_URL",
    "DATACITE_BASE_URL",
    "ARXIV_BASE_URL",
    "OPENLIBRARY_BASE_URL",
    "UNPAYWALL_BASE_URL",
    "TAVILY_BASE_URL",
    "GOOGLE_BASE_URL",
    "SOURCE_PACE",
    "FETCH_ALLOW_PRIVATE",
}

env = environ.Env()


def secret(name: str, default: str = "") -> str:
    """Return the secret `name`: its environment variable, else the content of the file named by NAME_FILE."""
    if name not in SECRETS:
        raise KeyError(name)
    path = os.environ.get(f"{name}_FILE")
    if path and not os.environ.get(name):
        return Path(path).read_text(encoding="utf-8").strip()
    return os.environ.get(name, default)


def networks(entries: list[str]) -> list[IPv4Network | IPv6Network | str]:
    """Return the `entries` of TRUSTED_PROXIES as networks, with "unix" unchanged.

    Raises ImproperlyConfigured for an entry that is neither.
    """
    found: list[IPv4Network | IPv6Network | str] = []
    for entry in filter(None, map(str.strip, entries)):
        try:
            found.append(entry if entry == "unix" else ip_network(entry))
        except ValueError as error:
            raise ImproperlyConfigured(
                f"TRUSTED_PROXIES contains {entry!r}, which is not an address or network ({error}). "
                "Use values such as 10.0.0.5, 10.0.0.0/8, fd00::/8 or unix, separated by commas."
            ) from None
    return found


def kept_secret_key(path: Path) -> str:
    """Return the secret key stored in `path`, created on first use, for installations that set no SECRET_KEY.

    Two processes may start at once, so the file is created exclusively; the second process reads the first one's key.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text(encoding="ascii").strip()
    with os.fdopen(handle, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(50)
        file.write(key)
    return key
