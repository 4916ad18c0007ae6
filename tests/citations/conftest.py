from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from tests.citations.real_works import WORKS
from tests.servers.registry_works import Holdings


@pytest.fixture(autouse=True)
def media(settings: Settings, tmp_path: Path) -> Path:
    """Each test stores into a folder of its own, so that it can count what is left there."""
    folder = tmp_path / "media"
    settings.MEDIA_ROOT = folder
    return folder


@pytest.fixture
def holdings(settings: Settings) -> Iterator[Holdings]:
    """Registries that know the works of real_works.py, in the place of the real ones."""
    with Holdings(WORKS.values()) as served:
        served.serve(settings)
        yield served
