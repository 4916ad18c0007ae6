"""The list of keys is that of the pages (SPEC P8)."""

import re
from pathlib import Path

import pytest
from django.conf import settings

from projects.models import User
from tests.people import signed_in

ROOT = Path(settings.BASE_DIR)
USUAL = {"Escape", "Enter", "Shift+Enter"}  # within a dialog or field


def declared() -> set[str]:
    """The keys that templates and scripts give to buttons."""
    files = [*ROOT.glob("templates/**/*.html"), *ROOT.glob("static/src/**/*.ts")]
    found = re.findall(
        r"""(?:aria-keyshortcuts["']?\s*[=,:]\s*|ariaKeyShortcuts\s*=\s*)["']([^"']+)["']""",
        "\n".join(file.read_text(encoding="utf-8") for file in files),
    )
    return {key for keys in found for key in keys.split()}


def test_every_key_of_a_button_is_in_the_list() -> None:
    listed = (ROOT / "templates" / "_keys.html").read_text(encoding="utf-8")
    shown = set(re.findall(r"<kbd>([^<]+)</kbd>", listed))
    keys = {key.replace("Control", "Ctrl") for key in declared()}
    assert len(keys) > 10
    assert keys - USUAL <= shown


@pytest.mark.django_db
def test_the_page_of_keys(owner: User) -> None:
    assert "Ctrl+Shift+C" in signed_in(owner).get("/keys/").content.decode()
    assert signed_in(owner).post("/keys/").status_code == 405
