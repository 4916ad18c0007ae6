from pathlib import Path

import pytest
from pytest_django import Settings


@pytest.fixture(autouse=True)
def _own_media(settings: Settings, tmp_path: Path) -> None:
    """Each test stores into a folder of its own, so that it can count what is left there."""
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def media(tmp_path: Path) -> Path:
    return tmp_path / "media"
