"""The service these tests ask: the real one, on real R, one for all tests of a process of pytest."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from analysis.engine import local
from tests.analysis.r import oracle


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[local.Local]:
    """The R service, alone on its port. Where R is installed and it does not start, that is a failure."""
    if not local.r_is_there():
        pytest.skip("R is not installed: docker/setup test adds it")
    log: Path = tmp_path_factory.mktemp("r") / "service.log"
    with local.start(environment={"R_DEBUG": "1", "R_CHILDREN": "4"}, log=log) as started:
        yield started


@pytest.fixture(autouse=True)
def _counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """How many expected values each test compared, for the line at the end (tests/conftest.py)."""
    oracle.compared.clear()
    yield
    request.node.user_properties.append(("oracle_values", len(oracle.compared)))
