"""Somebody at a browser: signed in as the demo person, over HTTP, a socket, or in Chromium."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlparse

import httpx
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, sync_playwright

from config.demo.install import EMAIL
from projects.models import User

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
]


def session(email: str = EMAIL) -> dict[str, str]:
    """The cookie of a session of the demo person, or of another."""
    client = Client()
    client.force_login(User.objects.get(email=email))
    return {settings.SESSION_COOKIE_NAME: client.cookies[settings.SESSION_COOKIE_NAME].value}


@contextmanager
def over_http(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, cookies=session(), trust_env=False, timeout=60) as client:
        yield client


@contextmanager
def in_chromium(address: str) -> Iterator[Page]:
    found = os.environ.get("CHROMIUM") or os.environ.get("PLAYWRIGHT_CHROMIUM") or shutil.which("chromium")
    cookies = [{"name": name, "value": value, "url": address} for name, value in session().items()]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found, args=FLAGS)
        context = chromium.new_context(base_url=address)
        context.add_cookies(cookies)  # type: ignore[arg-type]
        yield context.new_page()
        chromium.close()


def socket_address(address: str) -> tuple[str, int]:
    parts = urlparse(address)
    return str(parts.hostname), int(parts.port or 80)
