"""How many examples a property test tries: some in `make test`, ten times as many in `make test-long`."""

from typing import Any

from hypothesis import HealthCheck, settings

# How quick a machine is, or how busy, is no property of the code.
_unhurried: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("short", max_examples=100, **_unhurried)
settings.register_profile("long", max_examples=1000, **_unhurried)


def examples(number: int, **others: Any) -> settings:
    """This function will decorate a property test that tries `number` examples in `make test`."""
    return settings(max_examples=number * settings().max_examples // 100, **others)
