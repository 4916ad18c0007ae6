"""What each catalogue was asked in a run, how often it answered, and why it did not (SPEC R5, R11)."""

from typing import Any

from django.db.models import Count

from research.models import Run
from research.search.searching import PROVIDER as LIBRARY
from sources.providers import PROVIDERS

_TYPES = ("provider_query", "provider_failed")
_READ = 40  # failures that are looked at for their reason


def asked_of(run: Run) -> list[dict[str, Any]]:
    """[{label, asked, answered, failed, why}] by provider, the library first; two queries, however much was asked."""
    rows = (
        run.provenance.filter(event_type__in=_TYPES)
        .order_by()
        .values_list("details__provider", "event_type")
        .annotate(number=Count("pk"))
    )
    counts: dict[str, dict[str, int]] = {}
    for name, event_type, number in rows:
        counts.setdefault(name, dict.fromkeys(_TYPES, 0))[event_type] = number
    whys: dict[str, str] = {}
    if any(number["provider_failed"] for number in counts.values()):
        failures = run.provenance.filter(event_type="provider_failed").order_by("-seq")
        for details in failures.values_list("details", flat=True)[:_READ]:
            whys.setdefault(details["provider"], details["why"])
    return [
        {
            "label": PROVIDERS[name].label if name in PROVIDERS else "Your library",
            "asked": sum(number.values()),
            "answered": number["provider_query"],
            "failed": number["provider_failed"],
            "why": whys.get(name, ""),
        }
        for name, number in sorted(counts.items(), key=lambda one: (one[0] != LIBRARY, one[0]))
    ]
