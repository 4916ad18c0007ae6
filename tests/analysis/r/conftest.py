"""What the tests of R's answers have besides the service (tests/analysis/conftest.py): they count what they compare."""

from collections.abc import Iterator

import pytest

from tests.analysis.r import oracle


@pytest.fixture(autouse=True)
def _counted(request: pytest.FixtureRequest) -> Iterator[None]:
    """How many expected values each test compared, for the line at the end (tests/conftest.py)."""
    oracle.compared.clear()
    yield
    request.node.user_properties.append(("oracle_values", len(oracle.compared)))
