"""The pictures of the manual, taken from a copy of the demo: `python -m tests.manual_pictures`.

Starts the application with R on a database of its own, and writes docs/manual/images. Run it when pages look
different.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import django
from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.e2e.conftest import FLAGS, PATIENT, UP, sign_in  # noqa: E402
from tests.servers.processes import ROOT, answers, environment, free_port, manage, until  # noqa: E402

IMAGES = ROOT / "docs" / "manual" / "images"
SIZE = ViewportSize(width=1280, height=800)


def take_pictures(page: Page) -> None:
    """Make a copy of the demo and save a picture of each page that the manual shows."""

    def picture(name: str, place: str = "") -> None:
        if place:
            page.goto(place)
        page.wait_for_load_state("networkidle")
        page.screenshot(path=IMAGES / f"{name}.png", animations="disabled")

    sign_in(page)
    page.goto("/demo/")
    page.get_by_role("button", name="Open a copy of the demo").click()
    expect(page.get_by_text("What to look at:")).to_be_visible(timeout=10 * PATIENT)
    project = re.sub(r"demo/$", "", urlsplit(page.url).path)
    picture("home", "/")
    picture("write", f"{project}sections/introduction/")
    picture("read", f"{project}read/?section=introduction")
    picture("citations", f"{project}citations/")
    page.goto(f"{project}research/")
    page.locator("main a[href^='/runs/']").first.click()
    picture("research")
    page.goto(f"{project}analyses/")
    page.get_by_role("link", name="Do corticosteroids change").first.click()
    picture("analyses")
    picture("build", f"{project}build/")


def main() -> None:
    """Serve a new installation with the demo, and take the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        folder, port = Path(place), free_port()
        static = str(folder / "static")
        env = environment(
            folder / "pictures.sqlite3", folder, SCHOLIUM_TEST_STATIC=static, WORKERS="2", R_PLUMBER_URLS=""
        )
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"], cwd=ROOT, env=env, check=True
        )
        with manage("up", "--port", str(port), env=env, log=folder / "log") as process, sync_playwright() as playwright:
            until(lambda: process.poll() is None and answers(port, "/readyz"), UP, "the server", every=0.5)
            until(lambda: b'"analysis": true' in urlopen(f"http://127.0.0.1:{port}/readyz").read(), UP, "R", every=0.5)
            chromium = playwright.chromium.launch(executable_path=os.environ.get("CHROMIUM"), args=FLAGS)
            page = chromium.new_page(base_url=f"http://127.0.0.1:{port}", viewport=SIZE, locale="en-GB")
            take_pictures(page)


if __name__ == "__main__":
    main()
