"""The number of examples a property test tries: ten times as many in `make test-long` as in `make test`."""

from typing import Any

from hypothesis import HealthCheck, settings

# A slow or busy machine must not fail a test.
_unhurried: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=100, **_unhurried)
settings.register_profile("long", max_examples=1000, **_unhurried)


def examples(number: int, **others: Any) -> settings:
    """Return the decorator of a property test that tries `number` examples in `make test`."""
    return settings(max_examples=number * settings().max_examples // 100, **others)
