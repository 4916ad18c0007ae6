"""What each catalogue was asked in a run, how often it answered, and why it did not (SPEC R5, R11)."""

from typing import Any

from django.db.models import Count

from research.models import Run
from research.run_context.library_answers import PROVIDER as LIBRARY
from research.words import counted
from sources.providers import PROVIDERS
from sources.work import Kind

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


def not_searched(run: Run) -> list[str]:
    """A sentence on each provider that could not be searched, be it always or at times, with the reason it gave first."""
    failures: dict[str, list[dict[str, Any]]] = {}
    for details in run.provenance.filter(event_type="provider_failed").values_list("details", flat=True):
        failures.setdefault(details["provider"], []).append(details)
    return [_sentence(run, name, those) for name, those in sorted(failures.items())]


def _sentence(run: Run, name: str, failures: list[dict[str, Any]]) -> str:
    """How often and why; that it was left alone after its failures is no reason of its own."""
    label = PROVIDERS[name].label
    asked = [details for details in failures if details["kind"] not in (Kind.RESTING, Kind.GIVEN_UP)]
    resting = sum(details["kind"] == Kind.RESTING for details in failures)
    first = (asked or failures)[0]
    kinds = ("provider_query", "network_query")
    answered = run.provenance.filter(event_type__in=kinds, details__provider=name).count()
    tried = len(asked) or resting
    how_often = f"{tried} of {tried + answered} times" if answered else f"(tried {counted(tried, 'time')})"
    said = f"{label} could not be searched {how_often}: {first['why']}"
    if asked and resting:
        said += f" It was then left alone for a while, and not asked {counted(resting, 'time')} more."
    return f"{said} It was asked no more after that." if len(failures) > len(asked) + resting else said
