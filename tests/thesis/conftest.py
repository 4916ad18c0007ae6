from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    """Each test stores into a folder of its own, so that it can count what is left there."""
    settings.MEDIA_ROOT = tmp_path / "media"
    return tmp_path / "media"
