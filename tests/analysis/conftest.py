"""The statistics service that tests ask: the real one, on real R, one for all tests of a process of pytest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.r_client import local_service


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local_service.LocalService]:
    """The R service, alone on its port. Where R is installed and it does not start, that is a failure.

    It makes no child ready between two questions, which takes longer than most questions; that is for test_service.py.
    """
    if not local_service.is_r_installed():
        pytest.skip("R is not installed: docker/setup test adds it")
    log: Path = tmp_path_factory.mktemp("r") / "service.log"
    environment = {"R_DEBUG": "1", "R_CHILDREN": "4", "R_IDLE": "3600"}
    with local_service.start(environment=environment, log=log) as started:
        yield started
