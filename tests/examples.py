"""Examples of a property test: at most 30 in `make test`, ten times the number it names in `make test-long`."""

from typing import Any

from hypothesis import HealthCheck, settings

# A slow or busy machine must not fail a test.
_unhurried: dict[str, Any] = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
SHORT, LONG = 30, 1000
settings.register_profile("short", max_examples=SHORT, **_unhurried)
settings.register_profile("long", max_examples=LONG, **_unhurried)


def examples(number: int, **others: Any) -> settings:
    """Return the decorator of a property test that tries `number` examples in `make test`, but at most 30 there."""
    most = settings().max_examples
    return settings(max_examples=min(number, SHORT) if most == SHORT else 10 * number, **others)
